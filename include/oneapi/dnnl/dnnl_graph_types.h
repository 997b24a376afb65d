// SPDX-License-Identifier: Apache-2.0
/// Types of the graph interface. This version contains no graphs: every call of
/// dnnl_graph.h answers dnnl_unimplemented, and the kinds of operations and
/// attributes have no names here.
#ifndef ONEAPI_DNNL_DNNL_GRAPH_TYPES_H
#define ONEAPI_DNNL_DNNL_GRAPH_TYPES_H

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is known of a tensor's layout.
typedef enum {
    /// Nothing.
    dnnl_graph_layout_type_undef = 0,
    /// The library chooses it when it compiles a partition.
    dnnl_graph_layout_type_any = 1,
    /// Strides.
    dnnl_graph_layout_type_strided = 2,
    /// A number that the library gave out.
    dnnl_graph_layout_type_opaque = 3,
} dnnl_graph_layout_type_t;

/// What is known of a tensor's values.
typedef enum {
    /// Nothing.
    dnnl_graph_tensor_property_undef = 0,
    /// They may change from execution to execution.
    dnnl_graph_tensor_property_variable = 1,
    /// They do not change.
    dnnl_graph_tensor_property_constant = 2,
    /// One value in the memory of the host.
    dnnl_graph_tensor_property_host_scalar = 3,
} dnnl_graph_tensor_property_t;

/// How operations are put together to partitions.
typedef enum {
    /// As many as can be fused.
    dnnl_graph_partition_policy_fusion = 1,
    /// One operation each.
    dnnl_graph_partition_policy_debug = 2,
} dnnl_graph_partition_policy_t;

/// What an operation computes.
typedef enum {
    /// Larger than any kind.
    dnnl_graph_op_last_symbol = 0x7fff,
} dnnl_graph_op_kind_t;

/// Attribute of an operation.
typedef enum {
    /// None.
    dnnl_graph_op_attr_undef = 0,
    /// Larger than any attribute.
    dnnl_graph_op_attr_end = 0xff,
} dnnl_graph_op_attr_t;

/// Description of a tensor.
typedef struct {
    /// Its number in the graph.
    size_t id;
    /// Number of dimensions, -1: unknown.
    int ndims;
    /// Extents; INT64_MIN: unknown.
    dnnl_dims_t dims;
    /// Type of the elements.
    dnnl_data_type_t data_type;
    /// What is known of the values.
    dnnl_graph_tensor_property_t property;
    /// Which member of `layout` there is.
    dnnl_graph_layout_type_t layout_type;
    /// How the elements lie.
    union {
        /// Strides in elements.
        dnnl_dims_t strides;
        /// Number of an opaque layout.
        size_t layout_id;
    } layout;
} dnnl_graph_logical_tensor_t;

/// An output that may share the memory of an input.
typedef struct {
    /// Number of the input tensor.
    size_t input_id;
    /// Number of the output tensor.
    size_t output_id;
} dnnl_graph_inplace_pair_t;

/// Allocates size bytes at a multiple of alignment.
typedef void* (*dnnl_graph_host_allocate_f)(size_t size, size_t alignment);
/// Frees what was allocated.
typedef void (*dnnl_graph_host_deallocate_f)(void*);

/// Opaque allocator of the caller's functions.
struct dnnl_graph_allocator;
/// Allocator of the caller's functions.
typedef struct dnnl_graph_allocator* dnnl_graph_allocator_t;
/// View of one.
typedef const struct dnnl_graph_allocator* const_dnnl_graph_allocator_t;

/// Opaque operation.
struct dnnl_graph_op;
/// Operation.
typedef struct dnnl_graph_op* dnnl_graph_op_t;
/// View of one.
typedef const struct dnnl_graph_op* const_dnnl_graph_op_t;

/// Opaque graph of operations.
struct dnnl_graph_graph;
/// Graph of operations.
typedef struct dnnl_graph_graph* dnnl_graph_graph_t;
/// View of one.
typedef const struct dnnl_graph_graph* const_dnnl_graph_graph_t;

/// Opaque partition of a graph.
struct dnnl_graph_partition;
/// Partition of a graph.
typedef struct dnnl_graph_partition* dnnl_graph_partition_t;
/// View of one.
typedef const struct dnnl_graph_partition* const_dnnl_graph_partition_t;

/// Opaque compiled partition.
struct dnnl_graph_compiled_partition;
/// Compiled partition.
typedef struct dnnl_graph_compiled_partition* dnnl_graph_compiled_partition_t;
/// View of one.
typedef const struct dnnl_graph_compiled_partition* const_dnnl_graph_compiled_partition_t;

/// Opaque tensor.
struct dnnl_graph_tensor;
/// Tensor.
typedef struct dnnl_graph_tensor* dnnl_graph_tensor_t;
/// View of one.
typedef const struct dnnl_graph_tensor* const_dnnl_graph_tensor_t;

#ifdef __cplusplus
}
#endif

#endif
