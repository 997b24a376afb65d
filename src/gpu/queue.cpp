// SPDX-License-Identifier: Apache-2.0
#include "gpu/queue.hpp"

#include <algorithm>
#include <utility>

namespace tessera::gpu {

namespace {

std::vector<cl_event> events(std::span<void* const> after) {
    std::vector<cl_event> all;
    for (void* const e : after) all.push_back(static_cast<cl_event>(e));
    return all;
}
std::vector<cl_event> handles(std::span<const Owned<cl_event>> all) {
    std::vector<cl_event> bare;
    for (const auto& e : all) bare.push_back(e.get());
    return bare;
}
const cl_event* list(const std::vector<cl_event>& all) { return all.empty() ? nullptr : all.data(); }

} // namespace

Result<std::shared_ptr<DeviceQueue>> Queue::make(std::shared_ptr<Device> device, unsigned flags) {
    const cl_command_queue_properties properties = (flags & out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0) |
                                                   (flags & profiling ? CL_QUEUE_PROFILING_ENABLE : 0);
    auto made = device->make_queue(properties);
    if (!made) return Refusal(made.error());
    return std::shared_ptr<DeviceQueue>(new Queue(std::move(device), std::move(*made), flags));
}

Result<std::shared_ptr<DeviceQueue>> Queue::over(std::shared_ptr<Device> device, cl_command_queue queue,
                                                 unsigned& flags) {
    const OpenCl& cl = device->cl;
    cl_context context = nullptr;
    cl_device_id id = nullptr;
    cl_command_queue_properties properties = 0;
    cl_int error = cl.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
    if (error == CL_SUCCESS) error = cl.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, nullptr);
    if (error == CL_SUCCESS)
        error = cl.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
    if (error != CL_SUCCESS) return failed("clGetCommandQueueInfo", error);
    if (context != device->context())
        return invalid("the queue is of another context than the engine; make one with the engine's context");
    if (id != device->id)
        return invalid("the queue is of another device than the engine ({}); make one with the engine's device",
                       device->name);
    flags = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ? out_of_order : in_order) |
            (properties & CL_QUEUE_PROFILING_ENABLE ? profiling : 0);
    error = cl.clRetainCommandQueue(queue);
    if (error != CL_SUCCESS) return failed("clRetainCommandQueue", error);
    Owned<cl_command_queue> kept(queue, [&cl](cl_command_queue q) { cl.clReleaseCommandQueue(q); });
    return std::shared_ptr<DeviceQueue>(new Queue(std::move(device), std::move(kept), flags));
}

Result<void> Queue::set_shared_argument(cl_kernel kernel, cl_uint number, const void* pointer) {
    if (device_->usm().frees_at_once() && !shared_.exchange(true)) device_->uses_shared_memory(queue_);
    return device_->usm().set_argument(kernel, number, pointer);
}

Queue::~Queue() {
    if (shared_) device_->cl.clFinish(queue_.get()); // nobody else can, then
}

Owned<cl_event> Queue::owned(cl_event event) const {
    return {event, [cl = &device_->cl](cl_event e) { e && cl->clReleaseEvent(e); }};
}

Result<void> Queue::take(Scratch& scratch, std::span<const size_t> bytes) {
    scratch.queue_ = this;
    if (bytes.empty()) return {};
    std::unique_lock lock(scratch_lock_);
    if (!(flags_ & out_of_order)) {
        scratch.turn_ = std::move(lock);
    } else {
        const auto free = std::ranges::find_if(used_, [&](const Used& u) { return is_done(u.uses); });
        if (free != used_.end()) scratch.own_ = std::move(free->scratch), used_.erase(free);
        lock.unlock();
    }
    std::vector<SizedBuffer>& all = scratch.turn_ ? scratch_ : scratch.own_;
    if (all.size() < bytes.size()) all.resize(bytes.size());
    for (size_t i = 0; i < bytes.size(); ++i) {
        if (all[i].bytes >= bytes[i]) continue;
        all[i] = {}; // there may be no room for both
        auto memory = device_->buffer(bytes[i]);
        if (!memory) return Refusal(memory.error());
        all[i] = {std::move(*memory), bytes[i]};
    }
    return {};
}

bool Queue::is_done(std::span<const Owned<cl_event>> events) const {
    return std::ranges::all_of(events, [&](const Owned<cl_event>& event) {
        cl_int status = CL_QUEUED; // one that failed has a negative one
        const cl_int error =
            device_->cl.clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        return error == CL_SUCCESS && status <= CL_COMPLETE;
    });
}

void Queue::keep(std::vector<SizedBuffer> scratch, std::vector<Owned<cl_event>> uses) {
    Used oldest; // freed without the lock
    const std::lock_guard guard(scratch_lock_);
    if (used_.size() == most_used) oldest = std::move(used_.front()), used_.erase(used_.begin());
    used_.push_back({std::move(scratch), std::move(uses)});
}

Result<void> Queue::wait(std::span<void* const> after) {
    const auto others = events(after);
    cl_int error = others.empty() ? CL_SUCCESS : device_->cl.clWaitForEvents(cl_uint(others.size()), others.data());
    if (error != CL_SUCCESS) return failed("clWaitForEvents", error);
    error = device_->cl.clFinish(queue_.get());
    return error == CL_SUCCESS ? Result<void>{} : failed("clFinish", error);
}

Result<std::shared_ptr<void>> Queue::mark(std::span<void* const> after) {
    const auto others = events(after);
    // A marker with a list waits for the list alone.
    if (!others.empty()) {
        const cl_int error =
            device_->cl.clEnqueueBarrierWithWaitList(queue_.get(), cl_uint(others.size()), others.data(), nullptr);
        if (error != CL_SUCCESS) return failed("clEnqueueBarrierWithWaitList", error);
    }
    cl_event event = nullptr;
    cl_int error = device_->cl.clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &event);
    if (error != CL_SUCCESS) return failed("clEnqueueMarkerWithWaitList", error);
    auto made = owned(event);
    error = device_->cl.clFlush(queue_.get());
    if (error != CL_SUCCESS) return failed("clFlush", error);
    return std::shared_ptr<void>(made, made.get());
}

Result<std::vector<uint64_t>> Queue::times() {
    if (auto ok = wait({}); !ok) return Refusal(ok.error());
    const std::lock_guard guard(lock_);
    std::vector<uint64_t> all;
    for (const auto& run : runs_) {
        uint64_t sum = 0;
        for (const auto& event : run) {
            cl_ulong start = 0, end = 0;
            cl_int error = device_->cl.clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof start,
                                                               &start, nullptr);
            if (error == CL_SUCCESS)
                error = device_->cl.clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end,
                                                            nullptr);
            if (error != CL_SUCCESS) return failed("clGetEventProfilingInfo", error);
            sum += end - start;
        }
        all.push_back(sum);
    }
    return all;
}

void Queue::forget_times() {
    const std::lock_guard guard(lock_);
    runs_.clear();
}

Queue::Run::Run(Queue& queue, std::span<void* const> after, bool event)
    : queue_(queue), after_(events(after)), event_(event) {}

Result<void> Queue::Run::add(cl_kernel kernel, size_t items, size_t group, bool beside) {
    if ((queue_.flags_ & out_of_order) && !beside && !last_.empty()) {
        before_ = std::exchange(last_, {});
        after_ = handles(before_);
    }
    cl_event event = nullptr;
    const cl_int error =
        queue_.device_->cl.clEnqueueNDRangeKernel(queue_.queue_.get(), kernel, 1, nullptr, &items, &group,
                                                  cl_uint(after_.size()), list(after_), has_event() ? &event : nullptr);
    return queued("clEnqueueNDRangeKernel", error, event);
}

Result<void> Queue::Run::fill(cl_mem memory, uint64_t value) {
    cl_event event = nullptr;
    const cl_int error =
        queue_.device_->cl.clEnqueueFillBuffer(queue_.queue_.get(), memory, &value, sizeof value, 0, sizeof value,
                                               cl_uint(after_.size()), list(after_), has_event() ? &event : nullptr);
    return queued("clEnqueueFillBuffer", error, event);
}

Result<void> Queue::Run::queued(std::string_view call, cl_int error, cl_event event) {
    if (error != CL_SUCCESS) return failed(call, error);
    if (!(queue_.flags_ & out_of_order)) after_.clear(), last_.clear(); // what is behind waits for this
    if (event) last_.push_back(queue_.owned(event));
    if (queue_.flags_ & profiling) all_.push_back(last_.back());
    return {};
}

Result<std::shared_ptr<void>> Queue::Run::finish(Scratch& scratch) {
    if (!scratch.own_.empty()) queue_.keep(std::move(scratch.own_), last_);
    if (queue_.flags_ & profiling) {
        const std::lock_guard guard(queue_.lock_);
        queue_.runs_.push_back(std::move(all_));
    }
    if (!event_) return nullptr;
    if (last_.empty()) {
        std::vector<void*> after(after_.begin(), after_.end());
        return queue_.mark(after);
    }
    const OpenCl& cl = queue_.device_->cl;
    if (last_.size() > 1) {
        after_ = handles(last_);
        cl_event event = nullptr;
        const cl_int error =
            cl.clEnqueueMarkerWithWaitList(queue_.queue_.get(), cl_uint(after_.size()), after_.data(), &event);
        if (error != CL_SUCCESS) return failed("clEnqueueMarkerWithWaitList", error);
        last_ = {queue_.owned(event)};
    }
    const cl_int error = cl.clFlush(queue_.queue_.get());
    if (error != CL_SUCCESS) return failed("clFlush", error);
    return std::shared_ptr<void>(last_[0], last_[0].get());
}

} // namespace tessera::gpu
