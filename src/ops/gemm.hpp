// SPDX-License-Identifier: Apache-2.0
// Matrix products on plain pointers (GEM-01, GEM-02): the parameters of a call, their validation, and its plan.
//
//   C = alpha op(A) op(B) + beta C                              f32
//   C = alpha (op(A) - ao) (op(B) - bo) + beta C + co           s32: rounded to nearest even, saturated
//
// Row-major: op(A) is m x k, op(B) k x n, C m x n; lda, ldb, ldc are elements from one stored row to the next.
#pragma once

#include "core/plan/plan.hpp"

namespace tessera::ops {

enum class GemmOffset : uint8_t { none, one, row, column }; // of C: nothing, co[0], co[m], co[n]

struct Gemm {
    DataType a = DataType::f32, b = DataType::f32, c = DataType::f32;
    bool a_transposed = false, b_transposed = false;
    int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
    // What the plan applies to the products.
    bool scales = false, adds = false; // times alpha, plus beta C; only for f32
    bool a_offset = false, b_offset = false;
    GemmOffset c_offset = GemmOffset::none;
    bool operator==(const Gemm&) const = default;
};

// Pointers in the order of the plan's operands; null for operands that it does not read.
struct GemmPointers {
    void *a, *b, *c, *alpha, *beta, *ao, *bo, *co;
};

Result<bool> is_transposed(const char* parameter, char letter); // of N, n, T, t
Result<void> check_gemm(const Gemm& gemm);                      // extents and leading dimensions
Plan plan_of_gemm(const Gemm& gemm);

} // namespace tessera::ops
