// SPDX-License-Identifier: Apache-2.0
#include "ops/batch_normalization/batch_normalization.hpp"
#include "core/program/lib/eltwise.hpp"
#include "random_normalization.hpp"

namespace tessera::fuzz {

Result<Problem> random_batch_normalization(Random& r) {
    using namespace ops;
    RandomNormalization n(r, norm::use_global_stats | norm::use_scale | norm::use_shift | norm::fuse_relu);
    const std::vector<int64_t> dims = dims_of_normalization(r, 6);
    const bool s8 = !n.backward && chance(r, 15);
    if (s8) n.flags |= norm::use_global_stats;
    const DataType type = s8 ? DataType::s8 : float_of_normalization(r);
    const MemoryDesc src = random_source(r, dims, type);
    const MemoryDesc open = *make_desc_any(dims, type);
    if (!n.backward) {
        Attr attr;
        if (chance(r, 15)) {
            PostOp relu;
            relu.kind = PostOpKind::eltwise, relu.alg = alg::eltwise_relu;
            attr.post_ops.entries.push_back(relu);
        }
        return make_batch_normalization_forward(n.prop, src, open, n.epsilon, n.flags, attr);
    }
    // The workspace lies as dst of the forward did, whatever the layout of the gradients is.
    const auto forward =
        make_batch_normalization_forward(PropKind::forward_training, src, open, n.epsilon, n.flags, {});
    if (!forward) return forward;
    const MemoryDesc gradient = desc_or_open(r, dims, type);
    return make_batch_normalization_backward(n.prop, gradient, chance(r, 50) ? gradient : open, src, n.epsilon, n.flags,
                                             &*forward, {});
}

} // namespace tessera::fuzz
