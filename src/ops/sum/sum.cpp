// SPDX-License-Identifier: Apache-2.0
#include "ops/sum/sum.hpp"

namespace tessera::ops {

constinit const Row sum_row = {
    .kind = PrimitiveKind::sum,
    .lower = lower_sum,
    .ref = ref_sum,
    .elementwise = true,
};

} // namespace tessera::ops
