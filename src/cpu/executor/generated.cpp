#include "cpu/executor/generated.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/rewrite/split_product.hpp"
#include "core/stack_array.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/isa.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/runtime/threads.hpp"
#include "cpu/runtime/with_scratch.hpp"
#include "cpu/select/compile.hpp"
#include "cpu/select/portable_reason.hpp"
#include "cpu/select/tile.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t chunks_per_thread = 8;
// Of a group of several jobs, whose lines are shared or lie side by side: concat of 64 + 64 channels, f32 nhwc, in 49
// chunks (one a unit) instead of 16, 0.72 -> 0.83 of memcpy.
constexpr int64_t bytes_of_chunk = 128 << 10;
constexpr size_t many_jobs = 8;          // of a group: more than the boxes of one tensor, so several tensors
constexpr int64_t short_row_bytes = 256; // shorter rows are moved by whole tiles: no tails, several rows a turn

// A store of the gather tile costs a load and a permute a window: up to 4 it beats the transpose tile on short loops,
// up to 16 the map tile's short rows and the portable loops.
constexpr int windows_of_choice = 4, windows_at_most = 16;

// Steps that may run at the same time: they write different elements of one operand. Chunk c of a group is the c-th
// part of each of its steps; steps count units from dst's outermost loop on, so what one step writes and the zeros that
// another one adds to the same lines meet in the cache (f32 nchw -> nChw16c, 60 channels: 0.58 -> 0.70 of memcpy).
struct Group {
    struct Entry {
        std::unique_ptr<Job> job;
        std::vector<int> operands; // of the plan, by operand of the job; none: the same, as in most plans
        int64_t offset = 0;        // where the job has fewer units than the group chunks: which chunks get them
    };
    std::vector<Entry> jobs;                    // or
    std::shared_ptr<const Executable> portable; // of a plan with one step alone, and its operands
    std::vector<int> operands;
    int fills = 0; // the last jobs
    int64_t chunks = 1;
    bool parallel = false;

    void run(std::span<char* const> all, int64_t chunk) const {
        for (const Entry& e : jobs) {
            const int64_t first = (e.job->units * chunk + e.offset) / chunks;
            const int64_t last = (e.job->units * (chunk + 1) + e.offset) / chunks;
            if (first == last) continue;
            Bases bases;
            for (size_t o = 0; e.operands.empty() && o < std::min(all.size(), bases.size()); ++o) bases[o] = all[o];
            for (size_t o = 0; o < e.operands.size(); ++o) bases[o] = all[size_t(e.operands[o])];
            e.job->run(bases, first, last);
        }
    }
};

size_t written_by(const Plan& plan, const Step& step) {
    return size_t(step.kind == StepKind::fill ? step.fill_operand
                                              : plan.programs[size_t(step.program)].ops.back().operand);
}

bool reads_own_output(const Plan& plan, const Step& step) {
    if (step.kind == StepKind::fill) return false;
    const int written = plan.operands[written_by(plan, step)].arg;
    for (const Op& op : plan.programs[size_t(step.program)].ops)
        if (op.code == OpCode::load && plan.operands[size_t(op.operand)].arg == written) return true;
    return false;
}

bool stores_several(const Plan& plan, const Step& step) {
    if (step.kind == StepKind::fill) return false;
    const auto written = int(written_by(plan, step));
    for (const Op& op : plan.programs[size_t(step.program)].ops)
        if (op.code == OpCode::store && op.operand != written) return true;
    return false;
}

// Whether a step may run while the one before it does, and those that run together with that one.
bool may_run_together(const Plan& plan, const Step& before, const Step& step) {
    if (written_by(plan, before) != written_by(plan, step)) return false;
    if (stores_several(plan, before) || stores_several(plan, step)) return false;
    // What it reads there may be what the steps before it have written, unless all are boxes of one program.
    return !reads_own_output(plan, step) || before.program == step.program;
}

class Generated final : public Executable {
public:
    std::shared_ptr<const Plan> plan;
    std::vector<Group> groups;
    int most_threads = 1;
    std::string name_;
    std::string portable; // why some steps are

    Status run(std::span<void* const> pointers, const Threads& threads) const override {
        StackArray<char*, job_operands> bases(plan->operands.size());
        for (size_t o = 0; o < bases.size(); ++o) {
            const Operand& operand = plan->operands[o];
            if (operand.counted)
                bases[o] = base_of_numbers;
            else if (operand.constant >= 0) // only loaded
                bases[o] =
                    reinterpret_cast<char*>(const_cast<float*>(plan->constants[size_t(operand.constant)].data()));
            else
                bases[o] = static_cast<char*>(pointers[o]) + operand.bytes;
        }
        for (const Group& group : groups) {
            if (group.portable) {
                StackArray<void*, job_operands> own(group.operands.size());
                for (size_t o = 0; o < own.size(); ++o) own[o] = pointers[size_t(group.operands[o])];
                if (const Status s = group.portable->run(own, threads); s != Status::success) return s;
            } else if (group.parallel) {
                for_chunks(group.chunks, most_threads, threads, [&](int64_t c) { group.run(bases, c); });
            } else {
                for (int64_t c = 0; c < group.chunks; ++c) group.run(bases, c);
            }
        }
        return Status::success;
    }
    std::string_view name() const override { return name_; }
    std::string_view fallback() const override { return portable; }
    std::string text() const override {
        std::string out;
        for (const Group& group : groups) {
            if (group.portable) out += group.portable->text();
            for (const Group::Entry& e : group.jobs)
                out += fmt::format("{}, {}{}\n", e.job->text(),
                                   group.parallel ? fmt::format("{} chunks", group.chunks) : "one thread",
                                   &e != &group.jobs.back() ? ", together with" : "");
        }
        return out;
    }
    std::vector<GeneratedCode> code() const override {
        std::vector<GeneratedCode> all;
        for (const Group& group : groups)
            for (const Group::Entry& e : group.jobs)
                for (const jit::Kernel* kernel : e.job->kernels()) all.push_back(kernel->generated());
        return all;
    }
};

// Operand 0 and dst lie alike and are equally wide, so that they may be one buffer. Tiles that move a point twice at
// the end of a loop would then compute it twice.
bool may_share(const Plan& plan, const Step& step) {
    const Program& program = plan.programs[0];
    if (is_copy(program) || plan.operands.size() < 2) return false;
    const auto written = size_t(program.ops.back().operand);
    for (const Op& op : program.ops) {
        const auto o = size_t(op.operand);
        if (op.code != OpCode::load || o == written || bits(plan.operands[o].type) != bits(plan.operands[written].type))
            continue;
        bool alike = step.nest.base[o] == step.nest.base[written];
        for (const Loop& loop : step.nest.loops)
            alike &= !loop.table[o] && !loop.table[written] && loop.stride[o] == loop.stride[written];
        if (alike) return true;
    }
    return false;
}

// `plan` is of this step alone.
std::unique_ptr<Job> job_of(const Plan& plan, const jit::Target& target, const Machine& machine) {
    const Step& step = plan.steps[0];
    if (plan.operands.size() > job_operands) return nullptr;
    if (step.nest.points() == Nest::most) return nullptr; // bytes and strides of rows may leave 64 bits
    if (step.kind == StepKind::fill) return make_fill_job(plan, step, target);
    if (step.kind == StepKind::product) return make_dot_job(plan, step, target, machine);
    if (step.kind == StepKind::reduce || step.nest.points() == 0) return nullptr;
    if (auto job = make_lerp_job(plan, step, target, machine)) return job;
    const size_t written = written_by(plan, step);
    bool rows = step.nest.loops.empty() || (tile_of(plan, step) == Tile::map && plan.operands.size() > 2) ||
                may_share(plan, step);
    if (!rows) rows = step.nest.loops.back().extent * bits(plan.operands[written].type) / 8 >= short_row_bytes;
    if (rows)
        if (auto job = make_map_job(plan, step, target, machine)) return job;
    const bool gather_first = prefers_gather(plan, step, target);
    if (gather_first)
        if (auto job = make_gather_job(plan, step, target, machine, windows_of_choice)) return job;
    if (auto job = make_transpose_job(plan, step, target, machine)) return job;
    if (auto job = make_gather_job(plan, step, target, machine, windows_at_most)) return job;
    if (!rows)
        if (auto job = make_map_job(plan, step, target, machine)) return job;
    return make_packed_job(plan, step, target);
}

// The steps of a product that the dot tile does not take as it is; none if it does not take it even so.
std::optional<Plan> dot_in_steps(const Plan& plan, const jit::Target& target, const Machine& machine) {
    const Step& step = plan.steps[0];
    constexpr DotParts ways[] = {{false, false, true}, {true, false, false}, {false, true, false}, {true, true, false},
                                 {true, false, true},  {false, true, true},  {true, true, true}};
    for (const DotParts& parts : ways) {
        auto split = split_dot(plan, step, parts);
        if (!split || split->operands.size() > job_operands) continue;
        for (const Step& part : split->steps) {
            if (part.kind != StepKind::product) continue;
            const LocalStep local = local_step(*split, part);
            if (make_dot_job(local.plan, local.plan.steps[0], target, machine)) return split;
        }
    }
    return std::nullopt;
}

void set_chunks(Group& group, const Machine& machine) {
    int64_t units = 1, bytes = 0;
    for (const Group::Entry& e : group.jobs) {
        units = group.jobs.size() < many_jobs ? std::max(units, e.job->units) : units + e.job->units;
        bytes += e.job->bytes;
    }
    group.parallel = machine.threads > 1 && units > 1 && bytes > machine.parallel_bytes;
    const int64_t apart = group.jobs.size() > 1 ? bytes / bytes_of_chunk : 1;
    group.chunks = std::clamp<int64_t>(group.parallel ? std::max(machine.threads * chunks_per_thread, apart)
                                                      : bytes / (machine.l2_bytes / 2),
                                       1, units);
    // Jobs of few units (concat) spread over the chunks; else the last chunk would do them all.
    const auto jobs = int64_t(group.jobs.size());
    for (int64_t j = 0; jobs >= int64_t(many_jobs) && j < jobs; ++j)
        if (group.jobs[size_t(j)].job->units < group.chunks) group.jobs[size_t(j)].offset = group.chunks * j / jobs;
}

} // namespace

std::shared_ptr<const Executable> make_generated(std::shared_ptr<const Plan> plan, const Machine& machine,
                                                 std::string* why) {
    const auto refuse = [&](std::string reason) {
        if (why) *why = std::move(reason);
        return nullptr;
    };
    if (!jit::has_target(machine))
        return refuse(fmt::format("kernels need the instructions of {}; this machine, or what ONEDNN_MAX_CPU_ISA "
                                  "leaves of it, has those of {}",
                                  isa_name(jit::least_isa), machine.name));
    if (auto ok = verify(*plan); !ok) return refuse(ok.error().reason);
    const jit::Target target = jit::target_of(machine);
    auto out = std::make_shared<Generated>();
    out->most_threads = machine.threads;
    std::shared_ptr<Plan> extended; // the plan with operands in memory of the execution
    bool any = false;
    int number = 0;             // of the step, for people
    const Step* last = nullptr; // of the group that is open
    const std::function<bool(const Plan&, const Step&, const std::vector<int>&)> add =
        [&](const Plan& whole, const Step& step, const std::vector<int>& renamed) {
            LocalStep local = local_step(whole, step);
            for (int& o : local.operands) o = renamed.empty() ? o : renamed[size_t(o)];
            std::optional<Plan> split;
            if (step.kind == StepKind::product) split = split_depth(local.plan, local.plan.steps[0]);
            if (step.kind == StepKind::product && !split) split = without_sum(local.plan, local.plan.steps[0]);
            std::unique_ptr<Job> job = split ? nullptr : job_of(local.plan, target, machine);
            any |= job && step.kind != StepKind::fill;
            if (!job && step.kind == StepKind::product) {
                if (!split) split = dot_in_steps(local.plan, target, machine);
                if (split) {
                    if (!extended) extended = std::make_shared<Plan>(*plan);
                    for (size_t o = local.plan.operands.size(); o < split->operands.size(); ++o) {
                        local.operands.push_back(int(extended->operands.size()));
                        extended->operands.emplace_back(split->operands[o]).scratch += int(extended->scratch.size());
                    }
                    extended->scratch.insert(extended->scratch.end(), split->scratch.begin(), split->scratch.end());
                    last = nullptr; // of another plan, which ends here
                    for (const Step& part : split->steps)
                        if (!add(*split, part, local.operands)) return false;
                    last = nullptr;
                    return true;
                }
            }
            if (!job) {
                if (step.kind == StepKind::product || step.nest.points() > 0)
                    out->portable +=
                        fmt::format("{}{}", out->portable.empty() ? "" : "; ", why_portable(local.plan, number));
                auto portable = compile_portable(std::make_shared<Plan>(std::move(local.plan)), machine);
                if (!portable) return false;
                Group& group = out->groups.emplace_back();
                group.portable = *portable;
                group.operands = std::move(local.operands);
                last = nullptr;
                return true;
            }
            if (!last || !may_run_together(whole, *last, step)) out->groups.emplace_back();
            last = &step;
            // Zeros last: the lines that they share are in the cache then.
            Group& group = out->groups.back();
            Group::Entry entry{std::move(job), {}};
            for (size_t o = 0; o < local.operands.size(); ++o)
                if (local.operands[o] != int(o)) entry.operands = local.operands;
            if (step.kind == StepKind::fill) {
                group.jobs.push_back(std::move(entry));
                ++group.fills;
            } else {
                group.jobs.insert(group.jobs.end() - group.fills, std::move(entry));
            }
            return true;
        };
    for (const Step& step : plan->steps) {
        ++number;
        if (step.sparse) return refuse(why_sparse_is_portable(number));
        if (!add(*plan, step, {})) return refuse(fmt::format("step {} is none that could be cut", number));
    }
    for (Group& group : out->groups) set_chunks(group, machine);
    if (!any) return refuse(std::move(out->portable));
    out->plan = extended ? std::move(extended) : std::move(plan);
    out->name_ = "jit:" + std::string(isa_name(machine.isa));
    return with_scratch(out->plan, out);
}

} // namespace tessera::cpu
