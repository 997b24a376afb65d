// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/two_levels.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/unit.hpp"
#include "core/program/reduction.hpp"

namespace tessera {

namespace {

// Points that one result of the first level has at most; far fewer make more results than they save.
constexpr int64_t most_points = reduction_block;

DataType stored(ValueType type) { return type == ValueType::f32 ? DataType::f32 : DataType::s32; }

struct Cut {
    std::vector<Loop> blocks, inner; // of the sum
    std::optional<Loop> rest;        // of the last loop of blocks, cut: what is left of it, in front of `inner`
    int64_t rest_from = 0;           // its first iteration
    int64_t count = 1;               // of blocks, the rest's among them
};

Cut cut(const std::vector<Loop>& sums) {
    Cut out;
    size_t k = sums.size();
    int64_t points = 1;
    while (k > 0 && sums[k - 1].extent <= most_points / points) points *= sums[--k].extent;
    out.inner.assign(sums.begin() + long(k), sums.end());
    out.blocks.assign(sums.begin(), sums.begin() + long(k));
    // A loop that is too long for what it contains is cut, if it can be.
    const int64_t part = out.blocks.empty() || out.blocks.back().indexed() ? 1 : most_points / points;
    if (part > 1) {
        Loop whole = out.blocks.back();
        Loop inner = whole;
        inner.extent = part;
        out.inner.insert(out.inner.begin(), inner);
        Loop& blocks = out.blocks.back();
        blocks.extent = whole.extent / part;
        blocks.stride.each([&](int64_t& stride) { stride *= part; });
        if (const int64_t left = whole.extent % part) {
            out.rest = whole, out.rest->extent = left;
            out.rest_from = whole.extent - left;
        }
    }
    for (const Loop& loop : out.blocks) out.count *= loop.extent + (&loop == &out.blocks.back() && out.rest);
    return out;
}

class Levels {
public:
    Levels(const Step& step, Plan& plan) : step_(step), plan_(plan) {
        for (const Loop& loop : step.nest.loops) (loop.kind == LoopKind::reduce ? sums_ : maps_).push_back(loop);
    }

    bool taken() const {
        const auto& ops = plan_.programs[size_t(step_.program)].ops;
        const bool pairs = std::ranges::any_of(
            ops, [](const Op& op) { return op.code == OpCode::reduce_max_at || op.code == OpCode::reduce_moments; });
        return step_.kind == StepKind::reduce && !pairs && iterations(sums_) > most_points && !cut(sums_).inner.empty();
    }

    void add() {
        const Program whole = plan_.programs[size_t(step_.program)];
        const ReductionParts parts = split_reduction(whole, int(plan_.operands.size()));
        const auto blocks = int(plan_.operands.size());
        const Cut parts_of_sum = cut(sums_);
        plan_.scratch.push_back(bytes_of(stored(parts.type), iterations(maps_) * parts_of_sum.count));
        plan_.operands.push_back({"blocks", stored(parts.type)});
        plan_.operands.back().scratch = int(plan_.scratch.size()) - 1;

        Program first = parts.point; // its store to operand `blocks`, of the value instead of the sum
        const int value = first.ops.back().a;
        first.ops.pop_back();
        first.store(blocks, first.reduce(parts.combine, value));
        Program second = parts.outer; // loads the sum from operand `blocks`
        const auto load = std::ranges::find_if(
            second.ops, [&](const Op& op) { return op.code == OpCode::load && op.operand == blocks; });
        second = with_reduction(second, size_t(load - second.ops.begin()), parts.combine);
        const int programs = int(plan_.programs.size());
        plan_.programs.push_back(std::move(first));
        plan_.programs.push_back(std::move(second));

        // Results of a block beside each other, or blocks of a result: as src is dense.
        const bool results_inside = dense_results(whole);
        const int64_t results = iterations(maps_), block_stride = results_inside ? results : 1;
        const int64_t result_stride = results_inside ? 1 : parts_of_sum.count;
        std::vector<Loop> maps = maps_;
        int64_t stride = result_stride;
        for (size_t k = maps.size(); k-- > 0; stride *= maps[k].extent) maps[k].stride.set(size_t(blocks), stride);
        std::vector<Loop> of_blocks = parts_of_sum.blocks;
        stride = block_stride;
        for (size_t k = of_blocks.size(); k-- > 0;) {
            of_blocks[k].kind = LoopKind::map;
            of_blocks[k].stride.set(size_t(blocks), stride);
            stride *= of_blocks[k].extent + (k + 1 == of_blocks.size() && parts_of_sum.rest);
        }
        add_level(maps, of_blocks, parts_of_sum.inner, step_.nest.base, programs, results_inside);
        if (parts_of_sum.rest) {
            PerOperand<int64_t> base = step_.nest.base;
            PerOperand<int64_t> from = parts_of_sum.rest->stride;
            from.each([&](int64_t& s) { s *= parts_of_sum.rest_from; });
            base += from;
            base.set(size_t(blocks), of_blocks.back().extent * block_stride);
            of_blocks.pop_back();
            std::vector<Loop> inner = parts_of_sum.inner;
            inner.front() = *parts_of_sum.rest;
            add_level(maps, of_blocks, inner, base, programs, results_inside);
        }
        Loop all;
        all.extent = parts_of_sum.count, all.kind = LoopKind::reduce;
        all.stride.set(size_t(blocks), block_stride);
        add_level(maps, {}, {all}, step_.nest.base, programs + 1, false);
        plan_.steps.back().in_order = results_inside && parts_of_sum.count <= reduction_sums;
    }

private:
    // The program with its load of operand `blocks` reduced.
    static Program with_reduction(const Program& p, size_t load, OpCode combine) {
        Program out;
        const auto moved = [&](int value) { return value >= int(load) ? value + 1 : value; };
        for (size_t i = 0; i < p.ops.size(); ++i) {
            Op op = p.ops[i];
            op.a = moved(op.a), op.b = moved(op.b), op.c = moved(op.c);
            out.ops.push_back(op);
            if (i == load) out.reduce(combine, int(load));
        }
        return out;
    }
    bool dense_results(const Program& whole) const {
        const auto load = std::ranges::find(whole.ops, OpCode::load, &Op::code);
        return load != whole.ops.end() && std::ranges::any_of(maps_, [&](const Loop& loop) {
                   return !loop.table[size_t(load->operand)] && loop.stride[size_t(load->operand)] == 1;
               });
    }
    void add_level(std::vector<Loop> maps, const std::vector<Loop>& blocks, const std::vector<Loop>& sums,
                   const PerOperand<int64_t>& base, int program, bool blocks_outside) {
        Step step = step_;
        maps.insert(blocks_outside ? maps.begin() : maps.end(), blocks.begin(), blocks.end());
        maps.insert(maps.end(), sums.begin(), sums.end());
        step.nest = coalesce({base, std::move(maps)}, int(plan_.operands.size()));
        step.program = program, step.in_order = false;
        plan_.steps.push_back(std::move(step));
    }

    const Step step_;
    Plan& plan_;
    std::vector<Loop> sums_, maps_;
};

} // namespace

void in_two_levels(size_t steps, Plan& plan) {
    std::vector<Step> last(plan.steps.end() - long(steps), plan.steps.end());
    plan.steps.resize(plan.steps.size() - steps);
    for (const Step& step : last) {
        Levels levels(step, plan);
        if (levels.taken())
            levels.add();
        else
            plan.steps.push_back(step);
    }
}

} // namespace tessera
