// SPDX-License-Identifier: Apache-2.0
// Scratch memory of the program: asked for by each primitive, shared by those that run one after the other.
//
// In mode `user` a primitive descriptor says how many bytes an execution needs, and the program passes them. A program
// that does so runs on every implementation of the interface. This library needs none: temporary memory comes from a
// pool that all its threads share, so both modes may execute a primitive in several threads at once. It prints the
// bytes of three primitives and compares the results of both modes.

#include <algorithm>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dnnl::prop_kind;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::desc image({1, 16, 20, 20}, dt::f32, tag::nchw), filter({16, 16, 3, 3}, dt::f32, tag::oihw);
    std::vector<float> pixels(16 * 400), weights(16 * 16 * 9), library(pixels.size()), user(pixels.size());
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = float(i % 13) / 13;
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = float(i % 7) / 70 - 0.04f;

    const auto run = [&](dnnl::scratchpad_mode mode, std::vector<float>& result) {
        // [queries]
        dnnl::primitive_attr attr;
        attr.set_scratchpad_mode(mode);
        const dnnl::convolution_forward::primitive_desc conv(cpu, prop_kind::forward_inference,
                                                             dnnl::algorithm::convolution_direct, image, filter, image,
                                                             {1, 1}, {1, 1}, {1, 1}, attr);
        const dnnl::lrn_forward::primitive_desc lrn(cpu, prop_kind::forward_inference,
                                                    dnnl::algorithm::lrn_across_channels, image, image, 5, 1, 0.75f, 1,
                                                    attr);
        const dnnl::softmax_forward::primitive_desc softmax(cpu, prop_kind::forward_inference,
                                                            dnnl::algorithm::softmax_accurate, image, image, 1, attr);
        const size_t bytes[] = {conv.scratchpad_desc().get_size(), lrn.scratchpad_desc().get_size(),
                                softmax.scratchpad_desc().get_size()};
        // [/queries]
        if (mode == dnnl::scratchpad_mode::user)
            std::printf("bytes: convolution %zu, lrn %zu, softmax %zu\n", bytes[0], bytes[1], bytes[2]);

        // [shared]
        const memory::dim most = memory::dim(*std::max_element(bytes, bytes + 3));
        const memory scratch({{most}, dt::u8, tag::a}, cpu); // one buffer for all: they run one after the other
        const memory src(image, cpu, pixels.data()), w(filter, cpu, weights.data()), dst(image, cpu, result.data());
        dnnl::convolution_forward(conv).execute(
            stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, dst}, {DNNL_ARG_SCRATCHPAD, scratch}});
        const memory normal(image, cpu);
        dnnl::lrn_forward(lrn).execute(stream,
                                       {{DNNL_ARG_SRC, dst}, {DNNL_ARG_DST, normal}, {DNNL_ARG_SCRATCHPAD, scratch}});
        dnnl::softmax_forward(softmax).execute(
            stream, {{DNNL_ARG_SRC, normal}, {DNNL_ARG_DST, dst}, {DNNL_ARG_SCRATCHPAD, scratch}});
        // [/shared]
        stream.wait();
    };
    run(dnnl::scratchpad_mode::library, library);
    run(dnnl::scratchpad_mode::user, user);

    float sum = 0; // softmax over the channels of one pixel
    for (size_t c = 0; c < 16; ++c) sum += user[c * 400];
    const bool good = user == library && sum > 0.9999f && sum < 1.0001f;
    std::printf("both modes: %s\n", good ? "the same bits" : "WRONG");
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
