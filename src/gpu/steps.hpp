// SPDX-License-Identifier: Apache-2.0
// The kernels of each kind of step; launch_of() in source.hpp takes the one that a step needs.
#pragma once

#include "gpu/source.hpp"

namespace tessera::gpu {

Launch launch_of_map(const DeviceRow& row, const Plan& plan, const Step& step); // fills, too
Launch launch_of_reduction(const DeviceRow& row, const Plan& plan, const Step& step);
Launch launch_of_product(const DeviceRow& row, const Plan& plan, const Step& step); // that has_product_kernel()

} // namespace tessera::gpu
