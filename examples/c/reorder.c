// SPDX-License-Identifier: Apache-2.0
// Reorder in C: a picture from nchw to nhwc, then to s8 with a scale for each channel.
//
// Three channels of very different ranges: with one scale for all, the small ones lose everything; with one for each
// channel (mask 1 << 1: dim 1 has its own), each is exact to half a step. Prints the memory and the largest errors.
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

enum { C = 3, H = 2, W = 2, points = H * W };

static dnnl_engine_t cpu;
static dnnl_stream_t stream;

static dnnl_memory_desc_t describe(dnnl_data_type_t type, dnnl_format_tag_t tag) {
    const dnnl_dims_t dims = {1, C, H, W};
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 4, dims, type, tag));
    return md;
}

// Copies between two memories; `scales` are those of the s8 side, `count` of them.
static void copy(dnnl_memory_t from, dnnl_memory_t to, int scaled_arg, float* scales, int count) {
    const_dnnl_memory_desc_t from_md, to_md;
    CHECK(dnnl_memory_get_memory_desc(from, &from_md));
    CHECK(dnnl_memory_get_memory_desc(to, &to_md));
    dnnl_primitive_attr_t attr;
    CHECK(dnnl_primitive_attr_create(&attr));
    if (count > 0) CHECK(dnnl_primitive_attr_set_scales_mask(attr, scaled_arg, count == 1 ? 0 : 1 << 1));
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_reorder_primitive_desc_create(&pd, from_md, cpu, to_md, cpu, attr));
    dnnl_primitive_t reorder;
    CHECK(dnnl_primitive_create(&reorder, pd));

    const dnnl_dims_t dims = {count};
    dnnl_memory_desc_t scales_md;
    CHECK(dnnl_memory_desc_create_with_tag(&scales_md, 1, dims, dnnl_f32, dnnl_a));
    dnnl_memory_t scales_memory;
    CHECK(dnnl_memory_create(&scales_memory, scales_md, cpu, scales));
    const dnnl_exec_arg_t args[] = {
        {DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_ATTR_SCALES | scaled_arg, scales_memory}};
    CHECK(dnnl_primitive_execute(reorder, stream, count > 0 ? 3 : 2, args));
    CHECK(dnnl_stream_wait(stream));

    CHECK(dnnl_memory_destroy(scales_memory));
    CHECK(dnnl_memory_desc_destroy(scales_md));
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
}

int main(void) {
    CHECK(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, cpu, dnnl_stream_default_flags));
    float x[C * points], last[C * points], back[C * points], scales[C] = {100.f / 127, 1.f / 127, 0.01f / 127};
    int8_t bytes[C * points];
    const float range[C] = {100, 1, 0.01f};
    for (int i = 0; i < C * points; ++i) x[i] = range[i / points] * (float)(i % points * 2 - 3) / 3;

    dnnl_memory_desc_t nchw = describe(dnnl_f32, dnnl_nchw), nhwc = describe(dnnl_f32, dnnl_nhwc);
    dnnl_memory_desc_t small = describe(dnnl_s8, dnnl_nchw);
    dnnl_memory_t from, to, quantized, restored;
    CHECK(dnnl_memory_create(&from, nchw, cpu, x));
    CHECK(dnnl_memory_create(&to, nhwc, cpu, last));
    CHECK(dnnl_memory_create(&quantized, small, cpu, bytes));
    CHECK(dnnl_memory_create(&restored, nchw, cpu, back));

    int wrong = 0;
    copy(from, to, 0, NULL, 0);
    printf("nchw:");
    for (int i = 0; i < C * points; ++i) printf(" %.3g", x[i]);
    printf("\nnhwc:");
    for (int i = 0; i < C * points; ++i) {
        printf(" %.3g", last[i]);
        wrong += last[i] != x[i % C * points + i / C];
    }
    printf("\n\nlargest errors of f32 -> s8 -> f32, relative to the range of each channel\n");
    for (int count = 1; count <= C; count += C - 1) {
        copy(from, quantized, DNNL_ARG_TO, scales, count);       // divided by the scales of dst
        copy(quantized, restored, DNNL_ARG_FROM, scales, count); // multiplied by those of src
        printf(count == 1 ? "one scale:  " : "%d scales:   ", count);
        for (int c = 0; c < C; ++c) {
            float largest = 0;
            for (int p = 0; p < points; ++p) largest = fmaxf(largest, fabsf(back[c * points + p] - x[c * points + p]));
            printf(" %6.2f %%", 100 * largest / range[c]);
            wrong += count == C && largest > 0.5001f * scales[c];
        }
        printf("\n");
    }

    dnnl_memory_t memories[] = {from, to, quantized, restored};
    for (int i = 0; i < 4; ++i) CHECK(dnnl_memory_destroy(memories[i]));
    dnnl_memory_desc_t descriptors[] = {nchw, nhwc, small};
    for (int i = 0; i < 3; ++i) CHECK(dnnl_memory_desc_destroy(descriptors[i]));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(cpu));
    if (wrong) printf("WRONG: %d values\n", wrong);
    return wrong != 0;
}
