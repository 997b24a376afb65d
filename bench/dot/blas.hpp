// SPDX-License-Identifier: Apache-2.0
// Products of f32 matrices by a BLAS, loaded while the program runs: MKL, or OpenBLAS as NumPy's wheel has it.
//
//   const Blas blas("libmkl_rt.so.3");         // throws std::runtime_error where it cannot be used
//   const Work work = blas.work(c);            // of a case with c.plain; work.run() calls cblas_sgemm or its batch
//   form blas.version()                             // "2026.2"
//
// The buffers are those that the library of dnnl has for the same matmul; transpositions and leading dimensions follow
// from their strides. work() runs both libraries once and throws std::runtime_error if their results differ.
#pragma once

#include <cstdint>
#include <string>

#include "dot/cases.hpp"

namespace tessera::bench::dot {

class Blas {
public:
    explicit Blas(const std::string& path);
    Work work(const Case& c) const;
    const std::string& version() const { return version_; }

    // As CBLAS has them, all sizes of 64 bits. A group is a run of products of equal sizes.
    using Sgemm = void (*)(int layout, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
                           const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
    using SgemmBatch = void (*)(int layout, const int* transpose_a, const int* transpose_b, const int64_t* m,
                                const int64_t* n, const int64_t* k, const float* alpha, const float* const* a,
                                const int64_t* lda, const float* const* b, const int64_t* ldb, const float* beta,
                                float* const* c, const int64_t* ldc, int64_t groups, const int64_t* group_sizes);

private:
    Sgemm sgemm_ = nullptr;
    SgemmBatch sgemm_batch_ = nullptr; // of products of more than batch_above_ multiplications, others one by one
    int64_t batch_above_ = 0;
    std::string version_;
};

} // namespace tessera::bench::dot
