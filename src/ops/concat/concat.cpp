// SPDX-License-Identifier: Apache-2.0
#include "ops/concat/concat.hpp"

namespace tessera::ops {

constinit const Row concat_row = {
    .kind = PrimitiveKind::concat,
    .lower = lower_concat,
    .ref = ref_concat,
    .lies_in_place = lies_in_place,
    .shape = [](const Problem& p) { return p.shapes(); },
};

} // namespace tessera::ops
