// SPDX-License-Identifier: Apache-2.0
// shuffle: transposes one axis, viewed as a C/G x G matrix; the smallest complete primitive.
//
//   forward   dst[u + v * (C/G)] = src[u * G + v],  0 <= u < C/G, 0 <= v < G          (SHU-01)
//   backward  the same with G replaced by C/G, diff_dst -> diff_src                    (SHU-02)
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: checks everything, answers a complete problem. Forward: src -> dst (dst may be `any`); backward: prop
// backward_data with src = diff_src, dst = diff_dst, either may be `any`; `hint`: the problem of the forward shuffle.
Result<Problem> make_shuffle(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst, int axis, int64_t group,
                             const Attr& attr, const Problem* hint = nullptr);

// A shuffle in either direction as from -> to, with the group size of the forward formula above.
struct ShuffleView {
    int from, to; // argument ids
    size_t axis;
    int64_t channels, group;
};
ShuffleView view_of_shuffle(const Problem& problem);

Result<Plan> lower_shuffle(const Problem& problem);
void ref_shuffle(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
