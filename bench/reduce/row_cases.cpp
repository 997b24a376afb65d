// SPDX-License-Identifier: Apache-2.0
// Reductions and softmaxes.
#include "cases.hpp"

namespace tessera::bench::reduce {
namespace {

Work reduce(algorithm kind, const Desc& src, const Dims& to, Type type) {
    const dnnl::reduction::primitive_desc pd(engine(), kind, src, Desc(to, type, Tag::any), 2.f, 0.f);
    return run_on(dnnl::reduction(pd), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, pd.dst_desc(), true}});
}

Work softmax(algorithm kind, const Desc& src, int axis) {
    const dnnl::softmax_forward::primitive_desc pd(engine(), prop_kind::forward_inference, kind, src, src, axis);
    return run_on(dnnl::softmax_forward(pd), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, src, true}});
}

Work softmax_backward(algorithm kind, const Desc& d, int axis) {
    const dnnl::softmax_forward::primitive_desc hint(engine(), prop_kind::forward_training, kind, d, d, axis);
    const dnnl::softmax_backward::primitive_desc pd(engine(), kind, d, d, d, axis, hint);
    return run_on(dnnl::softmax_backward(pd),
                  {{DNNL_ARG_DST, d}, {DNNL_ARG_DIFF_DST, d}, {DNNL_ARG_DIFF_SRC, d, true}});
}

constexpr Named<algorithm> functions[] = {{"softmax", algorithm::softmax_accurate}, {"log", algorithm::softmax_log}};

void add_softmax(const char* what, const Data& data, int axis, std::vector<Case>& cases) {
    for (const auto& [name, kind] : functions) {
        const std::string text = fmt::format("{} axis {} {}", data.name(), axis, what);
        cases.push_back({"softmax", fmt::format("{} {}", name, text),
                         [=, kind = kind] { return softmax(kind, data.desc(), axis); }});
        if (data.type.second != Type::s8)
            cases.push_back({"softmax", fmt::format("{}_bwd {}", name, text),
                             [=, kind = kind] { return softmax_backward(kind, data.desc(), axis); }});
    }
}

} // namespace

std::vector<Case> reduction_cases() {
    const Dims image{8, 64, 56, 56};
    std::vector<Case> cases;
    const auto add = [&](Named<algorithm> kind, const Data& data, unsigned mask) {
        Dims to = data.dims;
        std::string along;
        for (size_t d = 0; d < to.size(); ++d)
            if (mask >> d & 1) to[d] = 1, along += "nchw"[d];
        const Type type = data.type.second == Type::s8 ? Type::s32 : Type::f32;
        cases.push_back({"reduction", fmt::format("{} over {} {}", kind.first, along, data.name()),
                         [=] { return reduce(kind.second, data.desc(), to, type); }});
    };
    for (const auto& type : {f32, bf16, s8})
        for (const auto& tag : image_tags)
            for (unsigned mask = 1; mask < 16; ++mask) add({"sum", algorithm::reduction_sum}, {image, type, tag}, mask);
    for (const Named<algorithm>& kind : {Named<algorithm>{"max", algorithm::reduction_max},
                                         {"mul", algorithm::reduction_mul},
                                         {"norm_2", algorithm::reduction_norm_lp_sum}})
        for (const auto& tag : image_tags)
            for (const unsigned mask : {2u, 12u, 13u}) add(kind, {image, f32, tag}, mask);
    return cases;
}

std::vector<Case> softmax_cases() {
    std::vector<Case> cases;
    for (const auto& type : {f32, bf16, s8})
        for (int64_t extent = 32; extent <= 8192; extent *= 2)
            add_softmax("", {{(1 << 20) / extent, extent}, type, ab}, 1, cases);
    for (const auto& tag : image_tags)
        for (int axis = 0; axis < 4; ++axis) add_softmax("image", {{8, 64, 56, 56}, f32, tag}, axis, cases);
    for (const auto& type : {f32, bf16}) {
        add_softmax("segmentation", {{1, 21, 512, 512}, type, nchw}, 1, cases);
        add_softmax("BERT", {{4, 16, 384, 384}, type, nchw}, 3, cases);
        add_softmax("Llama", {{1, 32, 512, 512}, type, nchw}, 3, cases);
        add_softmax("Llama, a token", {{1, 32, 1, 2048}, type, nchw}, 3, cases);
        add_softmax("vocabulary", {{1, 128256}, type, ab}, 1, cases);
        add_softmax("vocabulary", {{128, 32000}, type, ab}, 1, cases);
        add_softmax("ImageNet", {{256, 1000}, type, ab}, 1, cases);
    }
    return cases;
}

} // namespace tessera::bench::reduce
