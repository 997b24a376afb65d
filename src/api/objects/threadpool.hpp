// Thread pools of the caller (THR-04) work in builds with DNNL_CPU_RUNTIME=THREADPOOL alone.
#pragma once

#include "core/status.hpp"

namespace tessera {

Result<void> need_pools(); // or the sentence that says which build takes them

} // namespace tessera
