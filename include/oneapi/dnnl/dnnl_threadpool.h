/// Interop with a thread pool of the user, for builds whose CPU threading
/// runtime is DNNL_RUNTIME_THREADPOOL (THR-04). In other builds the calls
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

/// Creates a stream whose executions are distributed by the pool.
/// Errors: dnnl_invalid_arguments for an engine that is no CPU engine.
DNNL_API dnnl_status_t dnnl_threadpool_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine,
                                                             void* threadpool);

/// Writes the pool of a stream.
/// Errors: dnnl_invalid_arguments for a stream without pool.
DNNL_API dnnl_status_t dnnl_threadpool_interop_stream_get_threadpool(dnnl_stream_t astream, void** threadpool);

/// Sets, for the calling thread, how many threads primitives created from now
/// on are laid out for; they use no more threads of a pool. Where it was not
/// set, the number of cores.
/// Errors: dnnl_invalid_arguments for a number < 1.
DNNL_API dnnl_status_t dnnl_threadpool_interop_set_max_concurrency(int max_concurrency);

/// Writes the setting of the calling thread.
DNNL_API dnnl_status_t dnnl_threadpool_interop_get_max_concurrency(int* max_concurrency);

/// dnnl_sgemm() on a pool.
/// Errors: as there.
DNNL_API dnnl_status_t dnnl_threadpool_interop_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                                     float alpha, const float* A, dnnl_dim_t lda, const float* B,
                                                     dnnl_dim_t ldb, float beta, float* C, dnnl_dim_t ldc,
                                                     void* threadpool);

/// dnnl_gemm_u8s8s32() on a pool.
/// Errors: as there.
DNNL_API dnnl_status_t dnnl_threadpool_interop_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
                                                            dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t* A,
                                                            dnnl_dim_t lda, uint8_t ao, const int8_t* B, dnnl_dim_t ldb,
                                                            int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc,
                                                            const int32_t* co, void* threadpool);

/// dnnl_gemm_s8s8s32() on a pool.
/// Errors: as there.
DNNL_API dnnl_status_t dnnl_threadpool_interop_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
                                                            dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t* A,
                                                            dnnl_dim_t lda, int8_t ao, const int8_t* B, dnnl_dim_t ldb,
                                                            int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc,
                                                            const int32_t* co, void* threadpool);

#ifdef __cplusplus
}
#endif

#endif
