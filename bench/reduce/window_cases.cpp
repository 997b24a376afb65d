// SPDX-License-Identifier: Apache-2.0
// Pooling and local response normalisation.
#include <cstring>

#include "cases.hpp"

namespace tessera::bench::reduce {
namespace {

struct Window {
    Dims kernel, stride, pad;
    Dims outputs(const Dims& src) const {
        Dims dims = src;
        for (size_t d = 0; d < kernel.size(); ++d) dims[d + 2] = (src[d + 2] + 2 * pad[d] - kernel[d]) / stride[d] + 1;
        return dims;
    }
};

dnnl::pooling_forward::primitive_desc pooling(prop_kind prop, algorithm kind, const Desc& src, const Desc& dst,
                                              const Window& w) {
    const Dims dilation(w.kernel.size(), 0);
    return {engine(), prop, kind, src, dst, w.stride, w.kernel, dilation, w.pad, w.pad};
}

Work pool(prop_kind prop, algorithm kind, const Desc& src, const Desc& dst, const Window& w) {
    const auto pd = pooling(prop, kind, src, dst, w);
    std::vector<Operand> operands{{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst, true}};
    if (pd.workspace_desc().get_size()) operands.push_back({DNNL_ARG_WORKSPACE, pd.workspace_desc(), true});
    return run_on(dnnl::pooling_forward(pd), operands);
}

// The workspace of a maximum is that of zeros, of which the first ones win.
Work pool_backward(algorithm kind, const Desc& src, const Desc& dst, const Window& w) {
    const auto hint = pooling(prop_kind::forward_training, kind, src, dst, w);
    const Dims dilation(w.kernel.size(), 0);
    const dnnl::pooling_backward::primitive_desc pd(engine(), kind, src, dst, w.stride, w.kernel, dilation, w.pad,
                                                    w.pad, hint);
    std::vector<Operand> operands{{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_DIFF_SRC, src, true}};
    if (hint.workspace_desc().get_size()) {
        const memory zeros(src, engine()), most(dst, engine()), workspace(hint.workspace_desc(), engine());
        std::memset(zeros.get_data_handle(), 0, src.get_size());
        dnnl::stream stream(engine());
        dnnl::pooling_forward(hint).execute(
            stream, {{DNNL_ARG_SRC, zeros}, {DNNL_ARG_DST, most}, {DNNL_ARG_WORKSPACE, workspace}});
        stream.wait();
        operands.push_back({DNNL_ARG_WORKSPACE, hint.workspace_desc(), false, workspace});
    }
    return run_on(dnnl::pooling_backward(pd), operands);
}

void add_pool(const char* what, Named<algorithm> kind, const Data& data, const Window& w, std::vector<Case>& cases) {
    const Desc src = data.desc(), dst = Data{w.outputs(data.dims), data.type, data.tag}.desc();
    const auto add = [&](const char* direction, std::function<Work()> make) {
        cases.push_back({"pool", fmt::format("{}{} {} {}", kind.first, direction, data.name(), what), std::move(make)});
    };
    add("", [=] { return pool(prop_kind::forward_inference, kind.second, src, dst, w); });
    if (data.type.second == Type::s8) return;
    if (kind.second == algorithm::pooling_max)
        add("_train", [=] { return pool(prop_kind::forward_training, kind.second, src, dst, w); });
    add("_bwd", [=] { return pool_backward(kind.second, src, dst, w); });
}

dnnl::lrn_forward::primitive_desc lrn(prop_kind prop, algorithm kind, const Desc& data) {
    return {engine(), prop, kind, data, data, 5, 1e-4f, 0.75f, 2.f};
}

void add_lrn(Named<algorithm> kind, const Data& data, std::vector<Case>& cases) {
    const Desc desc = data.desc();
    cases.push_back({"lrn", fmt::format("{} {}", kind.first, data.name()), [=] {
                         return run_on(dnnl::lrn_forward(lrn(prop_kind::forward_inference, kind.second, desc)),
                                       {{DNNL_ARG_SRC, desc}, {DNNL_ARG_DST, desc, true}});
                     }});
    cases.push_back({"lrn", fmt::format("{}_bwd {}", kind.first, data.name()), [=] {
                         const auto hint = lrn(prop_kind::forward_training, kind.second, desc);
                         const dnnl::lrn_backward::primitive_desc pd(engine(), kind.second, desc, desc, desc, 5, 1e-4f,
                                                                     0.75f, 2.f, hint);
                         std::vector<Operand> operands{
                             {DNNL_ARG_SRC, desc}, {DNNL_ARG_DIFF_DST, desc}, {DNNL_ARG_DIFF_SRC, desc, true}};
                         if (hint.workspace_desc().get_size())
                             operands.push_back({DNNL_ARG_WORKSPACE, hint.workspace_desc()});
                         return run_on(dnnl::lrn_backward(pd), operands);
                     }});
}

} // namespace

std::vector<Case> pool_cases() {
    constexpr Named<algorithm> max{"max", algorithm::pooling_max}, avg{"avg", algorithm::pooling_avg_include_padding},
        avg_exclude{"avg_exclude", algorithm::pooling_avg_exclude_padding};
    const Window of_3{{3, 3}, {2, 2}, {1, 1}}, of_2{{2, 2}, {2, 2}, {0, 0}}, same{{3, 3}, {1, 1}, {1, 1}},
        all{{7, 7}, {1, 1}, {0, 0}};
    std::vector<Case> cases;
    for (const auto& type : {f32, bf16, s8})
        for (const auto& tag : image_tags) {
            add_pool("ResNet-50", max, {{16, 64, 112, 112}, type, tag}, of_3, cases);
            add_pool("VGG-16", max, {{4, 64, 224, 224}, type, tag}, of_2, cases);
            add_pool("VGG-16", max, {{16, 512, 28, 28}, type, tag}, of_2, cases);
            add_pool("Inception", avg, {{16, 192, 35, 35}, type, tag}, same, cases);
            add_pool("Inception", avg_exclude, {{16, 192, 35, 35}, type, tag}, same, cases);
            add_pool("global", avg, {{16, 2048, 7, 7}, type, tag}, all, cases);
        }
    for (const auto& type : {f32, bf16})
        for (const auto& tag : {ncdhw, ndhwc}) {
            add_pool("2x2x2", max, {{2, 32, 16, 56, 56}, type, tag}, {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}}, cases);
            add_pool("3x3x3", avg, {{2, 32, 16, 56, 56}, type, tag}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}}, cases);
        }
    return cases;
}

std::vector<Case> lrn_cases() {
    constexpr Named<algorithm> across{"across", algorithm::lrn_across_channels},
        within{"within", algorithm::lrn_within_channel};
    std::vector<Case> cases;
    for (const auto& type : {f32, bf16})
        for (const auto& tag : image_tags)
            for (const Dims& dims : {Dims{16, 96, 55, 55}, Dims{16, 256, 27, 27}}) {
                add_lrn(across, {dims, type, tag}, cases);
                add_lrn(within, {dims, type, tag}, cases);
            }
    return cases;
}

} // namespace tessera::bench::reduce
