// SPDX-License-Identifier: Apache-2.0
/// Types of the OpenCL interop.
#ifndef ONEAPI_DNNL_DNNL_OCL_TYPES_H
#define ONEAPI_DNNL_DNNL_OCL_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

/// What backs a memory object of an OpenCL engine.
typedef enum {
    /// A pointer to unified shared memory.
    dnnl_ocl_interop_usm = 0,
    /// A cl_mem buffer.
    dnnl_ocl_interop_buffer = 1,
} dnnl_ocl_interop_memory_kind_t;

#ifdef __cplusplus
}
#endif

#endif
