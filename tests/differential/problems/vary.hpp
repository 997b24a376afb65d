// SPDX-License-Identifier: Apache-2.0
// Less usual layouts of one tensor: views into a larger one, strides with gaps, for a source strides of 0.
// Law: vary_layout changes neither dims nor type.
#pragma once
#include "problem.hpp"

namespace differential {

struct Random;

int64_t block_of(const std::string& tag, size_t d); // the product of the inner blocks of dim `d`
void vary_layout(Random& random, Side& side, bool source);

} // namespace differential
