// SPDX-License-Identifier: Apache-2.0
// The first program: a product of two matrices, then relu, in one call.
//     dst = max(0, src x weights)    {2, 3} x {3, 2} -> {2, 2}
// It prints dst, in which the negative sums have become 0.

#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;

int main() try {
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0); // the device
    dnnl::stream stream(cpu);                     // its queue of work

    // Tensors are descriptors of buffers that belong to the program: here f32, row by row.
    std::vector<float> src = {1, 2, 3, 4, 5, 6}, weights = {1, -1, 0, 1, 1, -1}, dst(4);
    const auto matrix = [&](memory::dim rows, memory::dim columns, std::vector<float>& data) {
        return memory({{rows, columns}, memory::data_type::f32, memory::format_tag::ab}, cpu, data.data());
    };
    memory a = matrix(2, 3, src), b = matrix(3, 2, weights), c = matrix(2, 2, dst);

    // What is done to each result before it is stored.
    dnnl::post_ops after;
    after.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
    dnnl::primitive_attr attr;
    attr.set_post_ops(after);

    // Plan and compile once; execute as often as needed.
    dnnl::matmul::primitive_desc plan(cpu, a.get_desc(), b.get_desc(), c.get_desc(), attr);
    dnnl::matmul product(plan);
    product.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
    stream.wait();

    std::printf("%g %g\n%g %g\n", dst[0], dst[1], dst[2], dst[3]);
    return dst == std::vector<float>{4, 0, 10, 0} ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
