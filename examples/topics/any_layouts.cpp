// SPDX-License-Identifier: Apache-2.0
// Two convolutions in a chain, and who chooses which layout.
//
// The descriptors that a program passes say `any` where it does not care. The primitive descriptor says what it chose;
// the program compares that with what it has, and reorders only where the two differ. Weights are reordered once,
// before the first image; between the two convolutions nothing is reordered, because the second takes what the first
// gives.
//
// It prints each tensor with its strides and blocks, and compares with the same chain in plain layouts throughout.

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using conv = dnnl::convolution_forward;
using dt = memory::data_type;
using tag = memory::format_tag;

std::vector<float> noise(size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    std::vector<float> values(count);
    for (float& v : values) v = float(bits()) / 2147483648.f - 1;
    return values;
}

std::string text(const memory::desc& md) {
    std::string out = "strides";
    for (memory::dim stride : md.get_strides()) out += " " + std::to_string(stride);
    const auto blocks = md.get_inner_blks(), dims = md.get_inner_idxs();
    for (size_t i = 0; i < blocks.size(); ++i)
        out += std::string(i ? ", " : ", blocks of ") + std::to_string(blocks[i]) + " along dim " +
               std::to_string(dims[i]);
    return out;
}

// [reorder where needed]
memory in_layout(const char* name, memory from, const memory::desc& wanted, dnnl::stream& stream) {
    const bool fits = from.get_desc() == wanted;
    std::printf("%-9s %-60s %s\n", name, text(wanted).c_str(), fits ? "as it is" : "reordered");
    if (fits) return from;
    memory to(wanted, from.get_engine());
    dnnl::reorder(from, to).execute(stream, from, to);
    return to;
}
// [/reorder where needed]

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    std::vector<float> image = noise(2 * 16 * 14 * 14, 1), w1 = noise(32 * 16 * 9, 2), w2 = noise(48 * 32, 3);
    const memory::desc image_md({2, 16, 14, 14}, dt::f32, tag::nchw); // as the program has them
    const memory::desc w1_md({32, 16, 3, 3}, dt::f32, tag::oihw), w2_md({48, 32, 1, 1}, dt::f32, tag::oihw);
    const memory src(image_md, cpu, image.data()), weights1(w1_md, cpu, w1.data()), weights2(w2_md, cpu, w2.data());

    // [any]
    const auto any = [](const memory::dims& dims) { return memory::desc(dims, dt::f32, tag::any); };
    const auto forward = dnnl::prop_kind::forward_inference;
    const auto direct = dnnl::algorithm::convolution_direct;
    const conv::primitive_desc first(cpu, forward, direct, any({2, 16, 14, 14}), any({32, 16, 3, 3}),
                                     any({2, 32, 14, 14}), {1, 1}, {1, 1}, {1, 1});
    const conv::primitive_desc second(cpu, forward, direct, first.dst_desc(), any({48, 32, 1, 1}), //
                                      any({2, 48, 14, 14}), {1, 1}, {0, 0}, {0, 0});
    // [/any]

    // Once: the weights.
    const memory packed1 = in_layout("weights 1", weights1, first.weights_desc(), stream);
    const memory packed2 = in_layout("weights 2", weights2, second.weights_desc(), stream);
    // For each image: what comes from outside, and what leaves.
    const memory x = in_layout("src", src, first.src_desc(), stream);
    const memory between(first.dst_desc(), cpu), y(second.dst_desc(), cpu);
    conv(first).execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, packed1}, {DNNL_ARG_DST, between}});
    const memory taken = in_layout("between", between, second.src_desc(), stream);
    conv(second).execute(stream, {{DNNL_ARG_SRC, taken}, {DNNL_ARG_WEIGHTS, packed2}, {DNNL_ARG_DST, y}});
    const memory result = in_layout("dst", y, {{2, 48, 14, 14}, dt::f32, tag::nchw}, stream);

    // The same in plain layouts: nothing is reordered, and it is slower.
    const memory::desc m_md({2, 32, 14, 14}, dt::f32, tag::nchw);
    const memory middle(m_md, cpu), plain(result.get_desc(), cpu);
    conv({cpu, forward, direct, image_md, w1_md, m_md, {1, 1}, {1, 1}, {1, 1}})
        .execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights1}, {DNNL_ARG_DST, middle}});
    conv({cpu, forward, direct, m_md, w2_md, plain.get_desc(), {1, 1}, {0, 0}, {0, 0}})
        .execute(stream, {{DNNL_ARG_SRC, middle}, {DNNL_ARG_WEIGHTS, weights2}, {DNNL_ARG_DST, plain}});
    stream.wait();

    const auto *a = static_cast<float*>(result.get_data_handle()), *b = static_cast<float*>(plain.get_data_handle());
    float difference = 0, largest = 0;
    for (size_t i = 0; i < 2 * 48 * 14 * 14; ++i) {
        difference = std::fmax(difference, std::fabs(a[i] - b[i]));
        largest = std::fmax(largest, std::fabs(b[i]));
    }
    const bool good = difference <= 1e-5f * largest;
    std::printf("the same results as in plain layouts: %s\n", good ? "yes" : "NO");
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
