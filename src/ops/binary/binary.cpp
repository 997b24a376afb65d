// SPDX-License-Identifier: Apache-2.0
#include "ops/binary/binary.hpp"

namespace tessera::ops {

constinit const Row binary_row = {
    .kind = PrimitiveKind::binary,
    .lower = lower_binary,
    .ref = ref_binary,
    .elementwise = true,
    .shape = [](const Problem& p) { return p.shapes(); },
};

} // namespace tessera::ops
