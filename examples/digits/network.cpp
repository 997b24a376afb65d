#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace digits {
namespace {

// Softmax and cross-entropy of rows of logits: the mean loss, and its gradient by the logits.
double loss_of(std::span<const float> logits, std::span<const int> labels, std::span<float> gradient) {
    const size_t width = logits.size() / labels.size();
    double loss = 0;
    for (size_t row = 0; row < labels.size(); ++row) {
        const auto of_row = logits.subspan(row * width, width);
        const float most = *std::ranges::max_element(of_row);
        double sum = 0;
        for (float logit : of_row) sum += std::exp(double(logit - most));
        const auto label = size_t(labels[row]);
        loss += std::log(sum) - double(of_row[label] - most);
        for (size_t c = 0; c < width; ++c) {
            const double probability = std::exp(double(of_row[c] - most)) / sum;
            gradient[row * width + c] = float((probability - double(c == label)) / double(labels.size()));
        }
    }
    return loss / double(labels.size());
}

} // namespace

Network::Network(const std::vector<int64_t>& widths, int64_t batch, Type type)
    : batch_(batch), input_(tensor({batch, widths.front()}, Type::f32)),
      diff_logits_(tensor({batch, widths.back()}, Type::f32)),
      typed_input_(input_, rows_of({batch, widths.front()}, type)),
      typed_diff_(diff_logits_, rows_of({batch, widths.back()}, type)) {
    std::mt19937 random(7);
    for (size_t l = 0; l + 1 < widths.size(); ++l) {
        const bool last = l + 2 == widths.size();
        layers_.emplace_back(batch, widths[l], widths[l + 1], type, last ? Type::f32 : type, random);
        if (!last) relus_.emplace_back(memory::dims{batch, widths[l + 1]}, type);
    }
}

double Network::learn(std::span<const float> inputs, std::span<const int> labels) {
    std::ranges::copy(inputs, floats(input_).begin());
    typed_input_.update();
    std::vector<memory> sources = {typed_input_.get()}; // of each layer
    for (size_t l = 0; l < relus_.size(); ++l) sources.push_back(relus_[l].forward(layers_[l].forward(sources[l])));
    const memory logits = layers_.back().forward(sources.back());
    stream().wait();

    const double loss = loss_of(floats(logits), labels, floats(diff_logits_));
    typed_diff_.update();
    memory diff = typed_diff_.get();
    for (size_t l = layers_.size(); l-- > 0;) {
        layers_[l].backward_weights(sources[l], diff);
        if (l > 0) diff = relus_[l - 1].backward(layers_[l].backward_data(diff));
    }
    for (Dense& layer : layers_) layer.step();
    stream().wait();
    return loss;
}

std::vector<double> train(Network& network, const Samples& samples, int epochs) {
    const auto inputs = inputs_of(samples.images);
    std::vector<size_t> order(size_t(samples.count()));
    std::iota(order.begin(), order.end(), size_t(0));
    std::mt19937 random(3);
    const auto batch = size_t(network.batch()), batches = order.size() / batch;
    std::vector<float> batch_inputs(batch * size_t(pixels));
    std::vector<int> batch_labels(batch);
    std::vector<double> losses;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
        double sum = 0;
        for (size_t b = 0; b < batches; ++b) {
            for (size_t i = 0; i < batch; ++i) {
                const size_t sample = order[b * batch + i];
                std::copy_n(inputs.begin() + long(sample) * pixels, pixels, batch_inputs.begin() + long(i) * pixels);
                batch_labels[i] = samples.labels[sample];
            }
            sum += network.learn(batch_inputs, batch_labels);
        }
        losses.push_back(sum / double(batches));
    }
    return losses;
}

} // namespace digits
