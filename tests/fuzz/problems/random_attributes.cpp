#include "random_pointwise.hpp"

#include <algorithm>
#include <optional>

#include "core/program/binary.hpp"
#include "core/program/lib/eltwise.hpp"
#include "ops/ops.hpp"
#include "ops/resampling/resampling.hpp"

namespace tessera::fuzz {

DataType computed_type(Random& r) {
    constexpr DataType types[] = {DataType::f32, DataType::bf16, DataType::f16,     DataType::s8,
                                  DataType::u8,  DataType::s32,  DataType::f8_e5m2, DataType::f8_e4m3};
    return chance(r, 40) ? DataType::f32 : types[below(r, std::ssize(types))];
}

namespace {

DataType float_type(Random& r) {
    constexpr DataType types[] = {DataType::f32, DataType::bf16, DataType::f16, DataType::f8_e5m2, DataType::f8_e4m3};
    return chance(r, 50) ? DataType::f32 : types[below(r, std::ssize(types))];
}

} // namespace

std::vector<int64_t> narrowed(Random& r, std::vector<int64_t> dims, int percent) {
    for (int64_t& extent : dims)
        if (chance(r, percent)) extent = 1;
    return dims;
}

namespace {

// A tensor written to: no strides of 0. Or left open.
MemoryDesc desc_or_open(Random& r, const std::vector<int64_t>& dims, DataType type) {
    if (chance(r, 30))
        if (const auto open = make_desc_any(dims, type)) return *open;
    return random_desc(r, dims, type);
}

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

struct Function {
    int alg;
    float alpha, beta;
};
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

namespace {

void maybe_scale(Random& r, Attr& attr, int arg) {
    constexpr DataType types[] = {DataType::f32, DataType::f32, DataType::bf16, DataType::f16};
    if (!chance(r, 30)) return;
    Quant q;
    q.type = types[below(r, 4)];
    (void)attr.set_scales(arg, q);
}

} // namespace

Result<Problem> random_eltwise(Random& r) {
    const auto dims = random_dims(r);
    const bool backward = chance(r, 40);
    const DataType type = backward ? float_type(r) : computed_type(r);
    Function f = random_function(r, is_integer(type));
    if (backward && chance(r, 20)) f = {alg::eltwise_relu_use_dst_for_bwd + int(below(r, 7)), 0.5f, 1};
    const MemoryDesc data = random_desc(r, dims, type), dst = chance(r, 40) ? data : desc_or_open(r, dims, type);
    if (backward) return ops::make_eltwise_backward(f.alg, dst, desc_or_open(r, dims, type), data, f.alpha, f.beta, {});
    Attr attr;
    add_post_ops(r, attr, dims, true);
    return ops::make_eltwise_forward(PropKind::forward_inference, f.alg, data, dst, f.alpha, f.beta, attr);
}

Result<Problem> random_binary(Random& r) {
    const auto dims = random_dims(r);
    std::vector<int64_t> a = narrowed(r, dims, 10), b = narrowed(r, dims, 30);
    std::vector<int64_t> joined = a;
    for (size_t d = 0; d < joined.size(); ++d)
        if (joined[d] == 1) joined[d] = b[d];
    const int alg = binary::add + int(below(r, 13));
    const MemoryDesc src0 = random_desc(r, a, computed_type(r)), src1 = desc_or_open(r, b, computed_type(r));
    MemoryDesc condition;
    if (alg == binary::select) condition = desc_or_open(r, a, DataType::s8);
    Attr attr;
    maybe_scale(r, attr, arg::src);
    maybe_scale(r, attr, arg::src_1);
    add_post_ops(r, attr, joined, false);
    return ops::make_binary(alg, src0, src1, condition, desc_or_open(r, joined, computed_type(r)), attr);
}

Result<Problem> random_prelu(Random& r) {
    auto dims = random_dims(r);
    if (dims.size() > 5) dims.resize(5);
    const auto shared = narrowed(r, dims, 50);
    const MemoryDesc src = random_desc(r, dims, computed_type(r)), weights = desc_or_open(r, shared, computed_type(r));
    if (chance(r, 40))
        return ops::make_prelu_forward(PropKind::forward_training, src, weights,
                                       desc_or_open(r, dims, computed_type(r)), {});
    return ops::make_prelu_backward(src, weights, desc_or_open(r, dims, computed_type(r)),
                                    desc_or_open(r, shared, computed_type(r)), desc_or_open(r, dims, computed_type(r)),
                                    {});
}

Result<Problem> random_sum(Random& r) {
    const auto dims = random_dims(r);
    std::vector<MemoryDesc> srcs;
    std::vector<float> scales;
    constexpr float values[] = {1.f, 0.5f, -1.f, 2.f, 0.1f};
    for (int64_t n = 1 + below(r, chance(r, 20) ? 20 : 4); n > 0; --n) {
        srcs.push_back(!srcs.empty() && chance(r, 50) ? srcs[0] : random_desc(r, dims, computed_type(r)));
        scales.push_back(values[below(r, 5)]);
    }
    const MemoryDesc dst = chance(r, 30) ? srcs[0] : desc_or_open(r, dims, computed_type(r));
    return ops::make_sum(chance(r, 20) ? nullptr : &dst, scales, srcs, {});
}

Result<Problem> random_concat(Random& r) {
    auto dims = random_dims(r);
    const auto axis = size_t(below(r, int64_t(dims.size())));
    const DataType type = computed_type(r);
    std::vector<MemoryDesc> srcs;
    Attr attr;
    int64_t total = 0;
    for (int64_t i = 0, n = 1 + below(r, 5); i < n; ++i) {
        dims[axis] = chance(r, 5) ? 0 : 1 + below(r, chance(r, 30) ? 33 : 5);
        total += dims[axis];
        srcs.push_back(random_desc(r, dims, type));
        if (chance(r, 15)) (void)attr.set_scales(arg::multiple_src + int(i), Quant());
    }
    dims[axis] = total;
    const MemoryDesc dst = desc_or_open(r, dims, chance(r, 60) ? type : computed_type(r));
    return ops::make_concat(chance(r, 20) ? nullptr : &dst, int(axis), srcs, attr);
}

Result<Problem> random_resampling(Random& r) {
    std::vector<int64_t> from{1 + below(r, 3), 1 + below(r, 20)}, to = from;
    for (int64_t d = 1 + below(r, 3); d > 0; --d) {
        from.push_back(1 + below(r, 8));
        to.push_back(chance(r, 20) ? from.back() : 1 + below(r, 10));
    }
    const int alg = chance(r, 50) ? ops::resampling_nearest : ops::resampling_linear;
    const bool backward = chance(r, 40);
    const MemoryDesc src = backward ? desc_or_open(r, from, computed_type(r)) : random_desc(r, from, computed_type(r));
    const MemoryDesc dst = desc_or_open(r, to, computed_type(r));
    Attr attr;
    if (!backward) add_post_ops(r, attr, to, false);
    return ops::make_resampling(backward ? PropKind::backward_data : PropKind::forward_inference, alg, {}, src, dst,
                                attr);
}

} // namespace tessera::fuzz
