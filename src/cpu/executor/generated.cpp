// SPDX-License-Identifier: Apache-2.0
#include "cpu/executor/generated.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/cut.hpp"
#include "core/stack_array.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/executor/shares.hpp"
#include "cpu/isa.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/runtime/succession.hpp"
#include "cpu/runtime/threads.hpp"
#include "cpu/runtime/with_scratch.hpp"
#include "cpu/select/select.hpp"
#include "cpu/select/steps/portable_reason.hpp"
#include "cpu/select/tiles.hpp"

namespace tessera::cpu {

namespace {

// Where jobs are interleaved, whose lines are shared or lie side by side: concat of 64 + 64 channels, f32 nhwc, in 49
// chunks (one a unit) instead of 16, 0.72 -> 0.83 of memcpy.
constexpr int64_t bytes_of_chunk = 128 << 10;

// Steps that may run at the same time (core/plan/rewrite/together.hpp), divided into chunks by what they cost
// (shares.hpp). Steps count units from dst's outermost loop on, so what one of them writes and the zeros that another
// one adds to the same lines meet in the cache (f32 nchw -> nChw16c, 60 channels: 0.58 -> 0.70 of memcpy).
struct Batch {
    struct Entry {
        std::unique_ptr<Job> job;
        std::vector<int> operands; // of the plan, by operand of the job; none: the same, as in most plans
        Together together = Together::no;
    };
    std::vector<Entry> jobs;                      // or
    std::shared_ptr<const Executable> executable; // of a plan with one step alone, and its operands
    std::vector<int> operands;
    Shares shares;
    bool parallel = false;
    bool brief = false; // over before a team is awake: shared where calls come in quick succession

    void run(std::span<char* const> all, int64_t chunk) const {
        if (shares.chunks() == 1) { // small calls: to find their units took 10 of 150 ns
            for (const Entry& e : jobs) run(all, e, {0, e.job->units});
            return;
        }
        const Shares::Jobs some = shares.jobs(chunk);
        for (size_t j = some.first; j < some.end; ++j)
            if (const Shares::Units units = shares.units(j, chunk); units.first != units.end) run(all, jobs[j], units);
    }
    static void run(std::span<char* const> all, const Entry& e, Shares::Units units) {
        Bases bases;
        for (size_t o = 0; e.operands.empty() && o < std::min(all.size(), bases.size()); ++o) bases[o] = all[o];
        for (size_t o = 0; o < e.operands.size(); ++o) bases[o] = all[size_t(e.operands[o])];
        e.job->run(bases, units.first, units.end);
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
                for_chunks(batch.shares.chunks(), most_threads, threads, [&](int64_t c) { batch.run(bases, c); });
            } else {
                for (int64_t c = 0; c < batch.shares.chunks(); ++c) batch.run(bases, c);
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
            const int64_t chunks = batch.shares.chunks();
            for (const Batch::Entry& e : batch.jobs) {
                const bool last = &e == &batch.jobs.back();
                out += fmt::format("{}{}{}\n", e.job->text(),
                                   most_threads == 1 ? "" // for one thread there is no choice to tell
                                   : !batch.parallel ? ", one thread"
                                   : batch.brief     ? fmt::format(", {} chunks in quick succession", chunks)
                                                     : fmt::format(", {} chunks", chunks),
                                   last                                    ? ""
                                   : (&e)[1].together == Together::in_step ? ", in step with"
                                                                           : ", beside");
            }
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

// As many chunks as threads need for equal shares, or, where jobs are interleaved, as make the lines of a chunk stay in
// a cache. Interleaved jobs have as many parts as the one of most units; more chunks than parts are for threads that
// would have none.
void set_chunks(Batch& batch, const Context& context) {
    int64_t units = 0, parts = 0, of_set = 0, bytes = 0;
    bool interleaved = false;
    std::vector<Shares::Job> jobs;
    for (const Batch::Entry& e : batch.jobs) {
        const bool in_step = e.together == Together::in_step;
        jobs.push_back({e.job->units, e.job->bytes, in_step});
        units += e.job->units, bytes += e.job->bytes;
        if (!in_step) of_set = 0;
        parts += std::max<int64_t>(e.job->units - of_set, 0), of_set = std::max(of_set, e.job->units);
        interleaved |= in_step;
    }
    batch.parallel = context.threads > 1 && units > 1 && bytes > context.parallel_bytes / 2;
    batch.brief = bytes <= context.parallel_bytes;
    const int64_t even = context.threads * chunks_per_thread;
    const int64_t wanted = !batch.parallel ? bytes / (context.l2_bytes / 2)
                           : interleaved   ? std::max(even, bytes / bytes_of_chunk)
                                           : even;
    const int64_t most = std::max(parts, std::min<int64_t>(units, context.threads));
    batch.shares = Shares(jobs, std::clamp<int64_t>(wanted, 1, std::max<int64_t>(most, 1)));
}

} // namespace

std::shared_ptr<const Executable> make_generated(std::shared_ptr<const Plan> plan, const Context& context,
                                                 std::string* why) {
    const auto refuse = [&](std::string reason) {
        if (why) *why = std::move(reason);
        return nullptr;
    };
    if (!jit::has_target(context))
        return refuse(fmt::format("kernels need the instructions of {}; this machine, or what ONEDNN_MAX_CPU_ISA "
                                  "leaves of it, has those of {}",
                                  isa_name(jit::least_isa), context.name));
    if (auto ok = verify(*plan); !ok) return refuse(ok.error().reason);
    // A sparse product is all of its plan, and may refuse its list: no job, and nothing is selected around it, which
    // would take 2 us of 7.
    if (plan->steps.size() == 1 && plan->steps[0].sparse) {
        const jit::Target target = jit::target_of(context);
        Answer answer = ask_tiles({*plan, {.whole = plan}, target, context});
        if (!answer.row) refuse(why_portable(*plan, 1, answer.why_not));
        return std::move(answer.choice.executable);
    }
    auto selection = select(*plan, context);
    if (!selection) return refuse(selection.error().reason);
    if (!selection->generated()) return refuse(selection->why_portable());
    auto out = std::make_shared<Generated>();
    out->most_threads = context.threads;
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
        const Together together = open ? step.together : Together::no;
        open = true;
        if (together == Together::no) out->batches.emplace_back();
        auto& jobs = out->batches.back().jobs;
        jobs.push_back({std::move(choice.job), {}, together});
        Batch::Entry& entry = jobs.back();
        for (size_t o = 0; o < choice.operands.size(); ++o)
            if (choice.operands[o] != int(o)) entry.operands = choice.operands;
    }
    for (Batch& batch : out->batches) set_chunks(batch, context);
    out->name_ = "jit:" + std::string(isa_name(context.isa));
    return with_scratch(out->plan, out);
}

} // namespace tessera::cpu
