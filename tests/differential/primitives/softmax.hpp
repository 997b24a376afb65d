// SPDX-License-Identifier: Apache-2.0
// The algorithms of softmax by their words in problem lines.
#pragma once
#include "../formula/pointwise.hpp"

namespace differential {

const std::vector<Algorithm>& softmax_algorithms();

} // namespace differential
