// SPDX-License-Identifier: Apache-2.0
#include "cpu/portable/reduction.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/unit.hpp"
#include "core/program/reduction.hpp"
#include "core/stack_array.hpp"
#include "cpu/lanes/lanes.hpp"
#include "cpu/lanes/levels.hpp"

namespace tessera::cpu {

namespace {

// sums[j] += row(0)[j] + row(1)[j] + ...; eight rows at a time are added in 16 bits, which they cannot overflow.
TESSERA_INLINE void add_rows(const int8_t* p, int64_t stride, int64_t rows, int64_t columns, int32_t* __restrict sums) {
    for (; rows >= 8; rows -= 8, p += 8 * stride)
        for (int64_t j = 0; j < columns; ++j) {
            const auto q = [&](int64_t i) { return int16_t(p[i * stride + j]); };
            const auto low = int16_t(int16_t(q(0) + q(1)) + int16_t(q(2) + q(3)));
            const auto high = int16_t(int16_t(q(4) + q(5)) + int16_t(q(6) + q(7)));
            sums[j] = int32_t(uint32_t(sums[j]) + uint32_t(int16_t(low + high)));
        }
    for (; rows > 0; --rows, p += stride)
        for (int64_t j = 0; j < columns; ++j) sums[j] = int32_t(uint32_t(sums[j]) + uint32_t(int32_t(p[j])));
}

TESSERA_LEVELS void add_s8(const int8_t* p, int64_t stride, int64_t rows, int64_t columns, int32_t* sums) {
    switch (columns) { // constants at compile time: loops without remainders
    case 64:
        return add_rows(p, stride, rows, 64, sums);
    case 32:
        return add_rows(p, stride, rows, 32, sums);
    case 16:
        return add_rows(p, stride, rows, 16, sums);
    case 1:
        return add_rows(p, stride, rows, 1, sums);
    default:
        return add_rows(p, stride, rows, columns, sums);
    }
}

void add_any(DataType type, void* base, int64_t first, int64_t stride, int64_t rows, int64_t columns, int32_t* sums) {
    int32_t lanes[max_lanes];
    for (int64_t i = 0; i < rows; ++i) {
        load_lanes(type, ValueType::s32, {base, first + i * stride, 0, 1, nullptr}, 1, columns, lanes);
        for (int64_t j = 0; j < columns; ++j) sums[j] = int32_t(uint32_t(sums[j]) + uint32_t(lanes[j]));
    }
}

} // namespace

bool Reduction::takes(const Plan& plan, const Step& step) {
    const auto& ops = plan.programs[size_t(step.program)].ops;
    if (ops[1].code != OpCode::reduce_add || ops[1].type != ValueType::s32)
        return false; // and so operation 0 is a load
    // Sums lie in columns of several loops, along which nothing but the output moves.
    const auto moves = [&](int operand) {
        return std::ranges::any_of(step.nest.loops, [&](const Loop& l) {
            return l.kind != LoopKind::reduce && (l.table[size_t(operand)] || l.stride[size_t(operand)] != 0);
        });
    };
    for (size_t i = 2; i + 1 < ops.size(); ++i)
        if (ops[i].operand >= 0 && moves(ops[i].operand)) return false;
    return std::none_of(ops.begin() + 1, ops.end(), [&](const Op& op) {
        return op.a == 0 ? op.code != OpCode::reduce_add
                         : op.b == 0 || op.c == 0 || (op.code == OpCode::load && op.operand == ops[0].operand);
    });
}

Reduction::Reduction(const Plan& plan, const Step& step) {
    const Program& program = plan.programs[size_t(step.program)];
    read_ = size_t(program.ops[0].operand);
    written_ = size_t(program.ops.back().operand);
    for (const Operand& o : plan.operands) types_.push_back(o.type);
    stored_ = types_[read_];
    types_[read_] = DataType::s32;
    rest_ = split_reduction(program, int(read_)).outer;
    base_ = step.nest.base;

    std::vector<Loop> loops;
    for (const Loop& loop : step.nest.loops)
        if (loop.extent != 1 || loop.indexed()) loops.push_back(loop);
    Walk walk;
    std::optional<Loop> cut = take_columns(loops);
    walk.columns = columns_;
    for (Loop& loop : loops) (loop.kind == LoopKind::reduce ? walk.rows : outer_).push_back(std::move(loop));
    if (cut) { // of a reduction loop: whole pieces are rows, the remainder has columns of its own
        Walk rest = walk;
        walk.rows.push_back(*cut);
        rest.columns = rest_columns_;
        rest.first = cut->extent * cut->stride[read_];
        if (rest.columns) walks_.push_back(chained(std::move(rest)));
    }
    walks_.push_back(chained(std::move(walk)));
    units_ = pieces_ * iterations(outer_);
}

// Joins loops of rows whose strides chain; strided loops come before indexed ones.
Reduction::Walk Reduction::chained(Walk walk) const {
    auto& rows = walk.rows;
    std::stable_sort(rows.begin(), rows.end(), [&](const Loop& x, const Loop& y) {
        return x.indexed() != y.indexed() ? !x.indexed() : x.stride[read_] < y.stride[read_];
    });
    for (size_t k = 1; k < rows.size();) {
        Loop& last = rows[k - 1];
        if (last.indexed() || rows[k].indexed() || rows[k].stride[read_] != last.stride[read_] * last.extent) {
            ++k;
            continue;
        }
        last.extent *= rows[k].extent;
        rows.erase(rows.begin() + long(k));
    }
    if (rows.empty() || rows[0].indexed()) rows.insert(rows.begin(), Loop{});
    return walk;
}

// Moves the loops along which the operand that is read is contiguous from `loops` into the columns. Returns what
// remains of a reduction loop longer than the columns, by pieces; pieces of any other long loop are units.
std::optional<Loop> Reduction::take_columns(std::vector<Loop>& loops) {
    std::vector<int64_t> target{0};
    std::optional<Loop> left;
    for (;;) {
        const auto columns = int64_t(target.size());
        const auto next = std::find_if(loops.begin(), loops.end(), [&](const Loop& l) {
            return !l.indexed() && l.stride[read_] == columns && most_columns / columns > 1;
        });
        if (next == loops.end()) break;
        const int64_t taken = std::min(next->extent, most_columns / columns);
        for (int64_t i = 1; i < taken; ++i)
            for (int64_t j = 0; j < columns; ++j) target.push_back(target[size_t(j)] + i * next->stride[written_]);
        Loop cut = *next;
        loops.erase(next);
        if (taken == cut.extent) continue;
        rest_columns_ = cut.extent % taken * columns;
        cut.extent /= taken;
        cut.stride.each([&](int64_t& stride) { stride *= taken; });
        if (cut.kind == LoopKind::reduce) {
            left = std::move(cut);
        } else {
            pieces_ = cut.extent + (rest_columns_ > 0);
            piece_ = cut.stride;
        }
        break;
    }
    for (size_t j = 0; j < target.size(); ++j) {
        const auto known = std::find(targets_.begin(), targets_.end(), target[j]);
        sum_of_[j] = uint8_t(known - targets_.begin());
        if (known == targets_.end()) targets_.push_back(target[j]);
    }
    columns_ = int64_t(target.size());
    return left;
}

void Reduction::add(void* base, int64_t first, const Loop& rows, int64_t columns, int32_t* sums) const {
    if (stored_ == DataType::s8)
        add_s8(static_cast<const int8_t*>(base) + first, rows.stride[read_], rows.extent, columns, sums);
    else
        add_any(stored_, base, first, rows.stride[read_], rows.extent, columns, sums);
}

void Reduction::run(int64_t unit, std::span<void* const> base) const {
    const size_t operands = types_.size();
    StackArray<int64_t> at(operands);
    UnitIndex index(unit);
    const int64_t piece = index.next(pieces_);
    for (size_t o = 0; o < operands; ++o) at[o] = base_[o] + piece * piece_[o];
    index.add_offsets(outer_, at);
    const int64_t columns = piece + 1 == pieces_ && pieces_ > 1 && rest_columns_ ? rest_columns_ : columns_;
    alignas(64) int32_t sums[most_columns] = {};
    for (const Walk& walk : walks_) {
        const std::span<const Loop> outer = std::span(walk.rows).subspan(1);
        const int64_t turns = iterations(outer);
        for (int64_t t = 0; t < turns; ++t) {
            UnitIndex place(t);
            int64_t first = at[read_] + walk.first;
            for (const Loop& loop : outer) first += loop.offset(int(read_), place.next(loop.extent));
            add(base[read_], first, walk.rows[0], std::min(columns, walk.columns), sums);
        }
    }
    alignas(64) int32_t totals[most_columns] = {};
    int64_t count = 0;
    for (int64_t j = 0; j < columns; ++j) {
        int32_t& total = totals[sum_of_[size_t(j)]];
        total = int32_t(uint32_t(total) + uint32_t(sums[j]));
        count = std::max<int64_t>(count, sum_of_[size_t(j)] + 1);
    }
    StackArray<Access> access(operands);
    for (size_t o = 0; o < operands; ++o) access[o] = {base[o], at[o], 0, 0, nullptr};
    access[read_] = {totals, 0, 0, 1, nullptr};
    access[written_].table = targets_.data();
    run_lanes(rest_, types_, access.data(), access.data(), 1, count);
}

std::string Reduction::text() const {
    return fmt::format("reduce {} rows of {} columns to {} sums a unit, {} units", walks_.back().rows[0].extent,
                       columns_, targets_.size(), units_);
}

} // namespace tessera::cpu
