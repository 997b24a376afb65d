#include "cpu/portable/program_reduction.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "core/stack_array.hpp"
#include "cpu/lanes/levels.hpp"

namespace tessera::cpu {

namespace {

template <typename Combine, typename T>
TESSERA_INLINE void combine_row(T* __restrict sums, const T* values, int64_t columns) {
    for (int64_t j = 0; j < columns; ++j) sums[j] = Combine::of(sums[j], values[j]);
}

// Combines rows of `columns` values, those of points first, first + 1, ...: the row of point i with partial result
// i mod 16. With a single column 16 points are one vector operation.
template <typename Combine, typename T>
TESSERA_INLINE void combine_points(T* sums, int64_t first, const T* values, int64_t rows, int64_t columns) {
    int64_t i = 0;
    const auto one = [&] {
        combine_row<Combine>(sums + (first + i) % reduction_sums * columns, values + i * columns, columns), ++i;
    };
    if (columns == 1) {
        while (i < rows && (first + i) % reduction_sums) one();
        for (; i + reduction_sums <= rows; i += reduction_sums) combine_row<Combine>(sums, values + i, reduction_sums);
    }
    while (i < rows) one();
}

// Combines the 16 partial results into the first one, for all columns at a time.
template <typename Combine, typename T> TESSERA_INLINE void join_rows(T* sums, int64_t columns) {
    for (int64_t apart = reduction_sums / 2; apart; apart /= 2)
        for (int64_t k = 0; k < apart; ++k)
            combine_row<Combine>(sums + k * columns, sums + (k + apart) * columns, columns);
}

// The three loops for one combination of one type.
struct Loops {
    void (*points)(void* sums, int64_t first, const void* values, int64_t rows, int64_t columns);
    void (*join)(void* sums, int64_t columns);
    void (*row)(void* sums, const void* values, int64_t columns);
};

#define LOOPS(Combine, T)                                                                                              \
    TESSERA_LEVELS void points_##Combine##_##T(void* sums, int64_t first, const void* values, int64_t rows,            \
                                               int64_t columns) {                                                      \
        combine_points<Combine>(static_cast<T*>(sums), first, static_cast<const T*>(values), rows, columns);           \
    }                                                                                                                  \
    TESSERA_LEVELS void join_##Combine##_##T(void* sums, int64_t columns) {                                            \
        join_rows<Combine>(static_cast<T*>(sums), columns);                                                            \
    }                                                                                                                  \
    void row_##Combine##_##T(void* sums, const void* values, int64_t columns) {                                        \
        combine_row<Combine>(static_cast<T*>(sums), static_cast<const T*>(values), columns);                           \
    }                                                                                                                  \
    constexpr Loops loops_##Combine##_##T{points_##Combine##_##T, join_##Combine##_##T, row_##Combine##_##T};
LOOPS(Add, float)
LOOPS(Add, uint32_t) // wraps
LOOPS(Mul, float)
LOOPS(Mul, uint32_t)
LOOPS(Max, float)
LOOPS(Max, int32_t)
LOOPS(Min, float)
LOOPS(Min, int32_t)
#undef LOOPS

const Loops& loops_of(OpCode combine, ValueType type) {
    const bool floats = type == ValueType::f32;
    switch (combine) {
    case OpCode::reduce_mul:
        return floats ? loops_Mul_float : loops_Mul_uint32_t;
    case OpCode::reduce_max:
        return floats ? loops_Max_float : loops_Max_int32_t;
    case OpCode::reduce_min:
        return floats ? loops_Min_float : loops_Min_int32_t;
    default:
        return floats ? loops_Add_float : loops_Add_uint32_t;
    }
}

std::vector<DataType> with_sums(const Plan& plan, const ReductionParts& parts) {
    std::vector<DataType> types;
    for (const Operand& o : plan.operands) types.push_back(o.type);
    for (const ValueType type : {parts.type, parts.second()})
        types.push_back(type == ValueType::f32 ? DataType::f32 : DataType::s32);
    return types;
}

// How well the loop vectorises: its lanes up to 16, four times as much where each operand of `program` is contiguous or
// constant along it; lanes of others are gathered one by one.
int64_t worth(const Loop& loop, const Program& program) {
    if (loop.indexed()) return 0;
    bool dense = true;
    for (const Op& op : program.ops)
        if (op.code == OpCode::load)
            dense &= loop.stride[size_t(op.operand)] == 0 || loop.stride[size_t(op.operand)] == 1;
    return std::min<int64_t>(loop.extent, 16) * (dense ? 4 : 1);
}

} // namespace

ProgramReduction::ProgramReduction(const Plan& plan, const Step& step, const Machine& machine)
    : parts_(split_reduction(plan.programs[size_t(step.program)], int(plan.operands.size()))),
      types_(with_sums(plan, parts_)), point_(parts_.point, types_), outer_program_(parts_.outer, types_),
      base_(step.nest.base) {
    for (const Loop& loop : step.nest.loops) {
        if (loop.extent == 1 && !loop.indexed()) continue;
        (loop.kind == LoopKind::reduce ? reduce_ : outer_).push_back(loop);
    }
    if (reduce_.empty()) reduce_.push_back(Loop{.kind = LoopKind::reduce});
    points_ = iterations(reduce_);
    blocks_ = ceil_div(points_, reduction_block);
    choose_columns(outer_, machine);
    units_ = pieces_ * iterations(outer_);
    // Each partial sum takes scratch memory.
    if (double(units_) * double(blocks_) * double(width_) > 0x1p48) throw std::bad_alloc();
}

void ProgramReduction::choose_columns(std::vector<Loop>& outer, const Machine& machine) {
    auto best = outer.end();
    int64_t most = worth(reduce_.back(), parts_.point);
    for (auto it = outer.begin(); it != outer.end(); ++it)
        if (const int64_t w = worth(*it, parts_.point); w >= most) best = it, most = w;
    if (best == outer.end()) return;
    columns_ = *best;
    outer.erase(best);
    const int64_t others = blocks_ * iterations(outer);
    width_ = std::min(columns_.extent, most_columns);
    const auto pieces = [&] { return ceil_div(columns_.extent, width_); };
    while (width_ > 16 && others * pieces() < 2 * machine.threads) width_ = ceil_div(width_, 2);
    pieces_ = pieces();
}

int64_t ProgramReduction::place(int64_t unit, std::span<int64_t> at) const {
    UnitIndex index(unit);
    const int64_t first = index.next(pieces_) * width_;
    for (size_t o = 0; o < at.size(); ++o) at[o] = base_[o] + columns_.offset(int(o), first);
    index.add_offsets(outer_, at);
    return std::min(width_, columns_.extent - first);
}

void ProgramReduction::sum(int64_t task, std::span<void* const> base, uint32_t* scratch) const {
    const size_t operands = types_.size() - 2;
    StackArray<int64_t> at(operands), points(operands);
    StackArray<Access> access(operands + 2);
    UnitIndex indices(task);
    const int64_t block = indices.next(blocks_), n = place(indices.outermost(), at);
    alignas(64) uint32_t values[max_lanes], seconds[max_lanes];
    alignas(64) uint32_t sums[reduction_sums * most_columns];
    const Partial nothing = of_nothing(parts_.combine, parts_.type);
    std::fill_n(sums, reduction_sums * n, nothing.value);
    std::vector<Partial> pairs(parts_.pairs() ? size_t(reduction_sums * n) : 0, nothing);
    const Loops& loops = loops_of(parts_.combine, parts_.type);
    const Loop& inner = reduce_.back();
    const Loop* const rows = reduce_.size() > 1 && !reduce_[reduce_.size() - 2].indexed() ? &inner - 1 : nullptr;
    const int64_t end = std::min(points_, (block + 1) * reduction_block);
    for (int64_t i = block * reduction_block; i < end;) {
        UnitIndex index(i);
        const int64_t start = index.next(inner.extent);
        int64_t count = std::min({inner.extent - start, end - i, max_lanes / n}), turns = 1;
        if (inner.indexed()) count = 1;
        // The grid of lanes: `count` points of n columns, or of a single column `count` points, where these are a whole
        // innermost loop several iterations of the loop around it.
        const bool whole = n == 1 && count == inner.extent && rows && !inner.indexed();
        if (whole)
            turns = std::min({rows->extent - index.outermost() % rows->extent, max_lanes / count, (end - i) / count});
        for (size_t o = 0; o < operands; ++o) points[o] = at[o] + inner.offset(int(o), start);
        index.add_offsets({reduce_.data(), reduce_.size() - 1}, points);
        for (size_t o = 0; o < operands; ++o) {
            if (n == 1)
                access[o] = {base[o], points[o], turns > 1 ? rows->stride[o] : 0, inner.stride[o], nullptr};
            else
                access[o] = {base[o], points[o], inner.stride[o], columns_.stride[o], nullptr};
        }
        access[operands] = {values, 0, n == 1 ? count : n, 1, nullptr};
        access[operands + 1] = {seconds, 0, n == 1 ? count : n, 1, nullptr};
        point_.run(access.data(), access.data(), n == 1 ? turns : count, n == 1 ? count : n);
        const int64_t first = i - block * reduction_block;
        if (parts_.pairs())
            combine_pairs(pairs.data(), first, values, seconds, count * turns, n);
        else
            loops.points(sums, first, values, count * turns, n);
        i += count * turns;
    }
    if (parts_.pairs()) {
        join_pairs(pairs.data(), n);
        for (int64_t j = 0; j < n; ++j) {
            scratch[task * width_ + j] = pairs[size_t(j)].value;
            scratch[(tasks() + task) * width_ + j] = pairs[size_t(j)].second;
        }
        return;
    }
    loops.join(sums, n);
    std::copy_n(sums, n, scratch + task * width_);
}

void ProgramReduction::combine_pairs(Partial* pairs, int64_t first, const uint32_t* values, const uint32_t* seconds,
                                     int64_t rows, int64_t columns) const {
    const bool numbered = parts_.combine == OpCode::reduce_max_at; // a single point has no squares
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            Partial& pair = pairs[(first + i) % reduction_sums * columns + j];
            const int64_t at = i * columns + j;
            pair = combined(parts_.combine, parts_.type, pair,
                            of_point(parts_.combine, parts_.type, values[at], numbered ? seconds[at] : 0));
        }
}

void ProgramReduction::join_pairs(Partial* pairs, int64_t columns) const {
    for (int64_t apart = reduction_sums / 2; apart; apart /= 2)
        for (int64_t i = 0; i < apart * columns; ++i)
            pairs[i] = combined(parts_.combine, parts_.type, pairs[i], pairs[i + apart * columns]);
}

void ProgramReduction::finish(int64_t unit, std::span<void* const> base, uint32_t* scratch) const {
    const size_t operands = types_.size() - 2;
    StackArray<int64_t> at(operands);
    StackArray<Access> access(operands + 2);
    const int64_t n = place(unit, at);
    uint32_t* const totals = scratch + unit * blocks_ * width_; // of the first block
    uint32_t* const seconds = totals + tasks() * width_;
    for (int64_t block = 1; block < blocks_; ++block) {
        const uint32_t* const more = totals + block * width_;
        if (!parts_.pairs()) {
            loops_of(parts_.combine, parts_.type).row(totals, more, n);
            continue;
        }
        const int64_t before = block * reduction_block, count = std::min(points_ - before, reduction_block);
        for (int64_t j = 0; j < n; ++j) {
            const Partial both = combined(parts_.combine, parts_.type, {totals[j], seconds[j], before},
                                          {more[j], seconds[block * width_ + j], count});
            totals[j] = both.value, seconds[j] = both.second;
        }
    }
    for (size_t o = 0; o < operands; ++o) {
        int64_t first = at[o];
        for (const Loop& loop : reduce_) first += loop.offset(int(o), 0);
        access[o] = {base[o], first, 0, columns_.stride[o], nullptr};
    }
    access[operands] = {totals, 0, 0, 1, nullptr};
    access[operands + 1] = {seconds, 0, 0, 1, nullptr};
    outer_program_.run(access.data(), access.data(), 1, n);
}

std::string ProgramReduction::text() const {
    return fmt::format("reduce {} points in {} blocks, {} sums a unit, {} units", points_, blocks_, width_, units_);
}

} // namespace tessera::cpu
