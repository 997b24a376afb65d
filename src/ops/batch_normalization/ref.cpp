// SPDX-License-Identifier: Apache-2.0
#include "ops/batch_normalization/batch_normalization.hpp"

namespace tessera::ops {

void ref_batch_normalization(const Problem& problem, const Buffers& buffers) {
    ref_normalization(problem, Sets::channels, buffers);
}

} // namespace tessera::ops
