// SPDX-License-Identifier: Apache-2.0
// The rules of layer normalization: what is its own among those of ops/normalization/desc.cpp.
#include "ops/layer_normalization/layer_normalization.hpp"

namespace tessera::ops {

namespace {

constexpr unsigned affine = norm::use_global_stats | norm::use_scale | norm::use_shift;
constexpr NormalizationRules rules = {
    .kind = PrimitiveKind::layer_normalization,
    .sets = Sets::rows,
    .flags = affine | norm::rms,
    .most_rank = 5,
    .one_type = false,
    .only_a_relu = false,
};

} // namespace

Result<Problem> make_layer_normalization_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst,
                                                 const MemoryDesc& statistics, DataType scale_type, float epsilon,
                                                 unsigned flags, const Attr& attr) {
    NormalizationCall call{.prop = prop, .forward = true, .src = src, .dst = dst, .epsilon = epsilon, .flags = flags};
    call.statistics = statistics;
    call.scale_type = scale_type;
    return make_normalization(rules, std::move(call), attr);
}

Result<Problem> make_layer_normalization_backward(PropKind prop, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                                  const MemoryDesc& src, const MemoryDesc& statistics,
                                                  DataType diff_scale_type, DataType scale_type, float epsilon,
                                                  unsigned flags, const Attr& attr) {
    NormalizationCall call{.prop = prop,
                           .forward = false,
                           .src = src,
                           .diff_src = diff_src,
                           .diff_dst = diff_dst,
                           .epsilon = epsilon,
                           .flags = flags};
    call.statistics = statistics;
    call.scale_type = scale_type, call.diff_scale_type = diff_scale_type;
    return make_normalization(rules, std::move(call), attr);
}

} // namespace tessera::ops
