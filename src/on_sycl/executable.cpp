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

// A task that fails throws nothing: without a handler of the caller's, SYCL ends the process when any queue is asked
// for its exceptions. dnnl_stream_wait() tells the error, and a verbose line those who wait for events alone.
void fail(Outcome& outcome, Error error) {
    verbose::warning(error.reason);
    outcome.fail(std::move(error));
}

} // namespace

OnQueue::OnQueue(std::shared_ptr<const Engine> engine, std::shared_ptr<const Executable> inner, bool on_host,
                 std::shared_ptr<const Memory> memory, const Plan& plan)
    : engine_(std::move(engine)), inner_(std::move(inner)), on_host_(on_host), memory_(std::move(memory)),
      title_(plan.title), written_(plan.operands.size()) {
    for (const Step& step : plan.steps) mark_written(plan, step, written_);
}

Status OnQueue::run(std::span<void* const> pointers, const Threads& threads) const {
    Submission& submission = *threads.device;
    auto& queue = static_cast<Queue&>(*submission.queue);
    const std::vector<MemoryKind> kinds(submission.kinds.begin(), submission.kinds.end());
    std::vector<std::shared_ptr<void>> owners;
    for (size_t i = 0; i < pointers.size(); ++i)
        if (kinds[i] == MemoryKind::usm && pointers[i])
            if (auto owner = memory_->owner_of(pointers[i])) owners.push_back(std::move(owner));

    const auto add_all = [&](sycl::handler& handler, auto& operands) {
        for (size_t i = 0; i < pointers.size(); ++i) operands.add(handler, pointers[i], kinds[i], written_[i]);
    };
    const auto on_host = [&](sycl::handler& handler) {
        Operands<sycl::target::host_task> operands;
        add_all(handler, operands);
        handler.host_task([operands, owners, inner = inner_, outcome = queue.outcome(), title = title_] {
            Error error{Status::success, ""};
            try {
                const auto addresses = operands.handles([](const auto& a) { return const_cast<uint8_t*>(&a[0]); });
                error.status = inner->run(addresses, Threads{});
            } catch (const std::bad_alloc&) {
                error = {Status::out_of_memory, title + ": out of memory in a host task"};
            } catch (const std::exception& e) {
                error = {Status::runtime_error, title + " failed in a host task: " + e.what()};
            }
            if (error.status == Status::success) return;
            if (error.status == Status::invalid_arguments)
                error.reason = title +
                               ": the sparse argument lists an element outside of its dims, or its row pointers do "
                               "not ascend from 0 to the number of elements";
            if (error.reason.empty()) error.reason = title + " failed in a host task";
            fail(*outcome, std::move(error));
        });
    };
    const auto on_device = [&](sycl::handler& handler) {
        Operands<sycl::target::device> operands;
        add_all(handler, operands);
        handler.host_task([operands, owners, kinds, engine = engine_, inner = inner_, outcome = queue.outcome(),
                           title = title_](sycl::interop_handle interop) {
            const auto done = caught(title, [&]() -> Result<void> {
                const auto handles = operands.handles(
                    [&](const auto& a) -> void* { return interop.get_native_mem<sycl::backend::opencl>(a).front(); });
                return run_on_native_queue(*engine, *inner, interop, handles, kinds);
            });
            if (!done) fail(*outcome, done.error());
        });
    };
    const auto queued = caught(title_, [&]() -> Result<void> {
        const sycl::event event =
            on_host_ ? queue.submit(submission.after, on_host) : queue.submit(submission.after, on_device);
        if (submission.event) *submission.event = std::make_shared<sycl::event>(event);
        return {};
    });
    if (queued) return Status::success;
    submission.failure = queued.error();
    return queued.error().status;
}

} // namespace tessera::on_sycl
