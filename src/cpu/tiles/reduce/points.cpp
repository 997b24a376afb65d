// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/reduce/points.hpp"

#include <algorithm>

#include "core/division.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

// Of 13 general registers loops, sums and scratch take up to nine. With more operands the others' addresses stay in the
// arguments.
constexpr size_t most_registers = 4;
constexpr int64_t most_masked_stride = 2; // of rows of any length each vector of a tail needs a mask, of seven

} // namespace

PointCode::PointCode(const Target& target, const ReduceSpec& spec)
    : spec_(spec), c_(target), codec_(c_), lanes_(c_.width() / 4), program_(c_, codec_, spec.parts.point, spec.types) {}

void PointCode::load_bases() {
    for (const Op& op : spec_.parts.point.ops)
        if (op.operand >= 0 && size_t(op.operand) < spec_.sums() &&
            std::find(used_.begin(), used_.end(), op.operand) == used_.end())
            used_.push_back(op.operand);
    hold_bases(used_);
}

void PointCode::hold_bases(const std::vector<int>& operands) {
    for (const int o : operands)
        if (base_.size() < most_registers) base_[o] = c_.gload(slot(offsetof(ReduceArgs, base), o));
}

void PointCode::prepare_numbers() {
    for (const int o : used_) {
        if (!counted(o)) continue;
        const int64_t stride = spec_.column[size_t(o)];
        numbers_[o] = table([=](int lane) { return lane * stride; });
        for (int u = 1; u < unroll; ++u) codec_.prepare_u32(uint32_t(u * lanes_ * stride));
    }
}

Vec PointCode::broadcast_low(Gpr value) {
    c_.gstore(arg(offsetof(ReduceArgs, scratch)), value);
    return c_.broadcast(arg(offsetof(ReduceArgs, scratch)), 4);
}

PointCode::Values PointCode::values(int64_t first, int count, const Tail* tail, int side) {
    Values out;
    program_.emit(
        [&](int o, ValueType type) {
            const int64_t stride = spec_.column[size_t(o)];
            const bool same = !stride && !side_bytes(o, side);
            if (const auto known = same_.find({o, type}); same && known != same_.end()) return known->second;
            const auto kept = [&](Vec v) { return same && !spec_.along_sum ? same_[{o, type}] = v : v; };
            if (counted(o)) {
                Vec v = broadcast_low(base(o));
                if (!stride || count == 1) return kept(v);
                v = c_.op2(VOp::iadd, v, numbers_.at(o));
                return first ? c_.op2(VOp::iadd, v, codec_.u32(uint32_t(first * stride))) : v;
            }
            const DataType stored = spec_.types[size_t(o)];
            const Mem m{base(o), first * stride * size(o) + side_bytes(o, side)};
            if (!stride) return kept(codec_.same(stored, type, m));
            if (count == 1) return codec_.same(stored, type, m);
            if (stride > 1) return load_strided(o, type, m, tail);
            return codec_.load(stored, type, m, count, tail ? &tail->columns : nullptr);
        },
        [&](int o, ValueType, Vec v) { (size_t(o) == spec_.sums() ? out.value : out.second) = v; });
    return out;
}

// Elements s apart come from s vectors, of which the last one ends with the last element: nothing behind is read. The
// last columns of a fixed row have as many vectors as they need, and a mask if they are fewer than a vector's elements.
//   s 2, 8 lanes:   0 2 4 6 of elements 0..7, 1 3 5 7 (8 10 12 14) of elements 7..14
//   6 columns:      0 2 4 6 of elements 0..7, 5 7 (8 10) of elements 3..10
//   4 columns:      0 2 4 6 of elements 0..6
PointCode::Picks PointCode::picks_of(int64_t stride, int columns) {
    Picks picks;
    const int64_t span = stride * (columns - 1) + 1, vectors = ceil_div(span, int64_t(lanes_));
    for (int64_t m = 0; m < vectors; ++m)
        picks.start.push_back(m + 1 < vectors ? m * lanes_ : std::max<int64_t>(span - lanes_, 0));
    const auto vector_of = [&](int64_t lane) { return std::min(stride * lane / lanes_, vectors - 1); };
    const bool both = c_.target().masks;
    for (int64_t m = 0; m < vectors; ++m) {
        if (both && m == 0 && vectors > 1) continue;
        picks.element.push_back(table([&](int lane) {
            const int64_t of = vector_of(lane), at = std::max<int64_t>(stride * lane - picks.start[size_t(of)], 0);
            if (!both || vectors == 1) return stride * lane - picks.start[size_t(m)];
            if (m == 1) return at + of * lanes_;
            return of < m ? int64_t(lane) : at + lanes_;
        }));
        if (both || m == 0) continue;
        const Vec own = table([&](int lane) { return vector_of(lane) == m; });
        picks.from.push_back(c_.icmp(own, codec_.u32(0), 4)); // 4: not equal
    }
    return picks;
}

void PointCode::prepare_strides() {
    for (const int o : used_) {
        const int64_t stride = spec_.column[size_t(o)];
        if (stride < 2 || counted(o) || picks_.count({stride, lanes_}) || picks_.count({stride, rest()})) continue;
        if (!spec_.fixed || spec_.fixed >= lanes_) picks_[{stride, lanes_}] = picks_of(stride, lanes_);
        if (rest()) picks_[{stride, rest()}] = picks_of(stride, rest());
    }
}

bool PointCode::has_tails() const {
    return c_.target().masks && (spec_.fixed || std::ranges::all_of(picks_, [](const auto& p) {
                                     return p.first.first <= most_masked_stride;
                                 }));
}

Mask PointCode::reached(Gpr count, int64_t stride, int64_t first, int64_t most) {
    const Gpr missing = c_.gset(first - 1 + stride); // the last element is number stride (count - 1)
    c_.gsub(missing, missing, c_.gmul(count, stride));
    const Gpr elements = c_.gset(0);
    c_.gsub(elements, elements, c_.gmin(missing, c_.gset(0)));
    return c_.mask_first(c_.gmin(elements, c_.gset(most)));
}

PointCode::Tail PointCode::tail_of(Gpr count) {
    Tail tail{c_.mask_first(count), {}, {}};
    for (const auto& [of, picks] : picks_) {
        const auto& [stride, columns] = of;
        const int64_t span = stride * (columns - 1) + 1;
        if (!spec_.fixed)
            for (const int64_t start : picks.start)
                tail.strided[stride].push_back(reached(count, stride, start, lanes_));
        else if (columns == rest() && span < lanes_)
            tail.strided[stride] = {c_.mask_first(c_.gset(span))};
    }
    return tail;
}

Vec PointCode::load_strided(int o, ValueType type, Mem m, const Tail* tail) {
    const int64_t stride = spec_.column[size_t(o)];
    const Picks& picks = picks_.at({stride, tail && spec_.fixed ? rest() : lanes_});
    const auto masks = tail ? tail->strided.find(stride) : decltype(tail->strided.end()){};
    const bool masked = tail && masks != tail->strided.end();
    Vec all;
    for (size_t v = 0; v < picks.start.size(); ++v) {
        const Mem at{m.base, m.disp + picks.start[v] * size(o)};
        const Vec own = codec_.load(spec_.types[size_t(o)], type, at, lanes_, masked ? &masks->second[v] : nullptr);
        if (picks.from.empty() && picks.start.size() > 1)
            all = v ? c_.permute2(all, own, picks.element[v - 1], 4) : own;
        else
            all = v ? c_.permute_merge(all, own, picks.element[v], picks.from[v - 1], 4)
                    : c_.permute(own, picks.element[v], 4);
    }
    return all;
}

void PointCode::combine(const Values& into, Values more) {
    if (into.numbers.id >= 0) return combine_tracked(into, more);
    if (spec_.parts.combine == OpCode::reduce_max_at) return take_larger(into, more);
    if (is_extreme(spec_.parts) && !may_be_nan()) return combine_numbers(c_, spec_.parts, into.value, more.value);
    combine_into(c_, spec_.parts, into.value, more.value);
}
bool PointCode::may_be_nan() const {
    return std::ranges::any_of(spec_.parts.point.ops, [&](const Op& op) {
        if (op.code == OpCode::load) return !is_integer(spec_.types[size_t(op.operand)]);
        return op.code != OpCode::index && op.code != OpCode::store;
    });
}
void PointCode::track_nan(Values& v) {
    constexpr int ordered = 7;
    v.numbers = c_.fcmp(v.value, v.value, ordered);
}
void PointCode::close_nan(Values& v) {
    if (v.numbers.id < 0) return;
    v.value = c_.select(v.numbers, v.value, codec_.u32(nan_bits));
    v.numbers = {};
}
// Of a result that a NaN has come to nothing changes any more. Its own number is the last that is taken.
void PointCode::combine_tracked(const Values& into, const Values& more) {
    constexpr int greater_or_nan = 6, ordered = 7;
    const bool numbered = pairs();
    if (numbered) {
        const Mask takes = c_.fcmp_and(into.numbers, more.value, into.value, greater_or_nan);
        c_.copy(into.second, c_.select(takes, more.second, into.second));
    }
    c_.fcmp_and_into(into.numbers, into.numbers, more.value, more.value, ordered);
    combine_numbers(c_, spec_.parts, into.value, more.value);
}
void PointCode::take_larger(const Values& into, const Values& more) {
    constexpr int equal = 0, less = 1, unordered = 3, greater_or_nan = 6, ordered = 7;
    const Vec value = more.value, old = into.value;
    const auto both = [&](VOp op, Mask a, Mask b) { return c_.mask_op(op, a, b); };
    const bool floats = spec_.parts.type == ValueType::f32;
    Mask takes;
    if (spec_.grows < 0) { // of equal values, or both NaN, that with the smaller number
        takes = floats ? c_.fcmp(value, old, equal) : c_.icmp(value, old, equal);
        if (floats)
            takes = both(VOp::mask_or, takes,
                         both(VOp::mask_and, c_.fcmp(value, value, unordered), c_.fcmp(old, old, unordered)));
        takes = both(VOp::mask_and, takes, c_.icmp(more.second, into.second, less));
    }
    Mask above = floats ? c_.fcmp(value, old, greater_or_nan) : c_.icmp(old, value, less);
    if (floats) above = both(VOp::mask_and, above, c_.fcmp(old, old, ordered)); // nothing is above a NaN
    takes = spec_.grows < 0 ? both(VOp::mask_or, takes, above) : above;
    c_.copy(into.value, c_.select(takes, value, old));
    c_.copy(into.second, c_.select(takes, more.second, into.second));
}
PointCode::Values PointCode::fresh() {
    Values v{c_.vec(), {}};
    c_.copy(v.value, start());
    if (!pairs()) return v;
    v.second = c_.vec();
    c_.copy(v.second, spec_.grows >= 0 ? broadcast_low(base(spec_.grows)) : codec_.u32(no_number));
    return v;
}

} // namespace tessera::cpu
