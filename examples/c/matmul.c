// SPDX-License-Identifier: Apache-2.0
// Matmul in C with attributes: int8 data with scales, and post-ops behind the product.
//
// dst = ReLU(src_scale * weights_scales[n] * (src * weights) + bias[n]) + residual, of u8 and s8, in one pass. The
// printed table sets the quantized product beside the same in f32, which differ by the rounding of src and weights.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const dnnl_status_t status = (call);                                                                           \
        if (status != dnnl_success) {                                                                                  \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, dnnl_status2str(status));                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { M = 3, K = 32, N = 4 };
static dnnl_engine_t cpu;

static dnnl_memory_desc_t describe(int rows, int columns, dnnl_data_type_t type) {
    const dnnl_dims_t dims = {rows, columns};
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 2, dims, type, dnnl_ab));
    return md;
}

static dnnl_memory_t memory_of(const_dnnl_memory_desc_t md, void* handle) {
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, md, cpu, handle));
    return memory;
}

static dnnl_memory_t scales_of(float* scales, int count) {
    const dnnl_dims_t dims = {count};
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    dnnl_memory_t memory = memory_of(md, scales);
    CHECK(dnnl_memory_desc_destroy(md));
    return memory;
}

int main(void) {
    CHECK(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    dnnl_stream_t stream;
    CHECK(dnnl_stream_create(&stream, cpu, dnnl_stream_default_flags));

    // The tensors as f32, and quantized: src is never negative, weights have a scale for each column.
    float x[M * K], w[K * N], y[M * N], bias[N] = {-1, 0, 1, 2}, src_scale = 1.f / 255;
    float weights_scales[N] = {1.f / 127, 2.f / 127, 3.f / 127, 4.f / 127};
    const float residual = 10;
    uint8_t xq[M * K];
    int8_t wq[K * N];
    for (int i = 0; i < M * K; ++i) {
        x[i] = (float)(i * 37 % 101) / 100;
        xq[i] = (uint8_t)nearbyintf(x[i] / src_scale);
    }
    for (int i = 0; i < K * N; ++i) {
        w[i] = (float)(i % N + 1) * (float)(i * 53 % 97 - 46) / 50;
        wq[i] = (int8_t)nearbyintf(w[i] / weights_scales[i % N]);
    }
    for (int i = 0; i < M * N; ++i) y[i] = residual; // `sum` reads what dst holds before

    // Masks have a bit for each dim that has its own scales: none, and dim 1 of weights.
    dnnl_primitive_attr_t attr;
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    CHECK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 1 << 1));
    dnnl_post_ops_t post_ops;
    CHECK(dnnl_post_ops_create(&post_ops));
    CHECK(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0));
    CHECK(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    CHECK(dnnl_post_ops_destroy(post_ops)); // the attributes have a copy

    dnnl_memory_desc_t src_md = describe(M, K, dnnl_u8), weights_md = describe(K, N, dnnl_s8);
    dnnl_memory_desc_t bias_md = describe(1, N, dnnl_f32), dst_md = describe(M, N, dnnl_f32);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_matmul_primitive_desc_create(&pd, cpu, src_md, weights_md, bias_md, dst_md, attr));
    dnnl_primitive_t matmul;
    CHECK(dnnl_primitive_create(&matmul, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory_of(src_md, xq)},
                                    {DNNL_ARG_WEIGHTS, memory_of(weights_md, wq)},
                                    {DNNL_ARG_BIAS, memory_of(bias_md, bias)},
                                    {DNNL_ARG_DST, memory_of(dst_md, y)},
                                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, scales_of(&src_scale, 1)},
                                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scales_of(weights_scales, N)}};
    CHECK(dnnl_primitive_execute(matmul, stream, 6, args));
    CHECK(dnnl_stream_wait(stream));

    int wrong = 0;
    printf("dst of int8, and in brackets of f32\n");
    for (int i = 0; i < M * N; ++i) {
        int32_t product = 0;
        float exact = bias[i % N];
        for (int k = 0; k < K; ++k) {
            product += xq[i / N * K + k] * wq[k * N + i % N];
            exact += x[i / N * K + k] * w[k * N + i % N];
        }
        const float quantized = (float)product * src_scale * weights_scales[i % N] + bias[i % N];
        printf("  %6.2f (%5.2f)%s", y[i], fmaxf(0, exact) + residual, i % N == N - 1 ? "\n" : "");
        wrong += fabsf(y[i] - (fmaxf(0, quantized) + residual)) > 1e-4f;
    }
    if (wrong) printf("WRONG: %d values\n", wrong);
    for (int i = 0; i < 6; ++i) CHECK(dnnl_memory_destroy(args[i].memory));
    dnnl_memory_desc_t descriptors[] = {src_md, weights_md, bias_md, dst_md};
    for (int i = 0; i < 4; ++i) CHECK(dnnl_memory_desc_destroy(descriptors[i]));
    CHECK(dnnl_primitive_destroy(matmul));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(cpu));
    return wrong != 0;
}
