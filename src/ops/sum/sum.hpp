// SPDX-License-Identifier: Apache-2.0
// sum: dst = conv(scale_0 * src_0 + scale_1 * src_1 + ...), in f32 and in this order (SUM-01).
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp. The scales are known when the primitive is made; they are
// the problem's float_params, under the argument ids of their sources.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: checks everything, answers a complete problem. dst null (omitted) or `any` takes type and layout from
// the sources.
Result<Problem> make_sum(const MemoryDesc* dst, std::span<const float> scales, std::span<const MemoryDesc> srcs,
                         const Attr& attr);

// As many as there are argument ids between MULTIPLE_SRC and MULTIPLE_DST.
inline constexpr int most_sources = arg::multiple_dst - arg::multiple_src;

inline int source_count(const Problem& p) { return int(p.tensors.size()) - 1; } // dst is the last
inline float scale_of(const Problem& p, int source) { return p.float_params.at(arg::multiple_src + source); }

Result<Plan> lower_sum(const Problem& problem);
void ref_sum(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
