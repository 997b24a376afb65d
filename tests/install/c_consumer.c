// SPDX-License-Identifier: Apache-2.0
/* A program that knows the library only through dnnl.pc: nchw to nhwc, then a shuffle of four channels in two groups.
 */
#include <stdio.h>
#include <string.h>

#include "oneapi/dnnl/dnnl.h"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const dnnl_status_t status = (call);                                                                           \
        if (status != dnnl_success) {                                                                                  \
            fprintf(stderr, "line %d: status %d: %s\n", __LINE__, (int)status, #call);                                 \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

static int run(dnnl_stream_t stream, dnnl_primitive_desc_t desc, const dnnl_exec_arg_t args[2]) {
    dnnl_primitive_t primitive;
    CHECK(dnnl_primitive_create(&primitive, desc));
    CHECK(dnnl_primitive_execute(primitive, stream, 2, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(desc));
    return 0;
}

int main(void) {
    enum { channels = 4, points = 6 };
    const dnnl_dims_t dims = {1, channels, 2, 3};
    float from[channels * points], to[channels * points], shuffled[channels * points];
    for (int i = 0; i < channels * points; ++i) from[i] = (float)i;
    memset(to, 0, sizeof to);

    dnnl_engine_t engine;
    dnnl_stream_t stream;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));

    dnnl_memory_desc_t nchw, nhwc;
    CHECK(dnnl_memory_desc_create_with_tag(&nchw, 4, dims, dnnl_f32, dnnl_nchw));
    CHECK(dnnl_memory_desc_create_with_tag(&nhwc, 4, dims, dnnl_f32, dnnl_nhwc));
    dnnl_memory_t src, dst, out;
    CHECK(dnnl_memory_create(&src, nchw, engine, from));
    CHECK(dnnl_memory_create(&dst, nhwc, engine, to));
    CHECK(dnnl_memory_create(&out, nhwc, engine, shuffled));

    dnnl_primitive_desc_t reorder, shuffle;
    CHECK(dnnl_reorder_primitive_desc_create(&reorder, nchw, engine, nhwc, engine, NULL));
    const dnnl_exec_arg_t moved[2] = {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
    if (run(stream, reorder, moved)) return 1;
    CHECK(dnnl_shuffle_forward_primitive_desc_create(&shuffle, engine, dnnl_forward_inference, nhwc, nhwc, 1, 2, NULL));
    const dnnl_exec_arg_t mixed[2] = {{DNNL_ARG_SRC, dst}, {DNNL_ARG_DST, out}};
    if (run(stream, shuffle, mixed)) return 1;

    /* Two groups of two channels: 0 1 | 2 3 become 0 2 1 3. */
    const int shuffle_of[channels] = {0, 2, 1, 3};
    for (int c = 0; c < channels; ++c)
        for (int p = 0; p < points; ++p) {
            const float moved_to = to[p * channels + c], mixed_to = shuffled[p * channels + c];
            if (moved_to != from[c * points + p] || mixed_to != from[shuffle_of[c] * points + p]) {
                fprintf(stderr, "channel %d, point %d: reorder %g, shuffle %g\n", c, p, moved_to, mixed_to);
                return 1;
            }
        }

    CHECK(dnnl_memory_destroy(src));
    CHECK(dnnl_memory_destroy(dst));
    CHECK(dnnl_memory_destroy(out));
    CHECK(dnnl_memory_desc_destroy(nchw));
    CHECK(dnnl_memory_desc_destroy(nhwc));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    puts("installed C library: reorder and shuffle agree");
    return 0;
}
