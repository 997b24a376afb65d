// SPDX-License-Identifier: Apache-2.0
// What networks move and map on a GPU.
#include "cases.hpp"

namespace tessera::bench {

namespace {

using dnnl::algorithm;

const Dims images = {64, 64, 112, 112}; // 205 MB of f32

Desc f32(const Dims& dims, Tag tag) { return Desc(dims, Type::f32, tag); }

DeviceWork moved(const Engine& e, const Desc& from, const Desc& to) {
    return on(e, dnnl::reorder(dnnl::reorder::primitive_desc(e, from, e, to)),
              {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

} // namespace

std::vector<DeviceCase> large_moves() {
    const Desc nchw = f32(images, Tag::nchw), nhwc = f32(images, Tag::nhwc), blocked = f32(images, Tag::nChw16c);
    const Desc photos({256, 3, 224, 224}, Type::u8, Tag::nhwc), planes = f32({256, 3, 224, 224}, Tag::nchw);
    const Desc channels = f32({1, 64, 1, 1}, Tag::nchw);
    const auto relu = algorithm::eltwise_relu, gelu = algorithm::eltwise_gelu_erf;
    const auto shuffled = [](const Engine& e, const Desc& d) {
        return forward<dnnl::shuffle_forward>(e, d, d, d, 1, 4);
    };
    const auto eltwise = [](const Engine& e, algorithm kind, const Desc& d) {
        return forward<dnnl::eltwise_forward>(e, d, kind, d, d, 0.f, 0.f);
    };
    const auto add = [](const Engine& e, const Desc& a, const Desc& b) {
        return on(e, dnnl::binary(dnnl::binary::primitive_desc(e, algorithm::binary_add, a, b, a)),
                  {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, a}});
    };
    return {
        {"copy 205 MB", [=](auto& e) { return moved(e, nchw, nchw); }},
        {"copy 25 MB", [=](auto& e) { return moved(e, f32({3211264}, Tag::a), f32({3211264}, Tag::a)); }},
        {"copy 32 KB", [=](auto& e) { return moved(e, f32({4096}, Tag::a), f32({4096}, Tag::a)); }},
        {"nchw -> nhwc", [=](auto& e) { return moved(e, nchw, nhwc); }},
        {"nhwc -> nchw", [=](auto& e) { return moved(e, nhwc, nchw); }},
        {"nchw -> nChw16c", [=](auto& e) { return moved(e, nchw, blocked); }},
        {"nChw16c -> nhwc", [=](auto& e) { return moved(e, blocked, nhwc); }},
        {"u8 nhwc -> f32 nchw, 3 channels", [=](auto& e) { return moved(e, photos, planes); }},
        {"shuffle nchw, 4 groups", [=](auto& e) { return shuffled(e, nchw); }},
        {"shuffle nhwc, 4 groups", [=](auto& e) { return shuffled(e, nhwc); }},
        {"relu", [=](auto& e) { return eltwise(e, relu, nchw); }},
        {"gelu", [=](auto& e) { return eltwise(e, gelu, nchw); }},
        {"add by channel", [=](auto& e) { return add(e, nchw, channels); }},
    };
}

} // namespace tessera::bench
