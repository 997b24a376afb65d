// SPDX-License-Identifier: Apache-2.0
// split_sums (split-K): products with fewer groups of work-items than a GPU has units. A dim of k is cut into parts,
// which are a batch of their own with sums in scratch memory; a reduction adds these up, in the order of the parts, and
// has the epilogue. Products that run at the same time are split together.
//
//   1x4096 sum 16384        product  1x4096 sum 1024, 16 times, to sums;   reduce  16 sums
#pragma once

#include "core/plan/plan.hpp"
#include "gpu/device_row.hpp"

namespace tessera::gpu {

// The plan, whose steps are marked where they run together, with such products split; on processors nothing is.
Plan split_sums(const DeviceRow& row, Plan plan);

} // namespace tessera::gpu
