// SPDX-License-Identifier: Apache-2.0
// What a refusal says, and what it leaves behind.
//
// Every call that is refused throws dnnl::error: a status for the program, a text for people that names the primitive,
// what was wrong with which values, and often what would work. Requests are checked when the descriptor is created and
// again at execution, before anything is written. It prints a refusal of each kind and checks that dst is untouched.

#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

bool good = true;

template <typename Work> void refused(const char* what, dnnl_status_t expected, Work work) {
    std::printf("\n%s\n", what);
    try {
        work();
        std::printf("  NOT REFUSED\n");
        good = false;
    } catch (const dnnl::error& e) {
        std::printf("  %s\n  %s\n", dnnl_status2str(e.status), e.what());
        good &= e.status == expected;
    }
}

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::desc a({2, 3}, dt::f32, tag::ab), b({3, 4}, dt::f32, tag::ab), c({2, 4}, dt::f32, tag::ab);

    // [creation]
    refused("factors that do not fit", dnnl_invalid_arguments, [&] { dnnl::matmul::primitive_desc(cpu, b, a, c); });
    refused("an axis that the tensor does not have", dnnl_invalid_arguments, [&] {
        dnnl::softmax_forward::primitive_desc(cpu, dnnl::prop_kind::forward_inference,
                                              dnnl::algorithm::softmax_accurate, a, a, 2);
    });
    refused("more dimensions than the tag has letters", dnnl_invalid_arguments, [&] {
        memory::desc({2, 3, 4}, dt::f32, tag::ab);
    });
    refused("what makes sense, but is not there", dnnl_unimplemented, [&] {
        dnnl::primitive_attr attr;
        attr.set_zero_points_mask(DNNL_ARG_SRC, 0); // of floats
        dnnl::matmul::primitive_desc(cpu, a, b, c, attr);
    });
    // [/creation]

    // [execution]
    const dnnl::matmul product({cpu, a, b, c});
    std::vector<float> data(12, 1), dst(8, -1), small(4);
    const memory src(a, cpu, data.data()), weights(b, cpu, data.data()), result(c, cpu, dst.data());
    refused("an argument that is missing", dnnl_invalid_arguments, [&] {
        product.execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, result}});
    });
    refused("a buffer that is too small", dnnl_invalid_arguments, [&] {
        const memory part({{2, 2}, dt::f32, tag::ab}, cpu, small.data());
        product.execute(stream, {{DNNL_ARG_SRC, part}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, result}});
    });
    refused("a memory without a buffer", dnnl_invalid_arguments, [&] {
        const memory none(b, cpu, DNNL_MEMORY_NONE);
        product.execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, none}, {DNNL_ARG_DST, result}});
    });
    // [/execution]
    for (float x : dst) good &= x == -1;
    std::printf("\ndst after three refused executions: %s\n", good ? "untouched" : "CHANGED");

    // [no exception]
    const dnnl::matmul::primitive_desc empty(cpu, b, a, c, dnnl::primitive_attr(), true); // allow_empty
    if (!empty) std::printf("without an exception: an empty descriptor\n");
    // [/no exception]
    good &= !empty;
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
