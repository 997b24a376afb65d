// SPDX-License-Identifier: Apache-2.0
// The queue of a stream: a cl_command_queue, and the events that its properties ask for.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "core/device.hpp"
#include "gpu/device.hpp"

namespace tessera::gpu {

class Queue final : public DeviceQueue {
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

    // One execution: its kernels run one after the other, behind `after`.
    class Run {
    public:
        Run(Queue& queue, std::span<void* const> after, bool event);
        Result<void> add(cl_kernel kernel, size_t items, size_t group);
        Result<std::shared_ptr<void>> finish(); // the event, if it was asked for

    private:
        Queue& queue_;
        std::vector<cl_event> after_;
        const bool event_;
        Owned<cl_event> last_;
        std::vector<Owned<cl_event>> all_; // of a queue with profiling
    };

private:
    Queue(std::shared_ptr<Device> device, Owned<cl_command_queue> queue, unsigned flags)
        : device_(std::move(device)), queue_(std::move(queue)), flags_(flags) {}
    Owned<cl_event> owned(cl_event event) const;

    const std::shared_ptr<Device> device_;
    const Owned<cl_command_queue> queue_;
    const unsigned flags_;
    std::atomic<bool> shared_{false}; // kernels use shared memory that is freed at once
    std::mutex lock_;
    std::vector<std::vector<Owned<cl_event>>> runs_; // since forget_times()
};

} // namespace tessera::gpu
