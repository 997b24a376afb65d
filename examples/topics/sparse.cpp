// SPDX-License-Identifier: Apache-2.0
// Sparse weights times dense activations, stored as CSR and as COO.
//
// CSR keeps the values row by row, their columns, and where each row begins; COO a row and a column for each value. A
// memory of either has several buffers. It prints the lists of a small matrix, then compares products of a larger one
// (one value in ten is not zero) with the dense product of the same weights.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

struct Lists {
    std::vector<float> values;
    std::vector<int32_t> rows, columns, row_begins = {0};
};

Lists lists_of(const std::vector<float>& dense, int rows, int columns) {
    Lists l;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            const float value = dense[size_t(r * columns + c)];
            if (value == 0) continue;
            l.values.push_back(value), l.rows.push_back(r), l.columns.push_back(c);
        }
        l.row_begins.push_back(int32_t(l.values.size()));
    }
    return l;
}

template <typename T> void print(const char* name, const std::vector<T>& list) {
    std::printf("  %-10s", name);
    for (T x : list) std::printf(" %g", double(x));
    std::printf("\n");
}

constexpr int M = 8, K = 60, N = 40;

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);

    const Lists small = lists_of({0, 7, 0, /**/ 0, 0, 0, /**/ 5, 0, 9}, 3, 3);
    std::printf("0 7 0 / 0 0 0 / 5 0 9\n");
    print("values", small.values), print("columns", small.columns);
    print("CSR begins", small.row_begins), print("COO rows", small.rows);

    std::mt19937 bits(1);
    std::vector<float> src(M * K), weights(K * N), by_csr(M * N), by_coo(M * N), expected(M * N);
    for (float& x : src) x = float(bits()) / 2147483648.f - 1;
    for (float& w : weights) w = bits() % 10 ? 0 : float(bits()) / 2147483648.f - 1;
    Lists l = lists_of(weights, K, N);
    const memory::dim count = memory::dim(l.values.size());
    const memory::desc src_md({M, K}, dt::f32, tag::ab), dst_md({M, N}, dt::f32, tag::ab);
    const memory x(src_md, cpu, src.data());

    // [csr]
    const memory::desc csr = memory::desc::csr({K, N}, dt::f32, count, dt::s32, dt::s32);
    const memory as_csr(csr, cpu, {l.values.data(), l.columns.data(), l.row_begins.data()});
    dnnl::matmul({cpu, src_md, csr, dst_md})
        .execute(stream,
                 {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, as_csr}, {DNNL_ARG_DST, memory(dst_md, cpu, by_csr.data())}});
    // [/csr]
    // [coo]
    const memory::desc coo = memory::desc::coo({K, N}, dt::f32, count, dt::s32);
    const memory as_coo(coo, cpu, {l.values.data(), l.rows.data(), l.columns.data()});
    dnnl::matmul({cpu, src_md, coo, dst_md})
        .execute(stream,
                 {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, as_coo}, {DNNL_ARG_DST, memory(dst_md, cpu, by_coo.data())}});
    // [/coo]
    const memory::desc dense_md({K, N}, dt::f32, tag::ab);
    dnnl::matmul({cpu, src_md, dense_md, dst_md})
        .execute(stream, {{DNNL_ARG_SRC, x},
                          {DNNL_ARG_WEIGHTS, memory(dense_md, cpu, weights.data())},
                          {DNNL_ARG_DST, memory(dst_md, cpu, expected.data())}});
    stream.wait();

    float difference = 0;
    for (size_t i = 0; i < expected.size(); ++i)
        difference = std::max({difference, std::fabs(by_csr[i] - expected[i]), std::fabs(by_coo[i] - expected[i])});
    std::printf("%dx%d weights, %d of %d not zero: CSR and COO as the dense product: %s\n", K, N, int(count), K * N,
                difference < 1e-5f ? "yes" : "NO");

    // [refused]
    l.columns[3] = N; // no such column
    try {
        dnnl::matmul({cpu, src_md, csr, dst_md})
            .execute(
                stream,
                {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, as_csr}, {DNNL_ARG_DST, memory(dst_md, cpu, by_csr.data())}});
        stream.wait();
        difference = 1;
    } catch (const dnnl::error& e) { std::printf("%s\n", e.what()); }
    // [/refused]
    return difference < 1e-5f ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
