// SPDX-License-Identifier: Apache-2.0
// Memory descriptors in C: tags, strides, blocks, views, other shapes of the same memory, and what can be asked.
//
// A descriptor is a function from coordinates to an offset, plus a data type. Prints sizes and strides of four layouts
// of one tensor and of three views of the first, and where one element lies in each, by the queried strides and blocks.
// A reorder confirms the offsets.
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

static const dnnl_dims_t* query_dims(const_dnnl_memory_desc_t md, dnnl_query_t what) {
    const dnnl_dims_t* answer; // of the descriptor, which stays its owner
    CHECK(dnnl_memory_desc_query(md, what, (void*)&answer));
    return answer;
}

static int query_int(const_dnnl_memory_desc_t md, dnnl_query_t what) {
    int answer;
    CHECK(dnnl_memory_desc_query(md, what, &answer));
    return answer;
}

// The offset of an element: within blocks from the innermost outwards, then by the strides of what is left.
static dnnl_dim_t offset_of(const_dnnl_memory_desc_t md, const dnnl_dims_t at) {
    dnnl_dim_t offset, size = 1, left[DNNL_MAX_NDIMS];
    CHECK(dnnl_memory_desc_query(md, dnnl_query_submemory_offset_s64, &offset));
    const int ndims = query_int(md, dnnl_query_ndims_s32), blocks = query_int(md, dnnl_query_inner_nblks_s32);
    for (int d = 0; d < ndims; ++d) left[d] = at[d];
    for (int i = blocks - 1; i >= 0; --i) {
        const dnnl_dim_t extent = (*query_dims(md, dnnl_query_inner_blks))[i];
        const dnnl_dim_t d = (*query_dims(md, dnnl_query_inner_idxs))[i];
        offset += left[d] % extent * size;
        left[d] /= extent, size *= extent;
    }
    for (int d = 0; d < ndims; ++d) offset += left[d] * (*query_dims(md, dnnl_query_strides))[d];
    return offset;
}

static void print_dims(const char* what, const dnnl_dims_t of, int count, const char* between) {
    printf("%s", what);
    for (int i = 0; i < count; ++i) printf("%s%d", i ? between : "", (int)of[i]);
}

static void show(const char* name, const_dnnl_memory_desc_t md, const dnnl_dims_t at, dnnl_dim_t offset) {
    const int ndims = query_int(md, dnnl_query_ndims_s32), blocks = query_int(md, dnnl_query_inner_nblks_s32);
    printf("%-10s %2zu bytes", name, dnnl_memory_desc_get_size(md));
    print_dims(", dims ", *query_dims(md, dnnl_query_dims), ndims, "x");
    print_dims(", strides ", *query_dims(md, dnnl_query_strides), ndims, "x");
    if (blocks) print_dims(", blocks ", *query_dims(md, dnnl_query_inner_blks), blocks, "x");
    if (blocks) print_dims(", padded to ", *query_dims(md, dnnl_query_padded_dims), ndims, "x");
    print_dims(": (", at, ndims, ", ");
    printf(") at %d\n", (int)offset);
}

// Reorders 0 1 2 ... into a layout, and whether 6 is then at that offset.
static int six_is_at(dnnl_dim_t offset, dnnl_engine_t cpu, const_dnnl_memory_desc_t nchw, const_dnnl_memory_desc_t md) {
    unsigned char counted[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, moved[64] = {0};
    dnnl_stream_t stream;
    CHECK(dnnl_stream_create(&stream, cpu, dnnl_stream_default_flags));
    dnnl_memory_t from, to;
    CHECK(dnnl_memory_create(&from, nchw, cpu, counted));
    CHECK(dnnl_memory_create(&to, md, cpu, moved));
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    CHECK(dnnl_reorder_primitive_desc_create(&pd, nchw, cpu, md, cpu, NULL));
    CHECK(dnnl_primitive_create(&reorder, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    CHECK(dnnl_primitive_execute(reorder, stream, 2, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_destroy(from));
    CHECK(dnnl_memory_destroy(to));
    CHECK(dnnl_stream_destroy(stream));
    return moved[offset] == 6;
}

int main(void) {
    dnnl_engine_t cpu;
    CHECK(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    const dnnl_dims_t dims = {1, 3, 2, 2}, strides = {48, 16, 8, 1}; // strides: rows at multiples of 8 bytes
    const dnnl_dims_t part = {1, 1, 2, 2}, begin = {0, 1, 0, 0}, one_dim = {12};
    const int to_nhwc[] = {0, 3, 1, 2}; // dim d becomes dim to_nhwc[d]
    enum { layouts = 4, all = 7 };
    const char* names[all] = {"nchw", "nhwc", "strides", "nChw4c", "channel 1", "reshaped", "permuted"};
    const dnnl_dims_t six[all] = // the coordinates of the element
        {{0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 0, 1, 0}, {6}, {0, 1, 0, 1}};
    dnnl_memory_desc_t md[all];
    CHECK(dnnl_memory_desc_create_with_tag(&md[0], 4, dims, dnnl_u8, dnnl_nchw));
    CHECK(dnnl_memory_desc_create_with_tag(&md[1], 4, dims, dnnl_u8, dnnl_nhwc));
    CHECK(dnnl_memory_desc_create_with_strides(&md[2], 4, dims, dnnl_u8, strides));
    CHECK(dnnl_memory_desc_create_with_tag(&md[3], 4, dims, dnnl_u8, dnnl_nChw4c));
    CHECK(dnnl_memory_desc_create_submemory(&md[4], md[0], part, begin));
    CHECK(dnnl_memory_desc_reshape(&md[5], md[0], 1, one_dim));
    CHECK(dnnl_memory_desc_permute_axes(&md[6], md[0], to_nhwc));

    int wrong = 0;
    for (int i = 0; i < all; ++i) {
        const dnnl_dim_t offset = offset_of(md[i], six[i]);
        if (i == layouts) printf("\nof the memory of nchw; nothing is copied:\n");
        show(names[i], md[i], six[i], offset);
        wrong += i < layouts ? !six_is_at(offset, cpu, md[0], md[i]) : offset != 6;
    }
    for (int i = 0; i < all; ++i) CHECK(dnnl_memory_desc_destroy(md[i]));
    CHECK(dnnl_engine_destroy(cpu));
    if (wrong) printf("WRONG: %d of the offsets\n", wrong);
    return wrong != 0;
}
