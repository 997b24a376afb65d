// SPDX-License-Identifier: Apache-2.0
// Post-ops as tests append them.
#pragma once

#include "core/attr/attr.hpp"

namespace tessera {

inline PostOp eltwise_op(int alg, float alpha = 0, float beta = 0) {
    PostOp p;
    p.kind = PostOpKind::eltwise;
    p.alg = alg;
    p.alpha = alpha;
    p.beta = beta;
    return p;
}
inline PostOp sum_op(float scale, int32_t zero_point = 0, DataType type = DataType::undef) {
    PostOp p;
    p.kind = PostOpKind::sum;
    p.scale = scale;
    p.zero_point = zero_point;
    p.type = type;
    return p;
}
inline PostOp binary_op(int alg, MemoryDesc src1, MemoryDesc src2 = {}) {
    PostOp p;
    p.kind = PostOpKind::binary;
    p.alg = alg;
    p.src1 = std::move(src1);
    p.src2 = std::move(src2);
    return p;
}
inline PostOp prelu_op(int mask) {
    PostOp p;
    p.kind = PostOpKind::prelu;
    p.mask = mask;
    return p;
}

} // namespace tessera
