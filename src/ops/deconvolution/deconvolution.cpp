// SPDX-License-Identifier: Apache-2.0
// deconvolution: a convolution seen from its other side; rules, oracle and plans are those of ops/convolution.
#include "ops/convolution/convolution.hpp"

namespace tessera::ops {

constinit const Row deconvolution_row = {
    .kind = PrimitiveKind::deconvolution,
    .lower = lower_convolution,
    .ref = ref_convolution,
    .has_prop = true,
    .reads_post_ops_last = true,
    .shape = shape_of_convolution,
    .tokens = tokens_of_sides,
};

} // namespace tessera::ops
