// SPDX-License-Identifier: Apache-2.0
#include "ops/concat/concat.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_concat(Random& r) {
    auto dims = random_dims(r);
    const auto axis = size_t(below(r, int64_t(dims.size())));
    const DataType type = computed_type(r);
    std::vector<MemoryDesc> srcs;
    Attr attr;
    int64_t total = 0;
    for (int64_t i = 0, n = 1 + below(r, 5); i < n; ++i) {
        dims[axis] = chance(r, 5) ? 0 : 1 + below(r, chance(r, 30) ? 33 : 5);
        total += dims[axis];
        srcs.push_back(random_source(r, dims, type));
        if (chance(r, 15)) (void)attr.set_scales(arg::multiple_src + int(i), Quant());
    }
    dims[axis] = total;
    const MemoryDesc dst = desc_or_open(r, dims, chance(r, 60) ? type : computed_type(r));
    return ops::make_concat(chance(r, 20) ? nullptr : &dst, int(axis), srcs, attr);
}

} // namespace tessera::fuzz
