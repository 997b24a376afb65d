// SPDX-License-Identifier: Apache-2.0
#include "on_sycl/executable.hpp"

#include <variant>

#include "core/verbose/verbose.hpp"
#include "on_sycl/inner.hpp"
#include "on_sycl/queue.hpp"

namespace tessera::on_sycl {

namespace {

void mark_written(const Plan& plan, const Step& step, std::vector<bool>& written) {
    if (step.fill_operand >= 0) written[size_t(step.fill_operand)] = true;
    if (step.sparse) written[size_t(step.sparse->dst)] = true;
    if (step.group)
        for (const Step& inner : step.group->steps) mark_written(plan, inner, written);
    if (step.program < 0) return;
    for (const Op& op : plan.programs[size_t(step.program)].ops)
        if (op.code == OpCode::store) written[size_t(op.operand)] = true;
}

// The operands of one execution: addresses, and accessors of buffers, which SYCL orders tasks by. A task holds
// accessors and no buffer: the last copy of a buffer waits for its tasks, and would do so inside of one.
template <sycl::target target> class Operands {
    template <sycl::access_mode mode> using Accessor = sycl::accessor<uint8_t, 1, mode, target>;

public:
    using One = std::variant<void*, Accessor<sycl::access_mode::read>, Accessor<sycl::access_mode::read_write>>;

    void add(sycl::handler& handler, void* handle, MemoryKind kind, bool written) {
        if (kind == MemoryKind::usm || !handle) return all_.push_back(handle);
        Bytes& buffer = *static_cast<Bytes*>(handle);
        if (written)
            all_.push_back(Accessor<sycl::access_mode::read_write>(buffer, handler));
        else
            all_.push_back(Accessor<sycl::access_mode::read>(buffer, handler));
    }
    // `handle_of` makes one of an accessor.
    template <typename HandleOf> std::vector<void*> handles(const HandleOf& handle_of) const {
        std::vector<void*> all;
        for (const One& one : all_)
            all.push_back(std::visit(
                [&](const auto& o) -> void* {
                    if constexpr (std::is_same_v<std::decay_t<decltype(o)>, void*>)
                        return o;
                    else
                        return handle_of(o);
                },
                one));
        return all;
    }

private:
    std::vector<One> all_;
};

// One execution. SYCL copies what it is given to run, so a task is behind a pointer.
template <sycl::target target> struct Task {
    std::shared_ptr<const OnQueue::Work> work;
    std::shared_ptr<Outcome> outcome;
    std::vector<MemoryKind> kinds;
    std::vector<std::shared_ptr<void>> owners; // of memory that may be given back before the task begins
    Operands<target> operands;
};

Result<void> run(const Task<sycl::target::host_task>& task) {
    const auto addresses = task.operands.handles([](const auto& a) { return const_cast<uint8_t*>(&a[0]); });
    const Status status = task.work->inner->run(addresses, Threads{});
    if (status == Status::success) return {};
    return Refusal(Error{status, ""});
}

Result<void> run(const Task<sycl::target::device>& task, sycl::interop_handle& interop) {
    const auto handles = task.operands.handles(
        [&](const auto& a) -> void* { return interop.get_native_mem<sycl::backend::opencl>(a).front(); });
    return run_on_native_queue(*task.work->engine, *task.work->inner, interop, handles, task.kinds);
}

// A task that fails throws nothing: without a handler of the caller's, SYCL ends the process when any queue is asked
// for its exceptions. dnnl_stream_wait() tells the error, and a verbose line those who wait for events alone.
template <typename T, typename... Interop> void run_and_keep_failure(const T& task, Interop&... interop) {
    const auto done = caught("a task failed", [&] { return run(task, interop...); });
    if (done) return;
    Error error = done.error();
    if (error.reason.empty())
        error.reason =
            error.status == Status::invalid_arguments
                ? "the sparse argument lists an element outside of its dims, or its row pointers do not ascend "
                  "from 0 to the number of elements"
                : "the execution failed";
    error.reason = fmt::format("{}: {}", task.work->title, error.reason);
    verbose::warning(error.reason);
    task.outcome->fail(error);
}

void add(sycl::handler& handler, std::shared_ptr<Task<sycl::target::host_task>> task) {
    handler.host_task([task = std::move(task)] { run_and_keep_failure(*task); });
}
void add(sycl::handler& handler, std::shared_ptr<Task<sycl::target::device>> task) {
    handler.host_task([task = std::move(task)](sycl::interop_handle interop) { run_and_keep_failure(*task, interop); });
}

template <sycl::target target> sycl::event submit(const std::shared_ptr<const OnQueue::Work>& work, Queue& queue,
                                                  std::span<void* const> pointers, const Submission& submission) {
    const auto task = std::make_shared<Task<target>>(
        Task<target>{work, queue.outcome(), {submission.kinds.begin(), submission.kinds.end()}, {}, {}});
    for (size_t i = 0; i < pointers.size(); ++i)
        if (task->kinds[i] == MemoryKind::usm && pointers[i])
            if (auto owner = work->memory->owner_of(pointers[i])) task->owners.push_back(std::move(owner));
    return queue.submit(submission.after, [&](sycl::handler& handler) {
        for (size_t i = 0; i < pointers.size(); ++i)
            task->operands.add(handler, pointers[i], task->kinds[i], work->written[i]);
        add(handler, task);
    });
}

} // namespace

OnQueue::OnQueue(std::shared_ptr<const Engine> engine, std::shared_ptr<const Executable> inner, bool on_host,
                 std::shared_ptr<const Memory> memory, const Plan& plan)
    : work_([&] {
          std::vector<bool> written(plan.operands.size());
          for (const Step& step : plan.steps) mark_written(plan, step, written);
          return std::make_shared<const Work>(
              Work{std::move(engine), std::move(inner), on_host, std::move(memory), plan.title, std::move(written)});
      }()) {}

Status OnQueue::run(std::span<void* const> pointers, const Threads& threads) const {
    Submission& submission = *threads.device;
    auto& queue = static_cast<Queue&>(*submission.queue);
    const auto queued = caught("an execution cannot be queued", [&]() -> Result<void> {
        const sycl::event event = work_->on_host ? submit<sycl::target::host_task>(work_, queue, pointers, submission)
                                                 : submit<sycl::target::device>(work_, queue, pointers, submission);
        if (submission.event) *submission.event = std::make_shared<sycl::event>(event);
        return {};
    });
    if (queued) return Status::success;
    submission.failure = queued.error();
    return queued.error().status;
}

} // namespace tessera::on_sycl
