// SPDX-License-Identifier: Apache-2.0
// The three calls in the style of BLAS: C = alpha op(A) op(B) + beta C, row by row, on addresses.
//
// No engine, no descriptors; lda, ldb and ldc are elements from one stored row to the next. The calls with 8-bit
// factors subtract an offset from each and add one to C, in s32. It prints small products and compares all with loops.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

bool good = true;

template <typename T, typename Expected> void print(const char* name, const std::vector<T>& c, Expected expected) {
    std::printf("%s\n", name);
    for (int m = 0; m < 2; ++m) {
        for (int n = 0; n < 3; ++n) {
            std::printf(" %5g", double(c[size_t(m * 3 + n)]));
            good &= double(c[size_t(m * 3 + n)]) == expected(m, n);
        }
        std::printf("\n");
    }
}

void check(dnnl::status status) {
    if (status != dnnl::status::success) throw dnnl::error(dnnl_status_t(status), dnnl_tessera_last_error());
}

int main() try {
    // [sgemm]
    const std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8};                        // 2 rows of 4
    const std::vector<float> b = {1, 0, 2, -1, /**/ 0, 1, 1, 1, /**/ 3, 0, 0, 2}; // 3 rows of 4: B transposed
    std::vector<float> c(6, 100);
    check(dnnl::sgemm('N', 'T', 2, 3, 4, 1.f, a.data(), 4, b.data(), 4, 0.f, c.data(), 3));
    // [/sgemm]
    const auto product = [&](int m, int n) {
        double sum = 0;
        for (int k = 0; k < 4; ++k) sum += double(a[size_t(m * 4 + k)] * b[size_t(n * 4 + k)]);
        return sum;
    };
    print("A x B^T; beta = 0: what C held is not read", c, product);
    check(dnnl::sgemm('N', 'T', 2, 3, 4, 0.5f, a.data(), 4, b.data(), 4, 2.f, c.data(), 3));
    print("0.5 A x B^T + 2 C", c, [&](int m, int n) { return 2.5 * product(m, n); });

    // [int8]
    const std::vector<uint8_t> ua = {128, 130, 126, 255, 0, 128};             // 2 x 3, of which 128 stands for 0
    const std::vector<int8_t> sb = {1, -2, 3, /**/ 100, 0, -1, /**/ 7, 7, 7}; // 3 x 3
    const std::vector<int32_t> per_column = {1000, 2000, 3000};
    std::vector<int32_t> ic(6);
    check(dnnl::gemm_u8s8s32('N', 'N', 'R', 2, 3, 3, 1.f, ua.data(), 3, 128, sb.data(), 3, 0, 0.f, ic.data(), 3,
                             per_column.data()));
    // [/int8]
    print("(A - 128) x B + a value for each column, in integers", ic, [&](int m, int n) {
        int sum = per_column[size_t(n)];
        for (int k = 0; k < 3; ++k) sum += (ua[size_t(m * 3 + k)] - 128) * sb[size_t(k * 3 + n)];
        return double(sum);
    });

    const dnnl::status status = dnnl::sgemm('N', 'N', 2, 3, 4, 1.f, a.data(), 3, b.data(), 3, 0.f, c.data(), 3);
    std::printf("rows of A closer together than they are long: %s\n", dnnl_tessera_last_error());
    good &= status == dnnl::status::invalid_arguments;
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
