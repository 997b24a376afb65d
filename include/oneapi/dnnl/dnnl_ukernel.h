/// Micro-kernel interface: small matrix products on plain pointers (UKR-01..05).
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
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_create(dnnl_ukernel_attr_params_t* attr_params);

/// Sets the tensors of the post-ops, one pointer per entry that has one. The
/// array is not copied.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_set_post_ops_args(dnnl_ukernel_attr_params_t attr_params,
                                                                  const void** post_ops_args);

/// Sets the address of the f32 scales of A.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_set_A_scales(dnnl_ukernel_attr_params_t attr_params,
                                                             const void* a_scales);

/// Sets the address of the f32 scales of B.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_set_B_scales(dnnl_ukernel_attr_params_t attr_params,
                                                             const void* b_scales);

/// Sets the address of the f32 scales of D.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_set_D_scales(dnnl_ukernel_attr_params_t attr_params,
                                                             const void* d_scales);

/// Destroys a set of addresses.
DNNL_API dnnl_status_t dnnl_ukernel_attr_params_destroy(dnnl_ukernel_attr_params_t attr_params);

/// Creates C = sum over batch_size pairs of A_i B_i, A_i M x K, B_i K x N,
/// C M x N, all row-major; lda, ldb, ldc are elements from row to row.
/// Errors: dnnl_invalid_arguments for extents < 1 or rows shorter than their
/// contents; dnnl_unimplemented for types without kernel.
DNNL_API dnnl_status_t dnnl_brgemm_create(dnnl_brgemm_t* brgemm, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                          dnnl_dim_t batch_size, dnnl_dim_t lda, dnnl_dim_t ldb, dnnl_dim_t ldc,
                                          dnnl_data_type_t a_dt, dnnl_data_type_t b_dt, dnnl_data_type_t c_dt);

/// `add_C` not 0: the product is added to C instead of replacing it.
DNNL_API dnnl_status_t dnnl_brgemm_set_add_C(dnnl_brgemm_t brgemm, int add_C);

/// Makes execution write D = post_ops(C), `ldd` elements from row to row.
/// Errors: dnnl_unimplemented for post-ops without kernel.
DNNL_API dnnl_status_t dnnl_brgemm_set_post_ops(dnnl_brgemm_t brgemm, dnnl_dim_t ldd, dnnl_data_type_t d_dt,
                                                const_dnnl_post_ops_t post_ops);

/// Announces scales of A with a mask.
/// Errors: dnnl_unimplemented for a mask without kernel.
DNNL_API dnnl_status_t dnnl_brgemm_set_A_scales(dnnl_brgemm_t brgemm, int a_scale_mask);

/// Announces scales of B with a mask.
/// Errors: dnnl_unimplemented for a mask without kernel.
DNNL_API dnnl_status_t dnnl_brgemm_set_B_scales(dnnl_brgemm_t brgemm, int b_scale_mask);

/// Announces scales of D with a mask.
/// Errors: dnnl_unimplemented for a mask without kernel.
DNNL_API dnnl_status_t dnnl_brgemm_set_D_scales(dnnl_brgemm_t brgemm, int d_scale_mask);

/// Ends the settings and checks them as a whole.
/// Errors: dnnl_unimplemented if there is no kernel.
DNNL_API dnnl_status_t dnnl_brgemm_finalize(dnnl_brgemm_t brgemm);

/// Writes the layout B must have for types of A and B.
DNNL_API dnnl_status_t dnnl_brgemm_get_B_pack_type(dnnl_pack_type_t* pack_type, dnnl_data_type_t a_dt,
                                                   dnnl_data_type_t b_dt);

/// Writes the bytes of temporary memory that execution needs.
/// Errors: dnnl_invalid_arguments before dnnl_brgemm_finalize().
DNNL_API dnnl_status_t dnnl_brgemm_get_scratchpad_size(const_dnnl_brgemm_t brgemm, size_t* size);

/// Writes 1 if dnnl_brgemm_execute_postops() may be called, else 0.
DNNL_API dnnl_status_t dnnl_brgemm_is_execute_postops_valid(const_dnnl_brgemm_t brgemm, int* valid);

/// Prepares the calling thread's processor, such as AMX tiles.
DNNL_API dnnl_status_t dnnl_brgemm_set_hw_context(const_dnnl_brgemm_t brgemm);

/// Undoes dnnl_brgemm_set_hw_context() on the calling thread.
DNNL_API dnnl_status_t dnnl_brgemm_release_hw_context(void);

/// Generates the code.
/// Errors: dnnl_invalid_arguments before dnnl_brgemm_finalize().
DNNL_API dnnl_status_t dnnl_brgemm_generate(dnnl_brgemm_t brgemm);

/// Runs the product. `A_B_offsets` holds two byte offsets per pair: of A_i from
/// A_ptr, of B_i from B_ptr.
/// Errors: dnnl_invalid_arguments before dnnl_brgemm_generate().
DNNL_API dnnl_status_t dnnl_brgemm_execute(const_dnnl_brgemm_t brgemm, const void* A_ptr, const void* B_ptr,
                                           const dnnl_dim_t* A_B_offsets, void* C_ptr, void* scratchpad_ptr);

/// Runs the product and writes the result of the post-ops to D; C is only read.
/// Errors: dnnl_invalid_arguments before dnnl_brgemm_generate() or if
/// dnnl_brgemm_is_execute_postops_valid() says 0.
DNNL_API dnnl_status_t dnnl_brgemm_execute_postops(const_dnnl_brgemm_t brgemm, const void* A, const void* B,
                                                   const dnnl_dim_t* A_B_offsets, const void* C_ptr, void* D_ptr,
                                                   void* scratchpad_ptr, const_dnnl_ukernel_attr_params_t attr_params);

/// Destroys a product.
DNNL_API dnnl_status_t dnnl_brgemm_destroy(dnnl_brgemm_t brgemm);

/// Creates a packing of a K x N matrix in layout `in_pack_type`, rows `in_ld`
/// elements apart, into dnnl_pack_type_pack32 with rows of `out_ld` (16, 32,
/// 48 or 64) elements (UKR-03).
/// Errors: dnnl_invalid_arguments for another `out_ld`; dnnl_unimplemented for
/// types without kernel.
DNNL_API dnnl_status_t dnnl_transform_create(dnnl_transform_t* transform, dnnl_dim_t K, dnnl_dim_t N,
                                             dnnl_pack_type_t in_pack_type, dnnl_dim_t in_ld, dnnl_dim_t out_ld,
                                             dnnl_data_type_t in_dt, dnnl_data_type_t out_dt);

/// Generates the code.
DNNL_API dnnl_status_t dnnl_transform_generate(dnnl_transform_t transform);

/// Packs one matrix.
/// Errors: dnnl_invalid_arguments before dnnl_transform_generate().
DNNL_API dnnl_status_t dnnl_transform_execute(const_dnnl_transform_t transform, const void* in_ptr, void* out_ptr);

/// Destroys a packing.
DNNL_API dnnl_status_t dnnl_transform_destroy(dnnl_transform_t transform);

#endif

#ifdef __cplusplus
}
#endif

#endif
