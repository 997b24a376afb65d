// SPDX-License-Identifier: Apache-2.0
/// Types of the SYCL interop.
#ifndef ONEAPI_DNNL_DNNL_SYCL_TYPES_H
#define ONEAPI_DNNL_DNNL_SYCL_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

/// What backs a memory object of a SYCL engine.
typedef enum {
    /// A pointer to unified shared memory.
    dnnl_sycl_interop_usm = 0,
    /// A sycl::buffer.
    dnnl_sycl_interop_buffer = 1,
} dnnl_sycl_interop_memory_kind_t;

#ifdef __cplusplus
}
#endif

#endif
