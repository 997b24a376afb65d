// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/reduction.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_reduction(Random& r) {
    const std::vector<int64_t> from = random_dims(r);
    std::vector<int64_t> to = narrowed(r, from, 50);
    if (to == from) to[size_t(below(r, int64_t(to.size())))] = 1;
    constexpr float orders[] = {1, 2, 2, 3, 1.5f, 2.7f, 8}, addends[] = {0, 0, 1e-3f, 100, -1};
    const int alg = alg::reduction_max + int(below(r, 9));
    const bool norm = alg >= alg::reduction_norm_lp_max;
    const MemoryDesc src = random_source(r, from, norm ? float_type(r) : computed_type(r));
    const MemoryDesc dst = desc_or_open(r, to, computed_type(r));
    Attr attr;
    add_post_ops(r, attr, to, false);
    return ops::make_reduction(alg, src, dst, orders[below(r, 7)], addends[below(r, 5)], attr);
}

} // namespace tessera::fuzz
