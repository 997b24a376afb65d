// SPDX-License-Identifier: Apache-2.0
// What runs on a device: the steps of a plan that have kernels, and these.
#pragma once

#include <vector>

#include "gpu/source.hpp"

namespace tessera::gpu {

// A plan of steps with a kernel each, and sparse products. Groups are steps if all of a point runs in one kernel; else
// their steps run one after the other.
struct KernelPlan {
    Plan plan;
    std::vector<std::vector<int>> own; // of each step: scratch operands that no other one uses
};
KernelPlan kernel_plan(const DeviceRow& row, const Plan& plan);

struct Kernel {
    Launch launch;
    std::vector<int> operands; // of the plan, by argument; all that are not counted
};
Kernel kernel_of(const DeviceRow& row, const KernelPlan& plan, size_t step);

} // namespace tessera::gpu
