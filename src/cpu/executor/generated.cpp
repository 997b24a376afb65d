// SPDX-License-Identifier: Apache-2.0
#include "cpu/executor/generated.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/cut.hpp"
#include "core/stack_array.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/isa.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/runtime/succession.hpp"
#include "cpu/runtime/threads.hpp"
#include "cpu/runtime/with_scratch.hpp"
#include "cpu/select/portable_reason.hpp"
#include "cpu/select/select.hpp"
#include "cpu/tiles/sparse/run.hpp"

namespace tessera::cpu {

namespace {

// Of a batch of several jobs, whose lines are shared or lie side by side: concat of 64 + 64 channels, f32 nhwc, in 49
// chunks (one a unit) instead of 16, 0.72 -> 0.83 of memcpy.
constexpr int64_t bytes_of_chunk = 128 << 10;
constexpr size_t many_jobs = 8; // of a batch: more than the boxes of one tensor, so several tensors
// Steps that may run at the same time: they write different elements of one operand. Chunk c of a batch is the c-th
// part of each of its steps; steps count units from dst's outermost loop on, so what one step writes and the zeros that
// another one adds to the same lines meet in the cache (f32 nchw -> nChw16c, 60 channels: 0.58 -> 0.70 of memcpy).
struct Batch {
    struct Entry {
        std::unique_ptr<Job> job;
        std::vector<int> operands; // of the plan, by operand of the job; none: the same, as in most plans
        int64_t offset = 0;        // where the job has fewer units than the batch chunks: which chunks get them
    };
    std::vector<Entry> jobs;                      // or
    std::shared_ptr<const Executable> executable; // of a plan with one step alone, and its operands
    std::vector<int> operands;
    int fills = 0; // the last jobs
    int64_t chunks = 1;
    bool parallel = false;
    bool brief = false; // over before a team is awake: shared where calls come in quick succession

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

class Generated final : public Executable {
public:
    std::shared_ptr<const Plan> plan;
    std::vector<Batch> batches;
    int most_threads = 1;
    std::string name_;
    std::string portable; // why some steps are
    std::string choices;  // of tiles

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
        for (const Batch& batch : batches) {
            if (batch.executable) {
                StackArray<void*, job_operands> own(batch.operands.size());
                for (size_t o = 0; o < own.size(); ++o) own[o] = pointers[size_t(batch.operands[o])];
                if (const Status s = batch.executable->run(own, threads); s != Status::success) return s;
            } else if (batch.parallel && (!batch.brief || in_quick_succession())) {
                for_chunks(batch.chunks, most_threads, threads, [&](int64_t c) { batch.run(bases, c); });
            } else {
                for (int64_t c = 0; c < batch.chunks; ++c) batch.run(bases, c);
            }
        }
        return Status::success;
    }
    std::string_view name() const override { return name_; }
    std::string_view fallback() const override { return portable; }
    const Plan* runs() const override { return plan.get(); }
    std::string_view selection() const override { return choices; }
    std::string text() const override {
        std::string out;
        for (const Batch& batch : batches) {
            if (batch.executable) out += batch.executable->text();
            for (const Batch::Entry& e : batch.jobs)
                out += fmt::format("{}{}{}\n", e.job->text(),
                                   most_threads == 1 ? "" // for one thread there is no choice to tell
                                   : !batch.parallel ? ", one thread"
                                   : batch.brief     ? fmt::format(", {} chunks in quick succession", batch.chunks)
                                                     : fmt::format(", {} chunks", batch.chunks),
                                   &e != &batch.jobs.back() ? ", together with" : "");
        }
        return out;
    }
    std::vector<GeneratedCode> code() const override {
        std::vector<GeneratedCode> all;
        for (const Batch& batch : batches) {
            if (batch.executable) std::ranges::copy(batch.executable->code(), std::back_inserter(all));
            for (const Batch::Entry& e : batch.jobs)
                for (const jit::Kernel* kernel : e.job->kernels()) all.push_back(kernel->generated());
        }
        return all;
    }
};

void set_chunks(Batch& batch, const Machine& machine) {
    int64_t units = 1, bytes = 0;
    for (const Batch::Entry& e : batch.jobs) {
        units = batch.jobs.size() < many_jobs ? std::max(units, e.job->units) : units + e.job->units;
        bytes += e.job->bytes;
    }
    batch.parallel = machine.threads > 1 && units > 1 && bytes > machine.parallel_bytes / 2;
    batch.brief = bytes <= machine.parallel_bytes;
    const int64_t apart = batch.jobs.size() > 1 ? bytes / bytes_of_chunk : 1;
    batch.chunks = std::clamp<int64_t>(batch.parallel ? std::max(machine.threads * chunks_per_thread, apart)
                                                      : bytes / (machine.l2_bytes / 2),
                                       1, units);
    // Jobs of few units (concat) spread over the chunks; else the last chunk would do them all.
    const auto jobs = int64_t(batch.jobs.size());
    for (int64_t j = 0; jobs >= int64_t(many_jobs) && j < jobs; ++j)
        if (batch.jobs[size_t(j)].job->units < batch.chunks) batch.jobs[size_t(j)].offset = batch.chunks * j / jobs;
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
    if (plan->steps.size() == 1 && plan->steps[0].sparse) {
        auto sparse = make_sparse(plan, machine);
        if (!sparse) refuse(why_sparse_is_portable());
        return sparse;
    }
    auto selection = select(*plan, machine);
    if (!selection) return refuse(selection.error().reason);
    if (!selection->generated()) return refuse(selection->why_portable());
    auto out = std::make_shared<Generated>();
    out->most_threads = machine.threads;
    out->portable = selection->why_portable();
    out->choices = selection->text();
    out->plan = std::make_shared<const Plan>(std::move(selection->plan));
    bool open = false; // a batch of jobs
    for (size_t i = 0; i < selection->choices.size(); ++i) {
        Choice& choice = selection->choices[i];
        const Step& step = out->plan->steps[i];
        if (choice.executable) {
            Batch& batch = out->batches.emplace_back();
            batch.executable = std::move(choice.executable);
            batch.operands = std::move(choice.operands);
            open = false;
            continue;
        }
        if (!choice.job) continue; // the step before does it
        if (!open || !step.together) out->batches.emplace_back();
        open = true;
        // Zeros last: the lines that they share are in the cache then.
        Batch& batch = out->batches.back();
        Batch::Entry entry{std::move(choice.job), {}};
        for (size_t o = 0; o < choice.operands.size(); ++o)
            if (choice.operands[o] != int(o)) entry.operands = choice.operands;
        if (step.kind == StepKind::fill) {
            batch.jobs.push_back(std::move(entry));
            ++batch.fills;
        } else {
            batch.jobs.insert(batch.jobs.end() - batch.fills, std::move(entry));
        }
    }
    for (Batch& batch : out->batches) set_chunks(batch, machine);
    out->name_ = "jit:" + std::string(isa_name(machine.isa));
    return with_scratch(out->plan, out);
}

} // namespace tessera::cpu
