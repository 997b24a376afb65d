// SPDX-License-Identifier: Apache-2.0
// dnnl_debug.h: numbers of the C API as words. The tables are in debug_names.def and core/attr/alg_kinds.def.
//
//   dnnl_prop_kind2str(dnnl_backward_data)  "backward_data"      dnnl_dt2str(99)  "unknown dt"
#include "oneapi/dnnl/dnnl_debug.h"

#include "oneapi/dnnl/dnnl_config.h"

#define NAMES(function, enumeration, unknown)                                                                          \
    const char* dnnl_##function##2str(enumeration v) {                                                                 \
        constexpr const char* otherwise = "unknown " #unknown;                                                         \
        switch (static_cast<unsigned>(v)) {
#define NAME(number, word)                                                                                             \
    case number:                                                                                                       \
        return word;
#define END                                                                                                            \
    default:                                                                                                           \
        return otherwise;                                                                                              \
        }                                                                                                              \
        }
#include "api/log/debug_names.def"
#undef NAMES
#undef NAME
#undef END

const char* dnnl_alg_kind2str(dnnl_alg_kind_t v) {
    switch (static_cast<unsigned>(v)) {
#define ALG(word, number)                                                                                              \
    case number:                                                                                                       \
        return #word;
#include "core/attr/alg_kinds.def"
#undef ALG
    default:
        return "unknown alg_kind";
    }
}

// One runtime, not a set of them.
const char* dnnl_runtime2str(unsigned int v) {
    switch (v) {
    case DNNL_RUNTIME_NONE:
        return "none";
    case DNNL_RUNTIME_SEQ:
        return "sequential";
    case DNNL_RUNTIME_OMP:
        return "OpenMP";
    case DNNL_RUNTIME_TBB:
        return "TBB";
    case DNNL_RUNTIME_THREADPOOL:
        return "threadpool";
    case DNNL_RUNTIME_OCL:
        return "OpenCL";
    case DNNL_RUNTIME_SYCL:
        return "SYCL";
    case DNNL_RUNTIME_ZE:
        return "Level Zero";
    default:
        return "unknown";
    }
}
