// SPDX-License-Identifier: Apache-2.0
// What convolutions and deconvolutions share: both are sums over windows of one tensor of pixels, `inputs`, with an
// element of the other, `outputs`, for each window.
#pragma once

#include "../formula/formula.hpp"
#include "row.hpp"

namespace differential {

void generate_convolution(const Generator& make, Random& random, Problem& p);
std::vector<Expected> formula_of_convolution(const Problem& p, const std::vector<Tensor>& inputs);

} // namespace differential
