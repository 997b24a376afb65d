// SPDX-License-Identifier: Apache-2.0
#include "ops/group_normalization/group_normalization.hpp"

namespace tessera::ops {

constinit const Row group_normalization_row = {
    .kind = PrimitiveKind::group_normalization,
    .lower = lower_group_normalization,
    .ref = ref_group_normalization,
    .has_prop = true,
    .lies_in_place = normalizes_in_place,
    .shape = shape_of_images,
};

} // namespace tessera::ops
