// SPDX-License-Identifier: Apache-2.0
#include "ops/group_normalization/group_normalization.hpp"

namespace tessera::ops {

void ref_group_normalization(const Problem& problem, const Buffers& buffers) {
    ref_normalization(problem, Sets::groups, buffers);
}

} // namespace tessera::ops
