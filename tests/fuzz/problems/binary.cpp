// SPDX-License-Identifier: Apache-2.0
#include "core/program/binary.hpp"
#include "ops/binary/binary.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

namespace {

void maybe_scale(Random& r, Attr& attr, int arg) {
    constexpr DataType types[] = {DataType::f32, DataType::f32, DataType::bf16, DataType::f16};
    if (!chance(r, 30)) return;
    Quant q;
    q.type = types[below(r, 4)];
    (void)attr.set_scales(arg, q);
}

} // namespace

Result<Problem> random_binary(Random& r) {
    const auto dims = random_dims(r);
    std::vector<int64_t> a = narrowed(r, dims, 10), b = narrowed(r, dims, 30);
    std::vector<int64_t> joined = a;
    for (size_t d = 0; d < joined.size(); ++d)
        if (joined[d] == 1) joined[d] = b[d];
    const int alg = binary::add + int(below(r, 13));
    const MemoryDesc src0 = random_source(r, a, computed_type(r)), src1 = desc_or_open(r, b, computed_type(r));
    MemoryDesc condition;
    if (alg == binary::select) condition = desc_or_open(r, a, DataType::s8);
    Attr attr;
    maybe_scale(r, attr, arg::src);
    maybe_scale(r, attr, arg::src_1);
    add_post_ops(r, attr, joined, false);
    return ops::make_binary(alg, src0, src1, condition, desc_or_open(r, joined, computed_type(r)), attr);
}

} // namespace tessera::fuzz
