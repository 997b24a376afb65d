// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace digits {

double cross_entropy(std::span<const float> logits, std::span<const int> labels, std::span<float> gradient) {
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

std::vector<double> descend(int64_t samples, int64_t batch, int epochs,
                            const std::function<double(std::span<const size_t>)>& learn) {
    std::vector<size_t> order(static_cast<size_t>(samples));
    std::iota(order.begin(), order.end(), size_t(0));
    std::mt19937 random(3);
    const auto batches = size_t(samples / batch);
    std::vector<double> losses;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
        double sum = 0;
        for (size_t b = 0; b < batches; ++b) sum += learn(std::span(order).subspan(b * size_t(batch), size_t(batch)));
        losses.push_back(sum / double(batches));
    }
    return losses;
}

} // namespace digits
