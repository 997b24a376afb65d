// SPDX-License-Identifier: Apache-2.0
/// Types of the micro-kernel interface. Experimental: declared only where
/// DNNL_EXPERIMENTAL_UKERNEL is defined.
#ifndef ONEAPI_DNNL_DNNL_UKERNEL_TYPES_H
#define ONEAPI_DNNL_DNNL_UKERNEL_TYPES_H

#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef DNNL_EXPERIMENTAL_UKERNEL

/// Layout of the B matrix of a micro-kernel.
typedef enum {
    /// None: the types are not supported.
    dnnl_pack_type_undef = 0,
    /// Row-major, K x N.
    dnnl_pack_type_no_trans = 1,
    /// Column-major.
    dnnl_pack_type_trans = 2,
    /// Rows in groups that fill 32 bits per column, interleaved.
    dnnl_pack_type_pack32 = 3,
} dnnl_pack_type_t;

/// Opaque addresses of scales and post-op tensors.
struct dnnl_ukernel_attr_params;
/// Addresses of scales and post-op tensors.
typedef struct dnnl_ukernel_attr_params* dnnl_ukernel_attr_params_t;
/// View of them.
typedef const struct dnnl_ukernel_attr_params* const_dnnl_ukernel_attr_params_t;

/// Opaque batch-reduce matrix product.
struct dnnl_brgemm;
/// Batch-reduce matrix product.
typedef struct dnnl_brgemm* dnnl_brgemm_t;
/// View of one.
typedef const struct dnnl_brgemm* const_dnnl_brgemm_t;

/// Opaque packing of a B matrix.
struct dnnl_transform;
/// Packing of a B matrix.
typedef struct dnnl_transform* dnnl_transform_t;
/// View of one.
typedef const struct dnnl_transform* const_dnnl_transform_t;

#endif

#ifdef __cplusplus
}
#endif

#endif
