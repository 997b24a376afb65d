// SPDX-License-Identifier: Apache-2.0
#include "convolutions.hpp"

namespace differential {

constinit const Row convolution_row = {
    .name = "convolution",
    .directed = true,
    .has_other = true,
    .multiplies = true,
    .gradient_of_src = true,
    .windowed = true,
    .generate = generate_convolution,
    .formula = formula_of_convolution,
};

} // namespace differential
