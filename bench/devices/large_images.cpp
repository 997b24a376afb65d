// SPDX-License-Identifier: Apache-2.0
// Convolutions and windows of networks on a GPU.
#include <fmt/format.h>

#include "cases.hpp"

namespace tessera::bench {

namespace {

// Square images and kernels, a border that keeps their size.
struct Images {
    int64_t count, channels, size, outputs, kernel, stride, groups;
};

struct Kind {
    std::string_view name;
    Type src, weights, dst;
    Tag images;
};
constexpr Kind f32_nchw{"f32 nchw", Type::f32, Type::f32, Type::f32, Tag::nchw};
constexpr Kind f32_nhwc{"f32 nhwc", Type::f32, Type::f32, Type::f32, Tag::nhwc};
constexpr Kind bf16_nhwc{"bf16 nhwc", Type::bf16, Type::bf16, Type::bf16, Tag::nhwc};
constexpr Kind s8_nhwc{"u8 s8 nhwc", Type::u8, Type::s8, Type::u8, Tag::nhwc};

struct Convolution {
    Desc src, weights, dst;
    Dims strides, pads;
    dnnl::convolution_forward::primitive_desc pd;
    int64_t operations;
};

Convolution convolution(const Engine& e, const Kind& kind, const Images& i, dnnl::prop_kind prop) {
    const int64_t out = (i.size - 1) / i.stride + 1, of_group = i.channels / i.groups;
    Dims weights = {i.outputs, of_group, i.kernel, i.kernel};
    if (i.groups > 1) weights = {i.groups, i.outputs / i.groups, of_group, i.kernel, i.kernel};
    Convolution c;
    c.src = Desc({i.count, i.channels, i.size, i.size}, kind.src, kind.images);
    c.dst = Desc({i.count, i.outputs, out, out}, kind.dst, kind.images);
    c.strides = {i.stride, i.stride}, c.pads = {i.kernel / 2, i.kernel / 2};
    c.pd = {e,
            prop,
            dnnl::algorithm::convolution_direct,
            c.src,
            Desc(weights, kind.weights, Tag::any),
            c.dst,
            c.strides,
            c.pads,
            c.pads};
    c.weights = c.pd.weights_desc();
    c.operations = 2 * i.count * i.outputs * out * out * of_group * i.kernel * i.kernel;
    return c;
}

DeviceWork forward_pass(const Engine& e, const Kind& kind, const Images& i) {
    const Convolution c = convolution(e, kind, i, dnnl::prop_kind::forward_inference);
    DeviceWork work = on(e, dnnl::convolution_forward(c.pd),
                         {{DNNL_ARG_SRC, c.src}, {DNNL_ARG_WEIGHTS, c.weights}, {DNNL_ARG_DST, c.dst}});
    work.operations = c.operations;
    return work;
}

DeviceWork backward_pass(const Engine& e, const Kind& kind, const Images& i, bool of_weights) {
    const Convolution c = convolution(e, kind, i, dnnl::prop_kind::forward_training);
    const auto direct = dnnl::algorithm::convolution_direct;
    DeviceWork work;
    if (of_weights)
        work = on(
            e,
            dnnl::convolution_backward_weights({e, direct, c.src, c.weights, c.dst, c.strides, c.pads, c.pads, c.pd}),
            {{DNNL_ARG_SRC, c.src}, {DNNL_ARG_DIFF_WEIGHTS, c.weights}, {DNNL_ARG_DIFF_DST, c.dst}});
    else
        work = on(
            e, dnnl::convolution_backward_data({e, direct, c.src, c.weights, c.dst, c.strides, c.pads, c.pads, c.pd}),
            {{DNNL_ARG_DIFF_SRC, c.src}, {DNNL_ARG_WEIGHTS, c.weights}, {DNNL_ARG_DIFF_DST, c.dst}});
    work.operations = c.operations;
    return work;
}

} // namespace

std::vector<DeviceCase> large_images() {
    const Images stem{64, 3, 224, 64, 7, 2, 1}, large{64, 64, 56, 64, 3, 1, 1}, small{64, 256, 14, 256, 3, 1, 1},
        strided{64, 128, 56, 128, 3, 2, 1}, last{64, 512, 7, 512, 3, 1, 1}, one{1, 256, 14, 256, 3, 1, 1},
        depthwise{64, 192, 56, 192, 3, 1, 192};
    struct Layer {
        std::string_view name;
        Images images;
    };
    std::vector<DeviceCase> cases;
    for (const Layer& layer : {Layer{"7x7 s2 64x3x224", stem},
                               {"3x3 64x64x56", large},
                               {"3x3 64x256x14", small},
                               {"3x3 s2 64x128x56", strided},
                               {"3x3 64x512x7", last},
                               {"3x3 1x256x14", one}})
        for (const Kind& kind : {f32_nchw, f32_nhwc, bf16_nhwc})
            cases.push_back({fmt::format("convolution {} {}", layer.name, kind.name),
                             [=, images = layer.images](auto& e) { return forward_pass(e, kind, images); }});
    cases.push_back({"convolution 3x3 64x256x14 u8 s8 nhwc", [=](auto& e) { return forward_pass(e, s8_nhwc, small); }});
    for (const Kind& kind : {f32_nchw, f32_nhwc, bf16_nhwc})
        cases.push_back({fmt::format("depthwise 3x3 64x192x56 {}", kind.name),
                         [=](auto& e) { return forward_pass(e, kind, depthwise); }});
    for (const Kind& kind : {f32_nhwc, bf16_nhwc}) {
        cases.push_back({fmt::format("gradient of src 3x3 64x256x14 {}", kind.name),
                         [=](auto& e) { return backward_pass(e, kind, small, false); }});
        cases.push_back({fmt::format("gradient of weights 3x3 64x256x14 {}", kind.name),
                         [=](auto& e) { return backward_pass(e, kind, small, true); }});
    }
    return cases;
}

} // namespace tessera::bench
