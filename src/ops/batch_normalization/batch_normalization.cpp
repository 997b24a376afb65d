// SPDX-License-Identifier: Apache-2.0
#include "ops/batch_normalization/batch_normalization.hpp"

namespace tessera::ops {

constinit const Row batch_normalization_row = {
    .kind = PrimitiveKind::batch_normalization,
    .lower = lower_batch_normalization,
    .ref = ref_batch_normalization,
    .has_prop = true,
    .lies_in_place = normalizes_in_place,
    .shape = shape_of_images,
    .tokens = tokens_of_batches,
};

} // namespace tessera::ops
