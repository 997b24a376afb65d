// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace tessera::bench {

namespace {

DeviceCase move(std::string name, const Desc& from, const Desc& to) {
    return {"reorder " + std::move(name), [=](const dnnl::engine& e) {
                return on(e, dnnl::reorder(dnnl::reorder::primitive_desc(e, from, e, to)),
                          {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
            }};
}

DeviceCase eltwise(std::string name, dnnl::algorithm algorithm, const Desc& desc) {
    return {"eltwise " + std::move(name), [=](const dnnl::engine& e) {
                using Primitive = dnnl::eltwise_forward;
                return on(e,
                          Primitive(Primitive::primitive_desc(e, dnnl::prop_kind::forward_inference, algorithm, desc,
                                                              desc, 0.f)),
                          {{DNNL_ARG_SRC, desc}, {DNNL_ARG_DST, desc}});
            }};
}

DeviceCase add(std::string name, const Desc& a, const Desc& b) {
    return {"binary " + std::move(name), [=](const dnnl::engine& e) {
                return on(e, dnnl::binary(dnnl::binary::primitive_desc(e, dnnl::algorithm::binary_add, a, b, a)),
                          {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, a}});
            }};
}

// The gradient of prelu's weights is a sum over the dims along which they are broadcast.
DeviceCase prelu_gradient(std::string name, const Desc& data, const Desc& weights) {
    return {"prelu backward " + std::move(name), [=](const dnnl::engine& e) {
                const dnnl::prelu_forward::primitive_desc forward(e, dnnl::prop_kind::forward_training, data, weights,
                                                                  data);
                const dnnl::prelu_backward::primitive_desc backward(e, data, weights, data, weights, data, forward);
                return on(e, dnnl::prelu_backward(backward),
                          {{DNNL_ARG_SRC, data},
                           {DNNL_ARG_WEIGHTS, weights},
                           {DNNL_ARG_DIFF_DST, data},
                           {DNNL_ARG_DIFF_SRC, data},
                           {DNNL_ARG_DIFF_WEIGHTS, weights}});
            }};
}

DeviceCase product(std::string name, const Desc& a, const Desc& b, const Desc& c) {
    return {"matmul " + std::move(name), [=](const dnnl::engine& e) {
                return on(e, dnnl::matmul(dnnl::matmul::primitive_desc(e, a, b, c)),
                          {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
            }};
}

} // namespace

std::vector<DeviceCase> small_cases() {
    const Dims images = {8, 64, 112, 112}, odd = {8, 60, 49, 49}, matrix = {2048, 2048}, square = {512, 512};
    const auto f32 = [](const Dims& dims, Tag tag) { return Desc(dims, Type::f32, tag); };
    const auto of = [](const Dims& dims, Type type, Tag tag) { return Desc(dims, type, tag); };
    return {
        move("f32 nchw -> nchw", f32(images, Tag::nchw), f32(images, Tag::nchw)),
        move("f32 nchw -> nChw16c", f32(images, Tag::nchw), f32(images, Tag::nChw16c)),
        move("f32 nChw16c -> nchw", f32(images, Tag::nChw16c), f32(images, Tag::nchw)),
        move("f32 nchw -> nhwc", f32(images, Tag::nchw), f32(images, Tag::nhwc)),
        move("f32 nhwc -> nchw", f32(images, Tag::nhwc), f32(images, Tag::nchw)),
        move("f32 nChw16c -> nhwc", f32(images, Tag::nChw16c), f32(images, Tag::nhwc)),
        move("f32 nchw -> nChw16c, 60 channels", f32(odd, Tag::nchw), f32(odd, Tag::nChw16c)),
        move("f32 ab -> ba", f32(matrix, Tag::ab), f32(matrix, Tag::ba)),
        move("s8 nchw -> nhwc", of(images, Type::s8, Tag::nchw), of(images, Type::s8, Tag::nhwc)),
        move("bf16 nhwc -> nchw", of(images, Type::bf16, Tag::nhwc), of(images, Type::bf16, Tag::nchw)),
        move("f32 -> s8 nchw", f32(images, Tag::nchw), of(images, Type::s8, Tag::nchw)),
        move("f32 nchw -> s8 nhwc", f32(images, Tag::nchw), of(images, Type::s8, Tag::nhwc)),
        move("bf16 -> f32 nchw", of(images, Type::bf16, Tag::nchw), f32(images, Tag::nchw)),
        move("f32 -> f16 nchw", f32(images, Tag::nchw), of(images, Type::f16, Tag::nchw)),
        move("f32 -> s4 ab", f32(matrix, Tag::ab), of(matrix, Type::s4, Tag::ab)),
        eltwise("relu f32", dnnl::algorithm::eltwise_relu, f32(images, Tag::nchw)),
        eltwise("tanh f32", dnnl::algorithm::eltwise_tanh, f32(images, Tag::nchw)),
        eltwise("relu bf16", dnnl::algorithm::eltwise_relu, of(images, Type::bf16, Tag::nchw)),
        add("f32", f32(images, Tag::nchw), f32(images, Tag::nchw)),
        add("f32 by channel", f32(images, Tag::nchw), f32({1, 64, 1, 1}, Tag::nchw)),
        add("f32 nhwc by channel", f32(images, Tag::nhwc), f32({1, 64, 1, 1}, Tag::nchw)),
        add("f32 nhwc + nchw", f32(images, Tag::nhwc), f32(images, Tag::nchw)),
        prelu_gradient("f32 by channel nchw", f32(images, Tag::nchw), f32({1, 64, 1, 1}, Tag::nchw)),
        prelu_gradient("f32 by channel nhwc", f32(images, Tag::nhwc), f32({1, 64, 1, 1}, Tag::nchw)),
        product("f32 512", f32(square, Tag::ab), f32(square, Tag::ab), f32(square, Tag::ab)),
        product("f32 512, weights ba", f32(square, Tag::ab), f32(square, Tag::ba), f32(square, Tag::ab)),
        product("s8 512", of(square, Type::s8, Tag::ab), of(square, Type::s8, Tag::ab), of(square, Type::s32, Tag::ab)),
        product("bf16 512", of(square, Type::bf16, Tag::ab), of(square, Type::bf16, Tag::ab), f32(square, Tag::ab)),
        product("f32 1x2048x2048", f32({1, 2048}, Tag::ab), f32(matrix, Tag::ab), f32({1, 2048}, Tag::ab)),
        product("f32 48x64x128x64", f32({48, 64, 128}, Tag::abc), f32({48, 128, 64}, Tag::abc),
                f32({48, 64, 64}, Tag::abc)),
    };
}

} // namespace tessera::bench
