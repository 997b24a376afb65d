// SPDX-License-Identifier: Apache-2.0
#include "ops/reorder/reorder.hpp"

namespace tessera::ops {

constinit const Row reorder_row = {
    .kind = PrimitiveKind::reorder,
    .lower = lower_reorder,
    .ref = ref_reorder,
    .resolved = [](const Problem& p) { return make_reorder(p.md(arg::src), p.md(arg::dst), p.attr); },
    .two_engines = true,
    .elementwise = true,
};

} // namespace tessera::ops
