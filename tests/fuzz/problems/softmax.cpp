// SPDX-License-Identifier: Apache-2.0
#include "ops/softmax/softmax.hpp"
#include "core/program/lib/eltwise.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_softmax(Random& r) {
    const auto dims = random_dims(r);
    const int alg = chance(r, 50) ? alg::softmax_accurate : alg::softmax_log,
              axis = int(below(r, int64_t(dims.size())));
    if (chance(r, 40)) {
        const DataType type = float_type(r);
        const MemoryDesc dst = random_desc(r, dims, type), diff_dst = desc_or_open(r, dims, float_type(r));
        return ops::make_softmax_backward(alg, desc_or_open(r, dims, type), diff_dst, dst, axis, {});
    }
    const MemoryDesc src = random_source(r, dims, computed_type(r)), dst = desc_or_open(r, dims, computed_type(r));
    Attr attr;
    if (is_integer(src.type) || is_integer(dst.type)) {
        if (chance(r, 40)) attr.scales[arg::src] = {};
        if (chance(r, 40)) attr.scales[arg::dst] = {};
    }
    add_post_ops(r, attr, dims, false);
    std::erase_if(attr.post_ops.entries, [](const PostOp& op) { return op.kind == PostOpKind::sum; });
    return ops::make_softmax_forward(PropKind::forward_inference, alg, src, dst, axis, attr);
}

} // namespace tessera::fuzz
