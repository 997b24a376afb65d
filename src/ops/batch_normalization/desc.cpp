// SPDX-License-Identifier: Apache-2.0
// The rules of batch normalization: what is its own among those of ops/normalization/desc.cpp.
#include "ops/batch_normalization/batch_normalization.hpp"

namespace tessera::ops {

namespace {

constexpr unsigned affine = norm::use_global_stats | norm::use_scale | norm::use_shift;
constexpr NormalizationRules rules = {
    .kind = PrimitiveKind::batch_normalization,
    .sets = Sets::channels,
    .flags = affine | norm::fuse_relu | norm::fuse_add_relu,
    .most_rank = max_ndims,
    .one_type = true,
    .only_a_relu = true,
};

} // namespace

Result<Problem> make_batch_normalization_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst,
                                                 float epsilon, unsigned flags, const Attr& attr) {
    return make_normalization(
        rules, {.prop = prop, .forward = true, .src = src, .dst = dst, .epsilon = epsilon, .flags = flags}, attr);
}

Result<Problem> make_batch_normalization_backward(PropKind prop, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                                  const MemoryDesc& src, float epsilon, unsigned flags,
                                                  const Problem* forward, const Attr& attr) {
    NormalizationCall call{.prop = prop,
                           .forward = false,
                           .src = src,
                           .diff_src = diff_src,
                           .diff_dst = diff_dst,
                           .epsilon = epsilon,
                           .flags = flags};
    if (const Tensor* workspace = forward ? forward->find(arg::workspace) : nullptr) call.workspace = workspace->md;
    return make_normalization(rules, std::move(call), attr);
}

} // namespace tessera::ops
