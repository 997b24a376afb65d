// SPDX-License-Identifier: Apache-2.0
// Streams and matrix products that run on the user's thread pool (runtime THREADPOOL).
// Contract: the pool outlives every stream made from it.
//
//     stream strm = threadpool_interop::make_stream(eng, &pool);

#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_HPP
#define ONEAPI_DNNL_DNNL_THREADPOOL_HPP

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

namespace dnnl {

namespace threadpool_interop {

/// A stream whose primitives run on `threadpool`, which must not be null: stream(aengine) runs on the calling thread.
/// @param aengine Engine whose primitives the stream runs.
/// @param threadpool Pool, which must outlive the stream; not null.
/// @returns The stream.
/// @throws dnnl::error with the status of dnnl_threadpool_interop_stream_create() if that refuses.
inline dnnl::stream make_stream(const dnnl::engine& aengine, threadpool_iface* threadpool) {
    dnnl_stream_t c_stream = nullptr;
    dnnl::error::wrap_c_api(dnnl_threadpool_interop_stream_create(&c_stream, aengine.get(), threadpool),
                            "could not create a stream on a thread pool");
    return dnnl::stream(c_stream);
}

/// @param astream Stream made with a pool.
/// @returns The pool of a stream.
/// @throws dnnl::error with the status of dnnl_threadpool_interop_stream_get_threadpool() if that refuses.
inline threadpool_iface* get_threadpool(const dnnl::stream& astream) {
    void* threadpool = nullptr;
    dnnl::error::wrap_c_api(dnnl_threadpool_interop_stream_get_threadpool(astream.get(), &threadpool),
                            "could not get the thread pool of a stream");
    return static_cast<threadpool_iface*>(threadpool);
}

/// dnnl::sgemm on a thread pool.
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
/// @param threadpool Pool that runs the product.
/// @returns The status of dnnl_threadpool_interop_sgemm().
inline status sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const float* A,
                    dnnl_dim_t lda, const float* B, dnnl_dim_t ldb, float beta, float* C, dnnl_dim_t ldc,
                    threadpool_iface* threadpool) {
    return static_cast<status>(
        dnnl_threadpool_interop_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, threadpool));
}

/// dnnl::gemm_u8s8s32 on a thread pool.
/// @param transa 'N' or 'n': A is stored as M x K; 'T' or 't': as K x M.
/// @param transb 'N' or 'n': B is stored as K x N; 'T' or 't': as N x K.
/// @param offsetc 'F' or 'f': co[0] for all of C; 'C' or 'c': co[m], one per row; 'R' or 'r': co[n], one per column.
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
/// @param threadpool Pool that runs the product.
/// @returns The status of dnnl_threadpool_interop_gemm_u8s8s32().
inline status gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                           float alpha, const uint8_t* A, dnnl_dim_t lda, uint8_t ao, const int8_t* B, dnnl_dim_t ldb,
                           int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc, const int32_t* co,
                           threadpool_iface* threadpool) {
    return static_cast<status>(dnnl_threadpool_interop_gemm_u8s8s32(transa, transb, offsetc, M, N, K, alpha, A, lda, ao,
                                                                    B, ldb, bo, beta, C, ldc, co, threadpool));
}

/// dnnl::gemm_s8s8s32 on a thread pool.
/// @param transa 'N' or 'n': A is stored as M x K; 'T' or 't': as K x M.
/// @param transb 'N' or 'n': B is stored as K x N; 'T' or 't': as N x K.
/// @param offsetc 'F' or 'f': co[0] for all of C; 'C' or 'c': co[m], one per row; 'R' or 'r': co[n], one per column.
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
/// @param threadpool Pool that runs the product.
/// @returns The status of dnnl_threadpool_interop_gemm_s8s8s32().
inline status gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                           float alpha, const int8_t* A, dnnl_dim_t lda, int8_t ao, const int8_t* B, dnnl_dim_t ldb,
                           int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc, const int32_t* co,
                           threadpool_iface* threadpool) {
    return static_cast<status>(dnnl_threadpool_interop_gemm_s8s8s32(transa, transb, offsetc, M, N, K, alpha, A, lda, ao,
                                                                    B, ldb, bo, beta, C, ldc, co, threadpool));
}

} // namespace threadpool_interop

} // namespace dnnl

#endif
