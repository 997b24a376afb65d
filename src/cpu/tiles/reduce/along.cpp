// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/reduce/along.hpp"

#include "cpu/tiles/reduce/contract.hpp"

#include <utility>

namespace tessera::cpu {

using namespace jit;

namespace {
constexpr int unroll = 4;
} // namespace

AlongSum::AlongSum(Code& code, Codec& codec, Combine combine, std::function<SumValues()> start, bool joins,
                   const ReductionParts* extremes)
    : c_(code), codec_(codec), combine_(std::move(combine)), start_(std::move(start)), lanes_(code.width() / 4),
      extremes_(extremes) {
    if (!c_.target().masks) iota_ = table_of_lanes(c_, [](int lane) { return lane; });
    for (int apart = lanes_ / 2; joins && apart; apart /= 2)
        shifted_.push_back(table_of_lanes(c_, [&](int lane) { return (lane + apart) % lanes_; }));
}

void AlongSum::add_up(const std::vector<SumValues>& parts, Gpr columns, const Row& row) const {
    const auto sixteens = [&](int count) {
        if (extremes_) return combine_sixteens(parts, count, row);
        for (int i = 0; i < count; ++i)
            for (int v = 0; v < vectors(); ++v)
                each_side(parts, [&](int side, auto part) {
                    combine_(part(v), row.values(i * reduction_sums + v * lanes_, lanes_, nullptr, side));
                });
        row.move(count * reduction_sums);
    };
    repeat(c_, columns, unroll * reduction_sums, [&] { sixteens(unroll); });
    repeat(c_, columns, reduction_sums, [&] { sixteens(1); });
    c_.if_positive(columns);
    if (c_.target().masks) {
        const Mask tail = c_.mask_first(columns);
        each_side(parts,
                  [&](int side, auto part) { combine_where(part(0), tail, row.values(0, lanes_, &tail, side)); });
        row.move_by(columns);
    } else {
        end_without_masks(parts, columns, row);
    }
    c_.end_if();
}

// Extremes of extremes: the grouping does not matter, and combinations with one vector wait for each other.
void AlongSum::combine_sixteens(const std::vector<SumValues>& parts, int count, const Row& row) const {
    for (int v = 0; v < vectors(); ++v)
        each_side(parts, [&](int side, auto part) {
            std::vector<Vec> all;
            for (int i = 0; i < count; ++i)
                all.push_back(row.values(i * reduction_sums + v * lanes_, lanes_, nullptr, side).value);
            for (int apart = 1; apart < count; apart *= 2)
                for (int i = 0; i + apart < count; i += 2 * apart)
                    all[size_t(i)] = combined_extremes(c_, *extremes_, all[size_t(i)], all[size_t(i + apart)]);
            combine_(part(v), {all[0], {}});
        });
    row.move(count * reduction_sums);
}

void AlongSum::end_without_masks(const std::vector<SumValues>& parts, Gpr columns, const Row& row) const {
    const Gpr behind = c_.gcopy(columns);
    c_.gsub(behind, behind, lanes_ - 1);
    c_.if_positive(behind); // a whole vector and less than another one
    each_side(parts, [&](int side, auto part) { combine_(part(0), row.values(0, lanes_, nullptr, side)); });
    row.move(lanes_);
    c_.gsub(columns, columns, lanes_);
    c_.if_positive(columns);
    one_by_one(parts, 1, columns, row);
    c_.end_if();
    c_.gsub(columns, columns, columns);
    c_.end_if();
    c_.if_positive(columns);
    one_by_one(parts, 0, columns, row);
    c_.end_if();
}

void AlongSum::join(const std::vector<SumValues>& parts, int side) const {
    const SumValues& sum = parts[size_t(side * vectors())];
    for (int v = 1; v < vectors(); ++v) combine_(sum, parts[size_t(side * vectors() + v)]);
    if (extremes_) return join_extremes(sum.value);
    for (const Vec& by : shifted_)
        combine_(sum, {c_.permute(sum.value, by, 4), sum.second.id >= 0 ? c_.permute(sum.second, by, 4) : Vec{}});
}

// A NaN stays in its own lane, and is looked for at the end.
void AlongSum::join_extremes(Vec sum) const {
    for (const Vec& by : shifted_) combine_numbers(c_, *extremes_, sum, c_.permute(sum, by, 4));
    if (extremes_->type != ValueType::f32) return;
    constexpr int unordered = 3;
    const Gpr found = c_.gmask(c_.fcmp(sum, sum, unordered), 4);
    c_.if_positive(found);
    c_.copy(sum, codec_.u32(nan_bits));
    c_.end_if();
}

void AlongSum::combine_where(const SumValues& into, Mask k, SumValues more) const {
    const SumValues start = start_();
    more.value = c_.select(k, more.value, start.value);
    if (into.second.id >= 0) more.second = c_.select(k, more.second, start.second);
    combine_(into, more);
}

// `count` columns, the first one to lane 0 of the vector; each is computed in all lanes.
void AlongSum::one_by_one(const std::vector<SumValues>& parts, int vector, Gpr count, const Row& row) const {
    const Vec lane = c_.vec();
    c_.copy(lane, c_.zero());
    c_.loop();
    const Mask here = c_.icmp(iota_, lane, 0);
    each_side(parts, [&](int side, auto part) { combine_where(part(vector), here, row.values(0, 1, nullptr, side)); });
    c_.op2_into(VOp::iadd, lane, lane, codec_.u32(1));
    row.move(1);
    c_.end_loop(count, 1);
}

} // namespace tessera::cpu
