// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/select.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/plan/cut.hpp"
#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/rewrite/turns.hpp"
#include "cpu/runtime/repeated.hpp"
#include "cpu/select/compile.hpp"
#include "cpu/select/growing.hpp"
#include "cpu/select/steps/fills.hpp"
#include "cpu/select/steps/groups.hpp"
#include "cpu/select/steps/packed_once.hpp"
#include "cpu/select/steps/portable_reason.hpp"
#include "cpu/select/steps/shared_rows.hpp"
#include "cpu/select/tiles.hpp"

namespace tessera::cpu {

namespace {

// Products that write the same operand, boxes of one step of a primitive, run at the same time.
int64_t products_beside(const Plan& plan, const Step& step) {
    const auto written = [&](const Step& s) { return plan.programs[size_t(s.program)].ops.back().operand; };
    return std::ranges::count_if(plan.steps, [&](const Step& s) { return s.product && written(s) == written(step); });
}

class Selector {
public:
    // `point`: of the steps of a group's point; else null.
    Selector(const Plan& plan, const Context& context, const Point* point)
        : whole_(plan), target_(jit::target_of(context)), context_(context), point_(point), out_(plan) {}

    Result<Selection> select() {
        std::vector<int> operands;
        for (size_t o = 0; o < whole_.operands.size(); ++o) operands.push_back(int(o));
        const Fills fills(whole_);
        for (size_t i = 0, end; i < whole_.steps.size(); i = end) {
            end = i + 1;
            if (fills.moves(i)) continue;
            number_ = point_ ? point_->number : number_ + 1;
            is_result_ = point_ && is_result(whole_, i);
            zeros_ = 0;
            const size_t together = add_shared_rows(i, operands);
            if (together) {
                end = i + together;
            } else {
                zeros_ = fills.behind(i).zeros;
                if (auto ok = add(whole_, whole_.steps[i], operands); !ok) return Refusal(ok.error());
            }
            const bool written = !together && !zeros_;
            for (size_t k = i; k < end; ++k)
                if (auto ok = add_fill(fills.behind(k), written, operands); !ok) return Refusal(ok.error());
        }
        return out_.finish();
    }

private:
    Result<void> add_fill(const Fills::Behind& behind, bool written, const std::vector<int>& operands) {
        if (!behind.zeros) return {};
        const Step& fill = whole_.steps[behind.fill];
        if (!written) return add(whole_, fill, operands);
        out_.add_written(whole_, fill, operands);
        return {};
    }

    // A step of `plan`, the whole one or what a step was rewritten to; `known`: its operands in the selection.
    Result<void> add(const Plan& plan, const Step& step, const std::vector<int>& known) {
        LocalStep local = local_step(plan, step);
        std::vector<int> operands = numbers(local.operands, known);
        if (step.kind == StepKind::repeat) return add_repeat(std::move(local.plan), std::move(operands));
        if (step.kind == StepKind::group) return add_group(std::move(local.plan), std::move(operands));
        const Step& own = local.plan.steps[0];
        const Asked asked(local.plan, {.zeros = zeros_, .products = step.product ? products_beside(plan, step) : 1},
                          target_, context_of(step));
        Answer answer = ask_tiles(asked);
        if (answer.parts) return add_parts(*answer.parts, std::move(operands));
        Choice& choice = answer.choice;
        choice.operands = std::move(operands);
        if (!answer.row) {
            if (own.product || own.nest.points() > 0)
                choice.why_portable = why_portable(local.plan, number_, answer.why_not);
            auto portable = compile_portable(std::make_shared<Plan>(local.plan), context_);
            if (!portable) return Refusal(portable.error());
            choice.tile = "portable", choice.executable = std::move(*portable), choice.portable = true;
        } else if (answer.row->writes_zeros) {
            zeros_ = 0;
        }
        out_.add(local.plan, own, std::move(choice), step.program);
        return {};
    }

    // Products that a step was rewritten to run at the same time: each has a part of the threads.
    Result<void> add_parts(const Plan& parts, std::vector<int> operands) {
        const auto products = std::ranges::count_if(parts.steps, [](const Step& s) { return bool(s.product); });
        if (products < 2) return add_steps(parts, std::move(operands));
        Context shared = context_;
        shared.threads = int(ceil_div(int64_t(context_.threads), int64_t(products)));
        const auto around = std::exchange(context_of_products_, std::move(shared));
        auto added = add_steps(parts, std::move(operands));
        context_of_products_ = around;
        return added;
    }
    Result<void> add_steps(const Plan& parts, std::vector<int> operands) {
        const int outer = out_.enter(parts, operands);
        for (const Step& part : parts.steps)
            if (auto ok = add(parts, part, operands); !ok) return ok;
        out_.leave(outer);
        return {};
    }

    // A turn is compiled like a plan.
    Result<void> add_repeat(Plan plan, std::vector<int> operands) {
        for (size_t o = 0; o < plan.operands.size(); ++o) // those of parts count from 0
            plan.operands[o].scratch = out_.scratch_of(operands[o]);
        const Step& step = plan.steps[0];
        if (const Plan parts = packed_once(plan, step, target_, context_); parts.steps.size() > 1)
            return add_parts(parts, std::move(operands));
        auto turn = compile(std::make_shared<const Plan>(turn_of(plan, step)), context_);
        if (!turn) return Refusal(turn.error());
        std::string tiles((*turn)->selection());
        std::ranges::replace(tiles, '\n', ';');
        Choice choice;
        choice.tile = fmt::format("repeat of {}", tiles.empty() ? "portable" : tiles);
        choice.operands = std::move(operands), choice.why_portable = (*turn)->fallback();
        choice.executable = repeated(plan, std::move(*turn));
        out_.add_alone(plan, step, std::move(choice));
        return {};
    }

    // All of a group in one kernel, or point by point. Where none of its steps has a kernel they run one after the
    // other, each over all points.
    Result<void> add_group(Plan plan, std::vector<int> operands) {
        const std::vector<int> own = out_.own_scratch(plan, operands);
        const Step group = plan.steps[0];
        const std::vector<LocalScratch> local = make_local(plan.steps[0], own);
        if (Answer answer = ask_tiles({plan, {.local = local}, target_, context_}); answer.row) {
            answer.choice.operands = std::move(operands);
            out_.add_alone(plan, plan.steps[0], std::move(answer.choice));
            out_.shrink(plan, local, true);
            return {};
        }
        plan.steps[0] = group;
        auto points = select_points(plan, operands, own, number_, context_);
        if (!points) return Refusal(points.error());
        if (points->empty()) return add_parts(ungrouped(plan), std::move(operands));
        for (SelectedPoints& some : *points) {
            out_.add_alone(some.plan, some.step, std::move(some.choice));
            out_.shrink(plan, some.local, &some == points->data()); // the rest, if there is one, has smaller points
        }
        return {};
    }

    // In a group's point: the steps from number `first` on that go over the same rows, if one kernel does them all. The
    // result is how many these are.
    size_t add_shared_rows(size_t first, const std::vector<int>& operands) {
        if (!point_) return 0;
        const auto shared = shared_rows(whole_, first, point_->scratch, out_.uses());
        if (!shared) return 0;
        const Context& context = is_result(whole_, shared->end - 1) ? point_->of_results : context_;
        Answer answer = ask_tiles({shared->group.plan, {.local = shared->values}, target_, context});
        if (!answer.row) return 0;
        answer.choice.operands = numbers(shared->group.operands, operands);
        out_.add_together(whole_, first, shared->end, operands, std::move(answer.choice));
        return shared->end - first;
    }

    const Context& context_of(const Step& step) const {
        return is_result_                             ? point_->of_results
               : step.product && context_of_products_ ? *context_of_products_
                                                      : context_;
    }

    const Plan& whole_;
    const jit::Target target_;
    const Context& context_;
    const Point* const point_;
    Growing out_;
    std::optional<Context> context_of_products_; // that run at the same time: each has a part of the threads
    int number_ = 0;         // of the step of the whole plan that is being added; of the group whose point this is
    bool is_result_ = false; // whether no other step of the point reads what that step writes
    int64_t zeros_ = 0;      // behind its rows, which no step before it wrote
};

} // namespace

Result<Selection> select(const Plan& plan, const Context& context) { return Selector(plan, context, nullptr).select(); }
Result<Selection> select_in_point(const Plan& plan, const Context& context, const Point& point) {
    return Selector(plan, context, &point).select();
}

} // namespace tessera::cpu
