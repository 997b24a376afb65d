// SPDX-License-Identifier: Apache-2.0
// concat: joins sources along one axis (CON-01).
//
//   dst[.., first_i + c, ..] = conv(scale_i * src_i[.., c, ..]),   first_i = extents of the sources before i, summed
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: checks everything, answers a complete problem. dst null (omitted) or `any` takes type and layout from
// the sources.
Result<Problem> make_concat(const MemoryDesc* dst, int axis, std::span<const MemoryDesc> srcs, const Attr& attr);

inline size_t axis_of(const Problem& p) { return size_t(p.params.at(query::axis)); }

// Whether a source is already the region of dst that it is copied to: nothing moves (CON-11).
bool lies_in_place(const Problem& problem, const Tensor& source);

Result<Plan> lower_concat(const Problem& problem);
void ref_concat(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
