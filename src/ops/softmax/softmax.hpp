// SPDX-License-Identifier: Apache-2.0
// softmax: along one axis, exponentials divided by their sum; or the logarithm of that (SOF-01..13). For each row,
// which is all elements that differ in their coordinate along the axis alone:
//
//   x = s - max of s                        max: NaN are passed over, and it starts at the lowest finite f32
//   accurate   d = e / sum of e             e = exp(x); infinity where x is NaN
//   log        d = x - ln(sum of e)
//   backward   accurate: ds = d (dd - sum of dd d)      log: ds = dd - exp(d) (sum of dd)
//
//   along axis 1:   1 2 3   ->   .0900 .2447 .6652        log   -2.4076 -1.4076 -.4076
//
// x is rounded to f32, and so are sums, in the order of core/program/reduction.hpp. An infinity or a NaN is NaN in d,
// and the rest of its row is 0 (log: -infinity): the sum is infinite. A row of -infinity alone is NaN, because its
// sum is 0. The scale of src multiplies d, before dropout and post-ops (SOF-06).
//
// Rules in desc.cpp, oracle in ref.cpp, plans in lower.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: check everything, answer a complete problem. Forward: dst may be `any`; backward: both gradients may.
Result<Problem> make_softmax_forward(PropKind prop, int alg, const MemoryDesc& src, const MemoryDesc& dst, int axis,
                                     const Attr& attr);
Result<Problem> make_softmax_backward(int alg, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                      const MemoryDesc& dst, int axis, const Attr& attr);

// A problem as its two ends and the tools' bounds need it.
struct Softmax {
    explicit Softmax(const Problem& problem);
    std::vector<int64_t> rows() const; // the dims, 1 along the axis

    bool log, backward;
    size_t axis;
    int from, to; // arguments: src and dst, or diff_dst and diff_src
    std::span<const int64_t> dims;
    int64_t extent; // of the axis
};

Result<Plan> lower_softmax(const Problem& problem);
void ref_softmax(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
