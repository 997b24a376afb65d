// SPDX-License-Identifier: Apache-2.0
#include "ops/resampling/resampling.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_resampling(Random& r) {
    std::vector<int64_t> from{1 + below(r, 3), chance(r, 20) ? 8 << below(r, 3) : 1 + below(r, 20)}, to = from;
    const int64_t spatial = 1 + below(r, 3);
    for (int64_t d = 0; d < spatial; ++d) {
        from.push_back(chance(r, 20) ? 1 : 1 + below(r, chance(r, 40) ? 4 : 8));
        to.push_back(chance(r, 20) ? from.back() : 1 + below(r, spatial < 3 && chance(r, 40) ? 24 : 10));
    }
    const bool moves = chance(r, 30); // bytes, without arithmetic
    const int alg = moves || chance(r, 50) ? ops::resampling_nearest : ops::resampling_linear;
    const bool backward = !moves && chance(r, 50);
    auto [from_type, to_type] = random_types(r, computed_type);
    if (moves) to_type = from_type;
    const MemoryDesc src = backward ? desc_or_open(r, from, from_type) : random_source(r, from, from_type);
    const MemoryDesc dst = backward ? random_source(r, to, to_type) : desc_or_open(r, to, to_type);
    Attr attr;
    if (!backward && !moves) add_post_ops(r, attr, to, false);
    return ops::make_resampling(backward ? PropKind::backward_data : PropKind::forward_inference, alg, {}, src, dst,
                                attr);
}

} // namespace tessera::fuzz
