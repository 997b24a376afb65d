// SPDX-License-Identifier: Apache-2.0
#include "classifier.hpp"

#include <algorithm>
#include <cmath>

namespace sequences {
namespace {

using dnnl::primitive_attr;

// Pixels and states, both from -1 to 1, are u8 by one scale and shift: 127 x + 128.
constexpr float data_scale = 127, data_shift = 128;
constexpr int of_gate_and_channel = 1 << 3 | 1 << 4; // dims of weights {layers, directions, inputs, gates, channels}

// What a primitive on u8 has to know, and the reorders that quantize its weights: a weight is scale * w in s8, with the
// scale of its gate and channel that makes the largest of both tensors 127.
primitive_attr quantization(const Recurrent& trained) {
    std::vector<float> scales(size_t(trained.layer().gates() * trained.layer().channels), 0.0f);
    for (const memory& weights : {trained.weights_layer(), trained.weights_iter()}) {
        const auto values = floats(weights);
        for (size_t i = 0; i < values.size(); ++i) {
            float& widest = scales[i % scales.size()];
            widest = std::max(widest, std::abs(values[i]));
        }
    }
    for (float& s : scales) s = s > 0 ? 127 / s : 1;
    primitive_attr attributes;
    attributes.set_rnn_data_qparams(data_scale, data_shift);
    attributes.set_rnn_weights_qparams(of_gate_and_channel, scales);
    return attributes;
}

memory in_form(const memory& from, const memory::desc& to, const primitive_attr& attributes = {}) {
    memory source = from, result = tensor(to);
    dnnl::reorder(source, result, attributes).execute(stream(), source, result);
    stream().wait();
    return result;
}

// {steps, sequences, row_pixels} of a type
memory inputs(std::span<const Sequence> of_batch, const Layer& layer, Type type) {
    memory plain = tensor(layer.src(), Type::f32);
    fill_padded(of_batch, floats(plain));
    if (type != Type::u8) return in_form(plain, rows_of(layer.src(), type));
    memory result = tensor(layer.src(), type);
    primitive_attr attributes;
    attributes.set_scales_mask(DNNL_ARG_DST, 0);
    attributes.set_zero_points_mask(DNNL_ARG_DST, 0);
    const memory scale = tensor(std::vector<float>{1 / data_scale}), shift = tensor({1}, Type::s32);
    *static_cast<int32_t*>(shift.get_data_handle()) = int32_t(data_shift);
    dnnl::reorder(plain, result, attributes)
        .execute(stream(), {{DNNL_ARG_FROM, plain},
                            {DNNL_ARG_TO, result},
                            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scale},
                            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, shift}});
    stream().wait();
    return result;
}

} // namespace

Classifier::Classifier(const Network& network, Type type, std::span<const Sequence> sequences, Batches batches)
    : sequences_(sequences), padded_(batches == Batches::padded),
      last_(tensor({int64_t(sequences.size()), channels}, type == Type::bf16 ? Type::bf16 : Type::f32)),
      logits_(tensor({int64_t(sequences.size()), classes}, Type::f32)) {
    for (size_t first = 0, end = 0; first < sequences.size(); first = end) {
        end = sequences.size();
        if (!padded_)
            for (end = first; end < sequences.size() && sequences[end].length() == sequences[first].length();) ++end;
        add_recurrent(network.recurrent(), type, first, end - first, !padded_);
    }
    add_dense(network.dense());
}

void Classifier::add_recurrent(const Recurrent& trained, Type type, size_t first, size_t count, bool keeps_state) {
    const auto of_batch = sequences_.subspan(first, count);
    Layer layer = trained.layer();
    layer.batch = int64_t(count);
    layer.steps = std::ranges::max(of_batch, {}, &Sequence::length).length();
    const bool quantized = type == Type::u8;
    const primitive_attr attributes = quantized ? quantization(trained) : primitive_attr();
    const auto [primitive, desc] = inference_of(
        layer, {type, quantized ? Type::s8 : type, last_.get_desc().get_data_type()}, attributes, keeps_state);
    Arguments arguments = {
        {DNNL_ARG_SRC_LAYER, inputs(of_batch, layer, type)},
        {DNNL_ARG_WEIGHTS_LAYER, in_form(trained.weights_layer(), desc.weights_layer_desc(), attributes)},
        {DNNL_ARG_WEIGHTS_ITER, in_form(trained.weights_iter(), desc.weights_iter_desc(), attributes)},
        {DNNL_ARG_BIAS, in_form(trained.bias(), desc.bias_desc())},
        {DNNL_ARG_DST_LAYER, tensor(desc.dst_layer_desc())}};
    if (keeps_state) { // into its place among the last states: those of a batch lie side by side
        auto* place =
            static_cast<std::byte*>(last_.get_data_handle()) + first * last_.get_desc().get_size() / sequences_.size();
        arguments[DNNL_ARG_DST_ITER] = memory(desc.dst_iter_desc(), cpu(), place);
        if (layer.cell == Cell::lstm) arguments[DNNL_ARG_DST_ITER_C] = tensor(desc.dst_iter_c_desc());
    }
    recurrent_.push_back({primitive, arguments});
}

void Classifier::add_dense(const Dense& trained) {
    const Type type = last_.get_desc().get_data_type();
    const dnnl::inner_product_forward::primitive_desc desc(cpu(), dnnl::prop_kind::forward_inference, last_.get_desc(),
                                                           any(trained.weights().get_desc().get_dims(), type),
                                                           trained.bias().get_desc(), logits_.get_desc());
    dense_ = {dnnl::inner_product_forward(desc),
              {{DNNL_ARG_SRC, last_},
               {DNNL_ARG_WEIGHTS, in_form(trained.weights(), desc.weights_desc())},
               {DNNL_ARG_BIAS, in_form(trained.bias(), desc.bias_desc())},
               {DNNL_ARG_DST, logits_}}};
}

void Classifier::run() {
    for (const Step& step : recurrent_) step.primitive.execute(stream(), step.arguments);
    stream().wait();
    if (padded_) take_last(recurrent_.front().arguments.at(DNNL_ARG_DST_LAYER), sequences_, last_);
    dense_.primitive.execute(stream(), dense_.arguments);
    stream().wait();
}

std::vector<int> Classifier::labels() const {
    const auto logits = floats(logits_);
    std::vector<int> found;
    for (size_t row = 0; row < logits.size(); row += size_t(classes)) {
        const auto of_row = logits.subspan(row, size_t(classes));
        found.push_back(int(std::ranges::max_element(of_row) - of_row.begin()));
    }
    return found;
}

double accuracy(const std::vector<int>& found, std::span<const Sequence> sequences) {
    double right = 0;
    for (size_t i = 0; i < sequences.size(); ++i) right += found[i] == sequences[i].label;
    return right / double(sequences.size());
}

} // namespace sequences
