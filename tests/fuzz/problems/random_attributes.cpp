// SPDX-License-Identifier: Apache-2.0
#include "random_attributes.hpp"

#include <algorithm>

#include "core/program/binary.hpp"
#include "core/program/lib/eltwise.hpp"

namespace tessera::fuzz {

DataType computed_type(Random& r) {
    constexpr DataType types[] = {DataType::f32, DataType::bf16, DataType::f16,     DataType::s8,
                                  DataType::u8,  DataType::s32,  DataType::f8_e5m2, DataType::f8_e4m3};
    return chance(r, 40) ? DataType::f32 : types[below(r, std::ssize(types))];
}

DataType float_type(Random& r) {
    constexpr DataType types[] = {DataType::f32, DataType::bf16, DataType::f16, DataType::f8_e5m2, DataType::f8_e4m3};
    return chance(r, 50) ? DataType::f32 : types[below(r, std::ssize(types))];
}

std::vector<int64_t> narrowed(Random& r, std::vector<int64_t> dims, int percent) {
    for (int64_t& extent : dims)
        if (chance(r, percent)) extent = 1;
    return dims;
}

MemoryDesc desc_or_open(Random& r, const std::vector<int64_t>& dims, DataType type) {
    if (chance(r, 30))
        if (const auto open = make_desc_any(dims, type)) return *open;
    return random_desc(r, dims, type);
}

Function random_function(Random& r, bool integers) {
    if (integers) {
        const Function simple[] = {
            {alg::eltwise_relu, 0.25f, 0}, {alg::eltwise_linear, 1.5f, -3}, {alg::eltwise_clip, -2, 5}};
        return simple[below(r, 3)];
    }
    const Function all[] = {{alg::eltwise_relu, 0, 0},
                            {alg::eltwise_relu, -0.5f, 0},
                            {alg::eltwise_tanh, 0, 0},
                            {alg::eltwise_elu, 0.75f, 0},
                            {alg::eltwise_square, 0, 0},
                            {alg::eltwise_abs, 0, 0},
                            {alg::eltwise_sqrt, 0, 0},
                            {alg::eltwise_linear, 2, -1},
                            {alg::eltwise_soft_relu, 2, 0},
                            {alg::eltwise_hardsigmoid, 0.2f, 0.5f},
                            {alg::eltwise_logistic, 0, 0},
                            {alg::eltwise_exp, 0, 0},
                            {alg::eltwise_gelu_tanh, 0, 0},
                            {alg::eltwise_swish, 1.5f, 0},
                            {alg::eltwise_log, 0, 0},
                            {alg::eltwise_clip, -0.5f, 1},
                            {alg::eltwise_clip_v2, -0.5f, 1},
                            {alg::eltwise_pow, 2, 3},
                            {alg::eltwise_pow, 1, -0.5f},
                            {alg::eltwise_pow, 1, 1.7f},
                            {alg::eltwise_gelu_erf, 0, 0},
                            {alg::eltwise_mish, 0, 0},
                            {alg::eltwise_hardswish, 0.17f, 0.5f}};
    return all[below(r, std::ssize(all))];
}

namespace {

// Of dst's type, or of the bytes read as another integer type, then with a zero point as well.
PostOp sum_post_op(Random& r) {
    PostOp p;
    p.kind = PostOpKind::sum;
    constexpr float scales[] = {1.f, 0.5f, -2.f, 0.f};
    p.scale = scales[below(r, 4)];
    if (chance(r, 70)) return p;
    constexpr DataType types[] = {DataType::s8, DataType::u8, DataType::s32};
    p.type = types[below(r, 3)];
    p.zero_point = int32_t(below(r, 9)) - 4;
    return p;
}

PostOp function_post_op(Random& r) {
    PostOp p;
    p.kind = PostOpKind::eltwise;
    Function f = random_function(r, false);
    if (chance(r, 10)) f = {alg::eltwise_round, 0, 0};
    if (chance(r, 15)) f = {alg::eltwise_relu_use_dst_for_bwd + int(below(r, 7)), 0.5f, 1};
    p.alg = f.alg, p.alpha = f.alpha, p.beta = f.beta;
    return p;
}

PostOp binary_post_op(Random& r, const std::vector<int64_t>& dims) {
    PostOp p;
    p.kind = PostOpKind::binary;
    p.alg = binary::add + int(below(r, 13));
    p.src1 = desc_or_open(r, narrowed(r, dims, 40), computed_type(r));
    if (p.alg == binary::select) p.src2 = desc_or_open(r, narrowed(r, dims, 40), DataType::s8);
    return p;
}

} // namespace

void add_post_ops(Random& r, Attr& attr, const std::vector<int64_t>& dims, bool prelu_possible) {
    for (int64_t n = chance(r, 50) ? 0 : 1 + below(r, 3); n > 0; --n) {
        const int64_t kind = below(r, prelu_possible ? 4 : 3);
        if (kind == 3) {
            PostOp p;
            p.kind = PostOpKind::prelu;
            p.mask = int(below(r, 1 << std::min<size_t>(dims.size(), 4)));
            (void)attr.post_ops.append(p);
            continue;
        }
        (void)attr.post_ops.append(kind == 0   ? sum_post_op(r)
                                   : kind == 1 ? function_post_op(r)
                                               : binary_post_op(r, dims));
    }
}

FactorTypes factor_types(Random& r, bool integers) {
    constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, f16 = DataType::f16, s8 = DataType::s8,
                       u8 = DataType::u8, e5m2 = DataType::f8_e5m2, e4m3 = DataType::f8_e4m3;
    constexpr FactorTypes floats[] = {{f32, f32}, {f32, f32}, {bf16, bf16}, {f16, f16}, {e5m2, e5m2}, {e4m3, e4m3}};
    constexpr FactorTypes both[] = {{f32, f32}, {bf16, bf16}, {u8, s8},    {s8, s8},
                                    {f16, f16}, {f32, bf16},  {e5m2, e4m3}};
    return integers ? both[below(r, std::ssize(both))] : floats[below(r, std::ssize(floats))];
}

DataType result_type(Random& r, DataType type) {
    constexpr DataType of_integers[] = {DataType::u8, DataType::s8, DataType::s32, DataType::f32, DataType::bf16};
    if (is_integer(type)) return of_integers[below(r, std::ssize(of_integers))];
    return chance(r, 50) ? DataType::f32 : type;
}

} // namespace tessera::fuzz
