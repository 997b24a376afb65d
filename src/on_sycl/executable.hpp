// SPDX-License-Identifier: Apache-2.0
// Plans on a SYCL queue: each execution is a host task, in which the executable of another engine runs.
#pragma once

#include <memory>
#include <vector>

#include "core/engine.hpp"
#include "on_sycl/device.hpp"
#include "on_sycl/memory.hpp"

namespace tessera::on_sycl {

class OnQueue final : public Executable {
public:
    // `on_host`: the inner engine is the CPU's.
    OnQueue(std::shared_ptr<const Engine> engine, std::shared_ptr<const Executable> inner, bool on_host,
            std::shared_ptr<const Memory> memory, const Plan& plan);

    // `pointers`: addresses in USM or of a sycl::buffer of bytes, as the submission says. Returns when the task is
    // queued; what fails in it is told by the queue.
    Status run(std::span<void* const> pointers, const Threads& threads) const override;

    std::string_view name() const override { return inner().name(); }
    std::string text() const override { return inner().text(); }
    std::vector<GeneratedCode> code() const override { return inner().code(); }
    const Plan* runs() const override { return inner().runs(); }
    std::string_view selection() const override { return inner().selection(); }
    std::string_view fallback() const override { return inner().fallback(); }
    const Executable& inner() const { return *work_->inner; }

    // What tasks need of it; they may outlive it.
    struct Work {
        std::shared_ptr<const Engine> engine;
        std::shared_ptr<const Executable> inner;
        bool on_host;
        std::shared_ptr<const Memory> memory; // of the engine
        std::string title;
        std::vector<bool> written; // by operand
    };

private:
    const std::shared_ptr<const Work> work_;
};

} // namespace tessera::on_sycl
