// SPDX-License-Identifier: Apache-2.0
// Products with a list of elements (CSR, COO) on a device: a kernel that checks the lists, whose answer the host reads
// before anything is written, and the product. Sums are in the order of the CPU engine's.
#pragma once

#include <functional>
#include <span>

#include "core/device.hpp"
#include "core/plan/plan.hpp"
#include "gpu/queue.hpp"

namespace tessera::gpu {

class SparseRun {
public:
    static Result<SparseRun> make(Device& device, const Plan& plan, const SparseProduct& product);

    // Sets an argument of a kernel to an operand of the plan.
    using SetOperand = std::function<Result<void>(cl_kernel kernel, cl_uint number, int operand)>;
    // Waits for what is queued in front of it, and for `after`; `run` gets the product.
    Result<void> check(Device& device, Queue& queue, std::span<void* const> after, const SetOperand& set) const;
    Result<void> multiply(Device& device, Queue::Run& run, const SetOperand& set) const;

    cl_program program() const { return program_.get(); }
    std::string source() const { return source_; }
    std::string text() const { return product_.text(); }

private:
    Result<Owned<cl_kernel>> kernel(Device& device, const char* name) const;
    SparseProduct product_;
    std::string source_;
    Owned<cl_program> program_;
    Owned<cl_mem> nest_;
    int64_t items_ = 0;
};

} // namespace tessera::gpu
