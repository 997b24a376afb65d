// SPDX-License-Identifier: Apache-2.0
#include "ops/prelu/prelu.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_prelu(Random& r) {
    auto dims = random_dims(r);
    if (dims.size() > 5) dims.resize(5);
    const auto shared = narrowed(r, dims, 50);
    const MemoryDesc src = random_source(r, dims, computed_type(r)),
                     weights = desc_or_open(r, shared, computed_type(r));
    if (chance(r, 40))
        return ops::make_prelu_forward(PropKind::forward_training, src, weights,
                                       desc_or_open(r, dims, computed_type(r)), {});
    return ops::make_prelu_backward(src, weights, desc_or_open(r, dims, computed_type(r)),
                                    desc_or_open(r, shared, computed_type(r)), desc_or_open(r, dims, computed_type(r)),
                                    {});
}

} // namespace tessera::fuzz
