// SPDX-License-Identifier: Apache-2.0
#include "ops/sum/sum.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_sum(Random& r) {
    const auto dims = random_dims(r);
    std::vector<MemoryDesc> srcs;
    std::vector<float> scales;
    constexpr float values[] = {1.f, 0.5f, -1.f, 2.f, 0.1f};
    for (int64_t n = 1 + below(r, chance(r, 20) ? 20 : 4); n > 0; --n) {
        srcs.push_back(!srcs.empty() && chance(r, 50) ? srcs[0] : random_source(r, dims, computed_type(r)));
        scales.push_back(values[below(r, 5)]);
    }
    const MemoryDesc dst = chance(r, 30) ? srcs[0] : desc_or_open(r, dims, computed_type(r));
    return ops::make_sum(chance(r, 20) ? nullptr : &dst, scales, srcs, {});
}

} // namespace tessera::fuzz
