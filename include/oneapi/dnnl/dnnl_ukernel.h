// SPDX-License-Identifier: Apache-2.0
/// Micro-kernel interface: small matrix products on plain pointers.
/// Experimental: declared only where DNNL_EXPERIMENTAL_UKERNEL is defined. This
/// version exports all calls and contains none of the kernels: each answers
/// dnnl_unimplemented.
///
/// Order of calls: create, set_*, finalize, (get_scratchpad_size,) generate,
/// set_hw_context, execute..., release_hw_context, destroy.
#ifndef ONEAPI_DNNL_DNNL_UKERNEL_H
#define ONEAPI_DNNL_DNNL_UKERNEL_H

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ukernel_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef DNNL_EXPERIMENTAL_UKERNEL

/// Creates an empty set of addresses.
/// @param[out] attr_params The addresses; the caller destroys them.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_create(dnnl_ukernel_attr_params_t* attr_params);

/// Sets the tensors of the post-ops, one pointer per entry that has one. The array is not copied.
/// @param attr_params Addresses to change.
/// @param post_ops_args One pointer per post-op that has a tensor, in their order; the array is not copied.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_set_post_ops_args(dnnl_ukernel_attr_params_t attr_params,
                                                                  const void** post_ops_args);

/// Sets the address of the f32 scales of A.
/// @param attr_params Addresses to change.
/// @param a_scales The f32 scales of A.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_set_A_scales(dnnl_ukernel_attr_params_t attr_params,
                                                             const void* a_scales);

/// Sets the address of the f32 scales of B.
/// @param attr_params Addresses to change.
/// @param b_scales The f32 scales of B.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_set_B_scales(dnnl_ukernel_attr_params_t attr_params,
                                                             const void* b_scales);

/// Sets the address of the f32 scales of D.
/// @param attr_params Addresses to change.
/// @param d_scales The f32 scales of D.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_set_D_scales(dnnl_ukernel_attr_params_t attr_params,
                                                             const void* d_scales);

/// Destroys a set of addresses.
/// @param attr_params Addresses to destroy; NULL is allowed.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_destroy(dnnl_ukernel_attr_params_t attr_params);

/// Creates C = sum over batch_size pairs of A_i B_i, all row-major.
/// @param[out] brgemm The product; the caller destroys it.
/// @param M Rows of A_i and C, >= 1.
/// @param N Columns of B_i and C, >= 1.
/// @param K Columns of A_i, rows of B_i, >= 1.
/// @param batch_size Number of pairs, >= 1.
/// @param lda Elements from row to row of A_i.
/// @param ldb Elements from row to row of B_i.
/// @param ldc Elements from row to row of C.
/// @param a_dt Type of A.
/// @param b_dt Type of B.
/// @param c_dt Type of C.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_create(dnnl_brgemm_t* brgemm, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                          dnnl_dim_t batch_size, dnnl_dim_t lda, dnnl_dim_t ldb, dnnl_dim_t ldc,
                                          dnnl_data_type_t a_dt, dnnl_data_type_t b_dt, dnnl_data_type_t c_dt);

/// Sets whether the product is added to C instead of replacing it.
/// @param brgemm Product to change.
/// @param add_C Not 0: it is added.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_set_add_C(dnnl_brgemm_t brgemm, int add_C);

/// Makes execution write D = post_ops(C).
/// @param brgemm Product to change.
/// @param ldd Elements from row to row of D.
/// @param d_dt Type of D.
/// @param post_ops Post-ops, copied.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_set_post_ops(dnnl_brgemm_t brgemm, dnnl_dim_t ldd, dnnl_data_type_t d_dt,
                                                const_dnnl_post_ops_t post_ops);

/// Announces scales of A.
/// @param brgemm Product to change.
/// @param a_scale_mask 0: one scale.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_set_A_scales(dnnl_brgemm_t brgemm, int a_scale_mask);

/// Announces scales of B.
/// @param brgemm Product to change.
/// @param b_scale_mask 0: one scale; 2: one per column.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_set_B_scales(dnnl_brgemm_t brgemm, int b_scale_mask);

/// Announces scales of D.
/// @param brgemm Product to change.
/// @param d_scale_mask 0: one scale.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_set_D_scales(dnnl_brgemm_t brgemm, int d_scale_mask);

/// Ends the settings and checks them as a whole.
/// @param brgemm Product to change.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_finalize(dnnl_brgemm_t brgemm);

/// Reads the layout B must have.
/// @param[out] pack_type The layout.
/// @param a_dt Type of A.
/// @param b_dt Type of B.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_get_B_pack_type(dnnl_pack_type_t* pack_type, dnnl_data_type_t a_dt,
                                                   dnnl_data_type_t b_dt);

/// Reads how much temporary memory execution needs; after dnnl_brgemm_finalize().
/// @param brgemm Product to ask.
/// @param[out] size Bytes.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_get_scratchpad_size(const_dnnl_brgemm_t brgemm, size_t* size);

/// Reads whether dnnl_brgemm_execute_postops() may be called.
/// @param brgemm Product to ask.
/// @param[out] valid 1 if it may, else 0.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_is_execute_postops_valid(const_dnnl_brgemm_t brgemm, int* valid);

/// Prepares the calling thread's processor, such as AMX tiles.
/// @param brgemm Product that will be executed.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_set_hw_context(const_dnnl_brgemm_t brgemm);

/// Undoes dnnl_brgemm_set_hw_context() on the calling thread.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_release_hw_context(void);

/// Generates the code; after dnnl_brgemm_finalize().
/// @param brgemm Product to change.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_generate(dnnl_brgemm_t brgemm);

/// Runs the product; after dnnl_brgemm_generate().
/// @param brgemm Product to run.
/// @param A_ptr Elements of A.
/// @param B_ptr Elements of B, in the layout of dnnl_brgemm_get_B_pack_type().
/// @param A_B_offsets Two byte offsets per pair: of A_i from A, of B_i from B.
/// @param C_ptr Elements of C.
/// @param scratchpad_ptr Temporary memory of dnnl_brgemm_get_scratchpad_size() bytes.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_execute(const_dnnl_brgemm_t brgemm, const void* A_ptr, const void* B_ptr,
                                           const dnnl_dim_t* A_B_offsets, void* C_ptr, void* scratchpad_ptr);

/// Runs the product and writes the result of the post-ops to D; C is only read. After dnnl_brgemm_generate(),
/// if dnnl_brgemm_is_execute_postops_valid() says 1.
/// @param brgemm Product to run.
/// @param A Elements of A.
/// @param B Elements of B, in the layout of dnnl_brgemm_get_B_pack_type().
/// @param A_B_offsets Two byte offsets per pair: of A_i from A, of B_i from B.
/// @param C_ptr Elements of C.
/// @param D_ptr Elements of D.
/// @param scratchpad_ptr Temporary memory of dnnl_brgemm_get_scratchpad_size() bytes.
/// @param attr_params Addresses of scales and of tensors of the post-ops.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_execute_postops(const_dnnl_brgemm_t brgemm, const void* A, const void* B,
                                                   const dnnl_dim_t* A_B_offsets, const void* C_ptr, void* D_ptr,
                                                   void* scratchpad_ptr, const_dnnl_ukernel_attr_params_t attr_params);

/// Destroys a product.
/// @param brgemm Product to destroy; NULL is allowed.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_brgemm_destroy(dnnl_brgemm_t brgemm);

/// Creates the packing of a K x N matrix as dnnl_pack_type_pack32.
/// @param[out] transform The packing; the caller destroys it.
/// @param K Rows, >= 1.
/// @param N Columns, >= 1.
/// @param in_pack_type Layout of the input.
/// @param in_ld Elements from row to row of the input.
/// @param out_ld Elements from row to row of the output: 16, 32, 48 or 64.
/// @param in_dt Type of the input.
/// @param out_dt Type of the output.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_transform_create(dnnl_transform_t* transform, dnnl_dim_t K, dnnl_dim_t N,
                                             dnnl_pack_type_t in_pack_type, dnnl_dim_t in_ld, dnnl_dim_t out_ld,
                                             dnnl_data_type_t in_dt, dnnl_data_type_t out_dt);

/// Generates the code.
/// @param transform Packing to change.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_transform_generate(dnnl_transform_t transform);

/// Packs one matrix; after dnnl_transform_generate().
/// @param transform Packing to run.
/// @param in_ptr Elements of the input.
/// @param out_ptr Elements of the output.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_transform_execute(const_dnnl_transform_t transform, const void* in_ptr, void* out_ptr);

/// Destroys a packing.
/// @param transform Packing to destroy; NULL is allowed.
/// @returns dnnl_unimplemented whatever the arguments: this version contains no micro-kernels.
DNNL_API dnnl_status_t dnnl_transform_destroy(dnnl_transform_t transform);

#endif

#ifdef __cplusplus
}
#endif

#endif
