#include "cpu/exec/generated.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cpu/exec/job.hpp"
#include "cpu/exec/schedule.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/isa.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/portable/executable.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t chunks_per_thread = 8;
constexpr int64_t short_row_bytes = 256; // shorter rows are moved by whole tiles: no tails, several rows a turn

// A store of the gather tile costs a load and a permute a window: up to 4 it beats the transpose tile on short loops,
// up to 16 the map tile's short rows and the portable loops.
constexpr int windows_of_choice = 4, windows_at_most = 16;

// Steps that may run at the same time: they write different elements of one operand. Chunk c of a group is the c-th
// part of each of its steps; steps count units from dst's outermost loop on, so what one step writes and the zeros that
// another one adds to the same lines meet in the cache (f32 nchw -> nChw16c, 60 channels: 0.58 -> 0.70 of memcpy).
struct Group {
    std::vector<std::unique_ptr<Job>> jobs;     // or
    std::shared_ptr<const Executable> portable; // of a plan with one step alone
    int fills = 0;                              // the last jobs
    int64_t chunks = 1;
    bool parallel = false;

    void run(const Bases& bases, int64_t chunk) const {
        for (const auto& job : jobs) {
            const int64_t first = job->units * chunk / chunks, last = job->units * (chunk + 1) / chunks;
            if (first < last) job->run(bases, first, last);
        }
    }
};

size_t written_by(const Plan& plan, const Step& step) {
    return size_t(step.kind == StepKind::fill ? step.fill_operand
                                              : plan.programs[size_t(step.program)].ops.back().operand);
}

class Generated final : public Executable {
public:
    std::shared_ptr<const Plan> plan;
    std::vector<Group> groups;
    int most_threads = 1;
    std::string name_;

    Status run(std::span<void* const> pointers, const Threads& threads) const override {
        Bases bases{};
        for (size_t o = 0; o < plan->operands.size(); ++o) {
            const Operand& operand = plan->operands[o];
            if (operand.constant >= 0) // only loaded
                bases[o] =
                    reinterpret_cast<char*>(const_cast<float*>(plan->constants[size_t(operand.constant)].data()));
            else
                bases[o] = static_cast<char*>(pointers[o]) + operand.bytes;
        }
        for (const Group& group : groups) {
            if (group.portable) {
                if (const Status s = group.portable->run(pointers, threads); s != Status::success) return s;
            } else if (group.parallel) {
                for_chunks(group.chunks, most_threads, threads, [&](int64_t c) { group.run(bases, c); });
            } else {
                for (int64_t c = 0; c < group.chunks; ++c) group.run(bases, c);
            }
        }
        return Status::success;
    }
    std::string_view name() const override { return name_; }
    std::string text() const override {
        std::string out;
        for (const Group& group : groups) {
            if (group.portable) out += group.portable->text();
            for (const auto& job : group.jobs)
                out += fmt::format("{}, {}{}\n", job->text(),
                                   group.parallel ? fmt::format("{} chunks", group.chunks) : "one thread",
                                   &job != &group.jobs.back() ? ", together with" : "");
        }
        return out;
    }
    std::vector<GeneratedCode> code() const override {
        std::vector<GeneratedCode> all;
        for (const Group& group : groups)
            for (const auto& job : group.jobs)
                for (const jit::Kernel* kernel : job->kernels()) all.push_back(kernel->generated());
        return all;
    }
};

std::unique_ptr<Job> job_of(const Plan& plan, const Step& step, const jit::Target& target, const Machine& machine) {
    if (step.kind == StepKind::fill) return make_fill_job(plan, step, target);
    if (step.tile == Tile::reduce || step.nest.points() == 0) return nullptr;
    const size_t written = written_by(plan, step);
    bool long_rows = step.nest.loops.empty();
    if (!long_rows)
        long_rows = step.nest.loops.back().extent * bits(plan.operands[written].type) / 8 >= short_row_bytes;
    if (long_rows)
        if (auto job = make_map_job(plan, step, target, machine)) return job;
    const bool gather_first = prefers_gather(plan, step, target);
    if (gather_first)
        if (auto job = make_gather_job(plan, step, target, machine, windows_of_choice)) return job;
    if (auto job = make_transpose_job(plan, step, target, machine)) return job;
    if (auto job = make_gather_job(plan, step, target, machine, windows_at_most)) return job;
    return long_rows ? nullptr : make_map_job(plan, step, target, machine);
}

void set_chunks(Group& group, const Machine& machine) {
    int64_t units = 1, bytes = 0;
    for (const auto& job : group.jobs) units = std::max(units, job->units), bytes += job->bytes;
    group.parallel = machine.threads > 1 && units > 1 && bytes > parallel_bytes;
    const int64_t apart = group.jobs.size() > 1 ? bytes / (machine.l2_bytes / 2) : 1;
    group.chunks = std::clamp<int64_t>(group.parallel ? machine.threads * chunks_per_thread : apart, 1, units);
}

} // namespace

std::shared_ptr<const Executable> make_generated(std::shared_ptr<const Plan> plan, const Machine& machine) {
    if (!jit::has_target(machine) || !verify(*plan)) return nullptr;
    const jit::Target target = jit::target_of(machine);
    auto out = std::make_shared<Generated>();
    out->most_threads = machine.threads;
    bool any = false;
    const Step* last = nullptr; // of the group that is open
    for (const Step& step : plan->steps) {
        std::unique_ptr<Job> job = job_of(*plan, step, target, machine);
        any |= job && step.kind == StepKind::run;
        if (!job) {
            auto alone = std::make_shared<Plan>(*plan);
            alone->steps = {step};
            auto portable = make_portable(alone, machine);
            if (!portable) return nullptr;
            out->groups.emplace_back().portable = *portable;
            last = nullptr;
            continue;
        }
        if (!last || written_by(*plan, *last) != written_by(*plan, step)) out->groups.emplace_back();
        last = &step;
        // Zeros last: the lines that they share are in the cache then.
        Group& group = out->groups.back();
        if (step.kind == StepKind::fill) {
            group.jobs.push_back(std::move(job));
            ++group.fills;
        } else {
            group.jobs.insert(group.jobs.end() - group.fills, std::move(job));
        }
    }
    for (Group& group : out->groups) set_chunks(group, machine);
    if (!any) return nullptr;
    out->plan = std::move(plan);
    out->name_ = "jit:" + std::string(isa_name(machine.isa));
    return out;
}

} // namespace tessera::cpu
