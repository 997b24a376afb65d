// SPDX-License-Identifier: Apache-2.0
// The queue of a stream: a sycl::queue of the caller's or of the library's own.
#pragma once

#include <mutex>
#include <vector>

#include "core/device.hpp"
#include "on_sycl/device.hpp"

namespace tessera::on_sycl {

// What the tasks of a queue leave behind. They hold it, because a stream may be destroyed before they run.
class Outcome {
public:
    void fail(Error error); // the first failure is kept until it is told
    Result<void> tell();    // and forgotten
private:
    std::mutex lock_;
    std::optional<Error> failure_;
};

class Queue final : public DeviceQueue {
public:
    static Result<std::shared_ptr<DeviceQueue>> make(const Device& device, unsigned flags);
    static Result<std::shared_ptr<DeviceQueue>> over(const Device& device, const sycl::queue& queue, unsigned& flags);

    void* handle() const override { return &queue_; }
    Result<void> wait(std::span<void* const> after) override;
    Result<std::shared_ptr<void>> mark(std::span<void* const> after) override;
    Result<std::vector<uint64_t>> times() override;
    void forget_times() override;

    const std::shared_ptr<Outcome>& outcome() const { return outcome_; }
    // Submits one execution: `group` gets a sycl::handler that waits for the events already.
    template <typename Group> sycl::event submit(std::span<void* const> after, const Group& group) {
        const sycl::event event = queue_.submit([&](sycl::handler& handler) {
            handler.depends_on(events(after));
            group(handler);
        });
        if (timed_) remember(event);
        return event;
    }

private:
    Queue(sycl::queue queue, bool timed) : queue_(std::move(queue)), timed_(timed) {}
    static std::vector<sycl::event> events(std::span<void* const> after);
    void remember(const sycl::event& event);

    mutable sycl::queue queue_; // its calls change nothing that is seen here
    const bool timed_;
    const std::shared_ptr<Outcome> outcome_ = std::make_shared<Outcome>();
    std::mutex lock_;
    std::vector<sycl::event> runs_; // since forget_times()
};

} // namespace tessera::on_sycl
