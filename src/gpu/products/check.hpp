// SPDX-License-Identifier: Apache-2.0
// Whether a device multiplies matrices as fragments.hpp says. No one else's test can tell: those instructions come with
// drivers that the library was not tested on, and a wrong fragment would give wrong results without a word.
#pragma once

#include "gpu/device.hpp"
#include "gpu/products/fragments.hpp"

namespace tessera::gpu {

// One product of tiles each of bytes and of bf16, whose elements are small whole numbers, so that results are exact.
// What is wrong, or "" where all results are right; the driver's words where it does not compile them.
std::string wrong_in_matrices(Device& device, const DeviceRow& row, const Tile& tile);

} // namespace tessera::gpu
