// SPDX-License-Identifier: Apache-2.0
// What training needs, whatever learns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace digits {

// Softmax and cross-entropy of rows of logits: the mean loss, and its gradient by the logits.
double cross_entropy(std::span<const float> logits, std::span<const int> labels, std::span<float> gradient);

// Calls learn(indices of the samples of a batch), which returns the loss of that batch; the mean loss of each epoch.
// Every epoch takes the samples in another order; what does not fill a batch waits for another epoch.
std::vector<double> descend(int64_t samples, int64_t batch, int epochs,
                            const std::function<double(std::span<const size_t>)>& learn);

} // namespace digits
