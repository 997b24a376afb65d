// SPDX-License-Identifier: Apache-2.0
// What a primitive descriptor knows: the code that was chosen, the layouts, the arguments of an execution.
//
// It prints the answers for a convolution whose layouts were left open, and checks them: sizes against products of
// extents, descriptors of arguments against those of the getters. next_impl() is the way to further implementations
// where a library has several for one problem; here there is one, and it answers no.

#include <cstdio>
#include <string>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

void print(const char* name, const memory::desc& md) {
    std::string extents, strides;
    for (memory::dim d : md.get_dims()) extents += (extents.empty() ? "" : "x") + std::to_string(d);
    for (memory::dim s : md.get_strides()) strides += " " + std::to_string(s);
    std::printf("%-8s %-4s %-10s %7zu bytes, strides%s", name, dnnl_dt2str(memory::convert_to_c(md.get_data_type())),
                extents.c_str(), md.get_size(), strides.c_str());
    if (md.get_inner_nblks()) std::printf(", %d levels of blocks", md.get_inner_nblks());
    std::printf("\n");
}

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const auto any = [](const memory::dims& dims, dt type) { return memory::desc(dims, type, tag::any); };
    dnnl::convolution_forward::primitive_desc pd(
        cpu, dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto, any({1, 24, 14, 14}, dt::f32),
        any({40, 24, 3, 3}, dt::f32), any({40}, dt::f32), any({1, 40, 14, 14}, dt::f32), {1, 1}, {1, 1}, {1, 1});

    // [what runs]
    std::printf("primitive: %s, %s\n", dnnl_prim_kind2str(dnnl_primitive_kind_t(pd.get_kind())),
                dnnl_alg_kind2str(dnnl::convert_to_c(pd.get_algorithm())));
    std::printf("implementation: %s\n", pd.impl_info_str());
    std::printf("another one: %s\n", pd.next_impl() ? "yes" : "no");
    // [/what runs]

    // [layouts]
    print("src", pd.src_desc());
    print("weights", pd.weights_desc()); // 40 channels in blocks of 16: room for 48
    print("bias", pd.bias_desc());
    print("dst", pd.dst_desc());
    // [/layouts]

    // [arguments]
    const bool same = pd.query_md(dnnl::query::exec_arg_md, DNNL_ARG_WEIGHTS) == pd.weights_desc();
    std::printf("the argument DNNL_ARG_WEIGHTS: %s\n", same ? "as weights_desc()" : "ANOTHER");
    std::printf("scratchpad: %zu bytes, workspace: %zu bytes\n", pd.scratchpad_desc().get_size(),
                pd.workspace_desc().get_size());
    // [/arguments]

    // What does not apply has an empty answer.
    std::printf("axis of a convolution: %d\n", pd.get_axis());
    const bool good = same && pd.src_desc().get_size() == 24 * 14 * 14 * 4 &&
                      pd.weights_desc().get_size() == 48 * 24 * 9 * 4 && pd.get_axis() == -1 &&
                      pd.get_strides() == memory::dims{1, 1};
    if (!good) std::printf("NOT AS EXPECTED\n");
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
