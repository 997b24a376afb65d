// SPDX-License-Identifier: Apache-2.0
#include "ops/layer_normalization/layer_normalization.hpp"

namespace tessera::ops {

void ref_layer_normalization(const Problem& problem, const Buffers& buffers) {
    ref_normalization(problem, Sets::rows, buffers);
}

} // namespace tessera::ops
