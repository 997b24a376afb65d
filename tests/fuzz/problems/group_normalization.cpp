// SPDX-License-Identifier: Apache-2.0
#include "ops/group_normalization/group_normalization.hpp"
#include "random_normalization.hpp"

namespace tessera::fuzz {

Result<Problem> random_group_normalization(Random& r) {
    using namespace ops;
    const RandomNormalization n(r, norm::use_global_stats | norm::use_scale | norm::use_shift);
    std::vector<int64_t> dims = dims_of_normalization(r, 6);
    const int64_t groups = dims[1] == 0 ? 1 : chance(r, 30) ? dims[1] : 1 + below(r, 4);
    dims[1] = std::max<int64_t>(dims[1] / groups, dims[1] != 0) * groups;
    if (n.backward) {
        const MemoryDesc src = random_source(r, dims, float_of_normalization(r)),
                         diff_src = desc_or_open(r, dims, float_of_normalization(r)),
                         diff_dst = desc_or_open(r, dims, float_of_normalization(r));
        return make_group_normalization_backward(n.prop, diff_src, diff_dst, src, groups, n.epsilon, n.flags, {});
    }
    const MemoryDesc src = random_source(r, dims, type_of_normalization(r)),
                     dst = desc_or_open(r, dims, type_of_normalization(r));
    Attr attr;
    add_attributes(r, attr, dims, is_integer(src.type) || is_integer(dst.type));
    return make_group_normalization_forward(n.prop, src, dst, groups, n.epsilon, n.flags, attr);
}

} // namespace tessera::fuzz
