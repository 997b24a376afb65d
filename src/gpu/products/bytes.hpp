// SPDX-License-Identifier: Apache-2.0
// Products of integers of 8 bits, four at a time: DOT(x, y, sum) adds the products of the bytes of two words to a sum
// that wraps, by the instruction of the device where there is one.
#pragma once

#include <optional>
#include <string>

#include "gpu/products/view.hpp"

namespace tessera::gpu {

// Whether a factor of a product of integers is bytes, and if so, whether they have a sign.
std::optional<bool> sign_of_bytes(const ProductView& view, const MatrixFactor& factor);
std::string source_of_dot(bool ptx, bool left_has_sign, bool right_has_sign);

} // namespace tessera::gpu
