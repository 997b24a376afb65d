// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/pooling.hpp"

#include <algorithm>

#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_pooling(Random& r) {
    std::vector<int64_t> from{1 + below(r, 3), 1 + below(r, 20)}, to = from;
    ops::PoolingWindows w;
    const int64_t spatial = 1 + below(r, 3);
    const bool large = chance(r, 25); // windows whose borders are read from a copy
    for (size_t k = 0; k < size_t(spatial); ++k) {
        from.push_back(1 + below(r, 10));
        w.kernel[k] = 1 + below(r, large && spatial < 3 ? 12 : 4);
        w.strides[k] = 1 + below(r, 4);
        w.dilation[k] = chance(r, 70) ? 0 : below(r, 4);
        const int64_t reach = (w.kernel[k] - 1) * (w.dilation[k] + 1) + 1;
        w.padding_l[k] = chance(r, 40) ? 0 : below(r, chance(r, 80) ? std::min<int64_t>(reach, 8) : 12);
        w.padding_r[k] = chance(r, 40) ? 0 : below(r, chance(r, 80) ? std::min<int64_t>(reach, 8) : 12);
        int64_t& behind = w.padding_r[k];
        behind = std::max(behind, reach - from.back() - w.padding_l[k]);
        to.push_back((from.back() - reach + w.padding_l[k] + behind) / w.strides[k] + 1);
    }
    constexpr int algs[] = {alg::pooling_max, alg::pooling_avg_include_padding, alg::pooling_avg_exclude_padding};
    const int alg = algs[below(r, 3)];
    if (chance(r, 50)) {
        const auto [from_type, to_type] = random_types(r, computed_type);
        const MemoryDesc src = random_source(r, from, from_type), dst = desc_or_open(r, to, to_type);
        Attr attr;
        add_post_ops(r, attr, to, false);
        std::erase_if(attr.post_ops.entries, [](const PostOp& op) { return op.kind == PostOpKind::sum; });
        const PropKind prop = chance(r, 50) ? PropKind::forward_training : PropKind::forward_inference;
        return ops::make_pooling_forward(prop, alg, src, dst, w, attr);
    }
    const MemoryDesc src = random_desc(r, from, computed_type(r)), dst = random_desc(r, to, computed_type(r));
    const auto hint = ops::make_pooling_forward(PropKind::forward_training, alg, src, dst, w, {});
    if (!hint) return hint;
    return ops::make_pooling_backward(alg, chance(r, 20) ? desc_or_open(r, from, src.type) : src,
                                      random_source(r, to, computed_type(r)), w, &*hint, {});
}

} // namespace tessera::fuzz
