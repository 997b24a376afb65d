// SPDX-License-Identifier: Apache-2.0
#include "classifier.hpp"

#include <algorithm>
#include <cmath>

namespace digits {
namespace {

using dnnl::inner_product_forward;
using dnnl::prop_kind;

dnnl::primitive_attr with_relu(bool relu) {
    dnnl::primitive_attr attributes;
    dnnl::post_ops after;
    if (relu) after.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
    attributes.set_post_ops(after);
    return attributes;
}

// What a layer and its quantization need to know of the weights: {outputs, inputs}, f32.
struct Shape {
    int64_t inputs, outputs;
    explicit Shape(const Dense& layer)
        : inputs(layer.weights().get_desc().get_dims()[1]), outputs(layer.weights().get_desc().get_dims()[0]) {}
};

memory in_form(const memory& from, const memory::desc& to) {
    memory result = tensor(to);
    convert(from, result);
    return result;
}

// The scales of weights, and the weights in s8, row-major as they were.
struct QuantizedWeights {
    memory scales, values;
    explicit QuantizedWeights(const Dense& layer) {
        const Shape shape(layer);
        const auto weights = floats(layer.weights());
        std::vector<float> widest;
        for (int64_t o = 0; o < shape.outputs; ++o) {
            float most = 0;
            for (float w : weights.subspan(size_t(o * shape.inputs), size_t(shape.inputs)))
                most = std::max(most, std::abs(w));
            widest.push_back(most > 0 ? most / 127 : 1);
        }
        scales = tensor(widest);
        values = tensor({shape.outputs, shape.inputs}, Type::s8);
        dnnl::primitive_attr attributes;
        attributes.set_scales_mask(DNNL_ARG_DST, 1 << 0);
        memory from = layer.weights();
        dnnl::reorder(from, values, attributes)
            .execute(stream(),
                     {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, values}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales}});
        stream().wait();
    }
};

memory one(int32_t value) {
    const memory m = tensor({1}, Type::s32);
    *static_cast<int32_t*>(m.get_data_handle()) = value;
    return m;
}

float most_of(const memory& activations) { return *std::ranges::max_element(floats(activations)); }

} // namespace

std::vector<int> Classifier::classify(std::span<const uint8_t> images) {
    if (input_.get_desc().get_data_type() == Type::u8) {
        std::ranges::copy(images, static_cast<uint8_t*>(input_.get_data_handle()));
    } else {
        const auto inputs = inputs_of(images);
        memory values(rows_of(input_.get_desc().get_dims(), Type::f32), cpu(), const_cast<float*>(inputs.data()));
        convert(values, input_);
    }
    run();
    const auto logits = floats(outputs_.back());
    std::vector<int> labels;
    for (size_t row = 0; row < logits.size(); row += size_t(classes)) {
        const auto of_row = logits.subspan(row, size_t(classes));
        labels.push_back(int(std::ranges::max_element(of_row) - of_row.begin()));
    }
    return labels;
}

void Classifier::run() {
    for (const Step& step : steps_) step.primitive.execute(stream(), step.arguments);
    stream().wait();
}

Classifier float_classifier(const Network& network, int64_t count, Type type) {
    Classifier c;
    memory src = c.input_ = tensor({count, Shape(network.layers().front()).inputs}, type);
    for (const Dense& layer : network.layers()) {
        const Shape shape(layer);
        const bool last = &layer == &network.layers().back();
        const inner_product_forward::primitive_desc desc(
            cpu(), prop_kind::forward_inference, src.get_desc(), any({shape.outputs, shape.inputs}, type),
            layer.bias().get_desc(), rows_of({count, shape.outputs}, last ? Type::f32 : type), with_relu(!last));
        c.outputs_.push_back(tensor(desc.dst_desc()));
        c.steps_.push_back({inner_product_forward(desc),
                            {{DNNL_ARG_SRC, src},
                             {DNNL_ARG_WEIGHTS, in_form(layer.weights(), desc.weights_desc())},
                             {DNNL_ARG_BIAS, in_form(layer.bias(), desc.bias_desc())},
                             {DNNL_ARG_DST, c.outputs_.back()}}});
        src = c.outputs_.back();
    }
    return c;
}

Classifier int8_classifier(const Network& network, int64_t count, const Samples& calibration) {
    Classifier exact = float_classifier(network, calibration.count(), Type::f32);
    exact.classify(calibration.images);

    Classifier c;
    memory src = c.input_ = tensor({count, pixels}, Type::u8);
    memory src_scale = tensor(std::vector<float>{2 / darkest}); // input_of() in other words: (pixel - 8) / 8
    for (size_t l = 0; l < network.layers().size(); ++l) {
        const Dense& layer = network.layers()[l];
        const Shape shape(layer);
        const bool first = l == 0, last = l + 1 == network.layers().size();
        const QuantizedWeights weights(layer);
        const memory dst_scale = tensor(std::vector<float>{last ? 1.0f : most_of(exact.outputs()[l]) / 255});

        dnnl::primitive_attr attributes = with_relu(!last);
        attributes.set_scales_mask(DNNL_ARG_SRC, 0);
        attributes.set_scales_mask(DNNL_ARG_WEIGHTS, first ? 1 << 1 : 1 << 0); // matmul's weights are {inputs, outputs}
        if (!last) attributes.set_scales_mask(DNNL_ARG_DST, 0);
        Arguments arguments = {{DNNL_ARG_SRC, src},
                               {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, src_scale},
                               {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, weights.scales}};
        if (!last) arguments[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = dst_scale;

        const memory::desc dst = rows_of({count, shape.outputs}, last ? Type::f32 : Type::u8);
        dnnl::primitive primitive;
        if (first) {
            attributes.set_zero_points_mask(DNNL_ARG_SRC, 0);
            arguments[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC] = one(int32_t(darkest / 2));
            const memory::desc bias = layer.bias().get_desc().reshape({1, shape.outputs});
            const dnnl::matmul::primitive_desc desc(cpu(), src.get_desc(), any({shape.inputs, shape.outputs}, Type::s8),
                                                    bias, dst, attributes);
            const memory turned(weights.values.get_desc().permute_axes({1, 0}), cpu(),
                                weights.values.get_data_handle());
            arguments[DNNL_ARG_WEIGHTS] = in_form(turned, desc.weights_desc());
            arguments[DNNL_ARG_BIAS] = memory(bias, cpu(), layer.bias().get_data_handle());
            primitive = dnnl::matmul(desc);
        } else {
            const inner_product_forward::primitive_desc desc(cpu(), prop_kind::forward_inference, src.get_desc(),
                                                             any({shape.outputs, shape.inputs}, Type::s8),
                                                             layer.bias().get_desc(), dst, attributes);
            arguments[DNNL_ARG_WEIGHTS] = in_form(weights.values, desc.weights_desc());
            arguments[DNNL_ARG_BIAS] = layer.bias();
            primitive = inner_product_forward(desc);
        }
        c.outputs_.push_back(tensor(dst));
        arguments[DNNL_ARG_DST] = c.outputs_.back();
        c.steps_.push_back({primitive, arguments});
        src = c.outputs_.back();
        src_scale = dst_scale;
    }
    return c;
}

double accuracy(const std::vector<int>& found, const std::vector<int>& labels) {
    double right = 0;
    for (size_t i = 0; i < labels.size(); ++i) right += found[i] == labels[i];
    return right / double(labels.size());
}

} // namespace digits
