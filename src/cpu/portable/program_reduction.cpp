// SPDX-License-Identifier: Apache-2.0
#include "cpu/portable/program_reduction.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "core/stack_array.hpp"
#include "cpu/lanes/combine.hpp"

namespace tessera::cpu {

namespace {

// Of a unit of a product: 32 KiB of the factor that its rows share, which leaves L1 to it where that has 48.
constexpr int64_t most_rows = 8, most_points = 128;
static_assert(most_points <= 512); // add_products_of_bytes

std::vector<DataType> with_sums(const Plan& plan, const ReductionParts& parts) {
    std::vector<DataType> types;
    for (const Operand& o : plan.operands) types.push_back(o.type);
    for (const ValueType type : {parts.type, parts.second()})
        types.push_back(type == ValueType::f32 ? DataType::f32 : DataType::s32);
    return types;
}

// How well the loop vectorises: its lanes up to 16, four times as much where `program` loads dense lanes; those of
// other strides are gathered one by one. Zero where it has a table, which a grid of lanes cannot follow.
int64_t worth(const Loop& loop, const Program& program) {
    return loop.indexed() ? 0 : std::min<int64_t>(loop.extent, 16) * (is_dense_along(loop, program) ? 4 : 1);
}

} // namespace

ProgramReduction::ProgramReduction(const Plan& plan, const Step& step, const Context& context)
    : parts_(split_reduction(plan.programs[size_t(step.program)], int(plan.operands.size()))),
      types_(with_sums(plan, parts_)), point_(parts_.point, types_), outer_program_(parts_.outer, types_),
      base_(step.nest.base), partials_(partials_of(step.in_order)) {
    for (const Loop& loop : step.nest.loops) {
        if (loop.extent == 1 && !loop.indexed()) continue;
        (loop.kind == LoopKind::reduce ? reduce_ : outer_).push_back(loop);
    }
    if (reduce_.empty()) reduce_.push_back(Loop{.kind = LoopKind::reduce});
    points_ = iterations(reduce_);
    blocks_ = ceil_div(points_, reduction_block);
    if (!reduce_.back().indexed()) factors_ = factors_of(parts_, outer_, int(plan.operands.size()), types_);
    if (factors_)
        share_factors(outer_, context);
    else
        choose_columns(outer_, context);
    units_ = pieces_ * row_pieces_ * iterations(outer_);
    // Each partial sum takes scratch memory.
    if (double(units_) * double(blocks_) * double(rows_ * width_) > 0x1p48) throw std::bad_alloc();
}

// Units have up to 8 rows, fewer where threads would have nothing to share.
void ProgramReduction::share_factors(std::vector<Loop>& outer, const Context& context) {
    left_.emplace(factors_->left, types_), right_.emplace(factors_->right, types_);
    const size_t rows = factors_->rows, columns = factors_->columns;
    columns_ = outer[columns];
    if (rows < outer.size()) shared_ = outer[rows];
    for (const size_t k : {std::max(rows, columns), std::min(rows, columns)})
        if (k < outer.size()) outer.erase(outer.begin() + long(k));
    rows_ = std::min(shared_.extent, most_rows), width_ = std::min(columns_.extent, most_columns);
    const auto tasks = [&] {
        return blocks_ * iterations(outer) * ceil_div(shared_.extent, rows_) * ceil_div(columns_.extent, width_);
    };
    while (rows_ > 1 && tasks() < 2 * context.threads) rows_ = ceil_div(rows_, 2);
    while (width_ > 16 && tasks() < 2 * context.threads) width_ = ceil_div(width_, 2);
    row_pieces_ = ceil_div(shared_.extent, rows_), pieces_ = ceil_div(columns_.extent, width_);
}

void ProgramReduction::choose_columns(std::vector<Loop>& outer, const Context& context) {
    auto best = outer.end();
    int64_t most = worth(reduce_.back(), parts_.point);
    for (auto it = outer.begin(); it != outer.end(); ++it)
        if (const int64_t w = worth(*it, parts_.point); w > 0 && w >= most) best = it, most = w;
    if (best == outer.end()) return;
    columns_ = *best;
    outer.erase(best);
    const int64_t others = blocks_ * iterations(outer);
    width_ = std::min(columns_.extent, most_columns);
    const auto pieces = [&] { return ceil_div(columns_.extent, width_); };
    while (width_ > 16 && others * pieces() < 2 * context.threads) width_ = ceil_div(width_, 2);
    pieces_ = pieces();
}

ProgramReduction::Part ProgramReduction::place(int64_t unit, std::span<int64_t> at) const {
    UnitIndex index(unit);
    const int64_t column = index.next(pieces_) * width_, row = index.next(row_pieces_) * rows_;
    for (size_t o = 0; o < at.size(); ++o)
        at[o] = base_[o] + columns_.offset(int(o), column) + shared_.offset(int(o), row);
    index.add_offsets(outer_, at);
    return {std::min(rows_, shared_.extent - row), std::min(width_, columns_.extent - column)};
}

void ProgramReduction::sum_products(int64_t task, std::span<void* const> base, uint32_t* scratch) const {
    const size_t operands = types_.size() - 2;
    StackArray<int64_t> at(operands), points(operands);
    StackArray<Access> access(operands + 2);
    UnitIndex indices(task);
    const int64_t block = indices.next(blocks_);
    const auto [rows, n] = place(indices.outermost(), at);
    alignas(64) uint32_t left[most_points], right[most_points * most_columns];
    alignas(64) uint32_t sums[most_rows * reduction_sums * most_columns]; // +0 without points
    std::fill_n(sums, rows * partials_ * n, 0u);
    const Loop& inner = reduce_.back();
    const bool floats = factors_->as_floats;
    const auto add = floats                          ? add_products_of_bytes
                     : parts_.type == ValueType::f32 ? add_products
                                                     : add_products_of_integers;
    const size_t stored = operands + (floats ? 1 : 0);
    const int64_t end = std::min(points_, (block + 1) * reduction_block);
    for (int64_t i = block * reduction_block; i < end;) {
        UnitIndex index(i);
        const int64_t start = index.next(inner.extent);
        const int64_t count = std::min({inner.extent - start, end - i, most_points});
        for (size_t o = 0; o < operands; ++o) points[o] = at[o] + inner.offset(int(o), start);
        index.add_offsets({reduce_.data(), reduce_.size() - 1}, points);
        for (size_t o = 0; o < operands; ++o)
            access[o] = {base[o], points[o], inner.stride[o], columns_.stride[o], nullptr};
        access[stored] = {right, 0, n, 1, nullptr};
        right_->run(access.data(), access.data(), count, n);
        access[stored] = {left, 0, count, 1, nullptr};
        for (int64_t r = 0; r < rows; ++r) {
            for (size_t o = 0; o < operands; ++o)
                access[o] = {base[o], points[o] + shared_.offset(int(o), r), 0, inner.stride[o], nullptr};
            left_->run(access.data(), access.data(), 1, count);
            add(sums + r * partials_ * n, partials_, i - block * reduction_block, left, right, count, n);
        }
        i += count;
    }
    for (int64_t r = 0; r < rows; ++r) {
        uint32_t* const row = sums + r * partials_ * n;
        combine_loops(parts_.combine, parts_.type).join(row, partials_, n);
        std::copy_n(row, n, scratch + (task * rows_ + r) * width_);
    }
}

void ProgramReduction::sum(int64_t task, std::span<void* const> base, uint32_t* scratch) const {
    if (factors_) return sum_products(task, base, scratch);
    const size_t operands = types_.size() - 2;
    StackArray<int64_t> at(operands), points(operands);
    StackArray<Access> access(operands + 2);
    UnitIndex indices(task);
    const int64_t block = indices.next(blocks_), n = place(indices.outermost(), at).columns;
    alignas(64) uint32_t values[max_lanes], seconds[max_lanes];
    alignas(64) uint32_t sums[reduction_sums * most_columns];
    const Partial nothing = of_nothing(parts_.combine, parts_.type);
    std::fill_n(sums, partials_ * n, nothing.value);
    std::vector<Partial> pairs(parts_.pairs() ? size_t(partials_ * n) : 0, nothing);
    const CombineLoops& loops = combine_loops(parts_.combine, parts_.type);
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
            loops.points(sums, partials_, first, values, count * turns, n);
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
    loops.join(sums, partials_, n);
    std::copy_n(sums, n, scratch + task * width_);
}

void ProgramReduction::combine_pairs(Partial* pairs, int64_t first, const uint32_t* values, const uint32_t* seconds,
                                     int64_t rows, int64_t columns) const {
    const bool numbered = parts_.combine == OpCode::reduce_max_at; // a single point has no squares
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            Partial& pair = pairs[(first + i) % partials_ * columns + j];
            const int64_t at = i * columns + j;
            pair = combined(parts_.combine, parts_.type, pair, of_point(values[at], numbered ? seconds[at] : 0));
        }
}

void ProgramReduction::join_pairs(Partial* pairs, int64_t columns) const {
    for (int64_t apart = partials_ / 2; apart; apart /= 2)
        for (int64_t i = 0; i < apart * columns; ++i)
            pairs[i] = combined(parts_.combine, parts_.type, pairs[i], pairs[i + apart * columns]);
}

void ProgramReduction::finish(int64_t unit, std::span<void* const> base, uint32_t* scratch) const {
    const size_t operands = types_.size() - 2;
    StackArray<int64_t> at(operands);
    StackArray<Access> access(operands + 2);
    const auto [rows, n] = place(unit, at);
    const int64_t task_sums = rows_ * width_;
    for (int64_t r = 0; r < rows; ++r) {
        uint32_t* const totals = scratch + unit * blocks_ * task_sums + r * width_; // of the first block
        uint32_t* const seconds = totals + tasks() * task_sums;
        for (int64_t block = 1; block < blocks_; ++block) {
            const uint32_t* const more = totals + block * task_sums;
            if (!parts_.pairs()) {
                combine_loops(parts_.combine, parts_.type).row(totals, more, n);
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
            int64_t first = at[o] + shared_.offset(int(o), r);
            for (const Loop& loop : reduce_) first += loop.offset(int(o), 0);
            access[o] = {base[o], first, 0, columns_.stride[o], nullptr};
        }
        access[operands] = {totals, 0, 0, 1, nullptr};
        access[operands + 1] = {seconds, 0, 0, 1, nullptr};
        outer_program_.run(access.data(), access.data(), 1, n);
    }
}

std::string ProgramReduction::text() const {
    const std::string sums =
        factors_ ? fmt::format("{}x{} sums of products", rows_, width_) : fmt::format("{} sums", width_);
    return fmt::format("reduce {} points in {} blocks, {} a unit, {} units", points_, blocks_, sums, units_);
}

} // namespace tessera::cpu
