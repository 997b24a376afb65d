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

/// Switches the descriptor, in place, to the next implementation of the same
/// problem (RUN-02). The descriptor stays valid when there is none.
/// Errors: dnnl_last_impl_reached when there is no other implementation, which
/// reorder, concat and sum answer at once.
DNNL_API dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc);

/// Makes an independent copy of a primitive descriptor.
DNNL_API dnnl_status_t dnnl_primitive_desc_clone(dnnl_primitive_desc_t* primitive_desc,
                                                 const_dnnl_primitive_desc_t existing_primitive_desc);

/// Writes a view of the attributes the descriptor was made with; `any`
/// descriptors inside post-ops are resolved (ATR-03). The view lives as long
/// as the primitive descriptor.
DNNL_API dnnl_status_t dnnl_primitive_desc_get_attr(const_dnnl_primitive_desc_t primitive_desc,
                                                    const_dnnl_primitive_attr_t* attr);

/// Destroys a primitive descriptor. Primitives made from it stay valid.
DNNL_API dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc);

/// Asks a primitive descriptor. `what` determines the type that `result`
/// points to (see dnnl_query_t); `index` numbers things that come in several,
/// otherwise 0. Pointers in the answer live as long as the descriptor. For
/// memory descriptors use dnnl_primitive_desc_query_md().
/// Errors: dnnl_invalid_arguments for an index out of range or another `what`;
/// dnnl_unimplemented or dnnl_not_required where the operation has no such
/// property (RUN-07).
DNNL_API dnnl_status_t dnnl_primitive_desc_query(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
                                                 int index, void* result);

/// Asks for the memory descriptor of a tensor: one of the `*_md` queries with
/// the number of the tensor in that role, or dnnl_query_exec_arg_md with the
/// DNNL_ARG_* number (RUN-06). Returns a view that lives as long as the
/// primitive descriptor; a zero descriptor for a tensor the operation could
/// have but has not; NULL if it cannot have one or for another query.
DNNL_API const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(const_dnnl_primitive_desc_t primitive_desc,
                                                               dnnl_query_t what, int index);

/// Asks for an integer (`*_s32` queries). Returns the value, 0 if the operation
/// has no such property.
DNNL_API int dnnl_primitive_desc_query_s32(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);

// ---- Primitives ----

/// Creates a primitive: everything expensive, such as code generation, happens
/// here, unless the primitive cache has an equal one (CCH-01). The primitive
/// does not change afterwards.
/// Errors: dnnl_runtime_error if code cannot be generated.
DNNL_API dnnl_status_t dnnl_primitive_create(dnnl_primitive_t* primitive, const_dnnl_primitive_desc_t primitive_desc);

/// Creates a primitive from the `size` bytes that
/// dnnl_primitive_get_cache_blob() gave for an equal primitive descriptor.
/// Errors: dnnl_invalid_arguments for a size of 0; dnnl_unimplemented on CPU
/// engines (CCH-03).
DNNL_API dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t* primitive,
                                                             const_dnnl_primitive_desc_t primitive_desc, size_t size,
                                                             const uint8_t* cache_blob);

/// Runs a primitive on a stream of its engine with `nargs` arguments
/// (RUN-05). Which arguments there are is said at the creation of the primitive
/// descriptor; further ones are ignored. Memory must live until the execution
/// has finished. Padding of the results is set to zero.
/// The primitive's descriptor says how a buffer is read and written; that of
/// the memory object may be another if its bytes cover what the primitive
/// reaches. Dims that the primitive left open are those of the memory object.
/// Errors: dnnl_invalid_arguments for a missing argument, a memory object
/// without storage where data is needed or with too few bytes;
/// dnnl_runtime_error if the device fails. With dnnl_scratchpad_mode_library one primitive runs in one thread at
/// a time (SCR-02).
DNNL_API dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                                              const dnnl_exec_arg_t* args);

/// Writes a view of the descriptor a primitive was made from; it lives as long
/// as the primitive.
DNNL_API dnnl_status_t dnnl_primitive_get_primitive_desc(const_dnnl_primitive_t primitive,
                                                         const_dnnl_primitive_desc_t* primitive_desc);

/// With `cache_blob` NULL: writes to `*size` the bytes needed to store the
/// primitive. Otherwise writes `*size` bytes to `cache_blob`.
/// Errors: dnnl_invalid_arguments if `*size` is too small; dnnl_unimplemented
/// on CPU engines (CCH-03).
DNNL_API dnnl_status_t dnnl_primitive_get_cache_blob(const_dnnl_primitive_t primitive, size_t* size,
                                                     uint8_t* cache_blob);

/// Destroys a primitive. Its executions must have finished.
DNNL_API dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive);

// ---- Attributes ----
//
// Setters check an argument by itself; whether a primitive supports the
// combination shows when its descriptor is created (dnnl_unimplemented,
// ATR-02). `arg` is a DNNL_ARG_* number. A mask has bit d set if there is one
// value for every index of dimension d of that argument; 0 means one value for
// all. Values of several masked dimensions are ordered row-major (SCL-03).

/// Creates attributes with default values (ATR-01).
DNNL_API dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t* attr);

/// Makes an independent copy of attributes.
DNNL_API dnnl_status_t dnnl_primitive_attr_clone(dnnl_primitive_attr_t* attr,
                                                 const_dnnl_primitive_attr_t existing_attr);

/// Destroys attributes. Descriptors made with them have their own copy.
DNNL_API dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/// Writes a view of the dropout mask descriptor; a zero descriptor if dropout
/// is off. The view lives until the attributes change.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout(const_dnnl_primitive_attr_t attr,
                                                       const_dnnl_memory_desc_t* mask_desc);

/// Turns dropout on (DRP-01, DRP-02): the result is multiplied by 1/(1 - P) or
/// set to 0, with probability P, before the post-ops. Execution takes
/// DNNL_ARG_ATTR_DROPOUT_PROBABILITY (f32), DNNL_ARG_ATTR_DROPOUT_SEED (s32)
/// and writes DNNL_ARG_ATTR_DROPOUT_MASK. `mask_desc` is u8 with the shape and
/// layout of dst; a zero descriptor turns dropout off.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout(dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc);

/// As dnnl_primitive_attr_get_dropout(), with the further settings of
/// dnnl_primitive_attr_set_dropout_v2(). Outputs may be NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
                                                          const_dnnl_memory_desc_t* mask_desc,
                                                          dnnl_data_type_t* seed_dt, int* use_offset,
                                                          int* use_host_scalars);

/// Turns dropout on with a seed of type `seed_dt` (s32 or s64). `use_offset` 1:
/// execution also takes DNNL_ARG_ATTR_DROPOUT_OFFSET (s64). `use_host_scalars`
/// 1: probability, seed and offset are host scalars. `mask_desc` optional: no
/// mask is written.
/// Errors: dnnl_invalid_arguments for another seed type.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
                                                          const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt,
                                                          int use_offset, int use_host_scalars);

/// Writes the floating-point math mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t* mode);

/// Sets the floating-point math mode (FPM-01); integer data stays integer.
/// Errors: dnnl_invalid_arguments for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode);

/// Writes the floating-point math mode and whether it applies to integer data.
/// Outputs may be NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(const_dnnl_primitive_attr_t attr,
                                                              dnnl_fpmath_mode_t* mode, int* apply_to_int);

/// Sets the floating-point math mode. `apply_to_int` not 0: integer weights are
/// converted to the mode's type and the computation is in floating point
/// (FPM-02).
/// Errors: dnnl_invalid_arguments for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode,
                                                              int apply_to_int);

/// Writes 1 if only reproducible implementations are allowed, else 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_deterministic(const_dnnl_primitive_attr_t attr, int* value);

/// With a value other than 0, forbids implementations whose result can differ
/// from run to run (DET-01). Default 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value);

/// Writes the accumulation mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(const_dnnl_primitive_attr_t attr,
                                                                 dnnl_accumulation_mode_t* mode);

/// Sets the accumulation mode (ACC-01). Default dnnl_accumulation_mode_strict.
/// Errors: dnnl_invalid_arguments for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(dnnl_primitive_attr_t attr,
                                                                 dnnl_accumulation_mode_t mode);

/// Writes the scratchpad mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(const_dnnl_primitive_attr_t attr,
                                                               dnnl_scratchpad_mode_t* mode);

/// Sets who provides temporary memory (SCR-01). Default
/// dnnl_scratchpad_mode_library. In user mode ask dnnl_query_scratchpad_md for
/// the size and pass DNNL_ARG_SCRATCHPAD.
/// Errors: dnnl_invalid_arguments for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode);

/// Announces f32 scales for an argument, given at execution as
/// DNNL_ARG_ATTR_SCALES | arg (SCL-01..03). Scales of inputs multiply, scales
/// of results divide.
/// Errors: dnnl_invalid_arguments for a negative mask or an `arg` that takes no
/// scales: those that do are SRC_0..3, WEIGHTS, DST, MULTIPLE_SRC + i and
/// ATTR_POST_OP_DW | {WEIGHTS, DST}.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_mask(dnnl_primitive_attr_t attr, int arg, int mask);

/// Announces scales of a type (f32, bf16, f16, e8m0, f8_e5m2, f8_e4m3), one per
/// group (SCL-04, SCL-05). `group_ndims` 0 means no groups, then `group_dims`
/// may be NULL; 2 means one scale for group_dims[0] x group_dims[1] elements
/// of the last two dimensions, which must both be in the mask.
/// Errors: as dnnl_primitive_attr_set_scales_mask(); dnnl_invalid_arguments
/// also for another type, another `group_ndims`, groups that are not positive
/// or a mask of 0 with groups.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask, int group_ndims,
                                                      const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/// As dnnl_primitive_attr_set_scales(); `is_on_host` 1 announces one host
/// scalar instead of a tensor (SCL-06).
/// Errors: as there; dnnl_invalid_arguments also for a host scalar with a mask
/// or groups.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                         const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                         int is_on_host);

/// As dnnl_primitive_attr_set_scales_v2(), with a quantization mode (SCL-07):
/// the dynamic modes make the scales of DST an output.
/// Errors: as there; dnnl_invalid_arguments also for
/// dnnl_quantization_mode_undef, or groups and types that do not fit the mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                         const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                         int is_on_host, dnnl_quantization_mode_t qmode);

/// Announces s32 zero points for an argument, given at execution as
/// DNNL_ARG_ATTR_ZERO_POINTS | arg (ZPT-01..03). They are subtracted from
/// inputs and added to results.
/// Errors: dnnl_invalid_arguments for a negative mask or an `arg` other than
/// SRC, WEIGHTS and DST.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(dnnl_primitive_attr_t attr, int arg, int mask);

/// Announces zero points of a type (s32, s8, u8, s4, u4; for DST s32 only), one
/// per group as in dnnl_primitive_attr_set_scales().
/// Errors: dnnl_invalid_arguments for another argument, type or group.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg, int mask,
                                                           int group_ndims, const dnnl_dims_t group_dims,
                                                           dnnl_data_type_t data_type);

/// Announces sums of the source over groups, given at execution as
/// DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | DNNL_ARG_SRC, for matmul with zero
/// points of the weights (MAT-45). Type s32.
/// Errors: dnnl_invalid_arguments for another argument, type or group.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr, int arg, int mask,
                                                                      int group_ndims, const dnnl_dims_t group_dims,
                                                                      dnnl_data_type_t data_type);

/// As dnnl_primitive_attr_set_zero_points(); `is_on_host` 1 announces one host
/// scalar instead of a tensor.
/// Errors: as there; dnnl_invalid_arguments also for a host scalar with a mask
/// or groups.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                              const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                              int is_on_host);

/// Sets how results are rounded (RND-01), for DIFF_SRC, DIFF_WEIGHTS and DST.
/// Stochastic rounding takes DNNL_ARG_ATTR_ROUNDING_SEED (one s32).
/// Errors: dnnl_invalid_arguments for another argument or mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rounding(dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode);

/// Writes the rounding mode of an argument.
/// Errors: dnnl_invalid_arguments for an argument without rounding mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rounding(dnnl_primitive_attr_t attr, int arg,
                                                        dnnl_rounding_mode_t* mode);

/// Writes a view of the post-ops; it lives until the attributes change.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_post_ops(const_dnnl_primitive_attr_t attr,
                                                        const_dnnl_post_ops_t* post_ops);

/// Copies post-ops into the attributes, replacing the ones there.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_post_ops(dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops);

/// Quantization of recurrent data (RQP-01, RNN-55): q = scale x + shift,
/// rounded and saturated to 8 bits. Default 1 and 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(dnnl_primitive_attr_t attr, const float scale,
                                                                const float shift);

/// Writes scale and shift of recurrent data. Outputs may be NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(const_dnnl_primitive_attr_t attr, float* scale,
                                                                float* shift);

/// Quantization of recurrent weights (RNN-56): `count` scales; mask 0 (count 1)
/// or (1 << 3) | (1 << 4), one per gate and channel. The values are copied.
/// Errors: dnnl_invalid_arguments for count < 1 or a negative mask.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(dnnl_primitive_attr_t attr, dnnl_dim_t count,
                                                                   int mask, const float* scales);

/// Writes number, mask and a view of the scales of recurrent weights; it lives
/// until the attributes change. Outputs may be NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(const_dnnl_primitive_attr_t attr, dnnl_dim_t* count,
                                                                   int* mask, const float** scales);

/// As dnnl_primitive_attr_set_rnn_weights_qparams(), for the projection of an
/// LSTM: mask 0 or 1 << 3.
/// Errors: dnnl_invalid_arguments for count < 1 or a negative mask.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(dnnl_primitive_attr_t attr,
                                                                              dnnl_dim_t count, int mask,
                                                                              const float* scales);

/// As dnnl_primitive_attr_get_rnn_weights_qparams(), for the projection.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(const_dnnl_primitive_attr_t attr,
                                                                              dnnl_dim_t* count, int* mask,
                                                                              const float** scales);

// ---- Post-ops ----
//
// A list of up to 32 operations on the result x of a primitive, applied in
// order, in f32, before the scale and zero point of dst (PO-01, PO-08). Every
// append gives dnnl_out_of_memory when the list is full. The get_params calls
// give dnnl_invalid_arguments for an index out of range or an entry of another
// kind; their outputs may be NULL.

/// Creates an empty list.
DNNL_API dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t* post_ops);

/// Makes an independent copy of a list.
DNNL_API dnnl_status_t dnnl_post_ops_clone(dnnl_post_ops_t* post_ops, const_dnnl_post_ops_t existing_post_ops);

/// Destroys a list. Attributes it was set to have their own copy.
DNNL_API dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops);

/// Number of entries, 0 for NULL.
DNNL_API int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops);

/// Kind of an entry; dnnl_undefined_primitive for an index out of range. A
/// depthwise convolution answers dnnl_convolution.
DNNL_API dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index);

/// Appends x <- x + scale (dst_old - zero_point) (PO-03). The old dst is read
/// as `data_type`; dnnl_data_type_undef means the type of dst, another type
/// must have the same size. A zero point other than 0 needs an integer type.
DNNL_API dnnl_status_t dnnl_post_ops_append_sum(dnnl_post_ops_t post_ops, float scale, int32_t zero_point,
                                                dnnl_data_type_t data_type);

/// Reads a sum entry.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index, float* scale,
                                                    int32_t* zero_point, dnnl_data_type_t* data_type);

/// Appends x <- f(x) for one of the dnnl_eltwise_* algorithms (PO-02).
/// Errors: dnnl_invalid_arguments for another algorithm or parameters out of
/// its domain (clip with beta < alpha).
DNNL_API dnnl_status_t dnnl_post_ops_append_eltwise(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha,
                                                    float beta);

/// Reads an eltwise entry.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
                                                        dnnl_alg_kind_t* alg_kind, float* alpha, float* beta);

/// Appends a depthwise convolution with a square kernel, after a 1 x 1
/// convolution (PO-04, CNV-65). Weights are passed as
/// DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, the bias likewise;
/// `bias_data_type` dnnl_data_type_undef means no bias.
/// Errors: dnnl_invalid_arguments for undefined types or sizes < 1.
DNNL_API dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops, dnnl_data_type_t weights_data_type,
                                               dnnl_data_type_t bias_data_type, dnnl_data_type_t dst_data_type,
                                               dnnl_dim_t kernel_size, dnnl_dim_t stride_size,
                                               dnnl_dim_t padding_l_size);

/// Reads a depthwise convolution entry.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
                                                   dnnl_data_type_t* weights_data_type,
                                                   dnnl_data_type_t* bias_data_type, dnnl_data_type_t* dst_data_type,
                                                   dnnl_dim_t* kernel_size, dnnl_dim_t* stride_size,
                                                   dnnl_dim_t* padding_l_size);

/// Appends x <- op(x, src1) for one of the dnnl_binary_* algorithms with two
/// operands (PO-05). Each extent of `src1_desc` is that of dst or 1; it may be
/// any if it has the full shape. The tensor is passed as
/// DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1, i counting all entries.
/// Errors: dnnl_invalid_arguments for another algorithm.
DNNL_API dnnl_status_t dnnl_post_ops_append_binary(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                                   const_dnnl_memory_desc_t src1_desc);

/// As dnnl_post_ops_append_binary(), also for dnnl_binary_select, whose
/// condition `src2_desc` (s8, shape of dst) is passed with DNNL_ARG_SRC_2. For
/// other algorithms `src2_desc` is absent.
/// Errors: dnnl_invalid_arguments for another algorithm or a missing condition.
DNNL_API dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                                      const_dnnl_memory_desc_t src1_desc,
                                                      const_dnnl_memory_desc_t src2_desc);

/// Reads a binary entry; the descriptor is a view that lives until the list
/// changes.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
                                                       dnnl_alg_kind_t* alg_kind, const_dnnl_memory_desc_t* src1_desc);

/// Reads a binary entry with its condition, NULL or zero if it has none.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
                                                          dnnl_alg_kind_t* alg_kind,
                                                          const_dnnl_memory_desc_t* src1_desc,
                                                          const_dnnl_memory_desc_t* src2_desc);

/// Appends x <- x > 0 ? x : w x (PO-06). `mask`: dimensions of dst along which
/// w varies. The f32 tensor is passed as
/// DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_WEIGHTS.
/// Errors: dnnl_invalid_arguments for a negative mask.
DNNL_API dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask);

/// Reads a prelu entry.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_prelu(const_dnnl_post_ops_t post_ops, int index, int* mask);

// ---- Memory descriptors ----
//
// The creating calls give dnnl_invalid_arguments for ndims outside
// 0..DNNL_MAX_NDIMS, negative extents, an undefined data type or a volume that
// overflows (MEM-02, MEM-17). ndims 0 makes a zero descriptor. Extents may be
// DNNL_RUNTIME_DIM_VAL (RTD-01); such a descriptor makes no memory object.

/// Destroys a memory descriptor.
DNNL_API dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc);

/// Makes an independent copy of a memory descriptor.
DNNL_API dnnl_status_t dnnl_memory_desc_clone(dnnl_memory_desc_t* memory_desc,
                                              const_dnnl_memory_desc_t existing_memory_desc);

/// With `blob` NULL: writes to `*size` the bytes of the serialized descriptor.
/// Otherwise writes that many bytes (DER-06). The bytes are only good for the
/// same version of the library.
/// Errors: dnnl_invalid_arguments if `*size` is smaller than needed.
DNNL_API dnnl_status_t dnnl_memory_desc_get_blob(uint8_t* blob, size_t* size, const_dnnl_memory_desc_t memory_desc);

/// Creates a descriptor from the bytes of dnnl_memory_desc_get_blob().
/// Errors: dnnl_invalid_arguments if the bytes are no descriptor.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_blob(dnnl_memory_desc_t* memory_desc, const uint8_t* blob);

/// Creates a descriptor with strides in elements: the element at index i lies
/// at sum i_k strides_k (MEM-10). NULL strides means dense, row-major. Stride 0
/// repeats one element along a dimension.
/// Errors: dnnl_invalid_arguments for negative strides and for strides that
/// make different elements share a place (MEM-14).
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t* memory_desc, int ndims,
                                                            const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                            const dnnl_dims_t strides);

/// Creates a descriptor with a named layout. Blocked dimensions are padded to
/// whole blocks (MEM-11, MEM-12). dnnl_format_tag_any leaves the layout to a
/// primitive; dnnl_format_tag_undef leaves it open.
/// Errors: dnnl_invalid_arguments if the tag has another number of dimensions.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t* memory_desc, int ndims,
                                                        const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                        dnnl_format_tag_t tag);

/// Creates a sparse descriptor in CSR form (SPA-01): ndims 2, `nnz` stored
/// elements, integer types of indices and row pointers. Buffers: 0 values
/// [nnz], 1 column indices [nnz], 2 row pointers [dims[0] + 1].
/// Errors: dnnl_unimplemented for another rank; dnnl_invalid_arguments for a
/// negative nnz or index types other than s32 and s64.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                                 const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                                 dnnl_dim_t nnz, dnnl_data_type_t indices_dt,
                                                                 dnnl_data_type_t pointers_dt);

/// Creates a sparse descriptor of sorted coordinates (SPA-02). Buffers: 0
/// values [nnz], 1..ndims the indices along each dimension [nnz].
/// Errors: dnnl_invalid_arguments for negative nnz or a type that is no
/// integer.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                                 const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                                 dnnl_dim_t nnz, dnnl_data_type_t indices_dt);

/// Creates a sparse descriptor whose form the library chooses (SPA-03). It has
/// size 0 and makes no memory object; matmul takes it as weights and reports
/// the descriptor to use.
/// Errors: dnnl_invalid_arguments for negative nnz.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                                    const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                                    dnnl_dim_t nnz);

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
/// Creates a descriptor of `group_count` matrices stored one after another,
/// whose extent along dimension `variable_dim_idx` differs (SPA-05). Buffers: 0
/// the rows, 1 the end row of each group as `offsets_dt`.
/// Errors: dnnl_invalid_arguments for an index or count out of range;
/// dnnl_unimplemented unless 2D with variable dimension 0.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_grouped_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                                     const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                                     int variable_dim_idx, dnnl_dim_t group_count,
                                                                     dnnl_data_type_t offsets_dt);
#endif

/// Creates a descriptor of one value kept on the host (HSC-01): ndims 1, dims
/// {1}.
DNNL_API dnnl_status_t dnnl_memory_desc_create_host_scalar(dnnl_memory_desc_t* memory_desc, dnnl_data_type_t data_type);

/// Creates a descriptor of the box of extents `dims` at index `offsets` inside
/// the parent (DER-01, DER-02). It uses the parent's buffer: strides are the
/// same, the offset becomes part of the descriptor.
/// Errors: dnnl_invalid_arguments if the box leaves the parent;
/// dnnl_unimplemented for a box that starts inside a block or for a parent
/// without strides.
DNNL_API dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t* memory_desc,
                                                         const_dnnl_memory_desc_t parent_memory_desc,
                                                         const dnnl_dims_t dims, const dnnl_dims_t offsets);

/// Creates a descriptor of the same buffer with another shape of the same
/// volume (DER-03): dimensions of extent 1 come and go, a dimension is split,
/// or dimensions that are dense neighbours in memory are joined.
/// Errors: dnnl_invalid_arguments if the volume differs or the layout does not
/// allow it.
DNNL_API dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t* out_memory_desc,
                                                const_dnnl_memory_desc_t in_memory_desc, int ndims,
                                                const dnnl_dims_t dims);

/// Creates a descriptor of the same buffer with renamed dimensions (DER-05):
/// dimension d becomes dimension permutation[d]. The array has ndims entries.
/// Errors: dnnl_invalid_arguments if it is no permutation of 0..ndims-1.
DNNL_API dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t* out_memory_desc,
                                                     const_dnnl_memory_desc_t in_memory_desc, const int* permutation);

/// Asks a memory descriptor (QRY-02); `what` determines the type `result`
/// points to, see dnnl_query_t from dnnl_query_ndims_s32 on. Arrays are views
/// into the descriptor.
/// Errors: dnnl_invalid_arguments for a property this kind of descriptor does
/// not have.
DNNL_API dnnl_status_t dnnl_memory_desc_query(const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void* result);

/// As dnnl_memory_desc_query(); `index` is the buffer, for
/// dnnl_query_data_type of sparse descriptors.
DNNL_API dnnl_status_t dnnl_memory_desc_query_v2(const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index,
                                                 void* result);

/// Returns 1 if both descriptors describe the same tensor in the same layout,
/// else 0 (MEM-15). Strides of extent-1 dimensions do not count; padding, offset
/// and data type do.
DNNL_API int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs);

/// Bytes a buffer needs for the tensor (MEM-13): for plain layouts the element
/// size times the largest extent times stride. 0 for any, undefined and empty
/// tensors, DNNL_RUNTIME_SIZE_VAL with run-time extents. The only valid source
/// of a size.
DNNL_API size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc);

/// As dnnl_memory_desc_get_size(), for buffer number `index`; 0 for a buffer
/// that does not exist.
DNNL_API size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index);

/// Bytes of one element, 1 also for 4-bit types, 0 for dnnl_data_type_undef and
/// unknown types (DT-09).
DNNL_API size_t dnnl_data_type_size(dnnl_data_type_t data_type);

// ---- Memory objects ----
//
// `index` is the number of a buffer, 0 for dense tensors; another one than the
// descriptor has gives dnnl_invalid_arguments.

/// Creates a memory object (OBJ-01). `handle` is the user's buffer of at least
/// dnnl_memory_desc_get_size() bytes, DNNL_MEMORY_ALLOCATE or DNNL_MEMORY_NONE.
/// For sparse tensors the two constants apply to all buffers.
/// Errors: dnnl_invalid_arguments for descriptors that are any, packed or have
/// run-time extents; dnnl_out_of_memory for sizes that cannot be had (OBJ-07).
DNNL_API dnnl_status_t dnnl_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                          dnnl_engine_t engine, void* handle);

/// As dnnl_memory_create(), with one handle per buffer.
/// Errors: as there; dnnl_invalid_arguments also if `nhandles` is not the
/// number of buffers.
DNNL_API dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                             dnnl_engine_t engine, int nhandles, void** handles);

/// Creates a memory object that holds a copy of one value on the host;
/// `memory_desc` comes from dnnl_memory_desc_create_host_scalar(). It has no
/// engine.
/// Errors: dnnl_invalid_arguments for another descriptor.
DNNL_API dnnl_status_t dnnl_memory_create_host_scalar(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                      void* scalar_ptr);

/// Writes a view of the descriptor; it lives as long as the memory object.
DNNL_API dnnl_status_t dnnl_memory_get_memory_desc(const_dnnl_memory_t memory, const_dnnl_memory_desc_t* memory_desc);

/// Writes the engine; NULL for a host scalar.
DNNL_API dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t* engine);

/// Writes a host pointer to the data, valid until dnnl_memory_unmap_data(). On
/// the CPU it is the buffer itself. NULL for an empty tensor or one without
/// storage (OBJ-06).
DNNL_API dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void** mapped_ptr);

/// As dnnl_memory_map_data(), for buffer number `index`.
DNNL_API dnnl_status_t dnnl_memory_map_data_v2(const_dnnl_memory_t memory, void** mapped_ptr, int index);

/// Ends a mapping; what was written through the pointer reaches the memory.
DNNL_API dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void* mapped_ptr);

/// As dnnl_memory_unmap_data(), for buffer number `index`.
DNNL_API dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void* mapped_ptr, int index);

/// Writes the buffer's address; NULL if there is none.
/// Errors: dnnl_invalid_arguments for a host scalar.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void** handle);

/// Replaces the buffer (OBJ-03). The user keeps owning it; a buffer the library
/// allocated is freed. The contents are not touched.
/// Errors: dnnl_invalid_arguments for a host scalar.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void* handle);

/// As dnnl_memory_get_data_handle(), for buffer number `index`.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory, void** handle, int index);

/// As dnnl_memory_set_data_handle(), for buffer number `index`.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void* handle, int index);

/// Copies the value of a host scalar to `value`, which has room for one element
/// of its type.
/// Errors: dnnl_invalid_arguments for other memory objects.
DNNL_API dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void* value);

/// Copies one element from `value` into a host scalar.
/// Errors: dnnl_invalid_arguments for other memory objects.
DNNL_API dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void* value);

/// Destroys a memory object and the buffers the library allocated for it.
DNNL_API dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory);

// ---- Creation of primitive descriptors ----
//
// Common errors: dnnl_invalid_arguments for contradicting shapes, an algorithm
// or propagation kind of another operation, or any where it is not allowed;
// dnnl_unimplemented for a consistent problem without implementation (data
// types, layouts, attributes), including every problem of an operation that
// this version does not contain. In the comments "in" and "out" list the
// execution arguments without DNNL_ARG_; every primitive also takes SCRATCHPAD
// in user mode. `hint_fwd_pd` is the forward descriptor of the same problem,
// made with dnnl_forward_training where a workspace or statistics are kept
// (FMT-04).

/// Reorder: copies every element of src to the same logical index of dst,
/// changing layout and data type (REO-01..26). Equal shapes, neither may be
/// any. In: FROM. Out: TO. Attributes: scales and zero points of SRC and DST,
/// one sum post-op, output scales (dnnl_tessera.h).
/// Errors: dnnl_invalid_arguments for different shapes, zero points of a
/// floating-point side; dnnl_unimplemented for other post-ops.
DNNL_API dnnl_status_t dnnl_reorder_primitive_desc_create(dnnl_primitive_desc_t* reorder_primitive_desc,
                                                          const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
                                                          const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
                                                          const_dnnl_primitive_attr_t attr);

/// Concat: joins `n` sources of one data type along `concat_dimension`
/// (CON-01..11). All other extents are equal. dst optional or any: shape and
/// layout follow from the sources. In: MULTIPLE_SRC + i. Out: DST. Attributes:
/// one scale (mask 0) per source.
/// Sources without elements are ignored; without any source dst is empty.
/// Errors: dnnl_invalid_arguments for n < 0, a dimension out of range or
/// extents that do not add up.
DNNL_API dnnl_status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t* concat_primitive_desc,
                                                         dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n,
                                                         int concat_dimension,
                                                         const const_dnnl_memory_desc_t* src_descs,
                                                         const_dnnl_primitive_attr_t attr);

/// Sum: dst = sum of scales[i] src_i over `n` sources of one shape
/// (SUM-01..09). dst optional or any. In: MULTIPLE_SRC + i. Out: DST, which may
/// be source 0. No attributes.
/// Errors: dnnl_invalid_arguments for n < 1 or different shapes.
DNNL_API dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t* sum_primitive_desc, dnnl_engine_t engine,
                                                      const_dnnl_memory_desc_t dst_desc, int n, const float* scales,
                                                      const const_dnnl_memory_desc_t* src_descs,
                                                      const_dnnl_primitive_attr_t attr);

/// Binary: dst = op(src0, src1), a dnnl_binary_* algorithm with two operands
/// (BIN-01..13). Each extent of a source is that of dst or 1. src1 and dst may
/// be any. In: SRC_0, SRC_1. Out: DST. Attributes: scales of SRC_0 and SRC_1
/// (mask 0); post-ops sum, eltwise, binary.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                         dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
                                                         const_dnnl_memory_desc_t src1_desc,
                                                         const_dnnl_memory_desc_t dst_desc,
                                                         const_dnnl_primitive_attr_t attr);

/// As dnnl_binary_primitive_desc_create(), also for dnnl_binary_select with the
/// condition src2: s8, shape and layout of src0, in: SRC_2. For other
/// algorithms src2 is absent.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create_v2(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src0_desc, const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Convolution (CNV-01..69): src N x G*I x [[D x] H x] W, weights
/// [G x] O x I x [[KD x] KH x] KW, bias G*O or absent, dst
/// N x G*O x [[OD x] OH x] OW. Window parameters hold one value per spatial
/// dimension: strides >= 1; dilates >= 0, where 0 (or NULL) is dense;
/// padding_l, padding_r >= 0, padding_r NULL means equal to padding_l. The
/// output extent is (I - (1 + (K - 1)(dilate + 1)) + padding_l + padding_r) /
/// stride + 1, rounded down. All tensors may be any. In: SRC, WEIGHTS, BIAS.
/// Out: DST. Attributes: scales and zero points for integer data, post-ops of
/// all kinds.
/// Errors: dnnl_invalid_arguments for an output extent that does not fit or
/// empty weights.
DNNL_API dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Gradient of a convolution by its source; parameters as for
/// dnnl_convolution_forward_primitive_desc_create(). All tensors may be any;
/// the hint is optional. In: DIFF_DST, WEIGHTS. Out: DIFF_SRC. (CNV-03)
DNNL_API dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Gradient of a convolution by weights and bias; diff_bias is optional. The
/// results are overwritten. All tensors may be any; the hint is optional. In:
/// SRC, DIFF_DST. Out: DIFF_WEIGHTS, DIFF_BIAS. (CNV-04)
DNNL_API dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Deconvolution, the transpose of a convolution with the same parameters
/// (DCV-01..08): src N x I.., weights [G x] O x I.., bias absent or one value
/// per channel of dst, dst N x O... Any extent of dst is legal from which the
/// convolution would compute the extent of src. Otherwise as
/// dnnl_convolution_forward_primitive_desc_create(); no depthwise post-op.
DNNL_API dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Gradient of a deconvolution by its source. In: DIFF_DST, WEIGHTS. Out:
/// DIFF_SRC. (DCV-04)
DNNL_API dnnl_status_t dnnl_deconvolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Gradient of a deconvolution by weights and (optional) bias. In: SRC,
/// DIFF_DST. Out: DIFF_WEIGHTS, DIFF_BIAS. (DCV-04)
DNNL_API dnnl_status_t dnnl_deconvolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Shuffle: with C = extent of dimension `axis` and G = `group_size`, element
/// u G + v of src goes to v C/G + u of dst, 0 <= u < C/G, 0 <= v < G; all
/// other indices stay (SHU-01..15). src and dst have one shape, type and
/// layout; dst may be any. In: SRC. Out: DST, not in place. No attributes but
/// the scratchpad mode.
/// Errors: dnnl_invalid_arguments for an axis out of range, an empty axis or a
/// G that does not divide C; dnnl_unimplemented if type or layout of src and
/// dst differ.
DNNL_API dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                  dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                  const_dnnl_memory_desc_t src_desc,
                                                                  const_dnnl_memory_desc_t dst_desc, int axis,
                                                                  dnnl_dim_t group_size,
                                                                  const_dnnl_primitive_attr_t attr);

/// Inverse of the forward shuffle with the same `axis` and `group_size`
/// (SHU-02). diff_src may be any. In: DIFF_DST. Out: DIFF_SRC. The hint may
/// come from training or inference.
/// Errors: as forward.
DNNL_API dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, int axis, dnnl_dim_t group_size, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Eltwise: dst = f(src) for a dnnl_eltwise_* algorithm with parameters alpha
/// and beta (ELT-01..43). One shape and type; dst may be any. In: SRC. Out: DST,
/// which may be SRC. Attributes: binary post-ops.
/// Errors: dnnl_invalid_arguments for parameters out of the algorithm's domain
/// and for algorithms without an integer form.
DNNL_API dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                  dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                  dnnl_alg_kind_t alg_kind,
                                                                  const_dnnl_memory_desc_t src_desc,
                                                                  const_dnnl_memory_desc_t dst_desc, float alpha,
                                                                  float beta, const_dnnl_primitive_attr_t attr);

/// Gradient of eltwise: diff_src = diff_dst f'(data). `data` is src, or dst for
/// the *_use_dst_for_bwd algorithms; the gradients may be any; the hint is
/// optional. In: SRC or DST, DIFF_DST. Out: DIFF_SRC, which may be DIFF_DST.
DNNL_API dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t data_desc,
    float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Softmax or its logarithm along dimension `softmax_axis` (SOF-01..13). dst
/// may be any. In: SRC. Out: DST, which may be SRC if the types are equal.
/// Attributes: scales of SRC and DST for integer data, post-ops eltwise,
/// binary.
/// Errors: dnnl_invalid_arguments for an axis outside 0..ndims-1.
DNNL_API dnnl_status_t dnnl_softmax_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                  dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                  dnnl_alg_kind_t alg_kind,
                                                                  const_dnnl_memory_desc_t src_desc,
                                                                  const_dnnl_memory_desc_t dst_desc, int softmax_axis,
                                                                  const_dnnl_primitive_attr_t attr);

/// Gradient of softmax; dst is the forward result, the gradients may be any.
/// In: DST, DIFF_DST. Out: DIFF_SRC, which may be DIFF_DST. (SOF-02)
DNNL_API dnnl_status_t dnnl_softmax_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t dst_desc,
    int softmax_axis, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Pooling: maximum or mean over windows of extents `kernel` (POO-01..15);
/// src N x C x [[D x] H x] W. Window parameters and output extents as for
/// convolution. dst may be any. In: SRC. Out: DST and, for maximum in training,
/// WORKSPACE. Attributes: post-ops eltwise, binary.
/// Errors: dnnl_invalid_arguments for a mean without padding where a window
/// lies in the padding entirely.
DNNL_API dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_attr_t attr);

/// Gradient of pooling; diff_src may be any. In: DIFF_DST and, for maximum,
/// WORKSPACE. Out: DIFF_SRC. (POO-05, POO-06)
/// Errors: dnnl_unimplemented for maximum with an inference hint.
DNNL_API dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// PReLU: dst = src > 0 ? src : src w (PRE-01..10). Each extent of weights is
/// that of src or 1. weights and dst may be any. In: SRC, WEIGHTS. Out: DST. No
/// attributes.
DNNL_API dnnl_status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                const_dnnl_memory_desc_t src_desc,
                                                                const_dnnl_memory_desc_t weights_desc,
                                                                const_dnnl_memory_desc_t dst_desc,
                                                                const_dnnl_primitive_attr_t attr);

/// Gradient of PReLU by source and weights. weights and all gradients may be
/// any. In: SRC, WEIGHTS, DIFF_DST. Out: DIFF_SRC, DIFF_WEIGHTS. (PRE-02)
DNNL_API dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Local response normalization: dst = src (k + alpha/n sum s^2)^-beta over a
/// window of `local_size` channels or pixels per spatial dimension, n the
/// volume of the window (LRN-01..09). dst may be any. In: SRC. Out: DST and, if
/// the descriptor reports one, WORKSPACE. No attributes.
/// Errors: dnnl_invalid_arguments for a negative size.
DNNL_API dnnl_status_t dnnl_lrn_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size, float alpha,
    float beta, float k, const_dnnl_primitive_attr_t attr);

/// Gradient of LRN. The gradients may be any. In: SRC, DIFF_DST, WORKSPACE if
/// the forward descriptor has one. Out: DIFF_SRC. (LRN-04)
DNNL_API dnnl_status_t dnnl_lrn_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    dnnl_dim_t local_size, float alpha, float beta, float k, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Batch normalization: dst = scale (src - mean) / sqrt(variance + epsilon) +
/// shift per channel (BNO-01..15); src N x C x [[D x] H x] W, the other
/// tensors C, f32. `flags`: dnnl_normalization_flags_t. dst may be any. In: SRC,
/// and by flags SCALE, SHIFT, SRC_1, MEAN, VARIANCE. Out: DST, which may be SRC;
/// in training without global statistics MEAN, VARIANCE; with fused relu in
/// training WORKSPACE. Attributes: post-op relu.
/// Errors: dnnl_invalid_arguments for dnnl_rms_norm.
DNNL_API dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon, unsigned int flags,
    const_dnnl_primitive_attr_t attr);

/// Gradient of batch normalization: dnnl_backward for all, dnnl_backward_data
/// without those of scale and shift. The gradients may be any. In: SRC, MEAN,
/// VARIANCE, DIFF_DST, by flags SCALE and WORKSPACE. Out: DIFF_SRC, by flags
/// DIFF_SCALE, DIFF_SHIFT, DIFF_SRC_1. (BNO-02)
/// Errors: dnnl_unimplemented for fused relu with an inference hint.
DNNL_API dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    float epsilon, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Group normalization over `groups` groups of channels and all pixels
/// (GNO-01..06); src N x C x spatial, statistics N x groups, scale and shift C,
/// all f32. dst may be any. Arguments as batch normalization. Attributes:
/// scales of SRC and DST for integer data, post-ops eltwise, binary.
/// Errors: dnnl_invalid_arguments if groups does not divide C, or for the
/// fused flags.
DNNL_API dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups, float epsilon,
    unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of group normalization. The gradients may be any. In: SRC, MEAN,
/// VARIANCE, DIFF_DST, by flags SCALE. Out: DIFF_SRC, by flags DIFF_SCALE,
/// DIFF_SHIFT. (GNO-02)
DNNL_API dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    dnnl_dim_t groups, float epsilon, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Layer normalization over the last dimension, 2D to 5D (LNO-01..14).
/// `stat_desc`: shape of src without the last dimension, f32, optional. Scale
/// and shift are f32 of the last extent. dst may be any. Arguments as batch
/// normalization; with dnnl_rms_norm there is no MEAN. Attributes: scales of
/// SRC and DST for integer data, post-ops eltwise, binary.
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
    float epsilon, unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of layer normalization. The gradients may be any. In: SRC, MEAN,
/// VARIANCE, DIFF_DST, by flags SCALE. Out: DIFF_SRC, by flags DIFF_SCALE,
/// DIFF_SHIFT. (LNO-02..04)
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// As dnnl_layer_normalization_forward_primitive_desc_create(), with the type
/// of scale and shift (f32, bf16, f16). (LNO-07)
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
    dnnl_data_type_t scale_shift_data_type, float epsilon, unsigned int flags, const_dnnl_primitive_attr_t attr);

/// As dnnl_layer_normalization_backward_primitive_desc_create(), with the types
/// of scale and shift and of their gradients. (LNO-07)
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t diff_scale_shift_data_type,
    dnnl_data_type_t scale_shift_data_type, float epsilon, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Inner product: dst[n, o] = bias[o] + sum over channels and pixels of
/// src[n, ..] weights[o, ..] (INP-01..08); src N x I [x spatial], weights
/// O x I [x spatial], bias O or absent, dst N x O. All may be any. In: SRC,
/// WEIGHTS, BIAS. Out: DST. Attributes: scales for integer data, post-ops
/// eltwise, sum, binary, prelu.
/// Errors: dnnl_invalid_arguments for empty weights.
DNNL_API dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Gradient of the inner product by its source. All may be any. In: DIFF_DST,
/// WEIGHTS. Out: DIFF_SRC. (INP-02)
DNNL_API dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Gradient of the inner product by weights and (optional) bias. All may be
/// any. In: SRC, DIFF_DST. Out: DIFF_WEIGHTS, DIFF_BIAS. (INP-02)
DNNL_API dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

// Recurrent cells (RNN-01..67). T steps, N batch, L layers, D directions (1 or
// 2), G gates, channels SLC of src_layer, SIC of src_iter, DHC of the hidden
// state, DLC of dst_layer (DHC, or 2 DHC when directions are concatenated):
//     src_layer T x N x SLC, dst_layer T x N x DLC
//     src_iter L x D x N x SIC, dst_iter L x D x N x DHC           optional
//     weights_layer L x D x SLC x G x DHC, weights_iter L x D x SIC x G x DHC
//     bias L x D x G x DHC
// Weights may be any, which is what gives the best speed. Gradients have the
// shape of what they belong to; weight gradients are added to the contents
// unless `flags` is dnnl_rnn_flags_diff_weights_overwrite. In: the tensors named
// src_*, weights_*, bias under their DNNL_ARG_* names; out: dst_*, in training
// also WORKSPACE. Backward takes all of these and DIFF_DST_*, and gives
// DIFF_SRC_*, DIFF_WEIGHTS_*, DIFF_BIAS; the hint must come from training.
// Attributes: qparams of 8-bit data. Further errors: dnnl_invalid_arguments if
// SLC != DHC with L > 1, or SIC != DHC with T > 1; dnnl_unimplemented without
// bias.

/// Vanilla cell, G = 1 (RNN-30): h' = activation(W x + U h + b) with
/// dnnl_eltwise_relu (negative slope alpha), dnnl_eltwise_tanh or
/// dnnl_eltwise_logistic.
DNNL_API dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags, float alpha,
    float beta, const_dnnl_primitive_attr_t attr);

/// Gradient of the vanilla cell (RNN-40).
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

/// LSTM, G = 4 in the order input, forget, candidate, output (RNN-31, RNN-32).
/// src_iter_c and dst_iter_c L x D x N x DHC come together with src_iter and
/// dst_iter. Optional: weights_peephole L x D x 3 x DHC; weights_projection
/// L x D x DHC x DIC, then hidden states have DIC channels.
/// Errors: dnnl_invalid_arguments if only one of an iter and iter_c pair is
/// given.
DNNL_API dnnl_status_t dnnl_lstm_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of the LSTM (RNN-41).
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

/// GRU, G = 3 in the order update, reset, output (RNN-33).
DNNL_API dnnl_status_t dnnl_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of the GRU (RNN-42).
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

/// Linear-before-reset GRU, G = 3 and a bias of 4 (RNN-34).
/// Errors: dnnl_invalid_arguments for a bias with 3 gates.
DNNL_API dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    unsigned int flags, const_dnnl_primitive_attr_t attr);

/// Gradient of the linear-before-reset GRU (RNN-43).
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

/// GRU with attention T x N x 1 (RNN-35); one layer, left to right.
/// Errors: dnnl_invalid_arguments for more layers or another direction.
DNNL_API dnnl_status_t dnnl_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_attr_t attr);

/// Gradient of the GRU with attention, also by the attention (RNN-45).
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

/// Linear-before-reset GRU with attention T x N x 1 and a bias of 4 (RNN-35);
/// one layer, left to right.
/// Errors: dnnl_invalid_arguments for more layers or another direction.
DNNL_API dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_attr_t attr);

/// Gradient of the linear-before-reset GRU with attention (RNN-45).
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

/// Matmul: dst[.., m, n] = sum over k of src[.., m, k] weights[.., k, n] +
/// bias[.., m, n] (MAT-01..67). One rank, 2..12; leading extents of src and
/// weights are equal or 1; bias optional, its extents those of dst or 1. All
/// may be any unless extents are run-time values. In: SRC, WEIGHTS, BIAS. Out:
/// DST. Attributes: scales, zero points, dropout, post-ops eltwise, sum, binary,
/// prelu.
DNNL_API dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                         const_dnnl_memory_desc_t src_desc,
                                                         const_dnnl_memory_desc_t weights_desc,
                                                         const_dnnl_memory_desc_t bias_desc,
                                                         const_dnnl_memory_desc_t dst_desc,
                                                         const_dnnl_primitive_attr_t attr);

/// Resampling of N x C x [[D x] H x] W, nearest or linear (RES-01..12).
/// `factors`, one per spatial dimension, may be NULL if dst is given; dst absent
/// means extents of src times factors, rounded down. dst may be any. In: SRC.
/// Out: DST. Attributes: post-ops sum, eltwise, binary.
DNNL_API dnnl_status_t dnnl_resampling_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                     dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                     dnnl_alg_kind_t alg_kind, const float* factors,
                                                                     const_dnnl_memory_desc_t src_desc,
                                                                     const_dnnl_memory_desc_t dst_desc,
                                                                     const_dnnl_primitive_attr_t attr);

/// Gradient of resampling; diff_src may be any. In: DIFF_DST. Out: DIFF_SRC.
/// (RES-04)
DNNL_API dnnl_status_t dnnl_resampling_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const float* factors,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Reduction over the dimensions where dst has extent 1 and src has not
/// (RED-01..13). `p` and `eps` are for the norm algorithms. dst may be any. In:
/// SRC. Out: DST. Attributes: post-ops sum, eltwise, binary.
/// Errors: dnnl_invalid_arguments if nothing is reduced, or for p < 1 or not
/// finite.
DNNL_API dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
                                                            const_dnnl_memory_desc_t dst_desc, float p, float eps,
                                                            const_dnnl_primitive_attr_t attr);

// ---- Settings of the library ----

/// Writes how many primitives the cache keeps (CCH-01).
DNNL_API dnnl_status_t dnnl_get_primitive_cache_capacity(int* capacity);

/// Sets how many primitives the cache keeps; 0 empties it and turns it off.
/// Default 1024 or the environment variable ONEDNN_PRIMITIVE_CACHE_CAPACITY.
/// Errors: dnnl_invalid_arguments for a negative number.
DNNL_API dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity);

/// With a value other than 0, writes every generated kernel to a file in the
/// working directory (JIT-01).
DNNL_API dnnl_status_t dnnl_set_jit_dump(int enable);

/// Sets which profilers learn about generated code: DNNL_JIT_PROFILE_* as bits
/// (JIT-02).
/// Errors: dnnl_invalid_arguments for unknown bits; dnnl_unimplemented for a
/// profiler the build does not know.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_flags(unsigned int flags);

/// Sets the directory of jitdump files; the text is copied (JIT-02).
/// Errors: dnnl_unimplemented in builds without that profiler.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char* dir);

/// Limits the instruction set (ISA-01), once, before anything else asks for it;
/// takes precedence over the environment variable ONEDNN_MAX_CPU_ISA.
/// Errors: dnnl_invalid_arguments for a later call or an unknown value.
DNNL_API dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa);

/// The instruction set in use: what the machine has, within the limit.
DNNL_API dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void);

/// Sets hints (ISA-02), once, before anything else asks for them.
/// Errors: dnnl_runtime_error for a later call; dnnl_invalid_arguments for an
/// unknown value.
DNNL_API dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints);

/// The hints in use.
DNNL_API dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void);

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// Forgets the measurements of a stream (STR-04).
/// Errors: dnnl_invalid_arguments for a stream without dnnl_stream_profiling.
DNNL_API dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream);

/// With `data` NULL: writes to `*num_entries` the number of executions measured
/// since the last reset. Otherwise writes up to that many values to `data`, in
/// nanoseconds for dnnl_profiling_data_kind_time.
/// Errors: dnnl_invalid_arguments for a stream without dnnl_stream_profiling or
/// an undefined kind.
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

/// C = alpha op(A) op(B) + beta C. With beta 0, C is not read, with alpha 0
/// neither A nor B (GEM-01).
DNNL_API dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha,
                                  const float* A, dnnl_dim_t lda, const float* B, dnnl_dim_t ldb, float beta, float* C,
                                  dnnl_dim_t ldc);

/// C = alpha (op(A) - ao) (op(B) - bo) + beta C + co, rounded to nearest even
/// and saturated (GEM-02). `offsetc`: 'F' co[0] for all, 'C' co[m] per row, 'R'
/// co[n] per column.
DNNL_API dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                         dnnl_dim_t K, float alpha, const uint8_t* A, dnnl_dim_t lda, uint8_t ao,
                                         const int8_t* B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t* C,
                                         dnnl_dim_t ldc, const int32_t* co);

/// As dnnl_gemm_u8s8s32(), with signed A.
DNNL_API dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                         dnnl_dim_t K, float alpha, const int8_t* A, dnnl_dim_t lda, int8_t ao,
                                         const int8_t* B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t* C,
                                         dnnl_dim_t ldc, const int32_t* co);

#ifdef __cplusplus
}
#endif

#endif
