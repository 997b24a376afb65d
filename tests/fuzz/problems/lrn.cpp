// SPDX-License-Identifier: Apache-2.0
#include "ops/lrn/lrn.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_lrn(Random& r) {
    std::vector<int64_t> dims{1 + below(r, 2), 1 + below(r, 20)};
    for (int64_t d = below(r, 4); d > 0; --d) dims.push_back(1 + below(r, 4)); // windows are interpreted point by point
    constexpr float betas[] = {0.75f, 0.75f, 0.5f, 1, 0.6f, 2, 0, -1, -0.75f}, alphas[] = {1e-4f, 1, 0.5f, 0, -1},
                    ks[] = {1, 1, 2, 0.5f, -1};
    const ops::LrnParameters p{chance(r, 90) ? 1 + below(r, 5) : below(r, 30), alphas[below(r, 5)], betas[below(r, 9)],
                               ks[below(r, 5)]};
    constexpr DataType types[] = {DataType::f32, DataType::bf16, DataType::f16};
    const DataType type = types[below(r, 3)];
    const int alg = chance(r, 60) ? alg::lrn_across_channels : alg::lrn_within_channel;
    const MemoryDesc src = random_source(r, dims, type), dst = desc_or_open(r, dims, type);
    if (chance(r, 60)) return ops::make_lrn_forward(PropKind::forward_inference, alg, src, dst, p, {});
    return ops::make_lrn_backward(alg, dst, desc_or_open(r, dims, type), src, p, {});
}

} // namespace tessera::fuzz
