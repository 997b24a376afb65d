// SPDX-License-Identifier: Apache-2.0
// The queue of a stream: a cl_command_queue, and the events that its properties ask for.
#pragma once

#include <atomic>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/device.hpp"
#include "gpu/device.hpp"

namespace tessera::gpu {

class Queue final : public DeviceQueue {
    static constexpr unsigned in_order = 1, out_of_order = 2, profiling = 4; // dnnl_stream_flags_t
    struct SizedBuffer {
        Owned<cl_mem> memory;
        size_t bytes = 0;
    };

public:
    static Result<std::shared_ptr<DeviceQueue>> make(std::shared_ptr<Device> device, unsigned flags);
    // Over a queue of the caller, which is retained; refused where it belongs to another device or context.
    static Result<std::shared_ptr<DeviceQueue>> over(std::shared_ptr<Device> device, cl_command_queue queue,
                                                     unsigned& flags);

    void* handle() const override { return queue_.get(); }
    Result<void> wait(std::span<void* const> after) override;
    Result<std::shared_ptr<void>> mark(std::span<void* const> after) override;
    Result<std::vector<uint64_t>> times() override;
    void forget_times() override;

    // Of a kernel that will run here.
    Result<void> set_shared_argument(cl_kernel kernel, cl_uint number, const void* pointer);
    ~Queue() override;

    // Scratch memory for the kernels that an execution queues while it has this. In order, executions share what the
    // queue keeps, as much as the largest of them takes, and queue their kernels one after the other; out of order each
    // has its own, of those that are done where there is one. OpenCL keeps memory that is given back until the kernels
    // that use it are done.
    class Scratch {
    public:
        cl_mem operator[](size_t i) const { return (turn_ ? queue_->scratch_ : own_)[i].memory.get(); }

    private:
        friend class Queue;
        const Queue* queue_ = nullptr;
        std::unique_lock<std::mutex> turn_;
        std::vector<SizedBuffer> own_;
    };
    Result<void> take(Scratch& scratch, std::span<const size_t> bytes);

    // One execution: its kernels run one after the other, behind `after`; those `beside` the one before at the same
    // time as that.
    class Run {
    public:
        Run(Queue& queue, std::span<void* const> after, bool event);
        Result<void> add(cl_kernel kernel, size_t items, size_t group, bool beside = false);
        Result<void> fill(cl_mem memory, uint64_t value); // before all kernels
        // The event, if it was asked for. Out of order the scratch memory is the queue's again.
        Result<std::shared_ptr<void>> finish(Scratch& scratch);

    private:
        Result<void> queued(std::string_view call, cl_int error, cl_event event);
        bool has_event() const { return event_ || (queue_.flags_ & (out_of_order | profiling)); }

        Queue& queue_;
        std::vector<cl_event> after_;
        const bool event_;
        std::vector<Owned<cl_event>> before_, last_; // out of order: of the kernels that run at the same time
        std::vector<Owned<cl_event>> all_;           // of a queue with profiling
    };

private:
    Queue(std::shared_ptr<Device> device, Owned<cl_command_queue> queue, unsigned flags)
        : device_(std::move(device)), queue_(std::move(queue)), flags_(flags) {}
    Owned<cl_event> owned(cl_event event) const;
    bool is_done(std::span<const Owned<cl_event>> events) const;
    void keep(std::vector<SizedBuffer> scratch, std::vector<Owned<cl_event>> uses);

    const std::shared_ptr<Device> device_;
    const Owned<cl_command_queue> queue_;
    const unsigned flags_;
    std::atomic<bool> shared_{false}; // kernels use shared memory that is freed at once
    std::mutex lock_;
    std::vector<std::vector<Owned<cl_event>>> runs_; // since forget_times()
    std::mutex scratch_lock_;
    std::vector<SizedBuffer> scratch_; // in order
    // Out of order, of the executions queued last, with their last kernels. As many as a program has on their way at
    // once; the memory of others is freed when they are done.
    struct Used {
        std::vector<SizedBuffer> scratch;
        std::vector<Owned<cl_event>> uses;
    };
    static constexpr size_t most_used = 4;
    std::vector<Used> used_;
};

} // namespace tessera::gpu
