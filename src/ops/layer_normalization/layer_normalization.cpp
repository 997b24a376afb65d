// SPDX-License-Identifier: Apache-2.0
#include "ops/layer_normalization/layer_normalization.hpp"

namespace tessera::ops {

constinit const Row layer_normalization_row = {
    .kind = PrimitiveKind::layer_normalization,
    .lower = lower_layer_normalization,
    .ref = ref_layer_normalization,
    .has_prop = true,
    .lies_in_place = normalizes_in_place,
};

} // namespace tessera::ops
