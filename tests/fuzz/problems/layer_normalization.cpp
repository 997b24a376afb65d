// SPDX-License-Identifier: Apache-2.0
#include "ops/layer_normalization/layer_normalization.hpp"
#include "random_normalization.hpp"

namespace tessera::fuzz {

Result<Problem> random_layer_normalization(Random& r) {
    using namespace ops;
    const RandomNormalization n(r, norm::use_global_stats | norm::use_scale | norm::use_shift | norm::rms);
    const std::vector<int64_t> dims = dims_of_normalization(r, 5);
    const DataType scale_type = float_of_normalization(r), diff_scale_type = float_of_normalization(r);
    MemoryDesc statistics;
    if (chance(r, 30)) statistics = random_desc(r, {dims.begin(), dims.end() - 1}, DataType::f32);
    if (n.backward) {
        const MemoryDesc src = random_source(r, dims, float_of_normalization(r)),
                         diff_src = desc_or_open(r, dims, float_of_normalization(r)),
                         diff_dst = desc_or_open(r, dims, float_of_normalization(r));
        return make_layer_normalization_backward(n.prop, diff_src, diff_dst, src, statistics, diff_scale_type,
                                                 scale_type, n.epsilon, n.flags, {});
    }
    const MemoryDesc src = random_source(r, dims, type_of_normalization(r)),
                     dst = desc_or_open(r, dims, type_of_normalization(r));
    Attr attr;
    add_attributes(r, attr, dims, is_integer(src.type) || is_integer(dst.type));
    return make_layer_normalization_forward(n.prop, src, dst, statistics, scale_type, n.epsilon, n.flags, attr);
}

} // namespace tessera::fuzz
