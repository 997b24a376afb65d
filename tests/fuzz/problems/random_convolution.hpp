// SPDX-License-Identifier: Apache-2.0
// Convolutions and deconvolutions from a seed.
#pragma once

#include "random_problem.hpp"

namespace tessera::fuzz {

Result<Problem> random_convolution_of(Random& r, PrimitiveKind kind);

} // namespace tessera::fuzz
