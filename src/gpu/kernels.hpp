// SPDX-License-Identifier: Apache-2.0
// What runs on a device: the steps of a plan that have kernels, and these.
#pragma once

#include <vector>

#include "gpu/source.hpp"

namespace tessera::gpu {

// A plan of steps with kernels, and sparse products, marked where they run at the same time. Groups are steps if all of
// a point runs in one kernel; else their steps run one after the other.
struct KernelPlan {
    Plan plan;
    std::vector<std::vector<int>> own; // of each step: scratch operands that no other one uses
};
KernelPlan kernel_plan(const DeviceRow& row, const Plan& plan);

struct Kernel {
    size_t step;                    // the first one that it runs
    Launch launch = {};             // none of sparse products, which sparse.hpp has
    std::vector<int> operands = {}; // of the plan, by argument; all that are not counted
    bool beside = false;            // runs at the same time as the kernel before it
};
// In the order in which they run, but for steps without a point. Steps that run at the same time are one launch where
// one kernel serves them.
std::vector<Kernel> kernels_of(const DeviceRow& row, const KernelPlan& plan);

} // namespace tessera::gpu
