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
    OnQueue(std::shared_ptr<const Engine> engine, std::shared_ptr<const Executable> inner, bool on_host,
            std::shared_ptr<const Memory> memory, const Plan& plan);

    // `pointers`: addresses in USM or of a sycl::buffer of bytes, as the submission says. Returns when the task is
    // queued; what fails in it is told by the queue.
    Status run(std::span<void* const> pointers, const Threads& threads) const override;

    std::string_view name() const override { return inner_->name(); }
    std::string text() const override { return inner_->text(); }
    std::vector<GeneratedCode> code() const override { return inner_->code(); }
    const Plan* runs() const override { return inner_->runs(); }
    std::string_view selection() const override { return inner_->selection(); }
    std::string_view fallback() const override { return inner_->fallback(); }
    const Executable& inner() const { return *inner_; }

private:
    const std::shared_ptr<const Engine> engine_;
    const std::shared_ptr<const Executable> inner_;
    const bool on_host_;
    const std::shared_ptr<const Memory> memory_; // of the engine
    const std::string title_;
    std::vector<bool> written_; // by operand
};

} // namespace tessera::on_sycl
