// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/select.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/plan/cut.hpp"
#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/in_nests.hpp"
#include "core/plan/rewrite/local_scratch.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/rewrite/padding.hpp"
#include "core/plan/rewrite/share_rows.hpp"
#include "core/plan/rewrite/splice.hpp"
#include "core/plan/rewrite/split_product.hpp"
#include "core/plan/rewrite/together.hpp"
#include "core/plan/rewrite/turns.hpp"
#include "core/plan/unit.hpp"
#include "core/sort_few.hpp"
#include "cpu/executor/group_job.hpp"
#include "cpu/products/ask.hpp"
#include "cpu/runtime/repeated.hpp"
#include "cpu/select/compile.hpp"
#include "cpu/select/packed_once.hpp"
#include "cpu/select/portable_reason.hpp"
#include "cpu/select/tiles.hpp"
#include "cpu/tiles/rows/run.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t line_of_results = 64; // elements: 64 bytes at least

// Passes to merge into a point, so that what it reads and writes fits half of the second level and all threads get
// work; 0: the whole group fits.
int64_t passes_of_a_point(const Plan& plan, const Step& group, const Machine& machine) {
    std::map<int, int64_t> of_operand; // bytes of a point, whatever the number of steps that come by
    for (const Step& step : group.group->steps)
        for (const int o : used_operands(plan, step)) {
            int64_t elements = 1;
            for (const Loop& loop : step.nest.loops)
                if (loop.table[size_t(o)] || loop.stride[size_t(o)]) elements *= loop.extent;
            int64_t& most = of_operand[o];
            if (!plan.operands[size_t(o)].counted)
                most = std::max(most, elements * bits(plan.operands[size_t(o)].type) / 8);
        }
    int64_t bytes = 1;
    for (const auto& [operand, own] : of_operand) bytes += own;
    const int64_t stay = machine.l2_bytes / 2;
    if (group.nest.loops.empty() || iterations(group.nest.loops) <= stay / bytes) return 0;
    // Vectors along the results: at least a line of them.
    const Loop& passes = group.nest.loops.back();
    const bool dense = std::ranges::any_of(of_operand, [&](const auto& o) {
        return o.second > 4 && !passes.table[size_t(o.first)] && passes.stride[size_t(o.first)] == 1;
    });
    const int64_t share = iterations(group.nest.loops) / (machine.threads * chunks_per_thread),
                  least = dense ? line_of_results : 1;
    return std::clamp<int64_t>(stay / bytes, least, std::max(share, least));
}

class Selector {
public:
    Selector(const Plan& plan, const Machine& machine) : target_(jit::target_of(machine)), machine_(machine) {
        out_.plan.title = plan.title, out_.plan.operands = plan.operands;
        out_.plan.constants = plan.constants, out_.plan.scratch = plan.scratch;
    }

    Result<Selection> select(const Plan& plan) {
        std::vector<int> operands;
        for (size_t o = 0; o < plan.operands.size(); ++o) operands.push_back(int(o));
        uses_.assign(plan.operands.size(), 0);
        for (const Step& step : plan.steps)
            for (const int o : used_operands(plan, step)) ++uses_[size_t(o)];
        const std::vector<Padding> padding = padding_of(plan);
        for (size_t i = 0; i < plan.steps.size(); ++i) {
            const Step& step = plan.steps[i];
            if (padding[i].map < plan.steps.size()) continue; // comes right behind that step
            of_group_ = streaming_ && is_result(plan, i);
            number_ = number_of_all_ ? number_of_all_ : number_ + 1;
            zeros_ = 0;
            size_t taken = add_shared_rows(plan, i, operands);
            if (!taken) {
                const auto fill = std::ranges::find(padding, i, &Padding::map);
                if (fill != padding.end()) zeros_ = fill->zeros;
                if (auto ok = add(plan, step, operands); !ok) return Refusal(ok.error());
            }
            for (const size_t end = i + std::max<size_t>(taken, 1); i < end; ++i) {
                const auto fill = std::ranges::find(padding, i, &Padding::map);
                if (fill == padding.end()) continue;
                const bool written = !taken && !zeros_;
                const Step& zeros = plan.steps[size_t(fill - padding.begin())];
                if (auto ok = written ? add_written(plan, zeros, operands) : add(plan, zeros, operands); !ok)
                    return Refusal(ok.error());
            }
            --i;
        }
        std::vector<bool> follows; // done by the step before
        for (const Choice& c : out_.choices) follows.push_back(!c.job && !c.executable);
        std::vector<Choice> choices;
        for (const size_t number : mark_together(out_.plan, follows))
            choices.push_back(std::move(out_.choices[number]));
        out_.choices = std::move(choices);
        return std::move(out_);
    }

private:
    // A fill whose zeros lie behind the rows of a map, which a tile may write together with these.
    struct Padding {
        size_t map = size_t(-1);
        int64_t zeros = 0;
    };
    static bool has_rows(const Step& s) { return s.kind == StepKind::map || s.kind == StepKind::interpolate; }
    // By step. Between the two are only steps that write the same operand, which may run in any order.
    static std::vector<Padding> padding_of(const Plan& plan) {
        std::vector<Padding> all(plan.steps.size());
        const auto written = [&](const Step& s) {
            if (s.kind == StepKind::fill) return s.fill_operand;
            return has_rows(s) ? plan.programs[size_t(s.program)].ops.back().operand : -1;
        };
        for (size_t f = 0; f < plan.steps.size(); ++f) {
            if (plan.steps[f].kind != StepKind::fill) continue;
            const auto visit = [&](size_t m) { // whether to go on
                const int64_t zeros = zeros_behind(plan, plan.steps[m], plan.steps[f]);
                const bool taken = std::ranges::find(all, m, &Padding::map) != all.end();
                if (zeros && !taken) all[f] = {m, zeros};
                return !zeros && written(plan.steps[m]) == plan.steps[f].fill_operand;
            };
            for (size_t m = f + 1; m < plan.steps.size() && visit(m); ++m) {}
            for (size_t m = f; all[f].zeros == 0 && m-- > 0 && visit(m);) {}
        }
        return all;
    }
    // A fill whose zeros the step before it writes.
    Result<void> add_written(const Plan& plan, const Step& fill, const std::vector<int>& operands) {
        const LocalStep local = local_step(plan, fill);
        splice(local.plan, local.plan.steps[0], {operands[size_t(local.operands[0])]}, false, out_.plan);
        out_.choices.emplace_back().tile = "with the step before";
        return {};
    }

    // A step of `plan`, which may be a part of one; its operands in the plan that grows.
    Result<void> add(const Plan& plan, const Step& step, const std::vector<int>& known) {
        LocalStep local = local_step(plan, step);
        Choice choice;
        for (const int o : local.operands) choice.operands.push_back(known[size_t(o)]);
        const Step& own = local.plan.steps[0];
        if (own.kind == StepKind::repeat) return add_repeat(local.plan, Step(own), std::move(choice));
        if (own.group) return add_group(local.plan, own, choice.operands);
        const auto matrices = own.product ? matrices_of(local.plan, own) : std::nullopt;
        if (matrices) {
            if (const auto parts = split_depth(local.plan, own, *matrices, products_beside(plan, step))) {
                const auto products =
                    std::ranges::count_if(parts->steps, [](const Step& s) { return bool(s.product); });
                machine_of_products_ = machine_;
                machine_of_products_->threads = int(ceil_div(int64_t(machine_.threads), int64_t(products)));
                auto added = add_all(*parts, choice.operands);
                machine_of_products_.reset();
                return added;
            }
            if (const auto map = without_sum(local.plan, own, *matrices)) return add_all(*map, choice.operands);
        }
        if (!choose(local.plan, matrices, choice)) {
            DotAnswer dot;
            if (matrices) dot = ask_dot(local.plan, own, *matrices, target_, machine_);
            if (dot.taken && dot.parts.any())
                return add_all(*split_dot(local.plan, own, *matrices, dot.parts), choice.operands);
            if (matrices && !dot.taken)
                if (const auto parts = split_zeros(local.plan, own, *matrices)) return add_all(*parts, choice.operands);
            if (dot.taken)
                dot.why_not =
                    "the dot tile takes it, but one of its kernels or packs could not be made: an error of ours";
            if (own.interpolation) return add_all(as_map(local.plan, own), choice.operands);
            if (own.product || own.nest.points() > 0)
                choice.why_portable = why_portable(local.plan, number_, dot.why_not);
            auto portable = compile_portable(std::make_shared<Plan>(local.plan), machine_);
            if (!portable) return Refusal(portable.error());
            choice.tile = "portable", choice.executable = std::move(*portable);
        }
        const bool same_program = last_plan_ == plan_ && last_program_ == step.program;
        last_plan_ = plan_, last_program_ = step.program;
        splice(local.plan, own, choice.operands, same_program, out_.plan);
        out_.choices.push_back(std::move(choice));
        return {};
    }

    // Products that write the same operand, boxes of one step of a primitive, run at the same time.
    static int64_t products_beside(const Plan& plan, const Step& step) {
        const auto written = [&](const Step& s) { return plan.programs[size_t(s.program)].ops.back().operand; };
        return std::ranges::count_if(plan.steps,
                                     [&](const Step& s) { return s.product && written(s) == written(step); });
    }

    // A turn is compiled like a plan.
    Result<void> add_repeat(Plan plan, const Step& step, Choice choice) {
        for (size_t o = 0; o < plan.operands.size(); ++o) // those of parts count from 0
            plan.operands[o].scratch = out_.plan.operands[size_t(choice.operands[o])].scratch;
        if (const Plan parts = packed_once(plan, step, target_, machine_); parts.steps.size() > 1)
            return add_all(parts, choice.operands);
        auto turn = compile(std::make_shared<const Plan>(turn_of(plan, step)), machine_);
        if (!turn) return Refusal(turn.error());
        std::string tiles((*turn)->selection());
        std::ranges::replace(tiles, '\n', ';');
        choice.tile = fmt::format("repeat of {}", tiles.empty() ? "portable" : tiles);
        choice.why_portable = (*turn)->fallback();
        choice.repeats = true;
        choice.executable = repeated(plan, std::move(*turn));
        splice(plan, step, choice.operands, false, out_.plan);
        out_.choices.push_back(std::move(choice));
        last_plan_ = -1;
        return {};
    }

    // `plan` is of the group alone. Where none of its steps has a kernel they run one after the other.
    Result<void> add_group(const Plan& plan, const Step& group, const std::vector<int>& operands) {
        if (add_rows(plan, group, operands)) return {};
        const int64_t passes = passes_of_a_point(plan, group, machine_);
        if (passes == 0) return add_all(ungrouped(plan), operands);
        const Machine alone = with_one_thread(machine_);
        const std::vector<int> own = own_scratch(plan, operands);
        bool first = true;
        for (Step step : widened(plan, group, passes)) {
            const std::vector<LocalScratch> local = make_local(step, own);
            Plan inner = plan;
            inner.steps = step.group->steps;
            Selector selector(inner, alone);
            selector.number_of_all_ = number_;
            for (const LocalScratch& l : local) selector.of_point_.push_back(l.operand);
            selector.streaming_ = alone; // what all points of the group write counts
            selector.streaming_->stream_bytes = machine_.stream_bytes / iterations(step.nest.loops);
            auto parts = selector.select(inner);
            if (!parts) return Refusal(parts.error());
            if (!parts->generated()) return add_all(ungrouped(plan), operands);
            Choice choice;
            choice.operands = operands, choice.why_portable = parts->why_portable();
            std::vector<GroupJob::Part> jobs;
            for (Choice& c : parts->choices) {
                if (!c.job && !c.executable) continue; // the one before does it
                choice.tile += fmt::format("{}{}", choice.tile.empty() ? "group of " : ", ", c.tile);
                jobs.push_back({std::move(c.job), std::move(c.executable), std::move(c.operands)});
            }
            choice.job = std::make_unique<GroupJob>(step.nest, std::move(jobs), plan.operands, local);
            Step chosen = step;
            chosen.group = std::make_shared<Group>(Group{std::move(parts->plan.steps)});
            splice(parts->plan, chosen, operands, false, out_.plan);
            out_.choices.push_back(std::move(choice));
            last_plan_ = -1;
            shrink(plan, local, first); // the rest, if there is one, has smaller points
            first = false;
        }
        return {};
    }

    // All of the group in one kernel.
    bool add_rows(const Plan& plan, const Step& group, const std::vector<int>& operands) {
        Step rows = group;
        const std::vector<LocalScratch> local = make_local(rows, own_scratch(plan, operands));
        Choice choice;
        choice.job = make_rows_job(plan, rows, local, target_, machine_);
        if (!choice.job) return false;
        choice.tile = "rows", choice.operands = operands;
        splice(plan, rows, operands, false, out_.plan);
        out_.choices.push_back(std::move(choice));
        last_plan_ = -1;
        shrink(plan, local, true);
        return true;
    }
    // In a group: as many steps from number `first` on as go over the same rows, in one kernel; how many these are.
    size_t add_shared_rows(const Plan& plan, size_t first, const std::vector<int>& operands) {
        if (of_point_.empty()) return 0;
        size_t last = first;
        bool reduces = false;
        for (; last < plan.steps.size() && share_rows(plan, first, last + 1); ++last)
            reduces |= plan.steps[last].kind == StepKind::reduce;
        if (last - first < 2 || !reduces) return 0;
        const Step group = *share_rows(plan, first, last);
        LocalStep shared = local_step(plan, group);
        std::vector<LocalScratch> values; // one number a row, which other steps do not read
        for (size_t o = 0; o < shared.operands.size(); ++o) {
            const int operand = shared.operands[o];
            size_t users = 0;
            bool moves = false;
            for (const Step& step : shared.plan.steps[0].group->steps) {
                users += std::ranges::count(used_operands(shared.plan, step), int(o));
                moves |= std::ranges::any_of(step.nest.loops, [&](const Loop& l) { return l.stride[o] != 0; });
            }
            if (!moves && std::ranges::count(of_point_, operand) && users == size_t(uses_[size_t(operand)]))
                values.push_back({int(o), 1});
        }
        Choice choice;
        choice.job = make_rows_job(shared.plan, shared.plan.steps[0], values, target_,
                                   streaming_ && is_result(plan, last - 1) ? *streaming_ : machine_);
        if (!choice.job) return 0;
        choice.tile = "rows";
        for (const int o : shared.operands) choice.operands.push_back(operands[size_t(o)]);
        for (size_t i = first; i < last; ++i) {
            const LocalStep local = local_step(plan, plan.steps[i]);
            std::vector<int> own;
            for (const int o : local.operands) own.push_back(operands[size_t(o)]);
            splice(local.plan, local.plan.steps[0], own, false, out_.plan);
            out_.choices.push_back(i == first ? std::move(choice) : Choice{});
        }
        last_plan_ = -1;
        return last - first;
    }

    // Scratch that is memory of a point now.
    void shrink(const Plan& plan, std::span<const LocalScratch> local, bool first) {
        for (const LocalScratch& l : local) {
            const Operand& operand = plan.operands[size_t(l.operand)];
            int64_t& bytes = out_.plan.scratch[size_t(operand.scratch)];
            bytes = std::max(first ? 0 : bytes, bytes_of(operand.type, l.elements));
        }
    }

    // Whether nothing behind step i in its group reads what it writes.
    static bool is_result(const Plan& plan, size_t i) {
        const Step& step = plan.steps[i];
        if (step.program < 0) return false;
        for (const Op& op : plan.programs[size_t(step.program)].ops) {
            if (op.code != OpCode::store) continue;
            const Operand& written = plan.operands[size_t(op.operand)];
            if (written.scratch >= 0) return false;
            for (size_t k = i + 1; k < plan.steps.size(); ++k)
                for (const int o : used_operands(plan, plan.steps[k]))
                    if (plan.operands[size_t(o)].arg == written.arg) return false;
        }
        return true;
    }

    // Scratch of a group's plan that nothing else in the whole plan uses.
    std::vector<int> own_scratch(const Plan& plan, const std::vector<int>& operands) const {
        std::vector<int> own;
        for (size_t o = 0; o < plan.operands.size() && plan_ == 0; ++o) {
            const Operand& operand = plan.operands[o];
            if (operand.scratch < 0 || operand.bytes) continue;
            const auto same = [&](const Operand& other) { return other.scratch == operand.scratch; };
            if (std::ranges::count_if(out_.plan.operands, same) == 1 && uses_[size_t(operands[o])] == 1)
                own.push_back(int(o));
        }
        return own;
    }

    Result<void> add_all(const Plan& parts, std::vector<int> operands) {
        add_scratch_of(parts, operands, out_.plan);
        const int outer = std::exchange(plan_, ++plans_);
        for (const Step& part : parts.steps)
            if (auto ok = add(parts, part, operands); !ok) return ok;
        plan_ = outer;
        return {};
    }

    bool choose(const Plan& plan, const std::optional<Matrices>& matrices, Choice& choice) {
        const Step& step = plan.steps[0];
        if (plan.operands.size() > job_operands) return false;
        if (step.nest.points() == Nest::most) return false; // bytes and strides of rows may leave 64 bits
        if (step.product && !matrices) return false;
        const Machine& machine = of_group_                              ? *streaming_
                                 : step.product && machine_of_products_ ? *machine_of_products_
                                                                        : machine_;
        const Asked asked(plan, matrices ? &*matrices : nullptr, has_rows(step) ? zeros_ : 0, target_, machine);
        std::vector<std::pair<double, const TileRow*>> rows;
        rows.reserve(tiles().size());
        for (const TileRow& row : tiles())
            if (const double cost = row.cost(asked); cost != not_taken) rows.emplace_back(cost, &row);
        sort_few(rows.begin(), rows.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
        for (const auto& [cost, row] : rows) {
            if ((choice.job = row->make(asked))) {
                choice.tile = row->name;
                if (row->writes_zeros) zeros_ = 0;
                return true;
            }
            choice.tried += fmt::format("{}{}", choice.tried.empty() ? "" : ", ", row->name);
        }
        return false;
    }

    const jit::Target target_;
    const Machine& machine_;
    Selection out_;
    std::optional<Machine> streaming_;           // in a group: for steps whose results nothing else in it reads
    bool of_group_ = false;                      // the step that is being added is one of these
    std::optional<Machine> machine_of_products_; // that run at the same time: each has a part of the threads
    std::vector<int> of_point_;                  // in a group: scratch of a point
    std::vector<int> uses_;                      // of the operands of the whole plan: by how many of its steps
    int64_t zeros_ = 0;                          // behind the rows of the step that is being added, not yet written
    int number_ = 0, number_of_all_ = 0;         // of the step that `lower` wrote; of the group whose steps these are
    int plan_ = 0, plans_ = 0;                   // whose steps are being added: 0 is the whole plan, others are parts
    int last_plan_ = -1, last_program_ = -1;     // of the step that was added last
};

} // namespace

bool Selection::generated() const {
    for (size_t i = 0; i < choices.size(); ++i)
        if (choices[i].repeats || (choices[i].job && plan.steps[i].kind != StepKind::fill)) return true;
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
