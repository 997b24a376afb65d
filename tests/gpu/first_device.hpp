// SPDX-License-Identifier: Apache-2.0
// The first device of OpenCL, for tests of kernels without an engine.
#pragma once

#include <stdexcept>

#include "gpu/device.hpp"

namespace tessera::test {

// Null: there is none. One that cannot be used is an error.
inline std::shared_ptr<gpu::Device> first_device() {
    const gpu::OpenCl* cl = gpu::opencl();
    const auto ids = cl ? gpu::device_ids() : Result<std::vector<cl_device_id>>(std::vector<cl_device_id>());
    if (!ids || ids->empty()) return nullptr;
    auto made = gpu::Device::make(*cl, ids->front());
    if (!made) throw std::runtime_error(made.error().reason);
    return *made;
}

} // namespace tessera::test
