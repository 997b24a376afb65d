#include "classifier.hpp"

#include <algorithm>
#include <cmath>

namespace sequences {
namespace {

memory in_form(const memory& from, const memory::desc& to) {
    memory source = from, result = tensor(to);
    dnnl::reorder(source, result).execute(stream(), source, result);
    stream().wait();
    return result;
}

// {steps, sequences, row_pixels} of a type
memory inputs(std::span<const Sequence> of_batch, const Layer& layer, Type type) {
    memory plain = tensor(layer.src(), Type::f32);
    fill_padded(of_batch, floats(plain));
    return in_form(plain, rows_of(layer.src(), type));
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
    const auto [primitive, desc] = inference_of(layer, type, keeps_state);
    Arguments arguments = {{DNNL_ARG_SRC_LAYER, inputs(of_batch, layer, type)},
                           {DNNL_ARG_WEIGHTS_LAYER, in_form(trained.weights_layer(), desc.weights_layer_desc())},
                           {DNNL_ARG_WEIGHTS_ITER, in_form(trained.weights_iter(), desc.weights_iter_desc())},
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
