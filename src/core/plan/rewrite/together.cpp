// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/together.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/plan/rewrite/operands.hpp"

namespace tessera {

namespace {

size_t written_by(const Plan& plan, const Step& step) {
    return size_t(step.kind == StepKind::fill ? step.fill_operand
                                              : plan.programs[size_t(step.program)].ops.back().operand);
}

// Whether two operands are views of one tensor that lie at other elements somewhere in a step. Others in its memory are
// what it is not: weights before their compensation.
bool lie_apart(const Plan& plan, const Step& step, size_t a, size_t b) {
    const Operand &x = plan.operands[a], &y = plan.operands[b];
    if (a == b || x.type != y.type || x.bytes != y.bytes || x.buffer != y.buffer) return false;
    if (step.product) {
        const Space space = with_all_layouts(step.product->space);
        return a >= space.layouts.size() || b >= space.layouts.size() || space.layouts[a] != space.layouts[b];
    }
    const auto differs = [&](const Loop& loop) {
        return loop.stride[a] != loop.stride[b] || loop.table[a] != loop.table[b];
    };
    return step.nest.base[a] != step.nest.base[b] || std::ranges::any_of(step.nest.loops, differs);
}

// What a step reads of the memory of an operand: nothing, what it writes to it at that point, or more, like the turn
// before it in a loop over time. Factors and neighbours are read as well as what the program loads.
enum class Reads { nothing, own, others };
Reads reads(const Plan& plan, const Step& step, size_t written) {
    if (step.kind == StepKind::fill) return Reads::nothing;
    const Operand& output = plan.operands[written];
    const Program whole = whole_program(plan, step);
    Reads all = Reads::nothing;
    for (const Op& op : whole.ops) {
        if (op.code != OpCode::load) continue;
        const Operand& operand = plan.operands[size_t(op.operand)];
        if (operand.arg != output.arg || operand.scratch != output.scratch) continue;
        if (lie_apart(plan, step, size_t(op.operand), written)) return Reads::others;
        all = Reads::own;
    }
    return all;
}

bool stores_several(const Plan& plan, const Step& step) {
    if (step.kind == StepKind::fill) return false;
    const auto written = int(written_by(plan, step));
    for (const Op& op : plan.programs[size_t(step.program)].ops)
        if (op.code == OpCode::store && op.operand != written) return true;
    return false;
}

bool reads_any_output(const Plan& plan, const Step& step) {
    const Program whole = whole_program(plan, step);
    return std::ranges::any_of(whole.ops, [&](const Op& op) {
        return op.code == OpCode::store && reads(plan, step, size_t(op.operand)) != Reads::nothing;
    });
}

// Whether a step may run while the one before it does, and those that run together with that one.
bool may_run_together(const Plan& plan, const Step& before, const Step& step) {
    if (written_by(plan, before) != written_by(plan, step)) return false;
    if (stores_several(plan, before) || stores_several(plan, step))
        return before.program == step.program && !reads_any_output(plan, step);
    // What it reads there may be what the steps before it have written, unless all are boxes of one program.
    const Reads own = reads(plan, step, written_by(plan, step));
    return own == Reads::nothing || (own == Reads::own && before.program == step.program);
}

// The elements from the first to behind the last one that a step with a nest writes.
struct Extent {
    int64_t first = 0, end = 0;

    void stretch(int64_t low, int64_t high) { first += low, end += high; }
    void join(const Extent& other) { first = std::min(first, other.first), end = std::max(end, other.end); }
};

Extent written_elements(const Plan& plan, const Step& step) {
    const size_t operand = written_by(plan, step);
    Extent all{step.nest.base[operand], step.nest.base[operand] + 1};
    for (const Loop& loop : step.nest.loops) {
        int64_t low = 0, high = (loop.extent - 1) * loop.stride[operand];
        if (const Table& table = loop.table[operand]; table && !table->empty())
            low = *std::ranges::min_element(*table), high = *std::ranges::max_element(*table);
        all.stretch(std::min(low, high), std::max(low, high));
    }
    return all;
}

// A step with those that it does as well.
struct Unit {
    size_t first, end; // numbers of steps
    bool fills, multiplies;
    Extent written;
    size_t set = 0; // of interleaved ones
};

// Interleaved units have one set, numbered by its first unit.
void find_sets(std::span<Unit> units) {
    std::vector<size_t> by_place;
    for (size_t u = 0; u < units.size(); ++u) {
        units[u].set = u;
        if (!units[u].multiplies) by_place.push_back(u);
    }
    std::ranges::sort(by_place, {}, [&](size_t u) { return std::pair(units[u].written.first, u); });
    for (size_t i = 0, next; i < by_place.size(); i = next) {
        int64_t end = units[by_place[i]].written.end;
        size_t set = by_place[i];
        for (next = i + 1; next < by_place.size() && units[by_place[next]].written.first < end; ++next)
            end = std::max(end, units[by_place[next]].written.end), set = std::min(set, by_place[next]);
        for (size_t j = i; j < next; ++j) units[by_place[j]].set = set;
    }
}

} // namespace

std::vector<size_t> mark_together(Plan& plan, const std::vector<bool>& follows) {
    const auto runs_alone = [](const Step& step) {
        return step.sparse || step.group || (step.program < 0 && step.fill_operand < 0);
    };
    const std::vector<Step>& steps = plan.steps;
    std::vector<Step> ordered;
    std::vector<size_t> numbers;
    for (size_t begin = 0, end; begin < steps.size(); begin = end) {
        std::vector<Unit> units; // that run at the same time
        bool open = true;
        for (end = begin; end < steps.size(); ++end) {
            const Step& step = steps[end];
            const bool alone = runs_alone(step), is_first = end == begin;
            const bool may =
                is_first || (!alone && !runs_alone(steps[end - 1]) && may_run_together(plan, steps[end - 1], step));
            const bool is_done = !is_first && follows[end];
            if (!is_done && !(open && may)) break;
            open = open && may;
            const Extent written = alone || step.product ? Extent{} : written_elements(plan, step);
            if (is_done)
                ++units.back().end, units.back().written.join(written);
            else
                units.push_back({end, end + 1, step.kind == StepKind::fill, bool(step.product), written});
        }
        find_sets(units);
        std::ranges::stable_sort(units, {}, [](const Unit& u) { return std::pair(u.set, u.fills); });
        for (const Unit& unit : units) {
            const bool is_first = &unit == &units.front();
            const Together how = is_first                      ? Together::no
                                 : unit.set == (&unit)[-1].set ? Together::in_step
                                                               : Together::beside;
            for (size_t i = unit.first; i < unit.end; ++i) {
                ordered.push_back(std::move(plan.steps[i])), numbers.push_back(i);
                ordered.back().together = i == unit.first ? how : Together::in_step;
            }
        }
    }
    plan.steps = std::move(ordered);
    return numbers;
}

} // namespace tessera
