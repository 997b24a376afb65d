// SPDX-License-Identifier: Apache-2.0
/// C interface of the library: memory, attributes, primitives, settings.
///
/// The rules of dnnl_common.h hold here too. Further:
///   - A memory descriptor argument that is "optional" may be NULL or a zero
///     descriptor; both mean that the tensor is absent. Any other descriptor
///     must be given.
///   - Shapes are written N x C x H x W; [..] is a part that may be missing.
///     Extents, strides, offsets and paddings count elements, sizes bytes.
///   - "any" is a descriptor made with dnnl_format_tag_any: the primitive
///     descriptor picks the layout, and dnnl_primitive_desc_query_md() tells
///     which. Unless a call says that a tensor may be any, any gives
///     dnnl_invalid_arguments.
///   - `dnnl_dims_t` arguments are read for as many entries as there are
///     dimensions (or spatial dimensions, for windows).
///   - `attr` is always optional. Attributes are copied.
///   - Descriptors are copied; they may be destroyed right after the call.
///
/// A copy from nchw to nhwc, without error handling:
///     dnnl_dims_t dims = {1, 3, 224, 224};
///     dnnl_memory_desc_t src, dst;
///     dnnl_memory_desc_create_with_tag(&src, 4, dims, dnnl_f32, dnnl_nchw);
///     dnnl_memory_desc_create_with_tag(&dst, 4, dims, dnnl_f32, dnnl_nhwc);
///     dnnl_reorder_primitive_desc_create(&pd, src, engine, dst, engine, NULL);
///     dnnl_primitive_create(&reorder, pd);
///     dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, m_src}, {DNNL_ARG_TO, m_dst}};
///     dnnl_primitive_execute(reorder, stream, 2, args);
///     dnnl_stream_wait(stream);
#ifndef ONEAPI_DNNL_DNNL_H
#define ONEAPI_DNNL_DNNL_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Primitive descriptors ----

/// Switches the descriptor, in place, to the next implementation of the same problem. This version has one
/// implementation of each problem.
/// @param primitive_desc Descriptor to change; it stays valid when there is no other implementation.
/// @returns dnnl_last_impl_reached; dnnl_invalid_arguments if `primitive_desc` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc);

/// Makes an independent copy of a primitive descriptor.
/// @param[out] primitive_desc The copy; the caller destroys it.
/// @param existing_primitive_desc Descriptor to copy.
/// @returns dnnl_success; dnnl_invalid_arguments if `primitive_desc` or `existing_primitive_desc` is NULL;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_primitive_desc_clone(dnnl_primitive_desc_t* primitive_desc,
                                                 const_dnnl_primitive_desc_t existing_primitive_desc);

/// Reads the attributes the descriptor was made with; layouts `any` inside post-ops are resolved.
/// @param primitive_desc Descriptor to ask.
/// @param[out] attr A view that lives as long as the descriptor.
/// @returns dnnl_success; dnnl_invalid_arguments if `primitive_desc` or `attr` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_desc_get_attr(const_dnnl_primitive_desc_t primitive_desc,
                                                    const_dnnl_primitive_attr_t* attr);

/// Destroys a primitive descriptor. Primitives made from it stay valid.
/// @param primitive_desc Descriptor to destroy; NULL is allowed.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc);

/// Asks a primitive descriptor. For memory descriptors dnnl_primitive_desc_query_md() is more convenient.
/// @param primitive_desc Descriptor to ask.
/// @param what The question, up to dnnl_query_exec_arg_md.
/// @param index Number of the tensor for questions about one of several, otherwise 0.
/// @param[out] result The answer, of the type that dnnl_query_t gives for the question. Pointers in it live
///     as long as the descriptor.
/// @returns dnnl_success; dnnl_invalid_arguments if `primitive_desc` or `result` is NULL, also for an index
///     out of range or what is no question to a primitive descriptor; dnnl_unimplemented where the operation
///     has no such property.
DNNL_API dnnl_status_t dnnl_primitive_desc_query(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
                                                 int index, void* result);

/// Asks for the memory descriptor of a tensor.
/// @param primitive_desc Descriptor to ask.
/// @param what One of the *_md questions.
/// @param index Number of the tensor in its role; for dnnl_query_exec_arg_md its DNNL_ARG_* number.
/// @returns A view that lives as long as the primitive descriptor; a zero descriptor for a tensor that the
///     operation has not; NULL for another question or without a primitive descriptor.
DNNL_API const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(const_dnnl_primitive_desc_t primitive_desc,
                                                               dnnl_query_t what, int index);

/// Asks for an integer.
/// @param primitive_desc Descriptor to ask.
/// @param what One of the *_s32 questions.
/// @param index 0.
/// @returns The value; 0 if the operation has no such property, for another question and without a primitive
///     descriptor.
DNNL_API int dnnl_primitive_desc_query_s32(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);

// ---- Primitives ----

/// Creates a primitive. This is cheap: code was generated when the primitive descriptor was created, and the
/// primitive shares it. The primitive does not change afterwards.
/// @param[out] primitive The primitive; the caller destroys it.
/// @param primitive_desc Descriptor, which may be destroyed afterwards.
/// @returns dnnl_success; dnnl_invalid_arguments if `primitive` or `primitive_desc` is NULL;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_primitive_create(dnnl_primitive_t* primitive, const_dnnl_primitive_desc_t primitive_desc);

/// Creates a primitive from what dnnl_primitive_get_cache_blob() stored. CPU engines have no cache blobs. A blob is
/// code, which the driver loads: its checksum finds accidents, and it must come from where programs come from.
/// @param[out] primitive The primitive.
/// @param primitive_desc Descriptor equal to that of the stored primitive.
/// @param size Bytes of the blob, > 0.
/// @param cache_blob The blob.
/// @returns dnnl_success; dnnl_unimplemented on CPU engines; dnnl_invalid_arguments for NULL, a size of 0, or a blob
///     that is cut off, damaged or of another descriptor, device, driver or version: the reason says which.
DNNL_API dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t* primitive,
                                                             const_dnnl_primitive_desc_t primitive_desc, size_t size,
                                                             const uint8_t* cache_blob);

/// Runs a primitive. Memory must live until the execution has finished. Padding of the results is set to
/// zero. The descriptor of the primitive says how a buffer is read and written; that of the memory object may
/// be another if its bytes cover what the primitive reaches (see dnnl_tessera_set_strict_execution()). Dims
/// that the primitive left open (DNNL_RUNTIME_DIM_VAL) are those of the memory object; the first execution
/// with new dims generates code. Many threads may execute one primitive at a time.
/// @param primitive Primitive to run.
/// @param stream Stream on the engine of the primitive.
/// @param nargs Number of entries of args, >= 0.
/// @param args Arguments in any order: DNNL_ARG_* numbers and memory objects. Which there are is said at the
///     creation of the primitive descriptor; further ones are ignored. May be NULL with nargs 0.
/// @returns dnnl_success; dnnl_invalid_arguments if `primitive` or `stream` is NULL, also for a missing
///     argument, for a memory object without storage where data is needed or with too few bytes;
///     dnnl_out_of_memory; dnnl_runtime_error if the device fails.
DNNL_API dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                                              const dnnl_exec_arg_t* args);

/// Reads the descriptor a primitive was made from.
/// @param primitive Primitive to ask.
/// @param[out] primitive_desc A view that lives as long as the primitive.
/// @returns dnnl_success; dnnl_invalid_arguments if `primitive` or `primitive_desc` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_get_primitive_desc(const_dnnl_primitive_t primitive,
                                                         const_dnnl_primitive_desc_t* primitive_desc);

/// Stores what an engine compiled for a primitive. CPU engines have no cache blobs.
/// @param primitive Primitive to store.
/// @param size With cache_blob NULL: gets the bytes needed. Otherwise: the bytes of cache_blob.
/// @param[out] cache_blob The blob, or NULL to ask for its size.
/// @returns dnnl_success; dnnl_unimplemented on CPU engines and with run-time dims; dnnl_invalid_arguments if
///     `primitive` or `size` is NULL, or too small.
DNNL_API dnnl_status_t dnnl_primitive_get_cache_blob(const_dnnl_primitive_t primitive, size_t* size,
                                                     uint8_t* cache_blob);

/// Destroys a primitive. Its executions must have finished.
/// @param primitive Primitive to destroy; NULL is allowed.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive);

// ---- Attributes ----
//
// Setters check an argument by itself; whether a primitive supports the
// combination shows when its descriptor is created (dnnl_unimplemented). `arg` is a DNNL_ARG_* number. A mask has bit d
// set if there is one value for every index of dimension d of that argument; 0 means one value for all. Values of
// several masked dimensions are ordered row-major.

/// Creates attributes with default values: no scales, zero points, post-ops or dropout, and the math mode of
/// dnnl_get_default_fpmath_mode().
/// @param[out] attr The attributes; the caller destroys them.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t* attr);

/// Makes an independent copy of attributes.
/// @param[out] attr The copy; the caller destroys it.
/// @param existing_attr Attributes to copy.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `existing_attr` is NULL; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_primitive_attr_clone(dnnl_primitive_attr_t* attr,
                                                 const_dnnl_primitive_attr_t existing_attr);

/// Destroys attributes. Primitive descriptors made with them have their own copy.
/// @param attr Attributes to destroy; NULL is allowed.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/// Reads the descriptor of the dropout mask.
/// @param attr Attributes to read.
/// @param[out] mask_desc A view that lives until the attributes change; a zero descriptor if there is no
///     dropout or no mask.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `mask_desc` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout(const_dnnl_primitive_attr_t attr,
                                                       const_dnnl_memory_desc_t* mask_desc);

/// Turns dropout on or off. With dropout each element of the result is multiplied by 1/(1 - P) or, with
/// probability P, set to 0, before the post-ops. Execution takes DNNL_ARG_ATTR_DROPOUT_PROBABILITY (f32) and
/// DNNL_ARG_ATTR_DROPOUT_SEED (s32) and writes DNNL_ARG_ATTR_DROPOUT_MASK.
/// @param attr Attributes to change.
/// @param mask_desc Descriptor of the mask: u8 with the shape and layout of dst, 1 for elements that were
///     kept. A zero descriptor turns dropout off.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `mask_desc` is NULL, also for a mask that is
///     not u8.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout(dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc);

/// Reads all settings of dropout.
/// @param attr Attributes to read.
/// @param[out] mask_desc Descriptor of the mask, a view that lives until the attributes change; may be NULL.
/// @param[out] seed_dt Type of the seed; may be NULL.
/// @param[out] use_offset 1 if execution takes an offset, else 0; may be NULL.
/// @param[out] use_host_scalars 1 if the scalars are host scalars, else 0; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
                                                          const_dnnl_memory_desc_t* mask_desc,
                                                          dnnl_data_type_t* seed_dt, int* use_offset,
                                                          int* use_host_scalars);

/// Turns dropout on with further settings; see dnnl_primitive_attr_set_dropout().
/// @param attr Attributes to change.
/// @param mask_desc Descriptor of the mask, u8; optional: absent means that no mask is written.
/// @param seed_dt Type of the seed: dnnl_s32 or dnnl_s64.
/// @param use_offset Not 0: execution also takes DNNL_ARG_ATTR_DROPOUT_OFFSET (s64), where in the random
///     sequence to start.
/// @param use_host_scalars Not 0: probability, seed and offset are host scalars instead of tensors.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for another type of the seed and for
///     a mask that is not u8.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
                                                          const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt,
                                                          int use_offset, int use_host_scalars);

/// Reads the floating-point math mode.
/// @param attr Attributes to read.
/// @param[out] mode The mode.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `mode` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t* mode);

/// Sets the floating-point math mode; integer data stays integer.
/// @param attr Attributes to change.
/// @param mode Down-conversions of f32 that are allowed inside the computation.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode);

/// Reads the floating-point math mode and whether it applies to integer data.
/// @param attr Attributes to read.
/// @param[out] mode The mode; may be NULL.
/// @param[out] apply_to_int 1 if it applies to integer data, else 0; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(const_dnnl_primitive_attr_t attr,
                                                              dnnl_fpmath_mode_t* mode, int* apply_to_int);

/// Sets the floating-point math mode, also for integer weights.
/// @param attr Attributes to change.
/// @param mode Down-conversions of f32 that are allowed inside the computation.
/// @param apply_to_int Not 0: integer weights are converted to floating point and the computation is in
///     floating point.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode,
                                                              int apply_to_int);

/// Reads whether results must be the same from run to run.
/// @param attr Attributes to read.
/// @param[out] value 1 if they must, else 0.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `value` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_deterministic(const_dnnl_primitive_attr_t attr, int* value);

/// Sets whether implementations are allowed whose result can differ from run to run. Default 0.
/// @param attr Attributes to change.
/// @param value Not 0: they are not allowed.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value);

/// Reads the accumulation mode.
/// @param attr Attributes to read.
/// @param[out] mode The mode.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `mode` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(const_dnnl_primitive_attr_t attr,
                                                                 dnnl_accumulation_mode_t* mode);

/// Sets the accumulation mode. Default dnnl_accumulation_mode_strict.
/// @param attr Attributes to change.
/// @param mode Types in which sums of products may be kept. Sums are s32 for integers by integers, else f32 or wider;
///     strict, relaxed and any are accepted by every primitive, s32 by the former, f32 and f16 by the others. What is
///     not met is refused when a primitive descriptor is created (dnnl_unimplemented).
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(dnnl_primitive_attr_t attr,
                                                                 dnnl_accumulation_mode_t mode);

/// Reads the scratchpad mode.
/// @param attr Attributes to read.
/// @param[out] mode The mode.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `mode` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(const_dnnl_primitive_attr_t attr,
                                                               dnnl_scratchpad_mode_t* mode);

/// Sets who provides temporary memory. Default dnnl_scratchpad_mode_library. In user mode
/// dnnl_query_scratchpad_md tells the size of DNNL_ARG_SCRATCHPAD; it is 0 for every primitive of this
/// version.
/// @param attr Attributes to change.
/// @param mode Who provides it.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode);

/// Announces f32 scales of an argument, given at execution as DNNL_ARG_ATTR_SCALES | arg. Inputs are
/// multiplied by their scales, results divided.
/// @param attr Attributes to change.
/// @param arg DNNL_ARG_SRC_0 to _3, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_MULTIPLE_SRC + i, or
///     DNNL_ARG_ATTR_POST_OP_DW | {DNNL_ARG_WEIGHTS, DNNL_ARG_DST}.
/// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for an argument that takes none, and
///     for a mask that is negative or names dimensions beyond DNNL_MAX_NDIMS.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_mask(dnnl_primitive_attr_t attr, int arg, int mask);

/// Announces scales of any type, one per group of elements, given at execution as DNNL_ARG_ATTR_SCALES | arg.
/// @param attr Attributes to change.
/// @param arg DNNL_ARG_SRC_0 to _3, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_MULTIPLE_SRC + i, or
///     DNNL_ARG_ATTR_POST_OP_DW | {DNNL_ARG_WEIGHTS, DNNL_ARG_DST}.
/// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all. Groups need the
///     bits of the dimensions they divide.
/// @param group_ndims 0: no groups; 2: groups of the last two dimensions.
/// @param group_dims Extents of a group along the last two dimensions, in elements, > 0; may be NULL without
///     groups.
/// @param data_type Type of the scales: f32, bf16, f16, e8m0, f8_e5m2 or f8_e4m3.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for an argument that takes none,
///     another type, a mask that is negative or names dimensions beyond DNNL_MAX_NDIMS, another group_ndims,
///     and groups that are not positive or come with mask 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask, int group_ndims,
                                                      const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/// As dnnl_primitive_attr_set_scales(), also as a host scalar.
/// @param attr Attributes to change.
/// @param arg DNNL_ARG_SRC_0 to _3, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_MULTIPLE_SRC + i, or
///     DNNL_ARG_ATTR_POST_OP_DW | {DNNL_ARG_WEIGHTS, DNNL_ARG_DST}.
/// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all. Groups need the
///     bits of the dimensions they divide.
/// @param ndims 0: no groups; 2: groups of the last two dimensions.
/// @param group_dims Extents of a group along the last two dimensions, in elements, > 0; may be NULL without
///     groups.
/// @param data_type Type of the scales: f32, bf16, f16, e8m0, f8_e5m2 or f8_e4m3.
/// @param is_on_host Not 0: the value is one host scalar instead of a tensor, which needs mask 0 and no
///     groups.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for an argument that takes none,
///     another type, a mask that is negative or names dimensions beyond DNNL_MAX_NDIMS, another ndims, groups
///     that are not positive or come with mask 0, and a host scalar with another mask than 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                         const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                         int is_on_host);

/// As dnnl_primitive_attr_set_scales_v2(), also as an output: with a dynamic mode the primitive computes the
/// scales of DST and writes them.
/// @param attr Attributes to change.
/// @param arg DNNL_ARG_SRC_0 to _3, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_MULTIPLE_SRC + i, or
///     DNNL_ARG_ATTR_POST_OP_DW | {DNNL_ARG_WEIGHTS, DNNL_ARG_DST}.
/// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all. Groups need the
///     bits of the dimensions they divide.
/// @param ndims 0: no groups; 2: groups of the last two dimensions.
/// @param group_dims Extents of a group along the last two dimensions, in elements, > 0; may be NULL without
///     groups.
/// @param data_type Type of the scales: f32, bf16, f16, e8m0, f8_e5m2 or f8_e4m3.
/// @param is_on_host Not 0: the value is one host scalar instead of a tensor, which needs mask 0 and no
///     groups.
/// @param qmode Where the scales come from; dnnl_quantization_mode_static_sazp for scales the user gives.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for an argument that takes none,
///     another type, a mask that is negative or names dimensions beyond DNNL_MAX_NDIMS, another ndims, groups
///     that are not positive or come with mask 0, a host scalar with another mask than 0, and
///     dnnl_quantization_mode_undef.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                         const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                         int is_on_host, dnnl_quantization_mode_t qmode);

/// Announces s32 zero points of an argument, given at execution as DNNL_ARG_ATTR_ZERO_POINTS | arg. They are
/// subtracted from inputs and added to results.
/// @param attr Attributes to change.
/// @param arg DNNL_ARG_SRC, DNNL_ARG_WEIGHTS or DNNL_ARG_DST.
/// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for another argument, and for a mask
///     that is negative or names dimensions beyond DNNL_MAX_NDIMS.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(dnnl_primitive_attr_t attr, int arg, int mask);

/// Announces zero points of any type, one per group of elements as in dnnl_primitive_attr_set_scales().
/// @param attr Attributes to change.
/// @param arg DNNL_ARG_SRC, DNNL_ARG_WEIGHTS or DNNL_ARG_DST.
/// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all. Groups need the
///     bits of the dimensions they divide.
/// @param group_ndims 0: no groups; 2: groups of the last two dimensions.
/// @param group_dims Extents of a group along the last two dimensions, in elements, > 0; may be NULL without
///     groups.
/// @param data_type Type of the zero points: s32, s8, u8, s4 or u4; for DNNL_ARG_DST s32.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for an argument that takes none,
///     another type, a mask that is negative or names dimensions beyond DNNL_MAX_NDIMS, another group_ndims,
///     and groups that are not positive or come with mask 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg, int mask,
                                                           int group_ndims, const dnnl_dims_t group_dims,
                                                           dnnl_data_type_t data_type);

/// Announces sums of the source over groups, given at execution as DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS |
/// DNNL_ARG_SRC. Matmul takes them when the weights have zero points, instead of computing the sums.
/// @param attr Attributes to change.
/// @param arg DNNL_ARG_SRC.
/// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all. Groups need the
///     bits of the dimensions they divide.
/// @param group_ndims 0: no groups; 2: groups of the last two dimensions.
/// @param group_dims Extents of a group along the last two dimensions, in elements, > 0; may be NULL without
///     groups.
/// @param data_type Type of the sums: s32.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for an argument that takes none,
///     another type, a mask that is negative or names dimensions beyond DNNL_MAX_NDIMS, another group_ndims,
///     and groups that are not positive or come with mask 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr, int arg, int mask,
                                                                      int group_ndims, const dnnl_dims_t group_dims,
                                                                      dnnl_data_type_t data_type);

/// As dnnl_primitive_attr_set_zero_points(), also as a host scalar.
/// @param attr Attributes to change.
/// @param arg DNNL_ARG_SRC, DNNL_ARG_WEIGHTS or DNNL_ARG_DST.
/// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all. Groups need the
///     bits of the dimensions they divide.
/// @param ndims 0: no groups; 2: groups of the last two dimensions.
/// @param group_dims Extents of a group along the last two dimensions, in elements, > 0; may be NULL without
///     groups.
/// @param data_type Type of the zero points: s32, s8, u8, s4 or u4; for DNNL_ARG_DST s32.
/// @param is_on_host Not 0: the value is one host scalar instead of a tensor, which needs mask 0 and no
///     groups.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for an argument that takes none,
///     another type, a mask that is negative or names dimensions beyond DNNL_MAX_NDIMS, another ndims, groups
///     that are not positive or come with mask 0, and a host scalar with another mask than 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                              const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                              int is_on_host);

/// Sets how results of an argument are rounded. Stochastic rounding takes DNNL_ARG_ATTR_ROUNDING_SEED (one
/// s32) at execution.
/// @param attr Attributes to change.
/// @param arg DNNL_ARG_DST, DNNL_ARG_DIFF_SRC or DNNL_ARG_DIFF_WEIGHTS; any for the default mode.
/// @param mode The mode.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL, also for a value outside the enumeration,
///     and for stochastic rounding of another argument.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rounding(dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode);

/// Reads the rounding mode of an argument.
/// @param attr Attributes to read.
/// @param arg A DNNL_ARG_* number.
/// @param[out] mode The mode; dnnl_rounding_mode_environment where none was set.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `mode` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rounding(dnnl_primitive_attr_t attr, int arg,
                                                        dnnl_rounding_mode_t* mode);

/// Reads the post-ops.
/// @param attr Attributes to read.
/// @param[out] post_ops A view that lives until the attributes change.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `post_ops` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_post_ops(const_dnnl_primitive_attr_t attr,
                                                        const_dnnl_post_ops_t* post_ops);

/// Replaces the post-ops.
/// @param attr Attributes to change.
/// @param post_ops Post-ops to copy; they may be those of the attributes themselves.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `post_ops` is NULL; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_post_ops(dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops);

/// Sets the quantization of recurrent data: q = scale x + shift, rounded and saturated to 8 bits. Default 1
/// and 0.
/// @param attr Attributes to change.
/// @param scale Factor.
/// @param shift Summand, in units of the quantized data.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(dnnl_primitive_attr_t attr, const float scale,
                                                                const float shift);

/// Reads the quantization of recurrent data.
/// @param attr Attributes to read.
/// @param[out] scale Factor; may be NULL.
/// @param[out] shift Summand; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(const_dnnl_primitive_attr_t attr, float* scale,
                                                                float* shift);

/// Sets the scales of s8 recurrent weights.
/// @param attr Attributes to change.
/// @param count Number of scales, >= 1; 1 for mask 0.
/// @param mask 0: one scale; (1 << 3) | (1 << 4): one per gate and output channel.
/// @param scales The scales, copied.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `scales` is NULL, also for count < 1, a
///     negative mask, and several scales with mask 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(dnnl_primitive_attr_t attr, dnnl_dim_t count,
                                                                   int mask, const float* scales);

/// Reads the scales of recurrent weights.
/// @param attr Attributes to read.
/// @param[out] count Number of scales; may be NULL.
/// @param[out] mask Mask; may be NULL.
/// @param[out] scales The scales, a view that lives until the attributes change; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(const_dnnl_primitive_attr_t attr, dnnl_dim_t* count,
                                                                   int* mask, const float** scales);

/// Sets the scales of the s8 projection weights of an LSTM.
/// @param attr Attributes to change.
/// @param count Number of scales, >= 1; 1 for mask 0.
/// @param mask 0: one scale; 1 << 3: one per output channel.
/// @param scales The scales, copied.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `scales` is NULL, also for count < 1, a
///     negative mask, and several scales with mask 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(dnnl_primitive_attr_t attr,
                                                                              dnnl_dim_t count, int mask,
                                                                              const float* scales);

/// Reads the scales of the projection weights of an LSTM.
/// @param attr Attributes to read.
/// @param[out] count Number of scales; may be NULL.
/// @param[out] mask Mask; may be NULL.
/// @param[out] scales The scales, a view that lives until the attributes change; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(const_dnnl_primitive_attr_t attr,
                                                                              dnnl_dim_t* count, int* mask,
                                                                              const float** scales);

// ---- Post-ops ----
//
// A list of up to 32 operations on the result x of a primitive, applied in
// order, in f32, before the scale and zero point of dst. Every
// append gives dnnl_out_of_memory when the list is full. The get_params calls
// give dnnl_invalid_arguments for an index out of range or an entry of another
// kind; their outputs may be NULL.

/// Creates an empty list.
/// @param[out] post_ops The list; the caller destroys it.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t* post_ops);

/// Makes an independent copy of a list.
/// @param[out] post_ops The copy; the caller destroys it.
/// @param existing_post_ops List to copy.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` or `existing_post_ops` is NULL;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_post_ops_clone(dnnl_post_ops_t* post_ops, const_dnnl_post_ops_t existing_post_ops);

/// Destroys a list. Attributes it was set to have their own copy.
/// @param post_ops List to destroy; NULL is allowed.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops);

/// Number of entries.
/// @param post_ops List to ask.
/// @returns 0 to 32; 0 for NULL.
DNNL_API int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops);

/// Kind of an entry.
/// @param post_ops List to ask.
/// @param index Number of the entry, 0 to dnnl_post_ops_len() - 1.
/// @returns dnnl_sum, dnnl_eltwise, dnnl_convolution (depthwise), dnnl_binary or dnnl_prelu;
///     dnnl_undefined_primitive for an index out of range.
DNNL_API dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index);

/// Appends x <- x + scale (dst_old - zero_point).
/// @param post_ops List to extend.
/// @param scale Factor of the old dst.
/// @param zero_point Subtracted from the old dst; other values than 0 need an integer type.
/// @param data_type Type as which the old dst is read; of the size of its own type. dnnl_data_type_undef: its
///     own type.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for what is no data type;
///     dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_sum(dnnl_post_ops_t post_ops, float scale, int32_t zero_point,
                                                dnnl_data_type_t data_type);

/// Reads a sum entry.
/// @param post_ops List to read.
/// @param index Number of the entry, 0 to dnnl_post_ops_len() - 1.
/// @param[out] scale Factor; may be NULL.
/// @param[out] zero_point Zero point; may be NULL.
/// @param[out] data_type Type as which dst is read; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for an index out of range and
///     for an entry of another kind.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index, float* scale,
                                                    int32_t* zero_point, dnnl_data_type_t* data_type);

/// Appends x <- f(x).
/// @param post_ops List to extend.
/// @param alg_kind f, a dnnl_eltwise_* function.
/// @param alpha First parameter of f, where its formula has one.
/// @param beta Second parameter of f, where its formula has one.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for another algorithm, for clip
///     with beta < alpha, and for alpha < 0 with the *_use_dst_for_bwd forms of relu and elu;
///     dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_eltwise(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha,
                                                    float beta);

/// Reads an eltwise entry.
/// @param post_ops List to read.
/// @param index Number of the entry, 0 to dnnl_post_ops_len() - 1.
/// @param[out] alg_kind Function; may be NULL.
/// @param[out] alpha First parameter; may be NULL.
/// @param[out] beta Second parameter; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for an index out of range and
///     for an entry of another kind.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
                                                        dnnl_alg_kind_t* alg_kind, float* alpha, float* beta);

/// Appends a depthwise convolution with a square kernel, after a 1 x 1 convolution. Execution takes its
/// weights as DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, the bias as DNNL_ARG_ATTR_POST_OP_DW |
/// DNNL_ARG_BIAS. This version contains no convolution that such an entry could follow.
/// @param post_ops List to extend.
/// @param weights_data_type Type of the weights.
/// @param bias_data_type Type of the bias; dnnl_data_type_undef: no bias.
/// @param dst_data_type Type of the result.
/// @param kernel_size Extent of the kernel along each dimension, >= 1.
/// @param stride_size Stride along each dimension, >= 1.
/// @param padding_l_size Padding on top and on the left, 0 to kernel_size - 1.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for undefined types and sizes
///     out of range; dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops, dnnl_data_type_t weights_data_type,
                                               dnnl_data_type_t bias_data_type, dnnl_data_type_t dst_data_type,
                                               dnnl_dim_t kernel_size, dnnl_dim_t stride_size,
                                               dnnl_dim_t padding_l_size);

/// Reads a depthwise convolution entry.
/// @param post_ops List to read.
/// @param index Number of the entry, 0 to dnnl_post_ops_len() - 1.
/// @param[out] weights_data_type Type of the weights; may be NULL.
/// @param[out] bias_data_type Type of the bias; may be NULL.
/// @param[out] dst_data_type Type of the result; may be NULL.
/// @param[out] kernel_size Extent of the kernel; may be NULL.
/// @param[out] stride_size Stride; may be NULL.
/// @param[out] padding_l_size Padding on top and on the left; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for an index out of range and
///     for an entry of another kind.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
                                                   dnnl_data_type_t* weights_data_type,
                                                   dnnl_data_type_t* bias_data_type, dnnl_data_type_t* dst_data_type,
                                                   dnnl_dim_t* kernel_size, dnnl_dim_t* stride_size,
                                                   dnnl_dim_t* padding_l_size);

/// Appends x <- op(x, src1). Execution takes the tensor as DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) |
/// DNNL_ARG_SRC_1, i counting all entries.
/// @param post_ops List to extend.
/// @param alg_kind op, a dnnl_binary_* function of two operands.
/// @param src1_desc Descriptor of src1: each extent is that of dst or 1, then broadcast. May be any if it has
///     the shape of dst.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` or `src1_desc` is NULL, also for another
///     algorithm and for a zero or sparse descriptor; dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_binary(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                                   const_dnnl_memory_desc_t src1_desc);

/// As dnnl_post_ops_append_binary(), also for x <- src2 ? x : src1 (dnnl_binary_select), whose condition
/// execution takes with DNNL_ARG_SRC_2.
/// @param post_ops List to extend.
/// @param alg_kind op, a dnnl_binary_* function.
/// @param src1_desc Descriptor of src1: each extent is that of dst or 1, then broadcast. May be any if it has
///     the shape of dst.
/// @param src2_desc Descriptor of the condition: s8, shape of dst; optional, absent for all but
///     dnnl_binary_select.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` or `src1_desc` is NULL, also for another
///     algorithm, a zero or sparse descriptor, a missing condition, and a condition for another algorithm;
///     dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                                      const_dnnl_memory_desc_t src1_desc,
                                                      const_dnnl_memory_desc_t src2_desc);

/// Reads a binary entry.
/// @param post_ops List to read.
/// @param index Number of the entry, 0 to dnnl_post_ops_len() - 1.
/// @param[out] alg_kind Function; may be NULL.
/// @param[out] src1_desc Descriptor of src1, a view that lives until the list changes; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for an index out of range and
///     for an entry of another kind.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
                                                       dnnl_alg_kind_t* alg_kind, const_dnnl_memory_desc_t* src1_desc);

/// Reads a binary entry with its condition.
/// @param post_ops List to read.
/// @param index Number of the entry, 0 to dnnl_post_ops_len() - 1.
/// @param[out] alg_kind Function; may be NULL.
/// @param[out] src1_desc Descriptor of src1, a view that lives until the list changes; may be NULL.
/// @param[out] src2_desc Descriptor of the condition, such a view; a zero descriptor if there is none; may be
///     NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for an index out of range and
///     for an entry of another kind.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
                                                          dnnl_alg_kind_t* alg_kind,
                                                          const_dnnl_memory_desc_t* src1_desc,
                                                          const_dnnl_memory_desc_t* src2_desc);

/// Appends x <- x > 0 ? x : w x. Execution takes w, f32, as DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) |
/// DNNL_ARG_WEIGHTS, i counting all entries.
/// @param post_ops List to extend.
/// @param mask Bit d: w varies along dimension d of dst; 0: one value for all.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for a mask that is negative or
///     names dimensions beyond DNNL_MAX_NDIMS; dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask);

/// Reads a prelu entry.
/// @param post_ops List to read.
/// @param index Number of the entry, 0 to dnnl_post_ops_len() - 1.
/// @param[out] mask Mask; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `post_ops` is NULL, also for an index out of range and
///     for an entry of another kind.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_prelu(const_dnnl_post_ops_t post_ops, int index, int* mask);

// ---- Memory descriptors ----
//
// The creating calls give dnnl_invalid_arguments for ndims outside
// 0..DNNL_MAX_NDIMS, negative extents, an undefined data type or a volume that
// overflows. ndims 0 makes a zero descriptor. Extents may be
// DNNL_RUNTIME_DIM_VAL; such a descriptor makes no memory object.

/// Destroys a memory descriptor.
/// @param memory_desc Descriptor to destroy; NULL is allowed.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc);

/// Makes an independent copy of a memory descriptor.
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param existing_memory_desc Descriptor to copy.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` or `existing_memory_desc` is NULL;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_clone(dnnl_memory_desc_t* memory_desc,
                                              const_dnnl_memory_desc_t existing_memory_desc);

/// Stores a descriptor as bytes, which are only good for the same version of the library.
/// @param[out] blob The bytes; NULL to ask for their number.
/// @param size With blob NULL: gets the bytes needed. Otherwise: the bytes blob has room for.
/// @param memory_desc Descriptor to store.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` is NULL, also if `*size` is smaller than
///     needed.
DNNL_API dnnl_status_t dnnl_memory_desc_get_blob(uint8_t* blob, size_t* size, const_dnnl_memory_desc_t memory_desc);

/// Creates a descriptor from the bytes of dnnl_memory_desc_get_blob().
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param blob The bytes, as many as dnnl_memory_desc_get_blob() asked for.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` or `blob` is NULL, also if the bytes are no
///     descriptor of this version; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_blob(dnnl_memory_desc_t* memory_desc, const uint8_t* blob);

/// Creates a descriptor with strides: the element at index i lies sum i_k strides_k elements behind the first
/// one.
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param ndims Number of dimensions, 0 to DNNL_MAX_NDIMS; 0 makes a zero descriptor.
/// @param dims Extents in elements, ndims values >= 0 or DNNL_RUNTIME_DIM_VAL; may be NULL with ndims 0.
/// @param data_type Type of the elements.
/// @param strides Elements between neighbours along each dimension, ndims values >= 0 or
///     DNNL_RUNTIME_DIM_VAL; NULL means dense, row-major. Stride 0 repeats one element along its dimension.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` is NULL, also for ndims or extents out of
///     range, an undefined data type, a volume beyond 64 bits, negative strides and strides that make
///     different elements share a place; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t* memory_desc, int ndims,
                                                            const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                            const dnnl_dims_t strides);

/// Creates a descriptor with a named layout. Blocked dimensions are padded to whole blocks.
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param ndims Number of dimensions, 0 to DNNL_MAX_NDIMS; 0 makes a zero descriptor.
/// @param dims Extents in elements, ndims values >= 0 or DNNL_RUNTIME_DIM_VAL; may be NULL with ndims 0.
/// @param data_type Type of the elements.
/// @param tag Layout. dnnl_format_tag_any leaves it to a primitive descriptor, dnnl_format_tag_undef leaves
///     it open.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` is NULL, also for ndims or extents out of
///     range, an undefined data type, a volume beyond 64 bits, what is no tag and a tag with another number
///     of dimensions; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t* memory_desc, int ndims,
                                                        const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                        dnnl_format_tag_t tag);

/// Creates a descriptor of a sparse matrix in compressed rows. Buffers: 0 values [nnz], 1 column indices
/// [nnz], 2 row pointers [dims[0] + 1].
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param ndims 2.
/// @param dims Extents in elements, ndims values.
/// @param data_type Type of the values.
/// @param nnz Number of stored elements, >= 0.
/// @param indices_dt Type of the column indices: any, as in oneDNN; matmul takes s32.
/// @param pointers_dt Type of the row pointers: any, as in oneDNN; matmul takes s32.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` or `dims` is NULL; dnnl_unimplemented for
///     another ndims; dnnl_invalid_arguments for a negative nnz and for numbers that are no data type;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                                 const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                                 dnnl_dim_t nnz, dnnl_data_type_t indices_dt,
                                                                 dnnl_data_type_t pointers_dt);

/// Creates a descriptor of a sparse tensor of sorted coordinates. Buffers: 0 values [nnz], 1 to ndims the
/// indices [nnz] along each dimension.
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param ndims Number of dimensions, 1 to DNNL_MAX_NDIMS.
/// @param dims Extents in elements, ndims values.
/// @param data_type Type of the values.
/// @param nnz Number of stored elements, >= 0.
/// @param indices_dt Type of the indices: any, as in oneDNN; matmul takes s32.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` or `dims` is NULL, also for a negative nnz
///     and for numbers that are no data type; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                                 const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                                 dnnl_dim_t nnz, dnnl_data_type_t indices_dt);

/// Creates a descriptor of a sparse tensor whose form the library chooses. It has size 0 and makes no memory
/// object; matmul takes it as weights and reports the descriptor to use.
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param ndims Number of dimensions, 1 to DNNL_MAX_NDIMS.
/// @param dims Extents in elements, ndims values.
/// @param data_type Type of the values.
/// @param nnz Number of stored elements, >= 0.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` or `dims` is NULL, also for a negative nnz;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                                    const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                                    dnnl_dim_t nnz);

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
/// Creates a descriptor of matrices stored one after another, with different extents along one dimension.
/// Buffers: 0 the rows, 1 the end row of each group.
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param ndims 2.
/// @param dims Extents of all matrices together, ndims values.
/// @param data_type Type of the values.
/// @param variable_dim_idx Dimension whose extent differs: 0.
/// @param group_count Number of matrices, >= 1.
/// @param offsets_dt Type of the end rows: s32.
/// @returns dnnl_unimplemented whatever the arguments: this version does not contain grouped memory.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_grouped_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                                     const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                                     int variable_dim_idx, dnnl_dim_t group_count,
                                                                     dnnl_data_type_t offsets_dt);
#endif

/// Creates a descriptor of one value kept on the host: ndims 1, dims {1}.
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param data_type Type of the value.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` is NULL, also for an undefined data type;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_create_host_scalar(dnnl_memory_desc_t* memory_desc, dnnl_data_type_t data_type);

/// Creates a descriptor of a box inside a tensor. It uses the buffer of the parent: strides are the same, the
/// offset becomes part of the descriptor.
/// @param[out] memory_desc The descriptor; the caller destroys it.
/// @param parent_memory_desc Descriptor of the whole tensor.
/// @param dims Extents of the box in elements, as many values as the parent has dimensions.
/// @param offsets Index of the first element of the box in the parent, as many values.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, also
///     if the box leaves the parent; dnnl_unimplemented for a box that starts or ends inside a block, for
///     run-time extents and for a parent without strides; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t* memory_desc,
                                                         const_dnnl_memory_desc_t parent_memory_desc,
                                                         const dnnl_dims_t dims, const dnnl_dims_t offsets);

/// Creates a descriptor of the same buffer with another shape of the same volume: dimensions of extent 1 come
/// and go, a dimension is split, or dimensions that are dense neighbours in memory are joined.
/// @param[out] out_memory_desc The descriptor; the caller destroys it.
/// @param in_memory_desc Descriptor to reshape.
/// @param ndims Number of dimensions, 1 to DNNL_MAX_NDIMS.
/// @param dims Extents in elements, ndims values.
/// @returns dnnl_success; dnnl_invalid_arguments if `out_memory_desc` or `in_memory_desc` or `dims` is NULL,
///     also if the volume differs or the layout does not allow it; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t* out_memory_desc,
                                                const_dnnl_memory_desc_t in_memory_desc, int ndims,
                                                const dnnl_dims_t dims);

/// Creates a descriptor of the same buffer with renamed dimensions: dimension d becomes dimension
/// permutation[d].
/// @param[out] out_memory_desc The descriptor; the caller destroys it.
/// @param in_memory_desc Descriptor to permute.
/// @param permutation The numbers 0 to ndims - 1, each once.
/// @returns dnnl_success; dnnl_invalid_arguments if `out_memory_desc` or `in_memory_desc` or `permutation` is
///     NULL, also if it is no permutation and for layouts without strides; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t* out_memory_desc,
                                                     const_dnnl_memory_desc_t in_memory_desc, const int* permutation);

/// Asks a memory descriptor.
/// @param memory_desc Descriptor to ask.
/// @param what The question, from dnnl_query_ndims_s32 on.
/// @param[out] result The answer, of the type that dnnl_query_t gives for the question. Arrays are views into
///     the descriptor.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` or `result` is NULL, also for a property
///     this kind of descriptor does not have.
DNNL_API dnnl_status_t dnnl_memory_desc_query(const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void* result);

/// As dnnl_memory_desc_query(), also about the buffers of sparse tensors.
/// @param memory_desc Descriptor to ask.
/// @param what The question, from dnnl_query_ndims_s32 on.
/// @param index Number of the buffer for dnnl_query_data_type, otherwise 0.
/// @param[out] result The answer, of the type that dnnl_query_t gives for the question. Arrays are views into
///     the descriptor.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory_desc` or `result` is NULL, also for a property
///     this kind of descriptor does not have and for an index out of range.
DNNL_API dnnl_status_t dnnl_memory_desc_query_v2(const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index,
                                                 void* result);

/// Compares two descriptors. Strides of dimensions of extent 1 do not count; padding, offset and data type
/// do.
/// @param lhs One descriptor; may be NULL.
/// @param rhs The other; may be NULL.
/// @returns 1 if both describe the same tensor in the same layout, or both are NULL, else 0.
DNNL_API int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs);

/// Size of the buffer of a tensor, padding included; the only valid source of it.
/// @param memory_desc Descriptor to ask; may be NULL.
/// @returns Bytes; 0 for NULL, any, undefined layouts and empty tensors, DNNL_RUNTIME_SIZE_VAL with run-time
///     extents.
DNNL_API size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc);

/// As dnnl_memory_desc_get_size(), for one of several buffers.
/// @param memory_desc Descriptor to ask; may be NULL.
/// @param index Number of the buffer.
/// @returns Bytes, as there; 0 for a buffer that does not exist.
DNNL_API size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index);

/// Size of an element.
/// @param data_type Type of the element.
/// @returns Bytes; 1 also for 4-bit types, of which two share a byte, 0 for dnnl_data_type_undef and unknown
///     types.
DNNL_API size_t dnnl_data_type_size(dnnl_data_type_t data_type);

// ---- Memory objects ----
//
// `index` is the number of a buffer, 0 for dense tensors; another one than the
// descriptor has gives dnnl_invalid_arguments.

/// Creates a memory object.
/// @param[out] memory The memory object; the caller destroys it.
/// @param memory_desc Descriptor, copied; not any, not packed, without run-time extents.
/// @param engine Engine the memory belongs to.
/// @param handle Buffer of the user of at least dnnl_memory_desc_get_size() bytes, which must live as long as
///     it is used; DNNL_MEMORY_ALLOCATE: the library allocates (64-byte aligned) and frees; DNNL_MEMORY_NONE
///     (NULL): none yet. For sparse tensors the two constants apply to all buffers.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `memory_desc` or `engine` is NULL, also for
///     another descriptor, and for one buffer where the descriptor has several; dnnl_out_of_memory if the
///     memory cannot be had.
DNNL_API dnnl_status_t dnnl_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                          dnnl_engine_t engine, void* handle);

/// As dnnl_memory_create(), with one handle per buffer.
/// @param[out] memory The memory object; the caller destroys it.
/// @param memory_desc Descriptor, copied; not any, not packed, without run-time extents.
/// @param engine Engine the memory belongs to.
/// @param nhandles Number of buffers of the descriptor.
/// @param handles One handle per buffer, as in dnnl_memory_create().
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, also
///     for another descriptor and for another number of buffers; dnnl_out_of_memory if the memory cannot be
///     had.
DNNL_API dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                             dnnl_engine_t engine, int nhandles, void** handles);

/// Creates a memory object that holds one value on the host. It has no engine.
/// @param[out] memory The memory object; the caller destroys it.
/// @param memory_desc Descriptor from dnnl_memory_desc_create_host_scalar().
/// @param scalar_ptr The value, copied.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `memory_desc` or `scalar_ptr` is NULL, also
///     for another descriptor; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_memory_create_host_scalar(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                      void* scalar_ptr);

/// Reads the descriptor of a memory object.
/// @param memory Memory object to ask.
/// @param[out] memory_desc A view that lives as long as the memory object.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `memory_desc` is NULL.
DNNL_API dnnl_status_t dnnl_memory_get_memory_desc(const_dnnl_memory_t memory, const_dnnl_memory_desc_t* memory_desc);

/// Reads the engine of a memory object.
/// @param memory Memory object to ask.
/// @param[out] engine Its engine, owned by whoever created it; NULL for a host scalar.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `engine` is NULL.
DNNL_API dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t* engine);

/// Gives the host access to the data, until dnnl_memory_unmap_data(). On the CPU it is the buffer itself.
/// @param memory Memory object to map.
/// @param[out] mapped_ptr Pointer to the data; NULL for an empty tensor or one without storage.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `mapped_ptr` is NULL.
DNNL_API dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void** mapped_ptr);

/// As dnnl_memory_map_data(), for one of several buffers.
/// @param memory Memory object to map.
/// @param[out] mapped_ptr Pointer to the data; NULL for an empty tensor or one without storage.
/// @param index Number of the buffer; 0 for dense tensors.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `mapped_ptr` is NULL, also for a buffer that
///     does not exist.
DNNL_API dnnl_status_t dnnl_memory_map_data_v2(const_dnnl_memory_t memory, void** mapped_ptr, int index);

/// Ends a mapping; what was written through the pointer reaches the memory.
/// @param memory Memory object that was mapped.
/// @param mapped_ptr Pointer that dnnl_memory_map_data() gave; not looked at on the CPU.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` is NULL, also for a pointer that is no mapping of a
///     device's memory.
DNNL_API dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void* mapped_ptr);

/// As dnnl_memory_unmap_data(), for one of several buffers.
/// @param memory Memory object that was mapped.
/// @param mapped_ptr Pointer that dnnl_memory_map_data_v2() gave; not looked at on the CPU.
/// @param index Number of the buffer; 0 for dense tensors.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` is NULL, also for a buffer that does not exist and for a
///     pointer that is no mapping of a device's memory.
DNNL_API dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void* mapped_ptr, int index);

/// Reads the address of the buffer.
/// @param memory Memory object to ask.
/// @param[out] handle The address; NULL if there is no buffer.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `handle` is NULL, also for a host scalar.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void** handle);

/// Replaces the buffer; its contents are not touched. A buffer that the library allocated is freed.
/// @param memory Memory object to change.
/// @param handle Buffer of the user, who keeps owning it; NULL: none.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` is NULL, also for a host scalar and for
///     DNNL_MEMORY_ALLOCATE.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void* handle);

/// As dnnl_memory_get_data_handle(), for one of several buffers.
/// @param memory Memory object to ask.
/// @param[out] handle The address; NULL if there is no buffer.
/// @param index Number of the buffer; 0 for dense tensors.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `handle` is NULL, also for a host scalar and
///     for a buffer that does not exist.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory, void** handle, int index);

/// As dnnl_memory_set_data_handle(), for one of several buffers.
/// @param memory Memory object to change.
/// @param handle Buffer of the user, who keeps owning it; NULL: none.
/// @param index Number of the buffer; 0 for dense tensors.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` is NULL, also for a host scalar,
///     DNNL_MEMORY_ALLOCATE and a buffer that does not exist.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void* handle, int index);

/// Reads the value of a host scalar.
/// @param memory Host scalar to read.
/// @param[out] value The value; room for one element of its type.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `value` is NULL, also for other memory
///     objects.
DNNL_API dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void* value);

/// Replaces the value of a host scalar.
/// @param memory Host scalar to change.
/// @param value One element of its type.
/// @returns dnnl_success; dnnl_invalid_arguments if `memory` or `value` is NULL, also for other memory
///     objects.
DNNL_API dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void* value);

/// Destroys a memory object and the buffers that the library allocated for it.
/// @param memory Memory object to destroy; NULL is allowed.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory);

// ---- Creation of primitive descriptors ----
//
// Creation is where the time goes: it checks the problem, chooses an
// implementation and generates its code, unless the primitive cache has an equal
// problem. Primitives made from the descriptor share the code. With run-time
// extents code is generated at the first execution with new extents.
//
// Common errors: dnnl_invalid_arguments for contradicting shapes, an algorithm
// or propagation kind of another operation, or any where it is not allowed;
// dnnl_unimplemented for a consistent problem without implementation (data
// types, layouts, attributes), including every problem of an operation that
// this version does not contain. In the comments "in" and "out" list the
// execution arguments without DNNL_ARG_; every primitive also takes SCRATCHPAD
// in user mode. `hint_fwd_pd` is the forward descriptor of the same problem,
// made with dnnl_forward_training where a workspace or statistics are kept.

/// Reorder: copies every element of src to the same logical index of dst, changing layout and data type.
/// Equal shapes, neither may be any. In: FROM. Out: TO. Attributes: scales and zero points of SRC and DST,
/// one sum post-op, output scales (dnnl_tessera.h).
/// @param[out] reorder_primitive_desc The primitive descriptor; the caller destroys it.
/// @param src_desc Descriptor of src; not any.
/// @param src_engine Engine of src.
/// @param dst_desc Descriptor of dst, the shape of src; not any.
/// @param dst_engine Engine of dst.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional,
///     shapes that contradict each other, and different shapes, zero points of a floating-point side;
///     dnnl_unimplemented for data types, layouts and attributes without an implementation, other post-ops;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_reorder_primitive_desc_create(dnnl_primitive_desc_t* reorder_primitive_desc,
                                                          const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
                                                          const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
                                                          const_dnnl_primitive_attr_t attr);

/// Concat: joins `n` sources of one data type along `concat_dimension`. All other extents are equal. dst
/// optional or any: shape and layout follow from the sources. In: MULTIPLE_SRC + i. Out: DST. Attributes: one
/// scale (mask 0) per source. Sources without elements are ignored; without any source dst is empty.
/// @param[out] concat_primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param dst_desc Descriptor of dst; may be any; optional: absent takes shape and layout from the sources.
/// @param n Number of sources, >= 0.
/// @param concat_dimension Dimension along which sources are joined; 0 to ndims - 1.
/// @param src_descs Descriptors of the n sources, of one data type; all extents but that of concat_dimension
///     are equal. May be NULL with n 0.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional,
///     shapes that contradict each other, and n < 0, a dimension out of range or extents that do not add up;
///     dnnl_unimplemented for data types, layouts and attributes without an implementation;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t* concat_primitive_desc,
                                                         dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n,
                                                         int concat_dimension,
                                                         const const_dnnl_memory_desc_t* src_descs,
                                                         const_dnnl_primitive_attr_t attr);

/// Sum: dst = sum of scales[i] src_i over `n` sources of one shape. dst optional or any. In: MULTIPLE_SRC +
/// i. Out: DST, which may be source 0. No attributes.
/// @param[out] sum_primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param dst_desc Descriptor of dst; may be any; optional: absent takes shape and layout from the sources.
/// @param n Number of sources, >= 1.
/// @param scales The n factors of the sources, copied.
/// @param src_descs Descriptors of the n sources, of one shape.
/// @param attr Attributes, copied: none but the scratchpad mode; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional,
///     shapes that contradict each other, and n < 1 or different shapes; dnnl_unimplemented for data types,
///     layouts and attributes without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t* sum_primitive_desc, dnnl_engine_t engine,
                                                      const_dnnl_memory_desc_t dst_desc, int n, const float* scales,
                                                      const const_dnnl_memory_desc_t* src_descs,
                                                      const_dnnl_primitive_attr_t attr);

/// Binary: dst = op(src0, src1), a dnnl_binary_* algorithm with two operands. Each extent of a source is that
/// of dst or 1. In: SRC_0, SRC_1. Out: DST. Attributes: scales of SRC_0 and SRC_1 (mask 0); post-ops sum,
/// eltwise, binary.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind A dnnl_binary_* function.
/// @param src0_desc Descriptor of the first source; each extent is that of dst, or 1 and then broadcast.
/// @param src1_desc Descriptor of the second source; each extent is that of dst, or 1 and then broadcast; may
///     be any.
/// @param dst_desc Descriptor of dst, the broadcast shape of src0 and src1; may be any.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                         dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
                                                         const_dnnl_memory_desc_t src1_desc,
                                                         const_dnnl_memory_desc_t dst_desc,
                                                         const_dnnl_primitive_attr_t attr);

/// As dnnl_binary_primitive_desc_create(), also for dnnl_binary_select with the condition src2: s8, shape and
/// layout of src0, in: SRC_2. For other algorithms src2 is absent.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind A dnnl_binary_* function.
/// @param src0_desc Descriptor of the first source; each extent is that of dst, or 1 and then broadcast.
/// @param src1_desc Descriptor of the second source; each extent is that of dst, or 1 and then broadcast; may
///     be any.
/// @param src2_desc Descriptor of the condition of dnnl_binary_select: s8, shape of src0; optional, absent
///     for other algorithms.
/// @param dst_desc Descriptor of dst, the broadcast shape of src0 and src1; may be any.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create_v2(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src0_desc, const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Convolution: src N x G*I x [[D x] H x] W, weights [G x] O x I x [[KD x] KH x] KW, bias G*O or absent, dst
/// N x G*O x [[OD x] OH x] OW. Window parameters hold one value per spatial dimension: strides >= 1; dilates
/// >= 0, where 0 (or NULL) is dense; padding_l, padding_r >= 0, padding_r NULL means equal to padding_l. The
/// output extent is (I - (1 + (K - 1)(dilate + 1)) + padding_l + padding_r) / stride + 1, rounded down. In:
/// SRC, WEIGHTS, BIAS. Out: DST. Attributes: scales and zero points for integer data, post-ops of all kinds.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param alg_kind dnnl_convolution_direct, dnnl_convolution_winograd or dnnl_convolution_auto.
/// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be any.
/// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be any.
/// @param bias_desc Descriptor of bias, G*O; may be any; optional: absent means no bias.
/// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be any.
/// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
/// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
///     dimension; NULL means dense.
/// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
///     dimension.
/// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
///     dimension; NULL means as padding_l.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, extents
///     that contradict each other and empty weights; dnnl_unimplemented for data types, layouts and attributes
///     without an implementation, and for winograd; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Gradient of a convolution by its source; parameters as for
/// dnnl_convolution_forward_primitive_desc_create(). In: DIFF_DST, WEIGHTS. Out: DIFF_SRC.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind dnnl_convolution_direct, dnnl_convolution_winograd or dnnl_convolution_auto.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x G*I x [[D x] H x] W; may be any.
/// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be any.
/// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
/// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
///     dimension; NULL means dense.
/// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
///     dimension.
/// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
///     dimension; NULL means as padding_l.
/// @param hint_fwd_pd Descriptor of the forward computation; may be NULL.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, extents
///     that contradict each other and empty weights; dnnl_unimplemented for data types, layouts and attributes
///     without an implementation, and for winograd; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Gradient of a convolution by weights and bias; diff_bias is optional. The results are overwritten. In:
/// SRC, DIFF_DST. Out: DIFF_WEIGHTS, DIFF_BIAS.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind dnnl_convolution_direct, dnnl_convolution_winograd or dnnl_convolution_auto.
/// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be any.
/// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
///     KW; may be any.
/// @param diff_bias_desc Descriptor of diff_bias, the gradient of bias: G*O; may be any; optional: absent
///     means no bias.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be any.
/// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
/// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
///     dimension; NULL means dense.
/// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
///     dimension.
/// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
///     dimension; NULL means as padding_l.
/// @param hint_fwd_pd Descriptor of the forward computation; may be NULL.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, extents
///     that contradict each other and empty weights; dnnl_unimplemented for data types, layouts and attributes
///     without an implementation, and for winograd; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Deconvolution, the transpose of a convolution with the same parameters: src N x I.., weights [G x] O x
/// I.., bias absent or one value per channel of dst, dst N x O... Any extent of dst is legal from which the
/// convolution would compute the extent of src. Otherwise as
/// dnnl_convolution_forward_primitive_desc_create(); no depthwise post-op.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param alg_kind dnnl_deconvolution_direct or dnnl_deconvolution_winograd.
/// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be any.
/// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be any.
/// @param bias_desc Descriptor of bias, G*O; may be any; optional: absent means no bias.
/// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be any.
/// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
/// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
///     dimension; NULL means dense.
/// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
///     dimension.
/// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
///     dimension; NULL means as padding_l.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, extents
///     that contradict each other and empty weights; dnnl_unimplemented for data types, layouts and attributes
///     without an implementation, and for winograd; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Gradient of a deconvolution by its source. In: DIFF_DST, WEIGHTS. Out: DIFF_SRC.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind dnnl_deconvolution_direct or dnnl_deconvolution_winograd.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x G*I x [[D x] H x] W; may be any.
/// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be any.
/// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
/// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
///     dimension; NULL means dense.
/// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
///     dimension.
/// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
///     dimension; NULL means as padding_l.
/// @param hint_fwd_pd Descriptor of the forward computation; may be NULL.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, extents
///     that contradict each other and empty weights; dnnl_unimplemented for data types, layouts and attributes
///     without an implementation, and for winograd; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_deconvolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Gradient of a deconvolution by weights and (optional) bias. In: SRC, DIFF_DST. Out: DIFF_WEIGHTS,
/// DIFF_BIAS.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind dnnl_deconvolution_direct or dnnl_deconvolution_winograd.
/// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be any.
/// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
///     KW; may be any.
/// @param diff_bias_desc Descriptor of diff_bias, the gradient of bias: G*O; may be any; optional: absent
///     means no bias.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be any.
/// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
/// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
///     dimension; NULL means dense.
/// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
///     dimension.
/// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
///     dimension; NULL means as padding_l.
/// @param hint_fwd_pd Descriptor of the forward computation; may be NULL.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, extents
///     that contradict each other and empty weights; dnnl_unimplemented for data types, layouts and attributes
///     without an implementation, and for winograd; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_deconvolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Shuffle: with C = extent of dimension `axis` and G = `group_size`, element u G + v of src goes to v C/G +
/// u of dst, 0 <= u < C/G, 0 <= v < G; all other indices stay. src and dst have one shape, type and layout;
/// In: SRC. Out: DST, not in place. No attributes but the scratchpad mode.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param src_desc Descriptor of src, 1 to 12 dimensions.
/// @param dst_desc Descriptor of dst, the shape and type of src; may be any.
/// @param axis Dimension that is shuffled; 0 to ndims - 1.
/// @param group_size Number of columns G of the matrix that is transposed; a divisor of the extent of the
///     axis.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional,
///     shapes that contradict each other, and an axis out of range, an empty axis or a G that does not divide
///     C; dnnl_unimplemented for data types, layouts and attributes without an implementation, if type or
///     layout of src and dst differ; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                  dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                  const_dnnl_memory_desc_t src_desc,
                                                                  const_dnnl_memory_desc_t dst_desc, int axis,
                                                                  dnnl_dim_t group_size,
                                                                  const_dnnl_primitive_attr_t attr);

/// Inverse of the forward shuffle with the same `axis` and `group_size`. In: DIFF_DST. Out: DIFF_SRC. The
/// hint may come from training or inference.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 12 dimensions; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape and type of src.
/// @param axis Dimension that is shuffled; 0 to ndims - 1.
/// @param group_size Number of columns G of the matrix that is transposed; a divisor of the extent of the
///     axis.
/// @param hint_fwd_pd Descriptor of the forward computation, of training or inference; may be NULL. Only its
///     kind is checked.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional,
///     shapes that contradict each other, and an axis out of range, an empty axis and a G that does not
///     divide C; dnnl_unimplemented for data types, layouts and attributes without an implementation, type or
///     layout of diff_src and diff_dst that differ; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, int axis, dnnl_dim_t group_size, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Eltwise: dst = f(src) for a dnnl_eltwise_* algorithm with parameters alpha and beta. One shape and type;
/// In: SRC. Out: DST, which may be SRC. Attributes: binary post-ops.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param alg_kind A dnnl_eltwise_* function.
/// @param src_desc Descriptor of src, 1 to 12 dimensions.
/// @param dst_desc Descriptor of dst, the shape of src; may be any.
/// @param alpha First parameter of the function, where its formula has one.
/// @param beta Second parameter of the function, where its formula has one.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional,
///     shapes that contradict each other, and parameters out of the algorithm's domain and for algorithms
///     without an integer form; dnnl_unimplemented for data types, layouts and attributes without an
///     implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                  dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                  dnnl_alg_kind_t alg_kind,
                                                                  const_dnnl_memory_desc_t src_desc,
                                                                  const_dnnl_memory_desc_t dst_desc, float alpha,
                                                                  float beta, const_dnnl_primitive_attr_t attr);

/// Gradient of eltwise: diff_src = diff_dst f'(data). `data` is src, or dst for the *_use_dst_for_bwd
/// algorithms; the gradients may be any; the hint is optional. In: SRC or DST, DIFF_DST. Out: DIFF_SRC, which
/// may be DIFF_DST.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind A dnnl_eltwise_* function.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 12 dimensions; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be any.
/// @param data_desc Descriptor of src or, for the algorithms that use dst for the gradient, of dst.
/// @param alpha First parameter of the function, where its formula has one.
/// @param beta Second parameter of the function, where its formula has one.
/// @param hint_fwd_pd Descriptor of the forward computation, of training or inference; may be NULL. Only its
///     kind is checked.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t data_desc,
    float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Softmax or its logarithm along dimension `softmax_axis`. In: SRC. Out: DST, which may be SRC if the types
/// are equal. Attributes: scales of SRC and DST for integer data, post-ops eltwise, binary.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param alg_kind dnnl_softmax_accurate or dnnl_softmax_log.
/// @param src_desc Descriptor of src, 1 to 12 dimensions.
/// @param dst_desc Descriptor of dst, the shape of src; may be any.
/// @param softmax_axis Dimension whose elements sum up to 1; 0 to ndims - 1.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, other algorithms, different shapes
/// and
///     an axis outside 0..ndims-1; dnnl_unimplemented for other types and attributes.
DNNL_API dnnl_status_t dnnl_softmax_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                  dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                  dnnl_alg_kind_t alg_kind,
                                                                  const_dnnl_memory_desc_t src_desc,
                                                                  const_dnnl_memory_desc_t dst_desc, int softmax_axis,
                                                                  const_dnnl_primitive_attr_t attr);

/// Gradient of softmax; dst is the forward result, the gradients may be any. In: DST, DIFF_DST. Out:
/// DIFF_SRC, which may be DIFF_DST.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind dnnl_softmax_accurate or dnnl_softmax_log.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 12 dimensions; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be any.
/// @param dst_desc Descriptor of dst, the shape of src.
/// @param softmax_axis Dimension whose elements sum up to 1; 0 to ndims - 1.
/// @param hint_fwd_pd Descriptor of the forward computation, or NULL.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, a hint of something else, other
///     algorithms, different shapes and an axis outside 0..ndims-1; dnnl_unimplemented for integers and attributes.
DNNL_API dnnl_status_t dnnl_softmax_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t dst_desc,
    int softmax_axis, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Pooling: maximum or mean over windows of extents `kernel`; src N x C x [[D x] H x] W. Window parameters
/// and output extents as for convolution. In: SRC. Out: DST and, for maximum in training, WORKSPACE.
/// Attributes: post-ops eltwise, binary.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param alg_kind dnnl_pooling_max, dnnl_pooling_avg_include_padding or dnnl_pooling_avg_exclude_padding.
/// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
/// @param dst_desc Descriptor of dst, N x C x [[OD x] OH x] OW; may be any.
/// @param strides Elements between neighbouring window positions, >= 1; one value per spatial dimension.
/// @param kernel Extents of the window in elements; one value per spatial dimension.
/// @param dilation Elements skipped between neighbours in the window, >= 0, 0 is dense; one value per spatial
///     dimension.
/// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
///     dimension.
/// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
///     dimension; NULL means as padding_l.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, for shapes and windows that
///     contradict each other, and for a mean without padding where a window lies in the padding entirely;
///     dnnl_unimplemented for data types, layouts and attributes without an implementation.
DNNL_API dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_attr_t attr);

/// Gradient of pooling. In: DIFF_DST and, for maximum, WORKSPACE. Out: DIFF_SRC.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind dnnl_pooling_max, dnnl_pooling_avg_include_padding or dnnl_pooling_avg_exclude_padding.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x C x [[OD x] OH x] OW.
/// @param strides Elements between neighbouring window positions, >= 1; one value per spatial dimension.
/// @param kernel Extents of the window in elements; one value per spatial dimension.
/// @param dilation Elements skipped between neighbours in the window, >= 0, 0 is dense; one value per spatial
///     dimension.
/// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
///     dimension.
/// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
///     dimension; NULL means as padding_l.
/// @param hint_fwd_pd Descriptor of the forward computation; of training for maximum. NULL is allowed for means.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, for shapes and windows that
///     contradict each other, and for maximum without a hint; dnnl_unimplemented for maximum with an inference
///     hint, and for data types, layouts and attributes without an implementation.
DNNL_API dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// PReLU: dst = src > 0 ? src : src w. Each extent of weights is that of src or 1. In: SRC, WEIGHTS. Out:
/// DST. No attributes.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param src_desc Descriptor of src, 1 to 5 dimensions.
/// @param weights_desc Descriptor of weights, as many dimensions as src, each extent 1 or that of src; may be
///     any.
/// @param dst_desc Descriptor of dst, the shape of src; may be any.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                const_dnnl_memory_desc_t src_desc,
                                                                const_dnnl_memory_desc_t weights_desc,
                                                                const_dnnl_memory_desc_t dst_desc,
                                                                const_dnnl_primitive_attr_t attr);

/// Gradient of PReLU by source and weights. In: SRC, WEIGHTS, DIFF_DST. Out: DIFF_SRC, DIFF_WEIGHTS.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param src_desc Descriptor of src, 1 to 5 dimensions.
/// @param weights_desc Descriptor of weights, as many dimensions as src, each extent 1 or that of src; may be
///     any.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 5 dimensions; may be any.
/// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: as many dimensions as src,
///     each extent 1 or that of src; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be any.
/// @param hint_fwd_pd Descriptor of the forward computation, of training or inference; may be NULL. Only its
///     kind is checked.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Local response normalization: dst = src (k + alpha/n sum s^2)^-beta over a window of `local_size` channels
/// or pixels per spatial dimension, n the volume of the window. In: SRC. Out: DST and, if the descriptor
/// reports one, WORKSPACE. No attributes.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param alg_kind dnnl_lrn_across_channels or dnnl_lrn_within_channel.
/// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
/// @param dst_desc Descriptor of dst, the shape of src; may be any.
/// @param local_size Extent of the window, in channels, or in pixels per spatial dimension; >= 0.
/// @param alpha Factor of the sum of squares.
/// @param beta Negated exponent.
/// @param k Constant added to the scaled sum of squares.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, for shapes that differ and for a
///     negative size; dnnl_unimplemented for data types, layouts and attributes without an implementation.
DNNL_API dnnl_status_t dnnl_lrn_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size, float alpha,
    float beta, float k, const_dnnl_primitive_attr_t attr);

/// Gradient of LRN. In: SRC, DIFF_DST, WORKSPACE if the forward descriptor has one. Out: DIFF_SRC.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind dnnl_lrn_across_channels or dnnl_lrn_within_channel.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be any.
/// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
/// @param local_size Extent of the window, in channels, or in pixels per spatial dimension; >= 0.
/// @param alpha Factor of the sum of squares.
/// @param beta Negated exponent.
/// @param k Constant added to the scaled sum of squares.
/// @param hint_fwd_pd Descriptor of the forward computation, of training where it keeps a workspace or
///     statistics.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, for shapes that differ and for a
///     negative size; dnnl_unimplemented for data types, layouts and attributes without an implementation.
DNNL_API dnnl_status_t dnnl_lrn_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    dnnl_dim_t local_size, float alpha, float beta, float k, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Batch normalization: dst = scale (src - mean) / sqrt(variance + epsilon) + shift per channel; src N x C x
/// [[D x] H x] W, the other tensors C, f32. `flags`: dnnl_normalization_flags_t. In: SRC, and by flags SCALE,
/// SHIFT, SRC_1, MEAN, VARIANCE. Out: DST, which may be SRC; in training without global statistics MEAN,
/// VARIANCE; with fused relu in training WORKSPACE. Attributes: post-op relu.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param src_desc Descriptor of src, N x C [x [[D x] H x] W].
/// @param dst_desc Descriptor of dst, the shape of src; may be any.
/// @param epsilon Constant added to the variance.
/// @param flags dnnl_normalization_flags_t as bits.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, contradicting shapes, fewer than 2
///     dimensions and dnnl_rms_norm; dnnl_unimplemented for dnnl_fuse_norm_add_relu and other types, layouts and
///     attributes.
DNNL_API dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon, unsigned int flags,
    const_dnnl_primitive_attr_t attr);

/// Gradient of batch normalization: dnnl_backward for all, dnnl_backward_data without those of scale and
/// shift. In: SRC, MEAN, VARIANCE, DIFF_DST, by flags SCALE and WORKSPACE. Out: DIFF_SRC, by flags
/// DIFF_SCALE, DIFF_SHIFT, DIFF_SRC_1.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward for all gradients, dnnl_backward_data for diff_src alone.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C [x [[D x] H x] W]; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be any.
/// @param src_desc Descriptor of src, N x C [x [[D x] H x] W].
/// @param epsilon Constant added to the variance.
/// @param flags dnnl_normalization_flags_t as bits.
/// @param hint_fwd_pd Descriptor of the forward computation, of training where it keeps a workspace or
///     statistics.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, contradicting shapes and flags;
///     dnnl_unimplemented for a fused relu whose hint has no workspace, and for other types, layouts and attributes.
DNNL_API dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    float epsilon, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Group normalization over `groups` groups of channels and all pixels; src N x C x spatial, statistics N x
/// groups, scale and shift C, all f32. Arguments as batch normalization. Attributes: scales of SRC and DST
/// for integer data, post-ops eltwise, binary.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
/// @param dst_desc Descriptor of dst, the shape of src; may be any.
/// @param groups Number of groups of channels; a divisor of C.
/// @param epsilon Constant added to the variance.
/// @param flags dnnl_normalization_flags_t as bits.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, contradicting shapes, flags that
///     it lacks, and if groups does not divide C; dnnl_unimplemented for other types and attributes.
DNNL_API dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups, float epsilon,
    unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of group normalization. In: SRC, MEAN, VARIANCE, DIFF_DST, by flags SCALE. Out: DIFF_SRC, by
/// flags DIFF_SCALE, DIFF_SHIFT.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward for all gradients, dnnl_backward_data for diff_src alone.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be any.
/// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
/// @param groups Number of groups of channels; a divisor of C.
/// @param epsilon Constant added to the variance.
/// @param flags dnnl_normalization_flags_t as bits.
/// @param hint_fwd_pd Descriptor of the forward computation, of training where it keeps a workspace or
///     statistics.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, contradicting shapes, flags that
///     it lacks, and if groups does not divide C; dnnl_unimplemented for other types and attributes.
DNNL_API dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    dnnl_dim_t groups, float epsilon, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Layer normalization over the last dimension, 2D to 5D. `stat_desc`: shape of src without the last
/// dimension, f32, optional. Scale and shift are f32 of the last extent. Arguments as batch normalization;
/// with dnnl_rms_norm there is no MEAN. Attributes: scales of SRC and DST for integer data, post-ops eltwise,
/// binary.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
/// @param dst_desc Descriptor of dst, the shape of src; may be any.
/// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32;
///     optional: absent takes their layout from src.
/// @param epsilon Constant added to the variance.
/// @param flags dnnl_normalization_flags_t as bits.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, contradicting shapes, flags that
///     it lacks, and ranks other than 2 to 5; dnnl_unimplemented for other types and attributes.
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
    float epsilon, unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of layer normalization. In: SRC, MEAN, VARIANCE, DIFF_DST, by flags SCALE. Out: DIFF_SRC, by
/// flags DIFF_SCALE, DIFF_SHIFT. With dnnl_rms_norm DIFF_SRC is the gradient of scale src / sqrt(mean of squares +
/// epsilon): oneDNN also subtracts the mean of the gradients, as without that flag.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward for all gradients, dnnl_backward_data for diff_src alone.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: 2 to 5 dimensions, the last is
///     normalized; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be any.
/// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
/// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32;
///     optional: absent takes their layout from src.
/// @param epsilon Constant added to the variance.
/// @param flags dnnl_normalization_flags_t as bits.
/// @param hint_fwd_pd Descriptor of the forward computation, of training where it keeps a workspace or
///     statistics.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, contradicting shapes, flags that
///     it lacks, and ranks other than 2 to 5; dnnl_unimplemented for other types and attributes.
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// As dnnl_layer_normalization_forward_primitive_desc_create(), with the type of scale and shift (f32, bf16,
/// f16).
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
/// @param dst_desc Descriptor of dst, the shape of src; may be any.
/// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32;
///     optional: absent takes their layout from src.
/// @param scale_shift_data_type Type of scale and shift: f32, bf16 or f16.
/// @param epsilon Constant added to the variance.
/// @param flags dnnl_normalization_flags_t as bits.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, contradicting shapes, flags that
///     it lacks, and ranks other than 2 to 5; dnnl_unimplemented for other types and attributes.
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
    dnnl_data_type_t scale_shift_data_type, float epsilon, unsigned int flags, const_dnnl_primitive_attr_t attr);

/// As dnnl_layer_normalization_backward_primitive_desc_create(), with the types of scale and shift and of
/// their gradients.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward for all gradients, dnnl_backward_data for diff_src alone.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: 2 to 5 dimensions, the last is
///     normalized; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be any.
/// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
/// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32;
///     optional: absent takes their layout from src.
/// @param diff_scale_shift_data_type Type of the gradients of scale and shift: f32, bf16 or f16.
/// @param scale_shift_data_type Type of scale and shift: f32, bf16 or f16.
/// @param epsilon Constant added to the variance.
/// @param flags dnnl_normalization_flags_t as bits.
/// @param hint_fwd_pd Descriptor of the forward computation, of training where it keeps a workspace or
///     statistics.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, contradicting shapes, flags that
///     it lacks, and ranks other than 2 to 5; dnnl_unimplemented for other types and attributes.
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t diff_scale_shift_data_type,
    dnnl_data_type_t scale_shift_data_type, float epsilon, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Inner product: dst[n, o] = bias[o] + sum over channels and pixels of src[n, ..] weights[o, ..]; src N x I
/// [x spatial], weights O x I [x spatial], bias O or absent, dst N x O. In: SRC, WEIGHTS, BIAS. Out: DST.
/// Attributes: scales for integer data, post-ops eltwise, sum, binary, prelu.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be any.
/// @param weights_desc Descriptor of weights, O x I [x [[D x] H x] W]; may be any.
/// @param bias_desc Descriptor of bias, O; may be any; optional: absent means no bias.
/// @param dst_desc Descriptor of dst, N x O; may be any.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional,
///     shapes that contradict each other, and empty weights; dnnl_unimplemented for data types, layouts and
///     attributes without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Gradient of the inner product by its source. In: DIFF_DST, WEIGHTS. Out: DIFF_SRC.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x I [x [[D x] H x] W]; may be any.
/// @param weights_desc Descriptor of weights, O x I [x [[D x] H x] W]; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x O; may be any.
/// @param hint_fwd_pd Descriptor of the forward computation, of training or inference; may be NULL. Only its
///     kind is checked.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Gradient of the inner product by weights and (optional) bias. In: SRC, DIFF_DST. Out: DIFF_WEIGHTS,
/// DIFF_BIAS.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be any.
/// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: O x I [x [[D x] H x] W]; may
///     be any.
/// @param diff_bias_desc Descriptor of diff_bias, the gradient of bias: O; may be any; optional: absent means
///     no bias.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x O; may be any.
/// @param hint_fwd_pd Descriptor of the forward computation, of training or inference; may be NULL. Only its
///     kind is checked.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

// Recurrent cells. T steps, N batch, L layers, D directions (1 or
// 2), G gates, channels SLC of src_layer, SIC of src_iter, DHC of the hidden
// state, DLC of dst_layer (DHC, or 2 DHC when directions are concatenated):
//     src_layer T x N x SLC, dst_layer T x N x DLC
//     src_iter L x D x N x SIC, dst_iter L x D x N x DHC           optional
//     weights_layer L x D x SLC x G x DHC, weights_iter L x D x SIC x G x DHC
//     bias L x D x G x DHC
// Weights may be any, which is what gives the best speed. Gradients have the
// shape of what they belong to, are f32, and are given where the tensor is;
// those of weights are added to the contents unless `flags` is
// dnnl_rnn_flags_diff_weights_overwrite. In: the tensors named
// src_*, weights_*, bias under their DNNL_ARG_* names; out: dst_*, in training
// also WORKSPACE. Backward takes all of these and DIFF_DST_*, and gives
// DIFF_SRC_*, DIFF_WEIGHTS_*, DIFF_BIAS; the hint must come from training.
// Attributes: qparams of 8-bit data. Further errors: dnnl_invalid_arguments if
// SLC != DHC with L > 1, or SIC != DHC with T > 1; dnnl_unimplemented without
// bias.

/// Vanilla cell, G = 1: h' = activation(W x + U h + b) with dnnl_eltwise_relu (negative slope alpha),
/// dnnl_eltwise_tanh or dnnl_eltwise_logistic.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training, which fills the workspace for backward, or dnnl_forward_inference.
/// @param activation dnnl_eltwise_relu, dnnl_eltwise_tanh or dnnl_eltwise_logistic.
/// @param direction Order of the time steps; a dnnl_rnn_direction_t.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 1 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 1 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 1 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param flags No flag has a meaning forward.
/// @param alpha Negative slope of a relu activation.
/// @param beta Second parameter of the activation; not used by those there are.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented without bias and for data types and attributes
///     without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags, float alpha,
    float beta, const_dnnl_primitive_attr_t attr);

/// Gradient of the vanilla cell.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward, the only one.
/// @param activation dnnl_eltwise_relu, dnnl_eltwise_tanh or dnnl_eltwise_logistic.
/// @param direction Order of the time steps; a dnnl_rnn_direction_t.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 1 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 1 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 1 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
/// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N
///     x SIC; optional.
/// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 1 x
///     DHC; may be any.
/// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x
///     1 x DHC; may be any.
/// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 1 x DHC; may be any.
/// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
/// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
///     DHC; optional.
/// @param flags dnnl_rnn_flags_diff_weights_overwrite, or 0: weight gradients are added to what the tensors
///     hold.
/// @param alpha Negative slope of a relu activation.
/// @param beta Second parameter of the activation; not used by those there are.
/// @param hint_fwd_pd Descriptor of the forward training computation.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented without bias and for data types and attributes
///     without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
    const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags, float alpha, float beta,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// LSTM, G = 4 in the order input, forget, candidate, output. src_iter_c and dst_iter_c L x D x N x DHC come
/// together with src_iter and dst_iter. Optional: weights_peephole L x D x 3 x DHC; weights_projection L x D
/// x DHC x DIC, then hidden states have DIC channels.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training, which fills the workspace for backward, or dnnl_forward_inference.
/// @param direction Order of the time steps; a dnnl_rnn_direction_t.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param src_iter_c_desc Descriptor of the cell state before the first step, L x D x N x DHC; optional:
///     absent means zeros.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 4 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 4 x DHC; may be any.
/// @param weights_peephole_desc Descriptor of the peephole weights, L x D x 3 x DHC; may be any; optional.
/// @param weights_projection_desc Descriptor of the projection weights, L x D x DHC x DIC; may be any;
///     optional.
/// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DIC; optional.
/// @param dst_iter_c_desc Descriptor of the cell state after the last step, L x D x N x DHC; optional.
/// @param flags No flag has a meaning forward.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other, or if only one of an iter and iter_c pair is given; dnnl_unimplemented
///     without bias and for data types and attributes without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_lstm_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of the LSTM.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward, the only one.
/// @param direction Order of the time steps; a dnnl_rnn_direction_t.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param src_iter_c_desc Descriptor of the cell state before the first step, L x D x N x DHC; optional:
///     absent means zeros.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 4 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 4 x DHC; may be any.
/// @param weights_peephole_desc Descriptor of the peephole weights, L x D x 3 x DHC; may be any; optional.
/// @param weights_projection_desc Descriptor of the projection weights, L x D x DHC x DIC; may be any;
///     optional.
/// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DIC; optional.
/// @param dst_iter_c_desc Descriptor of the cell state after the last step, L x D x N x DHC; optional.
/// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
/// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N
///     x SIC; optional.
/// @param diff_src_iter_c_desc Descriptor of the gradient of the cell state before the first step, L x D x N
///     x DHC; optional.
/// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 4 x
///     DHC; may be any.
/// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x
///     4 x DHC; may be any.
/// @param diff_weights_peephole_desc Descriptor of the gradient of the peephole weights, L x D x 3 x DHC; may
///     be any; optional.
/// @param diff_weights_projection_desc Descriptor of the gradient of the projection weights, L x D x DHC x
///     DIC; may be any; optional.
/// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 4 x DHC; may be any.
/// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
/// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
///     DIC; optional.
/// @param diff_dst_iter_c_desc Descriptor of the gradient of the cell state after the last step, L x D x N x
///     DHC; optional.
/// @param flags dnnl_rnn_flags_diff_weights_overwrite, or 0: weight gradients are added to what the tensors
///     hold.
/// @param hint_fwd_pd Descriptor of the forward training computation.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented without bias and for data types and attributes
///     without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_lstm_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_src_iter_c_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_weights_peephole_desc, const_dnnl_memory_desc_t diff_weights_projection_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
    const_dnnl_memory_desc_t diff_dst_iter_desc, const_dnnl_memory_desc_t diff_dst_iter_c_desc, unsigned int flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// GRU, G = 3 in the order update, reset, output.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training, which fills the workspace for backward, or dnnl_forward_inference.
/// @param direction Order of the time steps; a dnnl_rnn_direction_t.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 3 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param flags No flag has a meaning forward.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented without bias and for data types and attributes
///     without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of the GRU.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward, the only one.
/// @param direction Order of the time steps; a dnnl_rnn_direction_t.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 3 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
/// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N
///     x SIC; optional.
/// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 3 x
///     DHC; may be any.
/// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x
///     3 x DHC; may be any.
/// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 3 x DHC; may be any.
/// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
/// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
///     DHC; optional.
/// @param flags dnnl_rnn_flags_diff_weights_overwrite, or 0: weight gradients are added to what the tensors
///     hold.
/// @param hint_fwd_pd Descriptor of the forward training computation.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented without bias and for data types and attributes
///     without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_gru_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
    const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Linear-before-reset GRU, G = 3 and a bias of 4.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training, which fills the workspace for backward, or dnnl_forward_inference.
/// @param direction Order of the time steps; a dnnl_rnn_direction_t.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param flags No flag has a meaning forward.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other, as a bias with 3 gates does; dnnl_unimplemented without bias and for data
///     types and attributes without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of the linear-before-reset GRU.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward, the only one.
/// @param direction Order of the time steps; a dnnl_rnn_direction_t.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
/// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N
///     x SIC; optional.
/// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 3 x
///     DHC; may be any.
/// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x
///     3 x DHC; may be any.
/// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 4 x DHC; may be any.
/// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
/// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
///     DHC; optional.
/// @param flags dnnl_rnn_flags_diff_weights_overwrite, or 0: weight gradients are added to what the tensors
///     hold.
/// @param hint_fwd_pd Descriptor of the forward training computation.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented without bias and for data types and attributes
///     without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_lbr_gru_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
    const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// GRU with attention T x N x 1; one layer, left to right.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training, which fills the workspace for backward, or dnnl_forward_inference.
/// @param direction dnnl_unidirectional_left2right, the only one.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param attention_desc Descriptor of the attention, T x N x 1.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 3 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param flags No flag has a meaning forward.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other, or for more layers or another direction; dnnl_unimplemented without bias and
///     for data types and attributes without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_attr_t attr);

/// Gradient of the GRU with attention, also by the attention.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward, the only one.
/// @param direction dnnl_unidirectional_left2right, the only one.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param attention_desc Descriptor of the attention, T x N x 1.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 3 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
/// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N
///     x SIC; optional.
/// @param diff_attention_desc Descriptor of the gradient of the attention, T x N x 1.
/// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 3 x
///     DHC; may be any.
/// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x
///     3 x DHC; may be any.
/// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 3 x DHC; may be any.
/// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
/// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
///     DHC; optional.
/// @param flags dnnl_rnn_flags_diff_weights_overwrite, or 0: weight gradients are added to what the tensors
///     hold.
/// @param hint_fwd_pd Descriptor of the forward training computation.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented without bias and for data types and attributes
///     without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_augru_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_attention_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Linear-before-reset GRU with attention T x N x 1 and a bias of 4; one layer, left to right.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training, which fills the workspace for backward, or dnnl_forward_inference.
/// @param direction dnnl_unidirectional_left2right, the only one.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param attention_desc Descriptor of the attention, T x N x 1.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param flags No flag has a meaning forward.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other, or for more layers or another direction; dnnl_unimplemented without bias and
///     for data types and attributes without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_attr_t attr);

/// Gradient of the linear-before-reset GRU with attention.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_backward, the only one.
/// @param direction dnnl_unidirectional_left2right, the only one.
/// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
/// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; optional:
///     absent means zeros.
/// @param attention_desc Descriptor of the attention, T x N x 1.
/// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be any.
/// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be any.
/// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be any.
/// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
/// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; optional.
/// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
/// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N
///     x SIC; optional.
/// @param diff_attention_desc Descriptor of the gradient of the attention, T x N x 1.
/// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 3 x
///     DHC; may be any.
/// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x
///     3 x DHC; may be any.
/// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 4 x DHC; may be any.
/// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
/// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
///     DHC; optional.
/// @param flags dnnl_rnn_flags_diff_weights_overwrite, or 0: weight gradients are added to what the tensors
///     hold.
/// @param hint_fwd_pd Descriptor of the forward training computation.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented without bias and for data types and attributes
///     without an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_lbr_augru_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_attention_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Matmul: dst[.., m, n] = sum over k of src[.., m, k] weights[.., k, n] + bias[.., m, n]. One rank, 2..12;
/// leading extents of src and weights are equal or 1; bias optional, its extents those of dst or 1. All may
/// be any unless extents are run-time values. In: SRC, WEIGHTS, BIAS. Out: DST. Attributes: scales, zero
/// points, dropout, post-ops eltwise, sum, binary, prelu.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param src_desc Descriptor of src, .. x M x K; may be any unless an extent is DNNL_RUNTIME_DIM_VAL.
/// @param weights_desc Descriptor of weights, .. x K x N; may be any unless an extent is
///     DNNL_RUNTIME_DIM_VAL.
/// @param bias_desc Descriptor of bias, as many dimensions as dst, each extent 1 or that of dst; may be any
///     unless an extent is DNNL_RUNTIME_DIM_VAL; optional: absent means no bias.
/// @param dst_desc Descriptor of dst, .. x M x N; may be any unless an extent is DNNL_RUNTIME_DIM_VAL.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                         const_dnnl_memory_desc_t src_desc,
                                                         const_dnnl_memory_desc_t weights_desc,
                                                         const_dnnl_memory_desc_t bias_desc,
                                                         const_dnnl_memory_desc_t dst_desc,
                                                         const_dnnl_primitive_attr_t attr);

/// Resampling of N x C x [[D x] H x] W, nearest or linear. `factors`, one per spatial dimension, may be NULL
/// if dst is given; dst absent means extents of src times factors, rounded down. In: SRC. Out: DST.
/// Attributes: post-ops sum, eltwise, binary.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param prop_kind dnnl_forward_training or dnnl_forward_inference.
/// @param alg_kind dnnl_resampling_nearest or dnnl_resampling_linear.
/// @param factors Ratio of the extents of dst and src, > 0; one value per spatial dimension; may be NULL if
///     dst is given.
/// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
/// @param dst_desc Descriptor of dst, N x C x [[OD x] OH x] OW; may be any; optional if factors are given.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_resampling_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                     dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                     dnnl_alg_kind_t alg_kind, const float* factors,
                                                                     const_dnnl_memory_desc_t src_desc,
                                                                     const_dnnl_memory_desc_t dst_desc,
                                                                     const_dnnl_primitive_attr_t attr);

/// Gradient of resampling. In: DIFF_DST. Out: DIFF_SRC.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind dnnl_resampling_nearest or dnnl_resampling_linear.
/// @param factors Ratio of the extents of dst and src, > 0; one value per spatial dimension; may be NULL.
/// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be any.
/// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x C x [[OD x] OH x] OW.
/// @param hint_fwd_pd Descriptor of the forward computation, of training or inference; may be NULL. Only its
///     kind is checked.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional and
///     shapes that contradict each other; dnnl_unimplemented for data types, layouts and attributes without
///     an implementation; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_resampling_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const float* factors,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Reduction over the dimensions where dst has extent 1 and src has not. `p` and `eps` are for the norm
/// algorithms. In: SRC. Out: DST. Attributes: post-ops sum, eltwise, binary.
/// @param[out] primitive_desc The primitive descriptor; the caller destroys it.
/// @param engine Engine the primitive runs on.
/// @param alg_kind A dnnl_reduction_* function.
/// @param src_desc Descriptor of src, 1 to 12 dimensions.
/// @param dst_desc Descriptor of dst, as many dimensions as src, each extent that of src, or 1 where it is
///     reduced; may be any.
/// @param p Order of a norm, >= 1; ignored by other algorithms.
/// @param eps Lower bound of a norm, or what is added to it; ignored by other algorithms.
/// @param attr Attributes, copied; NULL for the default ones.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where it is not allowed, if nothing is reduced, and for
///     norms with p < 1, p not finite or integers in src; dnnl_unimplemented for other types and attributes.
DNNL_API dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
                                                            const_dnnl_memory_desc_t dst_desc, float p, float eps,
                                                            const_dnnl_primitive_attr_t attr);

// ---- Settings of the library ----

/// Reads how many problems the primitive cache keeps with their code.
/// @param[out] capacity The number.
/// @returns dnnl_success; dnnl_invalid_arguments if `capacity` is NULL.
DNNL_API dnnl_status_t dnnl_get_primitive_cache_capacity(int* capacity);

/// Sets how many problems the primitive cache keeps with their code; what was used least recently goes first.
/// Default 1024 or the environment variable ONEDNN_PRIMITIVE_CACHE_CAPACITY.
/// @param capacity The number; 0 empties the cache and turns it off.
/// @returns dnnl_success; dnnl_invalid_arguments for a negative number.
DNNL_API dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity);

/// Sets whether generated code is written to files in the working directory, one per kernel.
/// @param enable Not 0: it is.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_set_jit_dump(int enable);

/// Sets which profilers learn about generated code.
/// @param flags DNNL_JIT_PROFILE_* as bits.
/// @returns dnnl_success; dnnl_invalid_arguments for unknown bits.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_flags(unsigned int flags);

/// Sets the directory of jitdump files.
/// @param dir Path, copied; optional: NULL means the environment variable JITDUMPDIR again.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char* dir);

/// Limits the instruction set, once, before anything else asks for it; takes precedence over the environment
/// variable ONEDNN_MAX_CPU_ISA.
/// @param isa The largest instruction set to use.
/// @returns dnnl_success; dnnl_invalid_arguments for a later call and for an unknown value.
DNNL_API dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa);

/// The instruction set in use.
/// @returns What the machine has, within the limit.
DNNL_API dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void);

/// Sets hints, once, before anything else asks for them. They are kept for dnnl_get_cpu_isa_hints(); this
/// version chooses the width of its vectors by the machine alone.
/// @param isa_hints The hints.
/// @returns dnnl_success; dnnl_runtime_error for a later call; dnnl_invalid_arguments for an unknown value.
DNNL_API dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints);

/// The hints in use.
/// @returns What dnnl_set_cpu_isa_hints() or the environment variable ONEDNN_CPU_ISA_HINTS said.
DNNL_API dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void);

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// Forgets the measurements of a stream.
/// @param stream Stream of a GPU engine created with dnnl_stream_profiling.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL and for other streams; CPU engines have none of these.
DNNL_API dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream);

/// Reads the measurements of a stream since the last reset: for each execution the time that its kernels took on the
/// device. Waits for the stream.
/// @param stream Stream of a GPU engine created with dnnl_stream_profiling.
/// @param data_kind What to read: dnnl_profiling_data_kind_time.
/// @param num_entries With data NULL: gets the number of executions measured. Otherwise: the room in data.
/// @param[out] data The values, in nanoseconds for dnnl_profiling_data_kind_time; NULL to ask for their
///     number.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL, other streams (CPU engines have none of these), another
///     kind or too little room; dnnl_runtime_error if an execution failed.
DNNL_API dnnl_status_t dnnl_query_profiling_data(dnnl_stream_t stream, dnnl_profiling_data_kind_t data_kind,
                                                 int* num_entries, uint64_t* data);
#endif

// ---- Matrix products on plain pointers ----
//
// Row-major: op(A) is M x K, op(B) is K x N, C is M x N. `transa` and `transb`
// are 'N' or 'n' (as stored) or 'T' or 't' (transposed); lda, ldb, ldc are the
// elements from one stored row to the next. With K = 0, C stays as it is.
// dnnl_invalid_arguments for null pointers, other letters, negative extents and
// rows shorter than their contents. Matmul is preferred.

/// C = alpha op(A) op(B) + beta C in f32. With beta 0 C is not read, with alpha 0 neither A nor B; with M, N
/// or K = 0 nothing happens.
/// @param transa 'N' or 'n': A is stored as M x K; 'T' or 't': as K x M.
/// @param transb 'N' or 'n': B is stored as K x N; 'T' or 't': as N x K.
/// @param M Rows of C, >= 0.
/// @param N Columns of C, >= 0.
/// @param K Terms of each sum, >= 0.
/// @param alpha Factor of the product.
/// @param A Elements of A.
/// @param lda Elements from one stored row of A to the next.
/// @param B Elements of B.
/// @param ldb Elements from one stored row of B to the next.
/// @param beta Factor of the old C; with 0 it is not read.
/// @param C Elements of C, M x N.
/// @param ldc Elements from one row of C to the next, >= N.
/// @returns dnnl_success; dnnl_invalid_arguments if `A` or `B` or `C` is NULL, also for other letters,
///     negative extents and strides shorter than the rows.
DNNL_API dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha,
                                  const float* A, dnnl_dim_t lda, const float* B, dnnl_dim_t ldb, float beta, float* C,
                                  dnnl_dim_t ldc);

/// C = alpha (op(A) - ao) (op(B) - bo) + beta C + co, rounded to nearest even and saturated to s32. With M, N
/// or K = 0 nothing happens.
/// @param transa 'N' or 'n': A is stored as M x K; 'T' or 't': as K x M.
/// @param transb 'N' or 'n': B is stored as K x N; 'T' or 't': as N x K.
/// @param offsetc 'F' or 'f': co[0] for all of C; 'C' or 'c': co[m], one per row; 'R' or 'r': co[n], one per
///     column.
/// @param M Rows of C, >= 0.
/// @param N Columns of C, >= 0.
/// @param K Terms of each sum, >= 0.
/// @param alpha Factor of the product.
/// @param A Elements of A.
/// @param lda Elements from one stored row of A to the next.
/// @param ao Subtracted from every element of A.
/// @param B Elements of B.
/// @param ldb Elements from one stored row of B to the next.
/// @param bo Subtracted from every element of B.
/// @param beta Factor of the old C; with 0 it is not read.
/// @param C Elements of C, M x N.
/// @param ldc Elements from one row of C to the next, >= N.
/// @param co Offsets added to C: 1, M or N values, as offsetc says.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, also
///     for other letters, negative extents and strides shorter than the rows.
DNNL_API dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                         dnnl_dim_t K, float alpha, const uint8_t* A, dnnl_dim_t lda, uint8_t ao,
                                         const int8_t* B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t* C,
                                         dnnl_dim_t ldc, const int32_t* co);

/// As dnnl_gemm_u8s8s32(), with signed A.
/// @param transa 'N' or 'n': A is stored as M x K; 'T' or 't': as K x M.
/// @param transb 'N' or 'n': B is stored as K x N; 'T' or 't': as N x K.
/// @param offsetc 'F' or 'f': co[0] for all of C; 'C' or 'c': co[m], one per row; 'R' or 'r': co[n], one per
///     column.
/// @param M Rows of C, >= 0.
/// @param N Columns of C, >= 0.
/// @param K Terms of each sum, >= 0.
/// @param alpha Factor of the product.
/// @param A Elements of A.
/// @param lda Elements from one stored row of A to the next.
/// @param ao Subtracted from every element of A.
/// @param B Elements of B.
/// @param ldb Elements from one stored row of B to the next.
/// @param bo Subtracted from every element of B.
/// @param beta Factor of the old C; with 0 it is not read.
/// @param C Elements of C, M x N.
/// @param ldc Elements from one row of C to the next, >= N.
/// @param co Offsets added to C: 1, M or N values, as offsetc says.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, also
///     for other letters, negative extents and strides shorter than the rows.
DNNL_API dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                         dnnl_dim_t K, float alpha, const int8_t* A, dnnl_dim_t lda, int8_t ao,
                                         const int8_t* B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t* C,
                                         dnnl_dim_t ldc, const int32_t* co);

#ifdef __cplusplus
}
#endif

#endif
