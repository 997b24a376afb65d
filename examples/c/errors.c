// SPDX-License-Identifier: Apache-2.0
// Refusals in C: the status of a call, and the sentence that says why and what would work instead.
//
// Six calls that must fail, each with the name of its status and the reason of dnnl_tessera_last_error(). The function
// is an extension: a program that also runs with another library of this interface declares it weak, as here, and asks
// whether it is there.
#include <stdio.h>
#include <stdlib.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_tessera.h"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const dnnl_status_t status = (call);                                                                           \
        if (status != dnnl_success) {                                                                                  \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, dnnl_status2str(status));                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static int wrong;

// `status` must be a failure; prints it with the reason, which is that of the last call of this thread.
static void refused(const char* what, dnnl_status_t status, dnnl_status_t wanted) {
    printf("%s\n  reason: %s\n", what, dnnl_tessera_last_error());
    printf("  status: %s\n", dnnl_status2str(status));
    wrong += status != wanted;
}

int main(void) {
    CHECK(dnnl_set_verbose(0)); // refusals are not logged besides
    dnnl_engine_t cpu, none;
    dnnl_stream_t stream;
    CHECK(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, cpu, dnnl_stream_default_flags));

    const dnnl_dims_t dims = {2, 3}, others = {2, 4}, negative = {2, -3};
    dnnl_memory_desc_t md, other, bytes, bad;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&other, 2, others, dnnl_f32, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&bytes, 2, dims, dnnl_s8, dnnl_ab));

    refused("an engine that is not there", dnnl_engine_create(&none, dnnl_cpu, 7), dnnl_invalid_arguments);
    refused("a negative dim", dnnl_memory_desc_create_with_tag(&bad, 2, negative, dnnl_f32, dnnl_ab),
            dnnl_invalid_arguments);
    refused("a tag of four dims for two", dnnl_memory_desc_create_with_tag(&bad, 2, dims, dnnl_f32, dnnl_nchw),
            dnnl_invalid_arguments);

    dnnl_primitive_desc_t pd;
    refused("a reorder to another shape", dnnl_reorder_primitive_desc_create(&pd, md, cpu, other, cpu, NULL),
            dnnl_invalid_arguments);
    refused("the exponential of s8",
            dnnl_eltwise_forward_primitive_desc_create(&pd, cpu, dnnl_forward_inference, dnnl_eltwise_exp, bytes, bytes,
                                                       0, 0, NULL),
            dnnl_invalid_arguments);

    // Post-ops that a primitive does not have.
    dnnl_post_ops_t post_ops;
    dnnl_primitive_attr_t attr;
    CHECK(dnnl_post_ops_create(&post_ops));
    CHECK(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    refused("a shuffle with a ReLU behind it",
            dnnl_shuffle_forward_primitive_desc_create(&pd, cpu, dnnl_forward_inference, md, md, 1, 3, attr),
            dnnl_unimplemented);

    // An execution without one of its arguments.
    dnnl_primitive_t reorder;
    dnnl_memory_t memory;
    CHECK(dnnl_reorder_primitive_desc_create(&pd, md, cpu, bytes, cpu, NULL));
    CHECK(dnnl_primitive_create(&reorder, pd));
    CHECK(dnnl_memory_create(&memory, md, cpu, DNNL_MEMORY_ALLOCATE));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, memory}};
    refused("a reorder without its dst", dnnl_primitive_execute(reorder, stream, 1, args), dnnl_invalid_arguments);

    CHECK(dnnl_memory_destroy(memory));
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_post_ops_destroy(post_ops));
    dnnl_memory_desc_t descriptors[] = {md, other, bytes};
    for (int i = 0; i < 3; ++i) CHECK(dnnl_memory_desc_destroy(descriptors[i]));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(cpu));
    if (wrong) printf("WRONG: %d calls end otherwise\n", wrong);
    return wrong != 0;
}
