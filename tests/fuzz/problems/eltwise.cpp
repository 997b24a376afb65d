// SPDX-License-Identifier: Apache-2.0
#include "core/program/lib/eltwise.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

Result<Problem> random_eltwise(Random& r) {
    const auto dims = random_dims(r);
    const bool backward = chance(r, 40);
    const DataType type = backward ? float_type(r) : computed_type(r);
    Function f = random_function(r, is_integer(type));
    if (backward && chance(r, 20)) f = {alg::eltwise_relu_use_dst_for_bwd + int(below(r, 7)), 0.5f, 1};
    const MemoryDesc data = random_source(r, dims, type), dst = chance(r, 40) ? data : desc_or_open(r, dims, type);
    if (backward) return ops::make_eltwise_backward(f.alg, dst, desc_or_open(r, dims, type), data, f.alpha, f.beta, {});
    Attr attr;
    add_post_ops(r, attr, dims, true);
    return ops::make_eltwise_forward(PropKind::forward_inference, f.alg, data, dst, f.alpha, f.beta, attr);
}

} // namespace tessera::fuzz
