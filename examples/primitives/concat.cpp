// SPDX-License-Identifier: Apache-2.0
// Concat: joins tensors along one dimension; and how to need no concat at all.
//
// Two matrices beside each other and above each other, as they print. Then the same result without a concat: two ReLUs
// write their results into views of the left and of the right half of one memory.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

bool right = true;

void print(const char* name, const float* values, int rows, int columns) {
    std::printf("%s\n", name);
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) std::printf("%5.0f", values[r * columns + c]);
        std::printf("\n");
    }
}

void check(float got, float wanted, const char* where) {
    if (got == wanted) return;
    std::printf("WRONG: %s has %g where %g belongs\n", where, got, wanted);
    right = false;
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    std::vector<float> a = {1, -2, 3, -4, 5, -6}, b = {10, -20, 30, -40, 50, -60};
    const memory::desc half({2, 3}, dt::f32, tag::ab);
    const memory first(half, cpu, a.data()), second(half, cpu, b.data());

    // Without a dst descriptor the primitive chooses one; its size is the sum of the sources'.
    for (const int axis : {1, 0}) {
        const concat::primitive_desc pd(cpu, axis, {half, half});
        const memory dst(pd.dst_desc(), cpu);
        concat(pd).execute(s,
                           {{DNNL_ARG_MULTIPLE_SRC, first}, {DNNL_ARG_MULTIPLE_SRC + 1, second}, {DNNL_ARG_DST, dst}});
        s.wait();
        const auto* values = static_cast<const float*>(dst.get_data_handle());
        const memory::dims dims = dst.get_desc().get_dims();
        print(axis == 1 ? "along axis 1" : "along axis 0", values, int(dims[0]), int(dims[1]));
        for (int r = 0; r < 2; ++r)
            for (int c = 0; c < 3; ++c) {
                check(values[axis == 1 ? r * 6 + c : r * 3 + c], a[r * 3 + c], "concat");
                check(values[axis == 1 ? r * 6 + 3 + c : (r + 2) * 3 + c], b[r * 3 + c], "concat");
            }
    }

    // Views: descriptors of parts of `whole`, with its strides. What produces the parts writes where they belong.
    std::vector<float> joined(2 * 6, -1.f);
    const memory::desc whole({2, 6}, dt::f32, tag::ab);
    const std::vector<float>* sources[] = {&a, &b};
    const memory* memories[] = {&first, &second};
    for (int i = 0; i < 2; ++i) {
        const memory::desc view = whole.submemory_desc({2, 3}, {0, 3 * i});
        const eltwise_forward::primitive_desc pd(cpu, prop_kind::forward_inference, algorithm::eltwise_relu, half,
                                                 view);
        eltwise_forward(pd).execute(s,
                                    {{DNNL_ARG_SRC, *memories[i]}, {DNNL_ARG_DST, memory(view, cpu, joined.data())}});
        s.wait();
        for (int r = 0; r < 2; ++r)
            for (int c = 0; c < 3; ++c)
                check(joined[r * 6 + 3 * i + c], std::max(0.f, (*sources[i])[r * 3 + c]), "the view");
    }
    print("two ReLUs into views of one memory", joined.data(), 2, 6);
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "concat: %s\n", e.what());
    return 1;
}
