// SPDX-License-Identifier: Apache-2.0
// Convolutions as networks have them: images, few channels first, 1x1 and 3x3, strides, groups and depthwise.
#pragma once

#include "../realistic.hpp"

namespace hunt {

void habit_of_convolution(Random& random, Problem& problem, bool transposed);

} // namespace hunt
