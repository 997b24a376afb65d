// SPDX-License-Identifier: Apache-2.0
// The rules of group normalization: what is its own among those of ops/normalization/desc.cpp.
#include "ops/group_normalization/group_normalization.hpp"

namespace tessera::ops {

namespace {

constexpr unsigned affine = norm::use_global_stats | norm::use_scale | norm::use_shift;
constexpr NormalizationRules rules = {
    .kind = PrimitiveKind::group_normalization,
    .sets = Sets::groups,
    .flags = affine,
    .most_rank = max_ndims,
    .one_type = false,
    .only_a_relu = false,
};

} // namespace

Result<Problem> make_group_normalization_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst,
                                                 int64_t groups, float epsilon, unsigned flags, const Attr& attr) {
    NormalizationCall call{.prop = prop, .forward = true, .src = src, .dst = dst, .epsilon = epsilon, .flags = flags};
    call.groups = groups;
    return make_normalization(rules, std::move(call), attr);
}

Result<Problem> make_group_normalization_backward(PropKind prop, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                                  const MemoryDesc& src, int64_t groups, float epsilon, unsigned flags,
                                                  const Attr& attr) {
    NormalizationCall call{.prop = prop,
                           .forward = false,
                           .src = src,
                           .diff_src = diff_src,
                           .diff_dst = diff_dst,
                           .epsilon = epsilon,
                           .flags = flags};
    call.groups = groups;
    return make_normalization(rules, std::move(call), attr);
}

} // namespace tessera::ops
