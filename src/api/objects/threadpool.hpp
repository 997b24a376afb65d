// SPDX-License-Identifier: Apache-2.0
// Thread pools of the caller (THR-04), which only builds with DNNL_CPU_RUNTIME=THREADPOOL take.
#pragma once

#include "core/status.hpp"

namespace tessera {

Result<void> need_pools(); // refuses in other builds

} // namespace tessera
