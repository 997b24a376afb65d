// SPDX-License-Identifier: Apache-2.0
/// Interop with a thread pool of the user, for builds whose CPU threading
/// runtime is DNNL_RUNTIME_THREADPOOL. In other builds the calls
/// answer dnnl_unimplemented.
///
/// `threadpool` points to an object of the C++ class
/// dnnl::threadpool_interop::threadpool_iface. It stays owned by the user and
/// must outlive its use.
#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_H
#define ONEAPI_DNNL_DNNL_THREADPOOL_H

#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates a stream whose executions are distributed by a pool.
/// @param[out] stream The stream.
/// @param engine CPU engine.
/// @param threadpool Pool of the user, which must outlive the stream.
/// @returns dnnl_success; dnnl_invalid_arguments if `stream` or `engine` or `threadpool` is NULL;
///     dnnl_out_of_memory; dnnl_unimplemented in builds with another runtime than DNNL_RUNTIME_THREADPOOL.
DNNL_API dnnl_status_t dnnl_threadpool_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine,
                                                             void* threadpool);

/// Reads the pool of a stream.
/// @param astream Stream to ask.
/// @param[out] threadpool Its pool.
/// @returns dnnl_success; dnnl_invalid_arguments if `astream` or `threadpool` is NULL, also for a stream
///     without a pool; dnnl_unimplemented in builds with another runtime than DNNL_RUNTIME_THREADPOOL.
DNNL_API dnnl_status_t dnnl_threadpool_interop_stream_get_threadpool(dnnl_stream_t astream, void** threadpool);

/// Sets, for the calling thread, how many threads primitive descriptors created from now on are laid out for;
/// their primitives use no more threads of a pool. Where it was not set, it is the number of cores.
/// @param max_concurrency Number of threads, >= 1.
/// @returns dnnl_success; dnnl_invalid_arguments for a number < 1; dnnl_unimplemented in builds with another
///     runtime than DNNL_RUNTIME_THREADPOOL.
DNNL_API dnnl_status_t dnnl_threadpool_interop_set_max_concurrency(int max_concurrency);

/// Reads the setting of dnnl_threadpool_interop_set_max_concurrency() for the calling thread.
/// @param[out] max_concurrency Number of threads.
/// @returns dnnl_success; dnnl_invalid_arguments if `max_concurrency` is NULL; dnnl_unimplemented in builds
///     with another runtime than DNNL_RUNTIME_THREADPOOL.
DNNL_API dnnl_status_t dnnl_threadpool_interop_get_max_concurrency(int* max_concurrency);

/// dnnl_sgemm() on a pool.
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
/// @param threadpool Pool of the user that runs the product; NULL: the calling thread runs it.
/// @returns dnnl_success; dnnl_invalid_arguments if `A` or `B` or `C` is NULL, also for other letters,
///     negative extents and strides shorter than the rows; dnnl_unimplemented in builds with another runtime
///     than DNNL_RUNTIME_THREADPOOL.
DNNL_API dnnl_status_t dnnl_threadpool_interop_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                                     float alpha, const float* A, dnnl_dim_t lda, const float* B,
                                                     dnnl_dim_t ldb, float beta, float* C, dnnl_dim_t ldc,
                                                     void* threadpool);

/// dnnl_gemm_u8s8s32() on a pool.
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
/// @param threadpool Pool of the user that runs the product; NULL: the calling thread runs it.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, also
///     for other letters, negative extents and strides shorter than the rows; dnnl_unimplemented in builds
///     with another runtime than DNNL_RUNTIME_THREADPOOL.
DNNL_API dnnl_status_t dnnl_threadpool_interop_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
                                                            dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t* A,
                                                            dnnl_dim_t lda, uint8_t ao, const int8_t* B, dnnl_dim_t ldb,
                                                            int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc,
                                                            const int32_t* co, void* threadpool);

/// dnnl_gemm_s8s8s32() on a pool.
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
/// @param threadpool Pool of the user that runs the product; NULL: the calling thread runs it.
/// @returns dnnl_success; dnnl_invalid_arguments for NULL where a parameter is not said to be optional, also
///     for other letters, negative extents and strides shorter than the rows; dnnl_unimplemented in builds
///     with another runtime than DNNL_RUNTIME_THREADPOOL.
DNNL_API dnnl_status_t dnnl_threadpool_interop_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
                                                            dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t* A,
                                                            dnnl_dim_t lda, int8_t ao, const int8_t* B, dnnl_dim_t ldb,
                                                            int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc,
                                                            const int32_t* co, void* threadpool);

#ifdef __cplusplus
}
#endif

#endif
