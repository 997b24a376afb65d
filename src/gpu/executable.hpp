// SPDX-License-Identifier: Apache-2.0
// Plans on a device: every step a kernel, one after the other on a queue.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/plan/plan.hpp"
#include "gpu/device.hpp"
#include "gpu/kernels.hpp"
#include "gpu/queue.hpp"
#include "gpu/sparse.hpp"

namespace tessera::gpu {

class DevicePlan {
public:
    // Refuses 64-bit floats where the device has none.
    static Result<std::shared_ptr<const DevicePlan>> make(std::shared_ptr<Device> device, const Plan& plan);

    // `handles`: one for each operand of the plan, from its start (Operand::bytes is added inside); those of constants,
    // counted operands and scratch are ignored. Returns when all is queued; of sparse products when their lists were
    // checked, and with invalid_arguments, no reason, and nothing written if they do not fit.
    Result<void> run(std::span<void* const> handles, Submission& submission) const;

    const Plan& plan() const { return kernels_.plan; } // what runs
    std::vector<cl_program> programs() const;
    std::string text() const;
    std::vector<std::string> sources() const; // of its kernels, printed again

private:
    struct Run {
        Owned<cl_program> program;
        Owned<cl_mem> nest, tables;
        std::vector<int> operands; // of the plan, by argument of the kernel
        size_t groups = 0, lanes = 1;
        std::string name;
        std::optional<SparseRun> sparse = {};
        size_t scratch = 0;  // of a sparse product, behind those of the plan
        bool beside = false; // needs nothing of the run before it
    };
    // A run's. Kernels hold their arguments, so an execution has a set of its own while it queues them, and gives it
    // back; those that stay are set once. There are as many sets as executions were queued at the same time.
    struct RunKernels {
        Owned<cl_kernel> step;
        SparseRun::Check check;
    };
    using KernelSet = std::vector<RunKernels>;
    class Taken;

    static Result<std::shared_ptr<const DevicePlan>> make(std::shared_ptr<Device> device, const DeviceRow& row,
                                                          KernelPlan kernels);
    // The same plan with kernels for handles at any address, made when the first such handle is seen.
    Result<const DevicePlan*> for_any_handles() const;
    Result<Run> run_of(Kernel kernel, std::vector<int64_t>& scratch) const;
    void place(std::span<const int64_t> scratch);
    Result<KernelSet> make_kernels() const;
    // The buffer of an operand that is no constant, for a kernel. Values are in scratch memory, behind the others.
    Result<void> set_operand(Queue& queue, cl_kernel kernel, cl_uint number, int operand,
                             std::span<void* const> handles, const Submission& submission,
                             const Queue::Scratch& scratch) const;

    std::shared_ptr<Device> device_;
    KernelPlan kernels_;
    bool aligned_ = true; // the kernels' handles
    std::vector<Run> runs_;
    std::vector<Owned<cl_mem>> constants_;
    std::vector<size_t> scratch_bytes_, scratch_places_; // the largest first; where each of the plan's is among them
    mutable std::mutex lock_;
    mutable std::list<KernelSet> free_;
    mutable std::shared_ptr<const DevicePlan> for_any_handles_;
};

} // namespace tessera::gpu
