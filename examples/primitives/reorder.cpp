// SPDX-License-Identifier: Apache-2.0
// Reorder: the same tensor in another layout, another data type, or both.
//
// A tensor of 3 channels and 2x3 points, whose element (c, h, w) is the number chw, goes from nchw to nhwc and to
// blocks of four channels: each time the memory is printed as it lies. The fourth channel is padding, which a reorder
// fills with zeros. Then f32 becomes s8 by a scale and a zero point, and f32 again, and the errors are printed.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int C = 3, H = 2, W = 3;
bool right = true;

void check(float got, float wanted, const char* what) {
    if (got == wanted) return;
    std::printf("WRONG: %s is %g, should be %g\n", what, got, wanted);
    right = false;
}

void print(const char* name, const memory& m) {
    const auto* values = static_cast<const float*>(m.get_data_handle());
    const size_t bytes = m.get_desc().get_size();
    std::printf("%-8s %3zu bytes:", name, bytes);
    for (size_t i = 0; i < bytes / sizeof(float); ++i) std::printf(" %03.0f", values[i]);
    std::printf("\n");
}

void layouts(const engine& cpu, stream& s) {
    const memory::dims dims = {1, C, H, W}; // the order of the dims is N, C, H, W whatever the layout is
    std::vector<float> values;
    for (int c = 0; c < C; ++c)
        for (int h = 0; h < H; ++h)
            for (int w = 0; w < W; ++w) values.push_back(float(100 * c + 10 * h + w));
    memory plain({dims, dt::f32, tag::nchw}, cpu, values.data());
    memory last({dims, dt::f32, tag::nhwc}, cpu), blocked({dims, dt::f32, tag::nChw4c}, cpu);
    reorder(plain, last).execute(s, plain, last);
    reorder(last, blocked).execute(s, last, blocked);
    s.wait();
    print("nchw", plain);
    print("nhwc", last);
    print("nChw4c", blocked);

    // Where (c, h, w) lies, by the strides that the descriptor tells.
    const memory::dims strides = last.get_desc().get_strides();
    const auto* lies = static_cast<const float*>(last.get_data_handle());
    const auto* in_blocks = static_cast<const float*>(blocked.get_data_handle());
    for (int c = 0; c < C; ++c)
        for (int h = 0; h < H; ++h)
            for (int w = 0; w < W; ++w) {
                check(lies[c * strides[1] + h * strides[2] + w * strides[3]], float(100 * c + 10 * h + w), "nhwc");
                check(in_blocks[(h * W + w) * 4 + c], float(100 * c + 10 * h + w), "nChw4c");
            }
    std::printf("(c, h, w) = (2, 1, 0) is at %d in nhwc: strides C %d, H %d, W %d\n", int(2 * strides[1] + strides[2]),
                int(strides[1]), int(strides[2]), int(strides[3]));
}

// s8 = round(f32 / scale) + zero point, and back. Both numbers come as arguments of the execution.
void types(const engine& cpu, stream& s) {
    std::vector<float> values = {-1.f, -0.5f, -0.26f, 0.f, 0.1f, 0.33f, 1.f, 3.f};
    const memory::dims dims = {memory::dim(values.size())};
    std::vector<int8_t> quantized(values.size());
    std::vector<float> restored(values.size());
    const memory from({dims, dt::f32, tag::a}, cpu, values.data()),
        small({dims, dt::s8, tag::a}, cpu, quantized.data());
    const memory back({dims, dt::f32, tag::a}, cpu, restored.data());
    float scale = 1.f / 64;
    int32_t zero = 10;
    const memory scales({{1}, dt::f32, tag::x}, cpu, &scale), zeros({{1}, dt::s32, tag::x}, cpu, &zero);

    primitive_attr to_s8, to_f32; // mask 0: one number for the whole tensor
    to_s8.set_scales_mask(DNNL_ARG_TO, 0);
    to_s8.set_zero_points_mask(DNNL_ARG_TO, 0);
    to_f32.set_scales_mask(DNNL_ARG_FROM, 0);
    to_f32.set_zero_points_mask(DNNL_ARG_FROM, 0);
    reorder(from, small, to_s8)
        .execute(s, {{DNNL_ARG_FROM, from},
                     {DNNL_ARG_TO, small},
                     {DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO, scales},
                     {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO, zeros}});
    reorder(small, back, to_f32)
        .execute(s, {{DNNL_ARG_FROM, small},
                     {DNNL_ARG_TO, back},
                     {DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, scales},
                     {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM, zeros}});
    s.wait();
    std::printf("\nscale 1/64, zero point 10\n     f32   s8      f32    error\n");
    for (size_t i = 0; i < values.size(); ++i) {
        const float wanted = std::fmin(127, std::fmax(-128, std::nearbyint(values[i] / scale) + float(zero)));
        check(quantized[i], wanted, "s8");
        check(restored[i], (wanted - float(zero)) * scale, "f32 again");
        std::printf("%8.4f %4d %8.4f %8.4f%s\n", values[i], quantized[i], restored[i], restored[i] - values[i],
                    quantized[i] == 127 ? "  saturated" : "");
    }
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    layouts(cpu, s);
    types(cpu, s);
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "reorder: %s\n", e.what());
    return 1;
}
