// SPDX-License-Identifier: Apache-2.0
// Convolution in C: layouts by `any`, asked for, and reorders into them and out of them.
//
// A 3x3 mean over a small picture. All tensors are described as `any`; the primitive descriptor is asked for the
// layouts that it chose. Prints which tensors needed a reorder, which depends on machine and sizes, and the picture and
// its mean.
#include <math.h>
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

enum { H = 6, W = 10, K = 3 };
static dnnl_engine_t cpu;
static dnnl_stream_t stream;

static dnnl_memory_desc_t describe(int height, int width, dnnl_format_tag_t tag) {
    const dnnl_dims_t dims = {1, 1, height, width};
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 4, dims, dnnl_f32, tag));
    return md;
}

static dnnl_memory_t memory_of(const_dnnl_memory_desc_t md, void* handle) {
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, md, cpu, handle));
    return memory;
}

static void copy(dnnl_memory_t from, dnnl_memory_t to) {
    const_dnnl_memory_desc_t from_md, to_md;
    CHECK(dnnl_memory_get_memory_desc(from, &from_md));
    CHECK(dnnl_memory_get_memory_desc(to, &to_md));
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    CHECK(dnnl_reorder_primitive_desc_create(&pd, from_md, cpu, to_md, cpu, NULL));
    CHECK(dnnl_primitive_create(&reorder, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    CHECK(dnnl_primitive_execute(reorder, stream, 2, args));
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

// The memory for an argument of a primitive: the program's own where the layouts are equal, else another, which the
// library allocates. The descriptor that a query answers belongs to the primitive descriptor and is not destroyed.
static dnnl_memory_t argument(const char* name, const_dnnl_primitive_desc_t pd, dnnl_query_t what, dnnl_memory_t mine) {
    const_dnnl_memory_desc_t chosen = dnnl_primitive_desc_query_md(pd, what, 0), own;
    CHECK(dnnl_memory_get_memory_desc(mine, &own));
    const int same = dnnl_memory_desc_equal(chosen, own);
    printf("%-8s as the primitive wants it: %s\n", name, same ? "already" : "reordered");
    return same ? mine : memory_of(chosen, DNNL_MEMORY_ALLOCATE);
}

int main(void) {
    CHECK(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, cpu, dnnl_stream_default_flags));
    float x[H * W] = {0}, w[K * K], y[H * W];
    x[2 * W + 3] = 90;
    x[4 * W + 8] = 45;
    for (int i = 0; i < K * K; ++i) w[i] = 1.f / (K * K);

    dnnl_memory_desc_t any = describe(H, W, dnnl_format_tag_any), any_weights = describe(K, K, dnnl_format_tag_any);
    dnnl_memory_desc_t nchw = describe(H, W, dnnl_nchw), oihw = describe(K, K, dnnl_oihw);
    const dnnl_dims_t strides = {1, 1}, dilates = {0, 0}, padding = {1, 1};
    dnnl_primitive_desc_t pd; // no bias, no attributes
    CHECK(dnnl_convolution_forward_primitive_desc_create(&pd, cpu, dnnl_forward_inference, dnnl_convolution_direct, any,
                                                         any_weights, NULL, any, strides, dilates, padding, padding,
                                                         NULL));
    dnnl_primitive_t convolution;
    CHECK(dnnl_primitive_create(&convolution, pd));

    dnnl_memory_t my_src = memory_of(nchw, x), my_weights = memory_of(oihw, w), my_dst = memory_of(nchw, y);
    dnnl_memory_t src = argument("src", pd, dnnl_query_src_md, my_src);
    dnnl_memory_t weights = argument("weights", pd, dnnl_query_weights_md, my_weights);
    dnnl_memory_t dst = argument("dst", pd, dnnl_query_dst_md, my_dst);
    if (src != my_src) copy(my_src, src);
    if (weights != my_weights) copy(my_weights, weights);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}};
    CHECK(dnnl_primitive_execute(convolution, stream, 3, args));
    if (dst != my_dst) copy(dst, my_dst);
    CHECK(dnnl_stream_wait(stream)); // once: a stream does its work in order
    int wrong = 0;
    printf("src, and means of 3x3\n");
    for (int h = 0; h < H; ++h) {
        for (int column = 0; column < W; ++column) printf("%3.0f", x[h * W + column]);
        printf("   |");
        for (int column = 0; column < W; ++column) {
            float sum = 0;
            for (int i = h - 1; i <= h + 1; ++i)
                for (int j = column - 1; j <= column + 1; ++j)
                    if (i >= 0 && i < H && j >= 0 && j < W) sum += x[i * W + j] / (K * K);
            printf("%3.0f%s", y[h * W + column], column == W - 1 ? "\n" : "");
            wrong += fabsf(y[h * W + column] - sum) > 1e-4f;
        }
    }
    if (wrong) printf("WRONG: %d values\n", wrong);
    if (src != my_src) CHECK(dnnl_memory_destroy(src));
    if (weights != my_weights) CHECK(dnnl_memory_destroy(weights));
    if (dst != my_dst) CHECK(dnnl_memory_destroy(dst));
    dnnl_memory_t mine[] = {my_src, my_weights, my_dst};
    for (int i = 0; i < 3; ++i) CHECK(dnnl_memory_destroy(mine[i]));
    dnnl_memory_desc_t descriptors[] = {any, any_weights, nchw, oihw};
    for (int i = 0; i < 4; ++i) CHECK(dnnl_memory_desc_destroy(descriptors[i]));
    CHECK(dnnl_primitive_destroy(convolution));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(cpu));
    return wrong != 0;
}
