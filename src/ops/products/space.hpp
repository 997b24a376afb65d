// SPDX-License-Identifier: Apache-2.0
// Layouts over the dims of a product, and its step. A tensor has some of these dims; along the others its stride is 0.
//
//   dims {n, o, i, h, w}    src nchw has the places {0, 2, 3, 4}, dst {0, 1}, weights {1, 2, 3, 4}
#pragma once

#include <span>
#include <vector>

#include "core/plan/plan.hpp"

namespace tessera::ops {

using Places = std::vector<int>; // for each dim of a tensor its number among those of the product; -1: it is broadcast

// A dim in its place keeps the modes that the tensor has along it.
Layout spread(const Layout& own, const Places& places, std::span<const int64_t> dims);
// Operands of attributes have layouts over the first dims alone, those of the output: stride 0 along the rest.
void spread_behind(std::vector<Layout>& layouts, std::span<const int64_t> dims);

// Appends the step; `program`: the number of its epilogue among those of the plan.
void add_product(Product product, int program, Plan& plan);

} // namespace tessera::ops
