// SPDX-License-Identifier: Apache-2.0
#include "random_convolution.hpp"

namespace tessera::fuzz {

Result<Problem> random_convolution(Random& r) { return random_convolution_of(r, PrimitiveKind::convolution); }

} // namespace tessera::fuzz
