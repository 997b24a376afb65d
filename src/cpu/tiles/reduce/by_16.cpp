// SPDX-License-Identifier: Apache-2.0
// Columns whose 16 partial results are in registers, one of each for a vector of columns: points come in the order in
// which they lie in memory, each is loaded once and added to its own register, and at the end a tree joins the 16.
//
//   a cell of nChw16c    16 channels, 392 pixels: 24 times 16 points, then 8
//
// A program may be long, and 16 of it are: there is one body for all vectors of columns, under masks, and for all turns
// of 16 points, the last of which is left behind the rest.
//
// Where turns have a number of points that is no multiple of 16, registers change places behind each: the next point's
// is the first one again. The tree combines what is 8, 4, 2, 1 apart, which stays so.
#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/reduce/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

constexpr size_t most_moving = 4;    // operands with an address each: of 13 general registers nine
constexpr size_t strides_kept = 2;   // of these in registers as well
constexpr int registers_needed = 32; // vectors

class By16Builder {
public:
    By16Builder(const Target& target, const ReduceSpec& spec)
        : spec_(spec), c_(target), codec_(c_), lanes_(c_.width() / 4),
          program_(c_, codec_, spec.parts.point, spec.types) {
        for (const Op& op : spec.parts.point.ops) {
            if (op.code != OpCode::load) continue;
            auto& some = is_still(op.operand) ? still_ : moving_;
            if (std::ranges::find(some, op.operand) == some.end()) some.push_back(op.operand);
        }
    }

    Code build() {
        codec_.prepare_u32(reduce_start(spec_.parts));
        for (const int o : moving_) {
            base_[o] = c_.gload(slot(offsetof(ReduceArgs, base), o));
            if (stride_.size() < strides_kept) stride_[o] = c_.gload(slot(offsetof(ReduceArgs, point), o));
        }
        to_ = c_.gload(arg(offsetof(ReduceArgs, sums)));
        const Gpr count = c_.gload(arg(offsetof(ReduceArgs, results)));
        c_.loop();
        const Gpr row = c_.gcopy(to_);
        const Gpr columns = c_.gload(arg(offsetof(ReduceArgs, columns)));
        c_.loop(); // the last columns are a turn like the others: a body of its own would be half of the code
        strip(c_.mask_first(columns));
        each_base([&](int o, Gpr b) {
            if (moved(o)) c_.gadd(b, b, moved(o) * lanes_);
        });
        c_.gadd(to_, to_, c_.width());
        c_.end_loop(columns, lanes_);
        c_.gcopy(to_, row);
        c_.gadd_mem(to_, to_, arg(offsetof(ReduceArgs, sums_row)));
        each_base([&](int o, Gpr b) { // from where the vectors of columns end, which is `columns` behind the last one
            if (moved(o)) c_.gadd(b, b, c_.gmul(columns, moved(o)));
            c_.gadd_mem(b, b, slot(offsetof(ReduceArgs, result), o));
        });
        c_.end_loop(count, 1);
        return std::move(c_);
    }

private:
    bool is_still(int o) const { return spec_.still >> o & 1; }
    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    Mem slot(size_t array, int o) const { return arg(array + 8 * size_t(o)); }
    int64_t moved(int o) const { return spec_.column[size_t(o)] * bits(spec_.types[size_t(o)]) / 8; }
    // Still operands have their addresses in the arguments.
    Gpr base(int o) { return base_.count(o) ? base_.at(o) : c_.gload(slot(offsetof(ReduceArgs, base), o)); }
    template <typename F> void each_base(F move) {
        for (const auto* some : {&moving_, &still_})
            for (const int o : *some) {
                const Gpr b = base(o);
                move(o, b);
                if (!base_.count(o)) c_.gstore(slot(offsetof(ReduceArgs, base), o), b);
            }
    }
    void move_points(size_t array) {
        for (const int o : moving_) c_.gadd_mem(base_.at(o), base_.at(o), slot(array, o));
    }

    Vec load(int o, ValueType type, const Mask& columns) {
        const DataType stored = spec_.types[size_t(o)];
        return spec_.column[size_t(o)] ? codec_.load(stored, type, {base(o)}, lanes_, &columns)
                                       : codec_.same(stored, type, {base(o)});
    }
    void point(Vec into, const Mask& columns) {
        Vec value;
        program_.emit(
            [&](int o, ValueType type) {
                const auto known = same_.find({o, type});
                return known != same_.end() ? known->second : load(o, type, columns);
            },
            [&](int, ValueType, Vec v) { value = v; });
        combine(into, value);
        for (const int o : moving_) {
            const Gpr b = base_.at(o);
            stride_.count(o) ? c_.gadd(b, b, stride_.at(o)) : c_.gadd_mem(b, b, slot(offsetof(ReduceArgs, point), o));
        }
    }
    void combine(Vec into, Vec more) { combine_into(c_, spec_.parts, into, more); }

    void strip(const Mask& columns) {
        same_.clear();
        for (const Op& op : spec_.parts.point.ops)
            if (op.code == OpCode::load && is_still(op.operand) && !same_.count({op.operand, op.type}))
                same_[{op.operand, op.type}] = load(op.operand, op.type, columns);
        std::vector<Vec> sums;
        for (int k = 0; k < reduction_sums; ++k) {
            sums.push_back(c_.vec());
            c_.copy(sums.back(), codec_.u32(reduce_start(spec_.parts)));
        }
        const Gpr turns = c_.gload(arg(offsetof(ReduceArgs, turns)));
        c_.loop();
        const Gpr points = c_.gload(arg(offsetof(ReduceArgs, points)));
        const auto some = [&](int first, int behind) {
            for (int k = first; k < behind; ++k) point(sums[size_t(k)], columns);
        };
        if (spec_.rest == 0) {
            c_.loop();
            some(0, reduction_sums);
            c_.end_loop(points, 1);
        } else { // the last turn, perhaps the only one, ends behind the rest
            c_.gadd(points, points, 1);
            c_.loop();
            some(0, spec_.rest);
            c_.gsub(points, points, 1);
            c_.if_positive(points);
            some(spec_.rest, reduction_sums);
            c_.end_if();
            c_.end_loop(points, 0);
        }
        if (spec_.turned && spec_.rest) turn(sums);
        move_points(offsetof(ReduceArgs, turn));
        c_.end_loop(turns, 1);
        move_points(offsetof(ReduceArgs, strip));
        for (int apart = reduction_sums / 2; apart; apart /= 2)
            for (int k = 0; k < apart; ++k) combine(sums[size_t(k)], sums[size_t(k + apart)]);
        c_.store({to_}, sums[0]);
    }
    // Register k has what k + rest had: the number of the next point is 0.
    void turn(const std::vector<Vec>& sums) {
        std::vector<bool> done(sums.size());
        for (size_t start = 0; start < sums.size(); ++start) {
            if (done[start]) continue;
            const Vec first = c_.vec();
            c_.copy(first, sums[start]);
            for (size_t k = start; !done[k];) {
                const size_t from = (k + size_t(spec_.rest)) % sums.size();
                c_.copy(sums[k], from == start ? first : sums[from]);
                done[k] = true, k = from;
            }
        }
    }

    const ReduceSpec& spec_;
    Code c_;
    Codec codec_;
    const int lanes_;
    ProgramCode program_;
    std::vector<int> moving_, still_;  // operands
    std::map<int, Gpr> base_, stride_; // of those that move
    std::map<std::pair<int, ValueType>, Vec> same_;
    Gpr to_;
};

} // namespace

bool can_build_by_16(const Target& target, const ReduceSpec& spec) {
    if (target.vectors < registers_needed || !target.masks || spec.parts.pairs()) return false;
    const OpCode combine = spec.parts.combine;
    // Which of two equal values a maximum keeps shows in the signs of zeros.
    if (spec.turned && spec.rest && (combine == OpCode::reduce_max || combine == OpCode::reduce_min)) return false;
    std::vector<int> moving;
    for (const Op& op : spec.parts.point.ops) {
        if (op.code == OpCode::index) return false;
        if (op.code != OpCode::load) continue;
        if (spec.column[size_t(op.operand)] < 0 || spec.column[size_t(op.operand)] > 1) return false;
        if (!(spec.still >> op.operand & 1) && std::ranges::find(moving, op.operand) == moving.end())
            moving.push_back(op.operand);
    }
    return moving.size() <= most_moving && can_build_reduce(spec);
}

Code build_by_16(const Target& target, const ReduceSpec& spec) { return By16Builder(target, spec).build(); }

} // namespace tessera::cpu
