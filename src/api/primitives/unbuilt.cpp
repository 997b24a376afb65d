// SPDX-License-Identifier: Apache-2.0
// C calls without an implementation in this version: each refuses and names what there is. The rows in the .inc files
// are generated from the tables of the C interface, but those of graphs, which the tables leave out.
// The macros of experimental builds make the headers declare all calls and their types.
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 1
#define DNNL_EXPERIMENTAL_UKERNEL
#include "api/guard.hpp"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_ocl_types.h"
#include "oneapi/dnnl/dnnl_sycl_types.h"
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "oneapi/dnnl/dnnl_ukernel.h"
#include "ops/ops.hpp"

#pragma GCC diagnostic ignored "-Wunused-parameter" // the rows name the parameters of the declarations

using namespace tessera;

namespace {

Result<void> no_primitive(const char* operation) {
    std::string built;
    for (const ops::Row* row : ops::rows()) built += std::string(name(row->kind)) + ", ";
    built.resize(built.size() - 2);
    return unimplemented("{} is not built in this version; {} and memory are", operation, built);
}

Result<void> no_interoperation(const char* operation, const char* remedy) {
    return unimplemented("{} is not in this build; {}", operation, remedy);
}

} // namespace

#define UNBUILT(ret, name, params, operation)                                                                          \
    extern "C" DNNL_API ret name params {                                                                              \
        return guarded(#name, [] { return no_primitive(operation); });                                                 \
    }
#include "api/primitives/unbuilt_experimental.inc"
#include "api/primitives/unbuilt_graph.inc"
#include "api/primitives/unbuilt_primitives.inc"
#undef UNBUILT

// Declared here, because the headers of the vendors may be missing.
#define UNBUILT(ret, name, params, operation)                                                                          \
    extern "C" DNNL_API ret name params {                                                                              \
        return guarded(#name, [] { return no_interoperation(operation, REMEDY); });                                    \
    }
#ifndef TESSERA_OPENCL
#define REMEDY "one with -DONEDNN_GPU_RUNTIME=OCL has it (Debian: opencl-c-headers)"
#include "api/primitives/unbuilt_opencl.inc"
#undef REMEDY
#endif
#ifndef TESSERA_SYCL
#define REMEDY "one with -DDNNL_WITH_SYCL=ON has it (needs sycl/sycl.hpp and libsycl.so)"
#include "api/primitives/unbuilt_sycl.inc"
#undef REMEDY
#endif
#define REMEDY "engines of the CPU and of OpenCL devices are there"
#include "api/primitives/unbuilt_ze.inc"
#undef UNBUILT
