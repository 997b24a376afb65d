// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "cpu/tiles/reduce/points.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

class Builder : PointCode {
public:
    Builder(const Target& target, const ReduceSpec& spec) : PointCode(target, spec) {}

    Code build() {
        load_bases();
        codec_.prepare_u32(reduce_start(spec_.parts));
        if (pairs()) codec_.prepare_u32(no_number);
        prepare_numbers();
        to_ = c_.gload(arg(offsetof(ReduceArgs, sums)));
        if (pairs()) apart_ = c_.gload(arg(offsetof(ReduceArgs, seconds)));
        if (spec_.along_sum) prepare_rows();
        prepare_strides();
        const Gpr count = c_.gload(arg(offsetof(ReduceArgs, results)));
        c_.loop();
        const Gpr row = c_.gcopy(to_);
        const Gpr columns = c_.gload(arg(offsetof(ReduceArgs, columns)));
        spec_.along_sum ? sum_row(columns) : each_strip(columns);
        c_.gcopy(to_, row);
        c_.gadd_mem(to_, to_, arg(offsetof(ReduceArgs, sums_row)));
        move_by(offsetof(ReduceArgs, result));
        c_.end_loop(count, 1);
        return std::move(c_);
    }

private:
    Mem sum_at(int64_t bytes) const { return {to_, bytes}; }
    Mem second_at(int64_t bytes) const { return {to_, bytes, apart_, 1}; }
    Values load_sums(int64_t at, int bytes) {
        return {c_.load(sum_at(at), bytes), pairs() ? c_.load(second_at(at), bytes) : Vec{}};
    }
    void store_sums(const Values& v, int64_t at, int bytes) {
        c_.store(sum_at(at), v.value, bytes);
        if (pairs()) c_.store(second_at(at), v.second, bytes);
    }

    void each_strip(Gpr columns) {
        repeat(columns, unroll * lanes_, [&] { strip(unroll, lanes_, nullptr); });
        repeat(columns, 2 * lanes_, [&] { strip(2, lanes_, nullptr); });
        repeat(columns, lanes_, [&] { strip(1, lanes_, nullptr); });
        if (has_tails()) {
            c_.if_positive(columns);
            const Tail tail = tail_of(columns);
            strip(1, lanes_, &tail);
            each_base([&](int o, Gpr b) { // to where the last column ends
                if (!moved(o)) return false;
                const Gpr behind = c_.gset(lanes_);
                c_.gsub(behind, behind, columns);
                c_.gsub(b, b, c_.gmul(behind, moved(o)));
                return true;
            });
            c_.end_if();
            return;
        }
        if (!has_strides()) repeat(columns, lanes_ / 2, [&] { strip(1, lanes_ / 2, nullptr); });
        repeat(columns, 1, [&] { strip(1, 1, nullptr); });
    }
    void strip(int vectors, int count, const Tail* tail) {
        std::vector<Values> sums;
        const int bytes = count < lanes_ ? count * 4 : 0;
        for (int u = 0; u < vectors; ++u)
            sums.push_back(spec_.fresh ? fresh() : load_sums(int64_t(u) * c_.width(), bytes));
        const Gpr turns = c_.gload(arg(offsetof(ReduceArgs, turns)));
        c_.loop();
        const Gpr points = c_.gload(arg(offsetof(ReduceArgs, points)));
        c_.loop();
        forget_same();
        for (int u = 0; u < vectors; ++u) combine(sums[size_t(u)], values(int64_t(u) * lanes_, count, tail));
        move_by(offsetof(ReduceArgs, point));
        c_.end_loop(points, 1);
        move_by(offsetof(ReduceArgs, turn));
        c_.end_loop(turns, 1);
        move_by(offsetof(ReduceArgs, strip));
        for (int u = 0; u < vectors; ++u) store_sums(sums[size_t(u)], int64_t(u) * c_.width(), bytes);
        move_columns(vectors * count);
        c_.gadd(to_, to_, int64_t(vectors) * count * 4);
    }

    void prepare_rows() {
        along_.emplace(
            c_, codec_, [this](const Values& into, Values more) { combine(into, more); },
            [this] {
                return Values{start(), pairs() ? codec_.u32(no_number) : Vec{}};
            },
            spec_.joined, is_extreme(spec_.parts) ? &spec_.parts : nullptr);
        if (spec_.joined) out_ = c_.gload(arg(offsetof(ReduceArgs, out)));
    }
    void sum_row(Gpr columns) {
        std::vector<Values> parts;
        for (int v = 0; v < along_->vectors(); ++v)
            parts.push_back(spec_.fresh ? fresh() : load_sums(int64_t(v) * c_.width(), 0));
        forget_same();
        for (const Op& op : spec_.parts.point.ops) // the same for the whole row: once
            if (op.code == OpCode::load && !spec_.column[size_t(op.operand)] && !same_.count({op.operand, op.type}))
                same_[{op.operand, op.type}] =
                    codec_.same(spec_.types[size_t(op.operand)], op.type, {base(op.operand)});
        const AlongSum::Row row{
            [this](int64_t first, int count, const Mask* mask, int) {
                const Tail tail{mask ? *mask : Mask{}, {}, {}};
                return values(first, count, mask ? &tail : nullptr);
            },
            [this](int count) { move_columns(count); },
            [this](Gpr count) { each_base([&](int o, Gpr b) { return move_along(o, b, count); }); }};
        along_->add_up(parts, columns, row);
        if (!spec_.joined) {
            for (int v = 0; v < along_->vectors(); ++v) store_sums(parts[size_t(v)], int64_t(v) * c_.width(), 0);
            return;
        }
        along_->join(parts, 0);
        c_.store({out_}, parts[0].value, 4);
        if (pairs()) c_.store({out_, 0, apart_, 1}, parts[0].second, 4);
        c_.gadd(out_, out_, 4);
    }

    Gpr to_, apart_, out_;
    std::optional<AlongSum> along_;
};

} // namespace

void combine_into(Code& c, const ReductionParts& parts, Vec into, Vec more) {
    const bool floats = parts.type == ValueType::f32;
    switch (parts.combine) {
    case OpCode::reduce_mul:
        return c.op2_into(floats ? VOp::fmul : VOp::imul, into, into, more);
    case OpCode::reduce_max:
    case OpCode::reduce_min:
        if (!floats) return combine_numbers(c, parts, into, more);
        return c.op2_into(parts.combine == OpCode::reduce_max ? VOp::fmax_nan : VOp::fmin_nan, into, more, into);
    default:
        return c.op2_into(floats ? VOp::fadd : VOp::iadd, into, into, more);
    }
}

Vec combined_extremes(Code& c, const ReductionParts& parts, Vec earlier, Vec later) {
    const Vec v = c.vec();
    c.copy(v, later);
    if (parts.type == ValueType::f32)
        c.op2_into(parts.combine == OpCode::reduce_max ? VOp::fmax_nan : VOp::fmin_nan, v, v, earlier);
    else
        c.op2_into(parts.combine == OpCode::reduce_max ? VOp::imax : VOp::imin, v, v, earlier);
    return v;
}

// Of equal values and beside a NaN the processor takes the second operand.
void combine_numbers(Code& c, const ReductionParts& parts, Vec into, Vec more) {
    const bool max = parts.combine != OpCode::reduce_min, floats = parts.type == ValueType::f32;
    c.op2_into(floats ? max ? VOp::fmax : VOp::fmin : max ? VOp::imax : VOp::imin, into, more, into);
}

std::string_view combination(const ReductionParts& parts) {
    constexpr std::string_view names[] = {"add", "mul", "max", "min", "max_at"};
    return names[size_t(parts.combine) - size_t(OpCode::reduce_add)];
}

uint32_t reduce_start(const ReductionParts& parts) { return of_nothing(parts.combine, parts.type).value; }

std::string key(const ReduceSpec& spec) {
    std::vector<std::string> names = names_in_key({spec.types.data(), spec.sums()}, spec.column);
    names.resize(spec.types.size(), "sums");
    std::string text =
        fmt::format("reduce {} {} {}{}{}{}", combination(spec.parts), to_string(spec.parts.point, names),
                    spec.along_sum ? "along the sum" : "columns", spec.fresh ? " fresh" : "",
                    spec.joined ? " joined" : "", spec.grows >= 0 ? fmt::format(" {} grows", spec.grows) : "");
    if (spec.windows)
        text += fmt::format(" windows{}{} {}", spec.deep ? " deep" : "",
                            spec.plain    ? " of values"
                            : spec.single ? " of one"
                                          : "",
                            to_string(spec.parts.outer, names));
    if (spec.fixed) {
        text += fmt::format(" {} columns, rows", spec.fixed);
        for (const int64_t row : spec.row) text += ' ', text += fmt::format_int(row).c_str();
    }
    if (spec.by_16)
        text += fmt::format(" by 16, {}{}, still {:x}", spec.rest, spec.turned ? " a turn" : "", spec.still);
    return text;
}

bool can_build_reduce(const ReduceSpec& spec) {
    if (spec.types.size() > reduce_operands || spec.parts.combine == OpCode::reduce_moments) return false;
    for (const Op& op : spec.parts.point.ops) {
        if (op.code != OpCode::load) continue;
        const int64_t stride = spec.column[size_t(op.operand)];
        if (stride < 0 || stride > (spec.along_sum ? 1 : most_reduce_stride)) return false;
    }
    if (!can_emit(spec.parts.point, spec.types)) return false;
    if (!spec.windows) return true;
    bool strided = std::ranges::any_of(spec.parts.point.ops, [&](const Op& op) {
        return op.code == OpCode::load && spec.column[size_t(op.operand)] > 1;
    });
    for (const Op& op : spec.parts.outer.ops) {
        if (op.code == OpCode::index) return false;
        if (op.operand < 0 || size_t(op.operand) >= spec.sums()) continue;
        const int64_t stride = spec.column[size_t(op.operand)];
        if (strided && stride > 1) return false; // each takes masks, of which there are seven
        strided = strided || stride > 1;
        const bool wide = bits(spec.types[size_t(op.operand)]) == 32; // too many masks, but for a fixed row
        if (op.code == OpCode::store && wide && stride > 2 && !spec.fixed) return false;
        if (op.code == OpCode::store ? stride < 1 || stride > most_stored_stride : stride < 0 || stride > 1)
            return false;
    }
    return can_emit(spec.parts.outer, spec.types);
}

Code build_reduce(const Target& target, const ReduceSpec& spec) {
    return spec.windows ? build_windows(target, spec)
           : spec.by_16 ? build_by_16(target, spec)
                        : Builder(target, spec).build();
}

} // namespace tessera::cpu
