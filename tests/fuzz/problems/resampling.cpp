#include "ops/resampling/resampling.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_resampling(Random& r) {
    std::vector<int64_t> from{1 + below(r, 3), 1 + below(r, 20)}, to = from;
    for (int64_t d = 1 + below(r, 3); d > 0; --d) {
        from.push_back(1 + below(r, 8));
        to.push_back(chance(r, 20) ? from.back() : 1 + below(r, 10));
    }
    const int alg = chance(r, 50) ? ops::resampling_nearest : ops::resampling_linear;
    const bool backward = chance(r, 40);
    const MemoryDesc src = backward ? desc_or_open(r, from, computed_type(r)) : random_desc(r, from, computed_type(r));
    const MemoryDesc dst = desc_or_open(r, to, computed_type(r));
    Attr attr;
    if (!backward) add_post_ops(r, attr, to, false);
    return ops::make_resampling(backward ? PropKind::backward_data : PropKind::forward_inference, alg, {}, src, dst,
                                attr);
}

} // namespace tessera::fuzz
