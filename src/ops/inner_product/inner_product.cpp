// SPDX-License-Identifier: Apache-2.0
#include "ops/inner_product/inner_product.hpp"

namespace tessera::ops {

constinit const Row inner_product_row = {
    .kind = PrimitiveKind::inner_product,
    .lower = lower_inner_product,
    .ref = ref_inner_product,
    .has_prop = true,
    .reads_post_ops_last = true,
    .shape = shape_of_inner_product,
    .tokens = tokens_of_sides,
};

} // namespace tessera::ops
