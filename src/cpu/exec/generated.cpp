#include "cpu/exec/generated.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cpu/exec/job.hpp"
#include "cpu/exec/schedule.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/isa.hpp"
#include "cpu/portable/executable.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t chunks_per_thread = 8;
constexpr int64_t short_row_bytes = 256; // shorter rows are moved by whole tiles: no tails, several rows a turn

// A store of the gather tile costs a load and a permute a window: up to 4 it beats the transpose tile on short loops,
// up to 16 the map tile's short rows and the portable loops.
constexpr int windows_of_choice = 4, windows_at_most = 16;

struct Part {
    std::unique_ptr<Job> job;                   // or
    std::shared_ptr<const Executable> portable; // of a plan with this step alone
    int64_t chunks = 1, units_per_chunk = 1;
};

class Generated final : public Executable {
public:
    std::shared_ptr<const Plan> plan;
    std::vector<Part> parts;
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
        for (const Part& part : parts) {
            if (part.portable) {
                if (const Status s = part.portable->run(pointers, threads); s != Status::success) return s;
                continue;
            }
            const Job& job = *part.job;
            if (part.chunks == 1) {
                job.run(bases, 0, job.units);
                continue;
            }
            for_chunks(part.chunks, most_threads, threads, [&](int64_t c) {
                const int64_t first = c * part.units_per_chunk;
                job.run(bases, first, std::min(job.units, first + part.units_per_chunk));
            });
        }
        return Status::success;
    }
    std::string_view name() const override { return name_; }
    std::string text(bool code) const override {
        std::string out;
        for (const Part& part : parts)
            out += part.portable ? part.portable->text(code)
                                 : fmt::format("{}, {}\n{}", part.job->text(),
                                               part.chunks > 1 ? fmt::format("{} chunks", part.chunks) : "one thread",
                                               code ? part.job->code() : "");
        return out;
    }
};

std::unique_ptr<Job> job_of(const Plan& plan, const Step& step, const jit::Target& target, const Machine& machine) {
    if (step.kind != StepKind::run || step.tile == Tile::reduce || step.nest.points() == 0) return nullptr;
    const auto written = size_t(plan.programs[size_t(step.program)].ops.back().operand);
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

} // namespace

std::shared_ptr<const Executable> make_generated(std::shared_ptr<const Plan> plan, const Machine& machine) {
    if (!jit::has_target(machine) || !verify(*plan)) return nullptr;
    const jit::Target target = jit::target_of(machine);
    auto out = std::make_shared<Generated>();
    out->most_threads = machine.threads;
    bool any = false;
    for (const Step& step : plan->steps) {
        Part part;
        part.job = job_of(*plan, step, target, machine);
        any |= part.job != nullptr;
        if (part.job) {
            const bool parallel = machine.threads > 1 && part.job->units > 1 && part.job->bytes > parallel_bytes;
            const int64_t most = parallel ? machine.threads * chunks_per_thread : 1;
            part.units_per_chunk = (part.job->units + most - 1) / most;
            part.chunks = (part.job->units + part.units_per_chunk - 1) / part.units_per_chunk;
        } else {
            auto alone = std::make_shared<Plan>(*plan);
            alone->steps = {step};
            auto portable = make_portable(alone, machine);
            if (!portable) return nullptr;
            part.portable = *portable;
        }
        out->parts.push_back(std::move(part));
    }
    if (!any) return nullptr;
    out->plan = std::move(plan);
    out->name_ = "jit:" + std::string(isa_name(machine.isa));
    return out;
}

} // namespace tessera::cpu
