// SPDX-License-Identifier: Apache-2.0
// The yardstick of problems on a device: a copy from one of its buffers to another.
#pragma once

#include <cstdint>
#include <functional>

#include <oneapi/dnnl/dnnl.hpp>

#include "core/status.hpp"

namespace tessera {

// Each call copies half of the bytes (read + written) and waits for it. Refused for engines without buffers of their
// own.
Result<std::function<void()>> copy_on_device(const dnnl::engine& engine, int64_t bytes);

} // namespace tessera
