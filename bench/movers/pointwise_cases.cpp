// SPDX-License-Identifier: Apache-2.0
// The set `pointwise`: one result an element, or one a few elements, where the bytes should be the only cost.
//
//   relu_fwd f32 nchw 8x64x56x56
//   binary_add_channel bf16 nhwc 8x64x56x56
//   concat_61+67 f32 nchw 8xCx56x56
//
// The first word of a name is its group; the page has a row for each, views apart. A name ending in "view" is a part of
// a larger tensor: 55x53 of 56x56 pixels or 61 of 64 channels, so that rows start at odd places and the tensor is not
// one run. Cheap operations have the target 0.85 of memcpy. Transcendental ones, linear resampling and its gradients
// have none: they take as long as their instructions.
#include "cases.hpp"

#include <utility>

#include <fmt/format.h>

namespace tessera::bench {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

constexpr double cheap = 0.85, bounded_by_arithmetic = 0;

constexpr Named<Type> types[] = {{"f32", Type::f32}, {"bf16", Type::bf16}, {"f16", Type::f16}};
constexpr Named<Type> wide_types[] = {types[0], types[1]};
constexpr Named<Tag> layouts[] = {{"nchw", Tag::nchw}, {"nhwc", Tag::nhwc}, {"nChw16c", Tag::nChw16c}};
constexpr Named<Tag> plain_layouts[] = {layouts[0], layouts[1]};
constexpr Named<Tag> volume_layouts[] = {{"ncdhw", Tag::ncdhw}, {"ndhwc", Tag::ndhwc}};

const Dims image = {8, 64, 56, 56}, half_image = {8, 64, 28, 28}, channel = {1, 64, 1, 1};

struct Activation {
    const char* name;
    algorithm kind;
    float alpha;
    double target;
};
constexpr Activation activations[] = {{"relu", algorithm::eltwise_relu, 0, cheap},
                                      {"gelu_erf", algorithm::eltwise_gelu_erf, 0, bounded_by_arithmetic},
                                      {"tanh", algorithm::eltwise_tanh, 0, bounded_by_arithmetic},
                                      {"exp", algorithm::eltwise_exp, 0, bounded_by_arithmetic},
                                      {"swish", algorithm::eltwise_swish, 1, bounded_by_arithmetic}};
constexpr Named<algorithm> binaries[] = {{"add", algorithm::binary_add}, {"mul", algorithm::binary_mul}};

Work activate(const Activation& a, const Desc& data) {
    const dnnl::eltwise_forward::primitive_desc forward(engine(), prop_kind::forward_training, a.kind, data, data,
                                                        a.alpha);
    return run_on(dnnl::eltwise_forward(forward), {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data, true}});
}

Work activate_backward(const Activation& a, const Desc& data) {
    const dnnl::eltwise_forward::primitive_desc forward(engine(), prop_kind::forward_training, a.kind, data, data,
                                                        a.alpha);
    const dnnl::eltwise_backward::primitive_desc backward(engine(), a.kind, data, data, data, a.alpha, 0, forward);
    return run_on(dnnl::eltwise_backward(backward),
                  {{DNNL_ARG_SRC, data}, {DNNL_ARG_DIFF_DST, data}, {DNNL_ARG_DIFF_SRC, data, true}});
}

Work combine(algorithm kind, const Desc& data, const Desc& second) {
    const dnnl::binary::primitive_desc desc(engine(), kind, data, second, data);
    return run_on(dnnl::binary(desc), {{DNNL_ARG_SRC_0, data}, {DNNL_ARG_SRC_1, second}, {DNNL_ARG_DST, data, true}});
}

Work add_up(int count, const Desc& data) {
    const dnnl::sum::primitive_desc desc(engine(), data, std::vector<float>(size_t(count), 0.5f),
                                         std::vector<Desc>(size_t(count), data));
    std::vector<Operand> operands = {{DNNL_ARG_DST, data, true}};
    for (int i = 0; i < count; ++i) operands.push_back({DNNL_ARG_MULTIPLE_SRC + i, data});
    return run_on(dnnl::sum(desc), operands);
}

Work join_channels(const Desc& first, const Desc& second, const Desc& both) {
    const dnnl::concat::primitive_desc desc(engine(), both, 1, {first, second});
    return run_on(dnnl::concat(desc),
                  {{DNNL_ARG_MULTIPLE_SRC, first}, {DNNL_ARG_MULTIPLE_SRC + 1, second}, {DNNL_ARG_DST, both, true}});
}

Work slope_by_channel(const Desc& data) {
    const Desc any_weights(channel, data.get_data_type(), Tag::any);
    const dnnl::prelu_forward::primitive_desc desc(engine(), prop_kind::forward_inference, data, any_weights, data);
    return run_on(dnnl::prelu_forward(desc),
                  {{DNNL_ARG_SRC, data}, {DNNL_ARG_WEIGHTS, desc.weights_desc()}, {DNNL_ARG_DST, data, true}});
}

Work resample(algorithm kind, const Desc& from, const Desc& to) {
    const dnnl::resampling_forward::primitive_desc desc(engine(), prop_kind::forward_inference, kind, from, to);
    return run_on(dnnl::resampling_forward(desc), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to, true}});
}

Work resample_backward(algorithm kind, const Desc& from, const Desc& to) {
    const dnnl::resampling_forward::primitive_desc hint(engine(), prop_kind::forward_training, kind, from, to);
    const dnnl::resampling_backward::primitive_desc desc(engine(), kind, from, to, hint);
    return run_on(dnnl::resampling_backward(desc), {{DNNL_ARG_DIFF_DST, to}, {DNNL_ARG_DIFF_SRC, from, true}});
}

struct Format {
    Named<Type> type;
    Named<Tag> layout;
    Desc of(const Dims& dims) const { return Desc(dims, type.second, layout.second); }
};

// Collects cases of one type and layout.
struct Builder {
    std::vector<Case>& cases;
    Format format;

    void add(const std::string& group, const std::string& dims, double target, std::function<Work()> make) const {
        cases.push_back({"pointwise", fmt::format("{} {} {} {}", group, format.type.first, format.layout.first, dims),
                         target, std::move(make)});
    }

    void eltwise() const {
        for (const Activation& a : activations) {
            add(fmt::format("{}_fwd", a.name), shape(image), a.target,
                [=, format = format] { return activate(a, format.of(image)); });
            add(fmt::format("{}_bwd", a.name), shape(image), a.target,
                [=, format = format] { return activate_backward(a, format.of(image)); });
        }
    }
    void binary_sum_concat() const {
        for (auto [name, kind] : binaries)
            for (bool by_channel : {false, true})
                add(fmt::format("binary_{}_{}", name, by_channel ? "channel" : "same"), shape(image), cheap,
                    [=, kind = kind, format = format] {
                        return combine(kind, format.of(image), format.of(by_channel ? channel : image));
                    });
        for (int count : {2, 4})
            add(fmt::format("sum{}", count), shape(image), cheap,
                [=, format = format] { return add_up(count, format.of(image)); });
        for (int first : {64, 61})
            add(fmt::format("concat_{}+{}", first, 128 - first), "8xCx56x56", cheap, [=, format = format] {
                return join_channels(format.of({8, first, 56, 56}), format.of({8, 128 - first, 56, 56}),
                                     format.of({8, 128, 56, 56}));
            });
    }
    void prelu_resampling() const {
        add("prelu_channel", shape(image), cheap, [=, format = format] { return slope_by_channel(format.of(image)); });
        add("resampling_nearest_2x", shape(half_image), cheap, [=, format = format] {
            return resample(algorithm::resampling_nearest, format.of(half_image), format.of(image));
        });
        add("resampling_linear_2x", shape(half_image), bounded_by_arithmetic, [=, format = format] {
            return resample(algorithm::resampling_linear, format.of(half_image), format.of(image));
        });
        const auto linear = [this](const std::string& name, const Dims& from, const Dims& to) {
            add("resampling_linear_" + name, shape(from), bounded_by_arithmetic, [=, format = format] {
                return resample(algorithm::resampling_linear, format.of(from), format.of(to));
            });
        };
        linear("3x", half_image, {8, 64, 84, 84});
        linear("halved", image, half_image);
        linear("odd", {8, 60, 27, 27}, {8, 60, 50, 50});
        add("resampling_linear_2x_bwd", shape(half_image), bounded_by_arithmetic, [=, format = format] {
            return resample_backward(algorithm::resampling_linear, format.of(half_image), format.of(image));
        });
        add("resampling_nearest_2x_bwd", shape(half_image), bounded_by_arithmetic, [=, format = format] {
            return resample_backward(algorithm::resampling_nearest, format.of(half_image), format.of(image));
        });
    }
    void volume_resampling() const {
        const Dims from{2, 32, 8, 20, 20}, to{2, 32, 16, 40, 40};
        add("resampling_linear_2x", shape(from), bounded_by_arithmetic,
            [=, format = format] { return resample(algorithm::resampling_linear, format.of(from), format.of(to)); });
        add("resampling_linear_2x_bwd", shape(from), bounded_by_arithmetic, [=, format = format] {
            return resample_backward(algorithm::resampling_linear, format.of(from), format.of(to));
        });
    }
    // Parts of a whole image: its strides, fewer pixels or fewer channels.
    void views() const {
        for (const Dims& dims : {Dims{8, 64, 55, 53}, Dims{8, 61, 56, 56}}) {
            const auto part = [=, format = format] {
                return Desc(dims, format.type.second, format.of(image).get_strides());
            };
            const std::string name = shape(dims) + " view";
            add("relu_fwd", name, cheap, [=] { return activate(activations[0], part()); });
            add("binary_add_same", name, cheap, [=] { return combine(algorithm::binary_add, part(), part()); });
            add("sum2", name, cheap, [=] { return add_up(2, part()); });
        }
    }
};

} // namespace

std::vector<Case> pointwise_cases() {
    std::vector<Case> cases;
    for (auto type : types)
        for (auto layout : layouts) Builder{cases, {type, layout}}.eltwise();
    for (auto type : wide_types) {
        for (auto layout : plain_layouts) Builder{cases, {type, layout}}.binary_sum_concat();
        for (auto layout : layouts) Builder{cases, {type, layout}}.prelu_resampling();
        for (const Named<Tag>& layout : volume_layouts) Builder{cases, {type, layout}}.volume_resampling();
        for (auto layout : plain_layouts) Builder{cases, {type, layout}}.views();
    }
    for (Case& c : layout_cases()) cases.push_back(std::move(c));
    return cases;
}

} // namespace tessera::bench
