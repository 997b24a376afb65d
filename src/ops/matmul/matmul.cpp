// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.hpp"

namespace tessera::ops {

constinit const Row matmul_row = {
    .kind = PrimitiveKind::matmul,
    .lower = lower_matmul,
    .ref = ref_matmul,
    .resolved = resolved_matmul,
    .reads_post_ops_last = true,
    .reads_reductions = true,
    .shape = [](const Problem& p) { return p.shapes(); },
};

} // namespace tessera::ops
