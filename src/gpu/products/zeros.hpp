// SPDX-License-Identifier: Apache-2.0
// Zero points of integer products, so that what multiplies bytes does so: the sum of (a - za) * (b - zb) is that of
// a * b less za times the sum of b, less zb times the sum of a, and k * za * zb more. All of that wraps, as the sums
// do. The sums of a and of b come from the same instructions, which multiply them by ones.
#pragma once

#include <string>

#include "gpu/products/view.hpp"

namespace tessera::gpu {

struct Zeros {
    int left = -1, right = -1; // operands; -1: none
    bool any() const { return left >= 0 || right >= 0; }
};
// Takes the zero points off the factors where both are bytes or half bytes; else there are none.
Zeros take_zeros(ProductView& view);

// Sets `to`, a variable, to the zero point of row `i` of a side; nothing where `zero` is none.
std::string source_of_zero(const ProductView& view, const Side& side, int zero, std::string_view to);
// The statement that takes them off `sum`.
std::string without_zeros(const Zeros& zeros, std::string_view sum, std::string_view sum_of_a,
                          std::string_view sum_of_b, std::string_view zero_of_a, std::string_view zero_of_b);

} // namespace tessera::gpu
