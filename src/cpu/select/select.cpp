#include "cpu/select/select.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/plan/rewrite/in_nests.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/rewrite/splice.hpp"
#include "core/plan/rewrite/split_product.hpp"
#include "core/plan/rewrite/together.hpp"
#include "cpu/select/compile.hpp"
#include "cpu/select/portable_reason.hpp"
#include "cpu/select/tiles.hpp"

namespace tessera::cpu {

namespace {

class Selector {
public:
    Selector(const Plan& plan, const Machine& machine) : target_(jit::target_of(machine)), machine_(machine) {
        out_.plan = plan;
        out_.plan.steps.clear(), out_.plan.programs.clear();
    }

    Result<Selection> select(const Plan& plan) {
        std::vector<int> operands;
        for (size_t o = 0; o < plan.operands.size(); ++o) operands.push_back(int(o));
        for (const Step& step : plan.steps) {
            ++number_;
            if (auto ok = add(plan, step, operands); !ok) return Refusal(ok.error());
        }
        mark_together(out_.plan);
        return std::move(out_);
    }

private:
    // A step of `plan`, which may be a part of one; its operands in the plan that grows.
    Result<void> add(const Plan& plan, const Step& step, const std::vector<int>& known) {
        LocalStep local = local_step(plan, step);
        Choice choice;
        for (const int o : local.operands) choice.operands.push_back(known[size_t(o)]);
        const Step& own = local.plan.steps[0];
        if (own.product) {
            if (const auto parts = split_depth(local.plan, own)) return add_all(*parts, choice.operands);
            if (const auto map = without_sum(local.plan, own)) return add_all(*map, choice.operands);
        }
        if (!choose(local.plan, choice)) {
            if (own.product)
                if (const auto parts = in_steps(local.plan)) return add_all(*parts, choice.operands);
            if (own.interpolation) return add_all(as_map(local.plan, own), choice.operands);
            if (own.product || own.nest.points() > 0) choice.why_portable = why_portable(local.plan, number_);
            auto portable = compile_portable(std::make_shared<Plan>(local.plan), machine_);
            if (!portable) return Refusal(portable.error());
            choice.tile = "portable", choice.portable = std::move(*portable);
        }
        const bool same_program = last_plan_ == plan_ && last_program_ == step.program;
        last_plan_ = plan_, last_program_ = step.program;
        splice(local.plan, own, choice.operands, same_program, out_.plan);
        out_.choices.push_back(std::move(choice));
        return {};
    }

    Result<void> add_all(const Plan& parts, std::vector<int> operands) {
        add_scratch_of(parts, operands, out_.plan);
        const int outer = std::exchange(plan_, ++plans_);
        for (const Step& part : parts.steps)
            if (auto ok = add(parts, part, operands); !ok) return ok;
        plan_ = outer;
        return {};
    }

    bool choose(const Plan& plan, Choice& choice) const {
        const Step& step = plan.steps[0];
        if (plan.operands.size() > job_operands) return false;
        if (step.nest.points() == Nest::most) return false; // bytes and strides of rows may leave 64 bits
        const Asked asked(plan, target_, machine_);
        std::vector<const TileRow*> rows;
        for (const TileRow& row : tiles())
            if (row.cost(asked) != not_taken) rows.push_back(&row);
        std::ranges::stable_sort(rows, {}, [&](const TileRow* row) { return row->cost(asked); });
        for (const TileRow* row : rows) {
            if ((choice.job = row->make(asked))) {
                choice.tile = row->name;
                return true;
            }
            choice.tried += fmt::format("{}{}", choice.tried.empty() ? "" : ", ", row->name);
        }
        return false;
    }

    // The steps of a product that the dot tile does not take as it is; none if it does not take it even so.
    std::optional<Plan> in_steps(const Plan& plan) const {
        constexpr DotParts ways[] = {{false, false, true}, {true, false, false}, {false, true, false},
                                     {true, true, false},  {true, false, true},  {false, true, true},
                                     {true, true, true}};
        for (const DotParts& parts : ways) {
            auto split = split_dot(plan, plan.steps[0], parts);
            if (!split || split->operands.size() > job_operands) continue;
            for (const Step& part : split->steps) {
                if (part.kind != StepKind::product) continue;
                const LocalStep local = local_step(*split, part);
                if (Choice taken; choose(local.plan, taken)) return split;
            }
        }
        return std::nullopt;
    }

    const jit::Target target_;
    const Machine& machine_;
    Selection out_;
    int number_ = 0;                         // of the step that `lower` wrote
    int plan_ = 0, plans_ = 0;               // whose steps are being added: 0 is the whole plan, others are parts
    int last_plan_ = -1, last_program_ = -1; // of the step that was added last
};

} // namespace

bool Selection::generated() const {
    for (size_t i = 0; i < choices.size(); ++i)
        if (choices[i].job && plan.steps[i].kind != StepKind::fill) return true;
    return false;
}

std::string Selection::why_portable() const {
    std::string why;
    for (const Choice& c : choices)
        if (!c.why_portable.empty()) why += fmt::format("{}{}", why.empty() ? "" : "; ", c.why_portable);
    return why;
}

std::string Selection::text() const {
    std::string out;
    for (size_t i = 0; i < choices.size(); ++i)
        out += fmt::format("{} {}{}\n", i + 1, choices[i].tile,
                           choices[i].tried.empty() ? "" : fmt::format(", not {}", choices[i].tried));
    return out;
}

Result<Selection> select(const Plan& plan, const Machine& machine) { return Selector(plan, machine).select(plan); }

} // namespace tessera::cpu
