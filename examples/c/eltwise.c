// SPDX-License-Identifier: Apache-2.0
// Eltwise in C: the smallest complete program. Engine, stream, descriptor, memory, primitive, execution, and the way
// back.
//
// Prints e to the powers -2 to 2, computed by the primitive and by the C library. Every call returns a status; CHECK
// prints its name and ends the program. Objects are destroyed by the caller, in any order.
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

int main(void) {
    // Where the work is done, and in what order.
    dnnl_engine_t cpu;
    CHECK(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    dnnl_stream_t stream;
    CHECK(dnnl_stream_create(&stream, cpu, dnnl_stream_default_flags));

    // A tensor: its descriptor, and a memory of the program's.
    enum { count = 5 };
    float x[count] = {-2, -1, 0, 1, 2}, y[count];
    const dnnl_dims_t dims = {count};
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    dnnl_memory_t src, dst;
    CHECK(dnnl_memory_create(&src, md, cpu, x));
    CHECK(dnnl_memory_create(&dst, md, cpu, y));

    // What is to be done; alpha and beta are 0, and there are no attributes. Then the code that does it.
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&pd, cpu, dnnl_forward_inference, dnnl_eltwise_exp, md, md, 0, 0,
                                                     NULL));
    dnnl_primitive_t exponential;
    CHECK(dnnl_primitive_create(&exponential, pd));

    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    CHECK(dnnl_primitive_execute(exponential, stream, 2, args));
    CHECK(dnnl_stream_wait(stream)); // results are there from here on

    int wrong = 0;
    printf("   x  exp(x)  of the C library\n");
    for (int i = 0; i < count; ++i) {
        printf("%4.0f %7.4f %17.4f\n", x[i], y[i], exp(x[i]));
        wrong += fabs(y[i] - exp(x[i])) > 1e-6 * exp(x[i]);
    }

    CHECK(dnnl_primitive_destroy(exponential));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_destroy(src));
    CHECK(dnnl_memory_destroy(dst));
    CHECK(dnnl_memory_desc_destroy(md));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(cpu));
    if (wrong) printf("WRONG: %d values\n", wrong);
    return wrong != 0;
}
