// SPDX-License-Identifier: Apache-2.0
/// Graph interface. This version contains no graphs, but exports the calls, so
/// that programs start which use graphs beside primitives: each answers
/// dnnl_unimplemented, writes none of its outputs, and says so as all refusals do.
#ifndef ONEAPI_DNNL_DNNL_GRAPH_H
#define ONEAPI_DNNL_DNNL_GRAPH_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_graph_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Describes a tensor whose dimensions are not known yet.
/// @param[out] logical_tensor The description.
/// @param tid Number of the tensor in its graph.
/// @param dtype Type of the elements.
/// @param ndims Number of dimensions, -1: unknown.
/// @param ltype Kind of layout.
/// @param ptype What is known of its values.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_init(dnnl_graph_logical_tensor_t* logical_tensor, size_t tid,
                                                      dnnl_data_type_t dtype, int32_t ndims,
                                                      dnnl_graph_layout_type_t ltype,
                                                      dnnl_graph_tensor_property_t ptype);

/// Describes a tensor by its dimensions.
/// @param[out] logical_tensor The description.
/// @param tid Number of the tensor in its graph.
/// @param dtype Type of the elements.
/// @param ndims Number of dimensions.
/// @param dims Extents, ndims values.
/// @param ltype Kind of layout.
/// @param ptype What is known of its values.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_init_with_dims(dnnl_graph_logical_tensor_t* logical_tensor, size_t tid,
                                                                dnnl_data_type_t dtype, int32_t ndims,
                                                                const dnnl_dims_t dims, dnnl_graph_layout_type_t ltype,
                                                                dnnl_graph_tensor_property_t ptype);

/// Describes a tensor by its dimensions and strides.
/// @param[out] logical_tensor The description.
/// @param tid Number of the tensor in its graph.
/// @param dtype Type of the elements.
/// @param ndims Number of dimensions.
/// @param dims Extents, ndims values.
/// @param strides Strides in elements, ndims values.
/// @param ptype What is known of its values.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_init_with_strides(dnnl_graph_logical_tensor_t* logical_tensor,
                                                                   size_t tid, dnnl_data_type_t dtype, int32_t ndims,
                                                                   const dnnl_dims_t dims, const dnnl_dims_t strides,
                                                                   dnnl_graph_tensor_property_t ptype);

/// Asks for the bytes of a tensor.
/// @param logical_tensor The description.
/// @param[out] size Bytes.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_get_mem_size(const dnnl_graph_logical_tensor_t* logical_tensor,
                                                              size_t* size);

/// Compares two descriptions.
/// @param lt1 One description.
/// @param lt2 The other.
/// @param[out] is_equal 1: equal, 0: not.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_is_equal(const dnnl_graph_logical_tensor_t* lt1,
                                                          const dnnl_graph_logical_tensor_t* lt2, uint8_t* is_equal);

/// Creates a tensor over memory of the caller's.
/// @param[out] tensor The tensor; the caller destroys it.
/// @param logical_tensor Its description.
/// @param engine Where it lies.
/// @param handle Address of its elements.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_tensor_create(dnnl_graph_tensor_t* tensor,
                                                const dnnl_graph_logical_tensor_t* logical_tensor, dnnl_engine_t engine,
                                                void* handle);

/// Creates a tensor of one value on the host.
/// @param[out] tensor The tensor; the caller destroys it.
/// @param logical_tensor Its description.
/// @param handle Address of the value.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_tensor_create_scalar(dnnl_graph_tensor_t* tensor,
                                                       const dnnl_graph_logical_tensor_t* logical_tensor, void* handle);

/// Destroys a tensor.
/// @param tensor Tensor to destroy.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_tensor_destroy(dnnl_graph_tensor_t tensor);

/// Asks for the address of a tensor's elements.
/// @param tensor The tensor.
/// @param[out] handle The address.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_tensor_get_data_handle(const_dnnl_graph_tensor_t tensor, void** handle);

/// Sets the address of a tensor's elements.
/// @param tensor The tensor.
/// @param handle The address.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t tensor, void* handle);

/// Asks for the engine of a tensor.
/// @param tensor The tensor.
/// @param[out] engine The engine.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_tensor_get_engine(const_dnnl_graph_tensor_t tensor, dnnl_engine_t* engine);

/// Asks for the description of a tensor.
/// @param tensor The tensor.
/// @param[out] logical_tensor The description.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_tensor_get_logical_tensor(const_dnnl_graph_tensor_t tensor,
                                                            dnnl_graph_logical_tensor_t* logical_tensor);

/// Creates an operation.
/// @param[out] op The operation; the caller destroys it.
/// @param id Its number in its graph.
/// @param kind What it computes.
/// @param verbose_name Its name in verbose lines.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_create(dnnl_graph_op_t* op, size_t id, dnnl_graph_op_kind_t kind,
                                            const char* verbose_name);

/// Destroys an operation.
/// @param op Operation to destroy.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_destroy(dnnl_graph_op_t op);

/// Adds an input to an operation.
/// @param op Operation to change.
/// @param input Description of the tensor.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_add_input(dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t* input);

/// Adds an output to an operation.
/// @param op Operation to change.
/// @param output Description of the tensor.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_add_output(dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t* output);

/// Sets an attribute of numbers.
/// @param op Operation to change.
/// @param name The attribute.
/// @param value Its values.
/// @param value_len Their number.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_set_attr_f32(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const float* value,
                                                  size_t value_len);

/// Sets an attribute that is true or false.
/// @param op Operation to change.
/// @param name The attribute.
/// @param value Its value.
/// @param value_len 1.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_set_attr_bool(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const uint8_t* value,
                                                   size_t value_len);

/// Sets an attribute of integers.
/// @param op Operation to change.
/// @param name The attribute.
/// @param value Its values.
/// @param value_len Their number.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_set_attr_s64(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const int64_t* value,
                                                  size_t value_len);

/// Sets an attribute that is text.
/// @param op Operation to change.
/// @param name The attribute.
/// @param value The text.
/// @param value_len Its length.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_set_attr_str(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const char* value,
                                                  size_t value_len);

/// Asks for the number of an operation.
/// @param op The operation.
/// @param[out] id The number.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_get_id(const_dnnl_graph_op_t op, size_t* id);

/// Asks for the kind of an operation.
/// @param op The operation.
/// @param[out] kind The kind.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_op_get_kind(const_dnnl_graph_op_t op, dnnl_graph_op_kind_t* kind);

/// Creates a partition of one operation.
/// @param[out] partition The partition; the caller destroys it.
/// @param op The operation.
/// @param ekind Kind of the engine that is to run it.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_create_with_op(dnnl_graph_partition_t* partition, const_dnnl_graph_op_t op,
                                                           dnnl_engine_kind_t ekind);

/// Destroys a partition.
/// @param partition Partition to destroy.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_destroy(dnnl_graph_partition_t partition);

/// Asks for the number of operations of a partition.
/// @param partition The partition.
/// @param[out] num Operations.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_get_op_num(const_dnnl_graph_partition_t partition, size_t* num);

/// Asks for the operations of a partition.
/// @param partition The partition.
/// @param num Their number.
/// @param[out] ids Their numbers in the graph, num values.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_get_ops(dnnl_graph_partition_t partition, size_t num, size_t* ids);

/// Asks for the number of a partition.
/// @param partition The partition.
/// @param[out] id The number.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_get_id(const_dnnl_graph_partition_t partition, size_t* id);

/// Compiles a partition for tensors.
/// @param partition The partition.
/// @param compiled_partition What is to hold the result.
/// @param in_num Number of inputs.
/// @param inputs Their descriptions.
/// @param out_num Number of outputs.
/// @param outputs Their descriptions.
/// @param engine Engine that is to run it.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_compile(dnnl_graph_partition_t partition,
                                                    dnnl_graph_compiled_partition_t compiled_partition, size_t in_num,
                                                    const dnnl_graph_logical_tensor_t** inputs, size_t out_num,
                                                    const dnnl_graph_logical_tensor_t** outputs, dnnl_engine_t engine);

/// Asks for the number of inputs of a partition.
/// @param partition The partition.
/// @param[out] num Inputs.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_get_input_ports_num(const_dnnl_graph_partition_t partition, size_t* num);

/// Asks for the inputs of a partition.
/// @param partition The partition.
/// @param num Their number.
/// @param[out] inputs Their descriptions, num values.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_get_input_ports(const_dnnl_graph_partition_t partition, size_t num,
                                                            dnnl_graph_logical_tensor_t* inputs);

/// Asks for the number of outputs of a partition.
/// @param partition The partition.
/// @param[out] num Outputs.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_get_output_ports_num(const_dnnl_graph_partition_t partition, size_t* num);

/// Asks for the outputs of a partition.
/// @param partition The partition.
/// @param num Their number.
/// @param[out] outputs Their descriptions, num values.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_get_output_ports(const_dnnl_graph_partition_t partition, size_t num,
                                                             dnnl_graph_logical_tensor_t* outputs);

/// Asks whether a partition can be compiled.
/// @param partition The partition.
/// @param[out] is_supported 1: it can, 0: it cannot.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_is_supported(const_dnnl_graph_partition_t partition, uint8_t* is_supported);

/// Asks for the kind of engine of a partition.
/// @param partition The partition.
/// @param[out] kind The kind.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_partition_get_engine_kind(const_dnnl_graph_partition_t partition,
                                                            dnnl_engine_kind_t* kind);

/// Creates what a compilation writes to.
/// @param[out] compiled_partition The object; the caller destroys it.
/// @param partition Partition that is to be compiled.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_create(dnnl_graph_compiled_partition_t* compiled_partition,
                                                            dnnl_graph_partition_t partition);

/// Runs a compiled partition.
/// @param compiled_partition The compiled partition.
/// @param stream Stream to run on.
/// @param num_inputs Number of inputs.
/// @param inputs The inputs.
/// @param num_outputs Number of outputs.
/// @param outputs The outputs.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_execute(const_dnnl_graph_compiled_partition_t compiled_partition,
                                                             dnnl_stream_t stream, size_t num_inputs,
                                                             const_dnnl_graph_tensor_t* inputs, size_t num_outputs,
                                                             const_dnnl_graph_tensor_t* outputs);

/// Destroys a compiled partition.
/// @param compiled_partition Object to destroy.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_destroy(dnnl_graph_compiled_partition_t compiled_partition);

/// Asks for the description that compilation gave a tensor.
/// @param compiled_partition The compiled partition.
/// @param tid Number of the tensor.
/// @param[out] lt The description.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_query_logical_tensor(
    const_dnnl_graph_compiled_partition_t compiled_partition, size_t tid, dnnl_graph_logical_tensor_t* lt);

/// Asks which outputs may share memory with inputs.
/// @param compiled_partition The compiled partition.
/// @param[out] num_inplace_pairs Number of pairs.
/// @param[out] inplace_pairs The pairs.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_get_inplace_ports(
    const_dnnl_graph_compiled_partition_t compiled_partition, size_t* num_inplace_pairs,
    const dnnl_graph_inplace_pair_t** inplace_pairs);

/// Creates an empty graph.
/// @param[out] graph The graph; the caller destroys it.
/// @param engine_kind Kind of the engine that is to run it.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_create(dnnl_graph_graph_t* graph, dnnl_engine_kind_t engine_kind);

/// Creates an empty graph with an fpmath mode.
/// @param[out] graph The graph; the caller destroys it.
/// @param engine_kind Kind of the engine that is to run it.
/// @param mode The mode.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_create_with_fpmath_mode(dnnl_graph_graph_t* graph,
                                                                dnnl_engine_kind_t engine_kind,
                                                                dnnl_fpmath_mode_t mode);

/// Sets the fpmath mode of a graph.
/// @param graph Graph to change.
/// @param mode The mode.
/// @param apply_to_int Not 0: for integers, too.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_set_fpmath_mode(dnnl_graph_graph_t graph, dnnl_fpmath_mode_t mode,
                                                        int apply_to_int);

/// Asks for the fpmath mode of a graph.
/// @param graph The graph.
/// @param[out] mode The mode.
/// @param[out] apply_to_int Not 0: for integers, too.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_get_fpmath_mode(dnnl_graph_graph_t graph, dnnl_fpmath_mode_t* mode,
                                                        int* apply_to_int);

/// Destroys a graph.
/// @param graph Graph to destroy.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_destroy(dnnl_graph_graph_t graph);

/// Adds an operation to a graph.
/// @param graph Graph to change.
/// @param op The operation.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_add_op(dnnl_graph_graph_t graph, dnnl_graph_op_t op);

/// Declares a graph complete.
/// @param graph Graph to complete.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_finalize(dnnl_graph_graph_t graph);

/// Asks whether a graph is complete.
/// @param graph The graph.
/// @param[out] finalized 1: complete, 0: not.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_is_finalized(dnnl_graph_graph_t graph, uint8_t* finalized);

/// Divides a graph into partitions.
/// @param graph The graph.
/// @param policy How operations are put together.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_filter(dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy);

/// Asks for the number of partitions of a graph.
/// @param graph The graph.
/// @param[out] num Partitions.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_get_partition_num(const_dnnl_graph_graph_t graph, size_t* num);

/// Asks for the partitions of a graph.
/// @param graph The graph.
/// @param num Their number.
/// @param[out] partition The partitions, num values.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_graph_get_partitions(dnnl_graph_graph_t graph, size_t num,
                                                       dnnl_graph_partition_t* partition);

/// Asks how many compiled partitions are kept.
/// @param[out] capacity Compiled partitions.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_get_compiled_partition_cache_capacity(int* capacity);

/// Sets how many compiled partitions are kept.
/// @param capacity Compiled partitions.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_set_compiled_partition_cache_capacity(int capacity);

/// Sets whether values that follow from constant tensors are kept.
/// @param flag Not 0: they are.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_set_constant_tensor_cache(int flag);

/// Asks whether values that follow from constant tensors are kept.
/// @param[out] flag Not 0: they are.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_get_constant_tensor_cache(int* flag);

/// Sets the room for values that follow from constant tensors.
/// @param eng_kind Kind of the engines.
/// @param size Megabytes.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_set_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind, size_t size);

/// Asks for the room for values that follow from constant tensors.
/// @param eng_kind Kind of the engines.
/// @param[out] size Megabytes.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_get_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind, size_t* size);

/// Creates an allocator of the caller's functions.
/// @param[out] allocator The allocator; the caller destroys it.
/// @param host_malloc Allocates.
/// @param host_free Frees.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_allocator_create(dnnl_graph_allocator_t* allocator,
                                                   dnnl_graph_host_allocate_f host_malloc,
                                                   dnnl_graph_host_deallocate_f host_free);

/// Destroys an allocator.
/// @param allocator Allocator to destroy.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator);

/// Creates an engine whose graphs allocate by an allocator.
/// @param[out] engine The engine; the caller destroys it.
/// @param kind Its kind.
/// @param index Its number among those of the kind.
/// @param alloc The allocator.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no graphs.
DNNL_API dnnl_status_t dnnl_graph_make_engine_with_allocator(dnnl_engine_t* engine, dnnl_engine_kind_t kind,
                                                             size_t index, const_dnnl_graph_allocator_t alloc);

#ifdef __cplusplus
}
#endif

#endif
