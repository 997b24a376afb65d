// SPDX-License-Identifier: Apache-2.0
#include "random_convolution.hpp"

namespace tessera::fuzz {

Result<Problem> random_deconvolution(Random& r) { return random_convolution_of(r, PrimitiveKind::deconvolution); }

} // namespace tessera::fuzz
