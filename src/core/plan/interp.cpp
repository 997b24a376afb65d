// SPDX-License-Identifier: Apache-2.0
// The interpreter of plans, point by point: it defines what steps mean.
#include "core/plan/plan.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/plan/rewrite/in_nests.hpp"
#include "core/plan/rewrite/turns.hpp"
#include "core/program/reduction.hpp"

namespace tessera {

namespace {

using Elements = std::vector<int64_t>; // by operand; behind them, 0 for each of the cells

// Some of a step's loops, and of each the operands that it moves: few of the hundreds that a concat has.
class Walk {
public:
    Walk(const Nest& nest, size_t first, size_t last, size_t operands) {
        for (size_t k = first; k < last; ++k) {
            levels_.push_back({nest.loops[k], {}});
            Level& level = levels_.back();
            for (size_t o = 0; o < operands; ++o)
                if (level.loop.table[o] || level.loop.stride[o] != 0) level.moved.push_back(o);
        }
    }
    // Calls `body` for each point; `at` is restored afterwards.
    template <typename Body> void each(Elements& at, const Body& body) const { each(0, at, body); }

private:
    struct Level {
        const Loop& loop;
        std::vector<size_t> moved;
    };

    template <typename Body> void each(size_t depth, Elements& at, const Body& body) const {
        if (depth == levels_.size()) return body(at);
        const auto& [loop, moved] = levels_[depth];
        for (int64_t i = 0; i < loop.extent; ++i) {
            for (const size_t o : moved) at[o] += loop.offset(int(o), i);
            each(depth + 1, at, body);
            for (const size_t o : moved) at[o] -= loop.offset(int(o), i);
        }
    }

    std::vector<Level> levels_;
};

// The points of one result, combined in the order that reduction.hpp defines.
class Combination {
public:
    Combination(OpCode combine, ValueType type, int partials) : combine_(combine), type_(type), partials_(partials) {}
    void add(uint32_t value, uint32_t second) {
        if (count_ % reduction_block == 0) parts_.fill(of_nothing(combine_, type_));
        Partial& part = parts_[size_t(count_ % partials_)];
        part = combined(combine_, type_, part, of_point(value, second));
        if (++count_ % reduction_block == 0) join();
    }
    Partial total() {
        if (count_ % reduction_block) join();
        return count_ ? total_ : of_nothing(combine_, type_);
    }

private:
    void join() {
        for (auto apart = size_t(partials_ / 2); apart; apart /= 2)
            for (size_t k = 0; k < apart; ++k) parts_[k] = combined(combine_, type_, parts_[k], parts_[k + apart]);
        total_ = count_ > reduction_block ? combined(combine_, type_, total_, parts_[0]) : parts_[0];
    }

    OpCode combine_;
    ValueType type_;
    int partials_;
    std::array<Partial, reduction_sums> parts_{};
    Partial total_;
    int64_t count_ = 0;
};

DataType stored(ValueType type) { return type == ValueType::f32 ? DataType::f32 : DataType::s32; }

// Element by element, in the order of the list.
void multiply(const SparseProduct& p, std::span<const DataType> types, std::span<void* const> pointers) {
    const auto number = [&](int operand, int64_t i) {
        return read<int64_t>(types[size_t(operand)], pointers[size_t(operand)], i);
    };
    std::vector<float> sums(size_t(p.rows * p.columns));
    int64_t row = 0;
    for (int64_t i = 0; i < p.elements; ++i) {
        while (p.has_pointers && number(p.row_numbers, row + 1) <= i) ++row;
        const int64_t r = p.has_pointers ? row : number(p.row_numbers, i), c = number(p.column_numbers, i);
        const float value = read<float>(types[size_t(p.values)], pointers[size_t(p.values)], i);
        for (int64_t other = 0; other < (p.is_src ? p.columns : p.rows); ++other) {
            const int64_t m = p.is_src ? r : other, n = p.is_src ? other : c;
            const int64_t at = p.is_src ? c * p.dense_strides[0] + n * p.dense_strides[1]
                                        : m * p.dense_strides[0] + r * p.dense_strides[1];
            sums[size_t(m * p.columns + n)] +=
                value * read<float>(types[size_t(p.dense)], pointers[size_t(p.dense)], at);
        }
    }
    for (int64_t m = 0; m < p.rows; ++m)
        for (int64_t n = 0; n < p.columns; ++n)
            write<float>(types[size_t(p.dst)], pointers[size_t(p.dst)], m * p.dst_strides[0] + n * p.dst_strides[1],
                         sums[size_t(m * p.columns + n)]);
}

// A step with what is the same at all of its points.
struct Prepared {
    Prepared(const Plan& plan, const Step& s, size_t operands)
        : step(s), outer(s.nest, 0, outer_loops(s), operands),
          inner(s.nest, outer_loops(s), s.nest.loops.size(), operands) {
        if (step.kind == StepKind::reduce) parts = split_reduction(plan.programs[size_t(step.program)], int(operands));
        if (step.group)
            for (const Step& one : step.group->steps) group.emplace_back(plan, one, operands);
    }
    // A group and a fill have no program that could reduce.
    static size_t outer_loops(const Step& s) {
        const auto& loops = s.nest.loops;
        if (s.group || s.kind == StepKind::fill) return loops.size();
        const auto reduces = [](const Loop& loop) { return loop.kind == LoopKind::reduce; };
        return size_t(std::ranges::find_if(loops, reduces) - loops.begin());
    }

    const Step& step;
    Walk outer, inner; // the inner loops reduce
    std::optional<ReductionParts> parts;
    std::vector<Prepared> group;
};

class Interpreter {
public:
    Interpreter(const Plan& plan, std::span<void* const> pointers)
        : plan_(plan), operands_(plan.operands.size()),
          pointers_(pointers.begin(), pointers.begin() + long(operands_)) {
        for (const Operand& o : plan.operands) types_.push_back(o.type);
        types_.resize(operands_ + cells_.size());
        for (uint32_t& cell : cells_) pointers_.push_back(&cell);
    }
    void run(const Step& step) {
        Elements at(types_.size());
        run(Prepared(plan_, step, operands_), at);
    }

private:
    void run(const Prepared& p, Elements& at);
    void reduce(const Prepared& p, Elements& at);

    const Plan& plan_;
    const size_t operands_;
    std::array<uint32_t, 2> cells_{}; // between the two parts of a reduction: operands of their own
    std::vector<DataType> types_;
    std::vector<void*> pointers_;
};

void Interpreter::reduce(const Prepared& p, Elements& at) {
    const ReductionParts& parts = *p.parts;
    types_[operands_] = stored(parts.type), types_[operands_ + 1] = stored(parts.second());
    Combination result(parts.combine, parts.type, partials_of(p.step.in_order));
    cells_ = {};
    p.inner.each(at, [&](const Elements& inner) {
        eval(parts.point, types_, pointers_, inner);
        result.add(cells_[0], cells_[1]);
    });
    const Partial total = result.total();
    cells_ = {total.value, total.second};
    eval(parts.outer, types_, pointers_, at);
}

void Interpreter::run(const Prepared& p, Elements& at) {
    const Step& step = p.step;
    if (step.sparse) return multiply(*step.sparse, types_, pointers_);
    for (size_t o = 0; o < operands_; ++o) at[o] += step.nest.base[o];
    p.outer.each(at, [&](Elements& point) {
        const auto o = size_t(step.fill_operand);
        if (step.kind == StepKind::fill)
            write_bits(types_[o], pointers_[o], point[o], 0);
        else if (step.group)
            for (const Prepared& inner : p.group) run(inner, point);
        else if (step.kind == StepKind::reduce)
            reduce(p, point);
        else
            eval(plan_.programs[size_t(step.program)], types_, pointers_, point);
    });
    for (size_t o = 0; o < operands_; ++o) at[o] -= step.nest.base[o];
}

} // namespace

void interpret(const Plan& plan, std::span<void* const> pointers) {
    const Plan nests = in_nests(unrolled(plan));
    Interpreter interpreter(nests, pointers);
    for (const Step& step : nests.steps) interpreter.run(step);
}

} // namespace tessera
