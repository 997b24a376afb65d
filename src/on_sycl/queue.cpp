// SPDX-License-Identifier: Apache-2.0
#include "on_sycl/queue.hpp"

namespace tessera::on_sycl {

namespace {

constexpr unsigned in_order = 1, out_of_order = 2, profiling = 4; // dnnl_stream_flags_t

using InOrder = sycl::property::queue::in_order;
using Profiling = sycl::property::queue::enable_profiling;

// The list of properties has a constructor for properties, and none for a set of them that is known only now.
sycl::property_list properties(unsigned flags) {
    if (flags & out_of_order) return flags & profiling ? sycl::property_list{Profiling()} : sycl::property_list{};
    return flags & profiling ? sycl::property_list{InOrder(), Profiling()} : sycl::property_list{InOrder()};
}

// SYCL's own handler would end the process for an error of the device; wait() tells what failed in a task.
void told_elsewhere(const sycl::exception_list&) {}

} // namespace

void Outcome::fail(Error error) {
    const std::lock_guard guard(lock_);
    if (!failure_) failure_ = std::move(error);
}

Result<void> Outcome::tell() {
    const std::lock_guard guard(lock_);
    if (!failure_) return {};
    Refusal told(std::move(*failure_));
    failure_.reset();
    return told;
}

Result<std::shared_ptr<DeviceQueue>> Queue::make(const Device& device, unsigned flags) {
    return caught("a queue cannot be made", [&]() -> Result<std::shared_ptr<DeviceQueue>> {
        if (flags & profiling && !device.device.has(sycl::aspect::queue_profiling))
            return unimplemented("{} times nothing; a stream without dnnl_stream_profiling is possible", device.name());
        return std::shared_ptr<DeviceQueue>(new Queue(
            sycl::queue(device.context, device.device, told_elsewhere, properties(flags)), flags & profiling));
    });
}

Result<std::shared_ptr<DeviceQueue>> Queue::over(const Device& device, const sycl::queue& queue, unsigned& flags) {
    return caught("a queue cannot be used", [&]() -> Result<std::shared_ptr<DeviceQueue>> {
        if (queue.get_device() != device.device)
            return invalid("the queue is of another device ({}) than the engine ({})",
                           queue.get_device().get_info<sycl::info::device::name>(), device.name());
        if (queue.get_context() != device.context)
            return invalid(
                "the queue is of another context than the engine, on the same device ({}); sycl::queue(context, "
                "device) with the engine's context makes one that fits",
                device.name());
        const bool timed = queue.has_property<Profiling>();
        flags = (queue.is_in_order() ? in_order : out_of_order) | (timed ? profiling : 0);
        return std::shared_ptr<DeviceQueue>(new Queue(queue, timed));
    });
}

std::vector<sycl::event> Queue::events(std::span<void* const> after) {
    std::vector<sycl::event> all;
    for (void* const e : after) all.push_back(*static_cast<const sycl::event*>(e));
    return all;
}

Result<void> Queue::wait(std::span<void* const> after) {
    return caught("waiting failed", [&]() -> Result<void> {
        sycl::event::wait(events(after));
        queue_.wait();
        return outcome_->tell();
    });
}

// A task like those of executions, so that it is ordered as they are: on a queue out of order by its events alone. (The
// barrier of DPC++ ends before host tasks that were queued before it, now and then.)
Result<std::shared_ptr<void>> Queue::mark(std::span<void* const> after) {
    return caught("a mark cannot be queued", [&]() -> Result<std::shared_ptr<void>> {
        return std::make_shared<sycl::event>(queue_.submit([&](sycl::handler& handler) {
            handler.depends_on(events(after));
            handler.host_task([] {});
        }));
    });
}

void Queue::remember(const sycl::event& event) {
    const std::lock_guard guard(lock_);
    runs_.push_back(event);
}

Result<std::vector<uint64_t>> Queue::times() {
    if (auto ok = wait({}); !ok) return Refusal(ok.error());
    return caught("times cannot be read", [&]() -> Result<std::vector<uint64_t>> {
        namespace info = sycl::info::event_profiling;
        const std::lock_guard guard(lock_);
        std::vector<uint64_t> all;
        for (const sycl::event& e : runs_)
            all.push_back(e.get_profiling_info<info::command_end>() - e.get_profiling_info<info::command_start>());
        return all;
    });
}

void Queue::forget_times() {
    const std::lock_guard guard(lock_);
    runs_.clear();
}

} // namespace tessera::on_sycl
