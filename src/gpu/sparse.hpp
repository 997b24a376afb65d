// SPDX-License-Identifier: Apache-2.0
// Products with a list of elements (CSR, COO) on a device: a kernel that checks the lists, whose answer the host reads
// before anything is written, and the product. Sums are in the order of the CPU engine's.
#pragma once

#include <functional>
#include <span>

#include "core/device.hpp"
#include "core/plan/plan.hpp"
#include "gpu/queue.hpp"
#include "gpu/source.hpp"

namespace tessera::gpu {

class SparseRun {
public:
    static Result<SparseRun> make(Device& device, const Plan& plan, const SparseProduct& product);

    // Sets an argument of a kernel to an operand of the plan.
    using SetOperand = std::function<Result<void>(cl_kernel kernel, cl_uint number, int operand)>;
    // Of one execution at a time.
    struct Check {
        Owned<cl_kernel> kernel;
        Owned<cl_mem> answer;
    };
    Result<Check> make_check(Device& device) const;
    Result<Owned<cl_kernel>> make_product(Device& device) const { return kernel(device, kernel_name.data()); }
    int64_t scratch_bytes() const; // for the product
    // Waits for what is queued in front of it, and for `after`.
    Result<void> run_check(Device& device, Queue& queue, std::span<void* const> after, const Check& check,
                           const SetOperand& set) const;
    Result<void> multiply(Device& device, Queue::Run& run, cl_kernel product, cl_mem scratch,
                          const SetOperand& set) const;

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
