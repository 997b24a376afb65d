// SPDX-License-Identifier: Apache-2.0
// The key of the cache: two problems are the same exactly when every field of every part is. A field that equality
// forgets hands a caller the primitive of another problem.
//
// Each part is taken apart by a structured binding below: a new field stops the build until it is varied here as well.
// covers: CCH-01
#include <bit>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "core/cache/problem_key.hpp"
#include "core/problem/problem.hpp"
#include "post_op_objects.hpp"

namespace tessera {
namespace {

constexpr int relu = 0x20, tanh = 0x21, add = 0x1fff0, mul = 0x1fff1, select = 0x1fffc;

MemoryDesc desc(std::vector<int64_t> dims, DataType type = DataType::f32, const char* tag = "abcd") {
    return *make_desc_with_tag(dims, type, tag);
}
float next_to(float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) + 1); }

template <typename T> struct Variation {
    std::string field;
    std::function<void(T&)> change;
};
template <typename T> using Variations = std::vector<Variation<T>>;

// Equality of T holds for equal values and for no two of the variations, nor for one and the value it started from.
template <typename T> void expect_all_differ(const T& base, const Variations<T>& variations) {
    std::vector<T> all{base};
    for (const auto& v : variations) v.change(all.emplace_back(base));
    const auto field = [&](size_t i) { return i ? variations[i - 1].field : "none"; };
    for (size_t i = 0; i < all.size(); ++i)
        for (size_t j = 0; j < all.size(); ++j)
            EXPECT_EQ(all[i] == all[j], i == j) << "changed: " << field(i) << "; " << field(j);
}

// The variations of a part, as those of the whole that holds it.
template <typename Whole, typename Part, typename Select>
void add_all(Variations<Whole>& to, const std::string& name, const Variations<Part>& of, const Select& select) {
    for (const auto& v : of) to.push_back({name + "." + v.field, [=](Whole& w) { v.change(select(w)); }});
}

// ---- descriptors: blocked 2x6x3x4 with an inner block, padding, a view's offset and compensation

MemoryDesc blocked() {
    MemoryDesc md = desc({2, 6, 3, 4}, DataType::s8, "aBcd4b");
    md.offset0 = 16;
    md.extra.flags = Extra::s8s8 | Extra::scale_adjust | Extra::asymmetric_src;
    md.extra.compensation_mask = md.extra.asymmetric_compensation_mask = 1;
    md.extra.scale_adjust_factor = 0.5f;
    return md;
}

Variations<MemoryDesc> of_blocked() {
    [[maybe_unused]] const auto& [ndims, type, kind, dims, padded_dims, padded_offsets, offset0, strides, inner_nblks,
                                  inner_blks, inner_idxs, extra, encoding, nnz, indices_type, pointers_type] =
        MemoryDesc();
    [[maybe_unused]] const auto& [flags, mask, asymmetric_mask, factor] = Extra();
    return {
        {"ndims", [](MemoryDesc& m) { m.ndims = 3; }},
        {"type", [](MemoryDesc& m) { m.type = DataType::u8; }},
        {"kind", [](MemoryDesc& m) { m.kind = FormatKind::any; }},
        {"dims", [](MemoryDesc& m) { m.dims[1] = 7; }},
        {"padded_dims", [](MemoryDesc& m) { m.padded_dims[1] = 12; }},
        {"padded_offsets", [](MemoryDesc& m) { m.padded_offsets[1] = 1; }},
        {"offset0", [](MemoryDesc& m) { m.offset0 = 32; }},
        {"strides", [](MemoryDesc& m) { m.strides[0] = 192; }},
        {"inner_nblks", [](MemoryDesc& m) { m.inner_nblks = 0; }},
        {"inner_blks", [](MemoryDesc& m) { m.inner_blks[0] = 8; }},
        {"inner_idxs", [](MemoryDesc& m) { m.inner_idxs[0] = 3; }},
        {"extra.flags", [](MemoryDesc& m) { m.extra.flags = Extra::s8s8; }},
        {"extra.compensation_mask", [](MemoryDesc& m) { m.extra.compensation_mask = 3; }},
        {"extra.asymmetric_compensation_mask", [](MemoryDesc& m) { m.extra.asymmetric_compensation_mask = 3; }},
        {"extra.scale_adjust_factor", [](MemoryDesc& m) { m.extra.scale_adjust_factor = next_to(0.5f); }},
    };
}

MemoryDesc sparse() {
    return *make_csr_desc(std::vector<int64_t>{8, 8}, DataType::f32, 12, DataType::s32, DataType::s32);
}

Variations<MemoryDesc> of_sparse() {
    return {
        {"encoding", [](MemoryDesc& m) { m.encoding = SparseEncoding::coo; }},
        {"nnz", [](MemoryDesc& m) { m.nnz = 13; }},
        {"indices_type", [](MemoryDesc& m) { m.indices_type = DataType::s64; }},
        {"pointers_type", [](MemoryDesc& m) { m.pointers_type = DataType::s64; }},
    };
}

// ---- post-ops: one chain with an entry of every kind, each field varied where it means something

PostOp depthwise() {
    PostOp p;
    p.kind = PostOpKind::convolution;
    p.weights_type = p.bias_type = p.dst_type = DataType::f32;
    p.kernel = 3, p.stride = 2, p.padding = 1;
    return p;
}

std::vector<PostOp> chain() {
    const MemoryDesc channel = desc({1, 6, 1, 1}), condition = desc({2, 6, 3, 4}, DataType::s8);
    return {sum_op(0.5f, 3, DataType::s8), eltwise_op(relu, 0.25f, 2), binary_op(select, channel, condition),
            prelu_op(2), depthwise()};
}

Variations<std::vector<PostOp>> of_chain() {
    [[maybe_unused]] const auto& [kind, alg, scale, alpha, beta, zero_point, type, src1, src2, mask, weights_type,
                                  bias_type, dst_type, kernel, stride, padding] = PostOp();
    constexpr size_t sum = 0, eltwise = 1, binary = 2, prelu = 3, convolution = 4;
    using Chain = std::vector<PostOp>;
    Variations<Chain> all{
        {"kind", [](Chain& c) { c[prelu].kind = PostOpKind::sum; }},
        {"alg of eltwise", [](Chain& c) { c[eltwise].alg = tanh; }},
        {"alg of binary", [](Chain& c) { c[binary].alg = add; }},
        {"another alg of binary", [](Chain& c) { c[binary].alg = mul; }},
        {"scale of sum", [](Chain& c) { c[sum].scale = next_to(0.5f); }},
        {"scale of eltwise", [](Chain& c) { c[eltwise].scale = next_to(1.f); }},
        {"alpha", [](Chain& c) { c[eltwise].alpha = next_to(0.25f); }},
        {"beta", [](Chain& c) { c[eltwise].beta = next_to(2.f); }},
        {"zero_point", [](Chain& c) { c[sum].zero_point = 4; }},
        {"type", [](Chain& c) { c[sum].type = DataType::u8; }},
        {"src1",
         [](Chain& c) {
             c[binary].src1 = desc({1, 6, 1, 1}, DataType::bf16);
         }},
        {"src2",
         [](Chain& c) {
             c[binary].src2 = desc({2, 6, 3, 1}, DataType::s8);
         }},
        {"mask", [](Chain& c) { c[prelu].mask = 3; }},
        {"weights_type", [](Chain& c) { c[convolution].weights_type = DataType::bf16; }},
        {"bias_type", [](Chain& c) { c[convolution].bias_type = DataType::bf16; }},
        {"dst_type", [](Chain& c) { c[convolution].dst_type = DataType::bf16; }},
        {"kernel", [](Chain& c) { c[convolution].kernel = 5; }},
        {"stride", [](Chain& c) { c[convolution].stride = 1; }},
        {"padding", [](Chain& c) { c[convolution].padding = 0; }},
        {"order", [](Chain& c) { std::swap(c[0], c[1]); }},
        {"one more", [](Chain& c) { c.push_back(prelu_op(2)); }},
        {"one less", [](Chain& c) { c.pop_back(); }},
    };
    return all;
}

// ---- attributes

Variations<Quant> of_quant() {
    [[maybe_unused]] const auto& [mask, groups, type, on_host, mode] = Quant();
    return {
        {"mask", [](Quant& q) { q.mask = 0b0100; }},
        {"groups",
         [](Quant& q) {
             q.groups = {3, 1};
         }},
        {"other groups",
         [](Quant& q) {
             q.groups = {1, 2};
         }},
        {"type", [](Quant& q) { q.type = DataType::f16; }},
        {"on_host", [](Quant& q) { q.on_host = true; }},
        {"mode", [](Quant& q) { q.mode = QuantizationMode::dynamic_mx; }},
        {"other mode", [](Quant& q) { q.mode = QuantizationMode::dynamic_fp; }},
    };
}

Variations<OutputScales> of_output_scales() {
    [[maybe_unused]] const auto& [mask, values] = OutputScales();
    return {
        {"mask", [](OutputScales& o) { o.mask = 1; }},
        {"values",
         [](OutputScales& o) {
             o.values = {2.f, next_to(3.f)};
         }},
        {"number of values", [](OutputScales& o) { o.values = {2.f}; }},
    };
}

Variations<Dropout> of_dropout() {
    [[maybe_unused]] const auto& [mask, seed_type, use_offset, use_host_scalars] = Dropout();
    return {
        {"mask",
         [](Dropout& d) {
             d.mask = desc({2, 6, 3, 4}, DataType::u8, "acdb");
         }},
        {"seed_type", [](Dropout& d) { d.seed_type = DataType::s64; }},
        {"use_offset", [](Dropout& d) { d.use_offset = true; }},
        {"use_host_scalars", [](Dropout& d) { d.use_host_scalars = true; }},
    };
}

Variations<RnnQparams> of_rnn() {
    [[maybe_unused]] const auto& [scale, shift, weights_mask, projection_mask, weights_scales, projection_scales] =
        RnnQparams();
    return {
        {"scale", [](RnnQparams& r) { r.scale = next_to(1.f); }},
        {"shift", [](RnnQparams& r) { r.shift = next_to(1.f); }},
        {"weights_mask", [](RnnQparams& r) { r.weights_mask = 1; }},
        {"projection_mask", [](RnnQparams& r) { r.projection_mask = 1; }},
        {"weights_scales", [](RnnQparams& r) { r.weights_scales = {next_to(1.f)}; }},
        {"projection_scales", [](RnnQparams& r) { r.projection_scales = {next_to(1.f)}; }},
    };
}

Attr attributes() {
    Attr a;
    a.scales[arg::src] = {2, {}, DataType::f32};
    a.zero_points[arg::src] = {2, {}, DataType::s32};
    a.precomputed_reductions[arg::src] = {2, {}, DataType::s32};
    a.post_ops.entries = chain();
    a.output_scales = {2, {2.f, 3.f}};
    a.dropout = Dropout{desc({2, 6, 3, 4}, DataType::u8)};
    a.rnn = RnnQparams{};
    return a;
}

Variations<Attr> of_attributes() {
    [[maybe_unused]] const auto& [scales, zero_points, precomputed_reductions, post_ops, output_scales, fpmath,
                                  fpmath_apply_to_int, accumulation, scratchpad, deterministic, rounding, dropout,
                                  rnn] = Attr();
    Variations<Attr> all{
        {"scales of another argument", [](Attr& a) { a.scales[arg::dst] = {}; }},
        {"no scales", [](Attr& a) { a.scales.clear(); }},
        {"zero points of another argument", [](Attr& a) { a.zero_points[arg::dst] = {}; }},
        {"no zero points", [](Attr& a) { a.zero_points.clear(); }},
        {"no precomputed reductions", [](Attr& a) { a.precomputed_reductions.clear(); }},
        {"no output scales", [](Attr& a) { a.output_scales = {}; }},
        {"fpmath", [](Attr& a) { a.fpmath = FpmathMode::bf16; }},
        {"other fpmath", [](Attr& a) { a.fpmath = FpmathMode::tf32; }},
        {"fpmath_apply_to_int", [](Attr& a) { a.fpmath_apply_to_int = true; }},
        {"accumulation", [](Attr& a) { a.accumulation = AccumulationMode::any; }},
        {"scratchpad", [](Attr& a) { a.scratchpad = ScratchpadMode::user; }},
        {"deterministic", [](Attr& a) { a.deterministic = true; }},
        {"rounding", [](Attr& a) { a.rounding[arg::dst] = RoundingMode::stochastic; }},
        {"rounding of another argument", [](Attr& a) { a.rounding[129] = RoundingMode::stochastic; }},
        {"no dropout", [](Attr& a) { a.dropout.reset(); }},
        {"no rnn", [](Attr& a) { a.rnn.reset(); }},
    };
    add_all(all, "scales", of_quant(), [](Attr& a) -> Quant& { return a.scales[arg::src]; });
    add_all(all, "zero_points", of_quant(), [](Attr& a) -> Quant& { return a.zero_points[arg::src]; });
    add_all(all, "precomputed_reductions", of_quant(),
            [](Attr& a) -> Quant& { return a.precomputed_reductions[arg::src]; });
    add_all(all, "post_ops", of_chain(), [](Attr& a) -> std::vector<PostOp>& { return a.post_ops.entries; });
    add_all(all, "output_scales", of_output_scales(), [](Attr& a) -> OutputScales& { return a.output_scales; });
    add_all(all, "rnn", of_rnn(), [](Attr& a) -> RnnQparams& { return *a.rnn; });
    for (const auto& v : of_dropout())
        all.push_back({"dropout." + v.field, [v](Attr& a) {
                           Dropout d = *a.dropout;
                           v.change(d);
                           a.dropout = std::move(d);
                       }});
    return all;
}

// ---- problems: a tensor of each kind of layout

Problem problem() {
    Problem p;
    p.kind = PrimitiveKind::eltwise;
    p.prop = PropKind::forward_training;
    p.tensors = {{arg::src, blocked()}, {arg::weights, sparse()}, {arg::dst, desc({2, 6, 3, 4}), true}};
    p.described = {{arg::scale, blocked(), false}};
    p.params = {{query::axis, 1}, {query::group_size, 2}};
    p.float_params = {{query::alpha, 0.5f}};
    p.list_params[query::strides] = {2, 3};
    p.attr = attributes();
    return p;
}

Variations<Problem> of_problem() {
    [[maybe_unused]] const auto& [kind, prop, tensors, described, params, float_params, list_params, attr] = Problem();
    // `output` and `attribute` follow from the primitive and the argument.
    [[maybe_unused]] const auto& [id, md, output, was_any, attribute] = Tensor();
    Variations<Problem> all{
        {"kind", [](Problem& p) { p.kind = PrimitiveKind::shuffle; }},
        {"prop", [](Problem& p) { p.prop = PropKind::forward_inference; }},
        {"number of tensors", [](Problem& p) { p.tensors.pop_back(); }},
        {"tensors.arg", [](Problem& p) { p.tensors[0].arg = arg::src_1; }},
        {"tensors.was_any", [](Problem& p) { p.tensors[2].was_any = true; }},
        {"number of described tensors", [](Problem& p) { p.described.pop_back(); }},
        {"described.arg", [](Problem& p) { p.described[0].arg = arg::shift; }},
        {"params: a value", [](Problem& p) { p.params[query::axis] = 2; }},
        {"params: a number", [](Problem& p) { p.params.erase(query::axis); }},
        {"params: one more", [](Problem& p) { p.params[query::alg_kind] = relu; }},
        {"list_params: a value", [](Problem& p) { p.list_params[query::strides][1] = 2; }},
        {"list_params: a number", [](Problem& p) { p.list_params.erase(query::strides); }},
        {"list_params: one more",
         [](Problem& p) {
             p.list_params[query::kernel] = {2, 3};
         }},
        {"float_params: a value", [](Problem& p) { p.float_params[query::alpha] = next_to(0.5f); }},
        {"float_params: a number",
         [](Problem& p) {
             p.float_params = {{query::beta, 0.5f}};
         }},
        {"float_params: one more", [](Problem& p) { p.float_params[query::beta] = 0.f; }},
        {"float_params: zero", [](Problem& p) { p.float_params[query::alpha] = 0.f; }},
        {"float_params: minus zero", [](Problem& p) { p.float_params[query::alpha] = -0.f; }},
    };
    add_all(all, "src", of_blocked(), [](Problem& p) -> MemoryDesc& { return p.tensors[0].md; });
    add_all(all, "described", of_blocked(), [](Problem& p) -> MemoryDesc& { return p.described[0].md; });
    add_all(all, "weights", of_sparse(), [](Problem& p) -> MemoryDesc& { return p.tensors[1].md; });
    add_all(all, "attr", of_attributes(), [](Problem& p) -> Attr& { return p.attr; });
    return all;
}

} // namespace

TEST(ProblemKey, every_field_of_a_blocked_descriptor) { expect_all_differ(blocked(), of_blocked()); }
TEST(ProblemKey, every_field_of_a_sparse_descriptor) { expect_all_differ(sparse(), of_sparse()); }
TEST(ProblemKey, every_field_of_scales) { expect_all_differ(Quant{2, {}, DataType::f32}, of_quant()); }
TEST(ProblemKey, every_field_of_post_ops) { expect_all_differ(chain(), of_chain()); }
TEST(ProblemKey, every_field_of_attributes) { expect_all_differ(attributes(), of_attributes()); }

TEST(ProblemKey, every_field_of_a_problem) {
    const auto variations = of_problem();
    std::vector<Problem> all{problem()};
    for (const auto& v : variations) v.change(all.emplace_back(problem()));
    const auto field = [&](size_t i) { return i ? variations[i - 1].field : "none"; };
    for (size_t i = 0; i < all.size(); ++i) {
        Problem again = all[i];
        EXPECT_TRUE(same_problem(again, all[i])) << field(i);
        EXPECT_EQ(hash(again), hash(all[i])) << field(i);
        for (size_t j = 0; j < i; ++j) {
            EXPECT_FALSE(same_problem(all[i], all[j])) << "changed: " << field(i) << "; " << field(j);
            EXPECT_NE(all[i].text(), all[j].text()) << "changed: " << field(i) << "; " << field(j);
        }
    }
}

} // namespace tessera
