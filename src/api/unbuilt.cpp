// Calls of the contract whose operation this version does not contain: they refuse, and say what there is.
// The rows come from the tables of the C interface; see the heads of the .inc files.
#include "api/guard.hpp"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ocl_types.h"
#include "oneapi/dnnl/dnnl_sycl_types.h"
#include "oneapi/dnnl/dnnl_threadpool.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" // the rows name the parameters of the declarations

using namespace tessera;

#define UNBUILT(ret, name, params, operation)                                                                          \
    extern "C" DNNL_API ret name params {                                                                              \
        return guarded(#name, []() -> Result<void> {                                                                   \
            return unimplemented("{} is not built in this version; reorder, shuffle and memory are", operation);       \
        });                                                                                                            \
    }
#include "api/unbuilt_primitives.inc"
#undef UNBUILT

#define UNBUILT(ret, name, params, operation)                                                                          \
    extern "C" DNNL_API ret name params {                                                                              \
        return guarded(#name, []() -> Result<void> {                                                                   \
            return unimplemented("{} is not built in this version; the CPU engine is", operation);                     \
        });                                                                                                            \
    }
#include "api/unbuilt_interop.inc"
#undef UNBUILT
