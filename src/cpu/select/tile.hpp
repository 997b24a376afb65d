// SPDX-License-Identifier: Apache-2.0
// Tile: how the two innermost loops of a map step are walked.
//
//   map         rows of elements that lie side by side wherever they are dense
//   transpose   what is read is dense along another loop than what is written
#pragma once

#include <string_view>

#include "core/plan/plan.hpp"

namespace tessera::cpu {

enum class Tile : uint8_t { map, transpose, reduce };

std::string_view name(Tile tile); // "transpose"
// Of a step over a nest. What is read is the operand that the program loads first.
Tile tile_of(const Plan& plan, const Step& step);

} // namespace tessera::cpu
