// SPDX-License-Identifier: Apache-2.0
#include "convolutions.hpp"

namespace hunt {

void deconvolution_habit(Random& random, Problem& p) { habit_of_convolution(random, p, true); }

} // namespace hunt
