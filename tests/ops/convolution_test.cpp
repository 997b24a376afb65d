// SPDX-License-Identifier: Apache-2.0
// convolution and deconvolution: gradients against numerical differentiation, layouts left open, the depthwise post-op.
#include "core/program/binary.hpp"
#include "core/program/lib/eltwise.hpp"
#include "objects.hpp"
#include "ops/convolution/fused.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

using Extents = std::vector<int64_t>;
constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, f16 = DataType::f16, s8 = DataType::s8,
                   u8 = DataType::u8;

// Windows of one or two spatial dimensions.
struct Shape {
    PrimitiveKind kind;
    Extents src, weights, dst;
    int64_t stride, dilation, left, right;

    ConvolutionWindows windows() const {
        ConvolutionWindows w;
        for (size_t k = 0; k + 2 < src.size(); ++k)
            w.strides[k] = stride, w.dilation[k] = dilation, w.padding_l[k] = left, w.padding_r[k] = right;
        return w;
    }
    int alg() const {
        return kind == PrimitiveKind::deconvolution ? alg::deconvolution_direct : alg::convolution_direct;
    }
};

std::string plain(const Extents& dims) { return std::string("abcdef").substr(0, dims.size()); }
MemoryDesc plain_md(const Extents& dims, DataType type = f32) { return md(dims, type, plain(dims)); }

Problem made(const Shape& s, PropKind prop) {
    const MemoryDesc bias = prop == PropKind::backward_data ? MemoryDesc() : md({s.dst[1]}, f32, "a");
    return valid(make_convolution({s.kind, prop, plain_md(s.src), plain_md(s.weights), bias, plain_md(s.dst)}, s.alg(),
                                  s.windows(), {}));
}

struct Values {
    std::vector<float> src, weights, bias, diff_dst;
};

// sum of diff_dst * dst: the scalar whose gradients are asked for.
double loss(const Shape& s, const Values& v) {
    Trial run(made(s, PropKind::forward_training));
    run.set(arg::src, v.src), run.set(arg::weights, v.weights), run.set(arg::bias, v.bias);
    run.reference();
    const auto dst = run.get(arg::dst);
    double sum = 0;
    for (size_t i = 0; i < dst.size(); ++i) sum += double(v.diff_dst[i]) * dst[i];
    return sum;
}

// The difference quotient for each element of one of the inputs: exact, for the loss is linear in each of them and all
// values are multiples of 1/4.
std::vector<float> quotients(const Shape& s, Values v, std::vector<float> Values::*of) {
    const double before = loss(s, v);
    std::vector<float> all;
    for (size_t i = 0; i < (v.*of).size(); ++i) {
        (v.*of)[i] += 1;
        all.push_back(float(loss(s, v) - before));
        (v.*of)[i] -= 1;
    }
    return all;
}

PostOp depthwise(DataType weights, DataType bias, DataType dst, int64_t kernel, int64_t stride, int64_t padding) {
    PostOp p;
    p.kind = PostOpKind::convolution;
    p.weights_type = weights, p.bias_type = bias, p.dst_type = dst;
    p.kernel = kernel, p.stride = stride, p.padding = padding;
    return p;
}

Attr with(std::vector<PostOp> entries) {
    Attr attr;
    for (PostOp& p : entries) EXPECT_TRUE(attr.post_ops.append(std::move(p)));
    return attr;
}

ConvolutionWindows dense() {
    ConvolutionWindows w;
    w.strides = {1, 1};
    return w;
}

// 1x1 of 2 images of 9x7.
Result<Problem> fused(int64_t in, int64_t out, DataType a, DataType b, DataType between, const std::string& tag,
                      const Attr& attr) {
    return make_convolution({PrimitiveKind::convolution, PropKind::forward_inference, md({2, in, 9, 7}, a, tag),
                             md({out, in, 1, 1}, b, "any"), md({out}, f32, "a"), md({2, out, 9, 7}, between, tag)},
                            alg::convolution_direct, dense(), attr);
}

} // namespace

// covers: CNV-02 CNV-03 CNV-04 CNV-05 DCV-01 DCV-04
TEST(Convolution, gradients_are_difference_quotients) {
    constexpr auto conv = PrimitiveKind::convolution, back = PrimitiveKind::deconvolution;
    const Shape shapes[] = {
        {conv, {2, 3, 5}, {2, 3, 3}, {2, 2, 3}, 2, 0, 1, 1},
        {conv, {1, 2, 5, 4}, {3, 2, 3, 2}, {1, 3, 4, 4}, 1, 0, 0, 1},
        {conv, {1, 4, 5, 5}, {2, 1, 2, 2, 2}, {1, 2, 3, 3}, 2, 1, 1, 1},
        {conv, {2, 3, 4, 4}, {3, 1, 1, 3, 3}, {2, 3, 4, 4}, 1, 0, 1, 1},
        {conv, {1, 2, 3, 3}, {2, 2, 2, 2}, {1, 2, 4, 4}, 2, 0, 4, 1},
        {back, {2, 2, 3}, {3, 2, 3}, {2, 3, 5}, 2, 0, 1, 1},
        {back, {1, 4, 3, 3}, {2, 1, 2, 2, 2}, {1, 2, 5, 5}, 2, 1, 1, 1},
        {back, {1, 3, 4, 4}, {3, 1, 1, 3, 3}, {1, 3, 4, 4}, 1, 0, 1, 1},
    };
    for (const Shape& s : shapes) {
        SCOPED_TRACE(name(s.kind).data() + to_string(s.weights));
        Trial data(made(s, PropKind::backward_data)), weights(made(s, PropKind::backward_weights));
        Values v;
        Trial forward(made(s, PropKind::forward_training));
        v.src = forward.get(arg::src), v.weights = forward.get(arg::weights), v.bias = forward.get(arg::bias);
        v.diff_dst = data.get(arg::diff_dst);
        data.set(arg::weights, v.weights), weights.set(arg::src, v.src), weights.set(arg::diff_dst, v.diff_dst);
        data.check(), weights.check();
        EXPECT_EQ(data.get(arg::diff_src), quotients(s, v, &Values::src));
        EXPECT_EQ(weights.get(arg::diff_weights), quotients(s, v, &Values::weights));
        EXPECT_EQ(weights.get(arg::diff_bias), quotients(s, v, &Values::bias));
    }
}

// The layouts are a function of types and shapes: neighbours of a network meet without a reorder.
// covers: CNV-26 CNV-27 CNV-28
TEST(Convolution, open_layouts) {
    struct Case {
        PropKind prop;
        DataType type, weights_type;
        Extents src, weights, dst;
        std::string src_tag, dst_tag, src_is, weights_is, dst_is;
    };
    const auto forward = PropKind::forward_inference, data = PropKind::backward_data,
               of_weights = PropKind::backward_weights;
    const Extents src{2, 32, 5, 5}, dst{2, 48, 3, 3}, weights{48, 32, 3, 3};
    const Case cases[] = {
        {forward, f32, f32, src, weights, dst, "any", "any", "acdb", "Acdb16a", "acdb"},
        {forward, bf16, bf16, src, weights, dst, "any", "any", "acdb", "AcdB16a2b", "acdb"},
        {forward, f16, f16, src, weights, dst, "any", "any", "acdb", "AcdB16a2b", "acdb"},
        {forward, u8, s8, src, weights, dst, "any", "any", "acdb", "AcdB16a4b", "acdb"},
        {forward, s8, s8, src, weights, dst, "any", "any", "acdb", "AcdB16a4b", "acdb"},
        {forward, f32, f32, src, weights, dst, "aBcd16b", "any", "aBcd16b", "Acdb16a", "aBcd16b"},
        {forward, f32, f32, src, weights, dst, "any", "aBcd8b", "aBcd8b", "Acdb16a", "aBcd8b"},
        {forward, f32, f32, src, weights, dst, "abcd", "any", "abcd", "Acdb16a", "acdb"},
        {forward, f32, f32, {2, 32, 5}, {48, 32, 3}, {2, 48, 3}, "any", "any", "acb", "Acb16a", "acb"},
        {forward, f32, f32, {2, 3, 5, 5}, {8, 3, 3, 3}, {2, 8, 3, 3}, "any", "any", "acdb", "Acdb16a", "acdb"},
        {forward, f32, f32, {2, 6, 5, 5}, {4, 6, 1, 1}, {2, 4, 5, 5}, "any", "any", "acdb", "abcd", "acdb"},
        {forward, bf16, bf16, {2, 3, 5, 5}, {48, 3, 3, 3}, dst, "any", "any", "acdb", "acdb", "acdb"},
        {forward, f32, f32, src, {2, 24, 16, 3, 3}, dst, "any", "any", "acdb", "aBdec16b", "acdb"},
        {forward, f32, f32, src, {32, 1, 1, 3, 3}, {2, 32, 3, 3}, "any", "any", "acdb", "debca", "acdb"},
        {data, f32, f32, src, weights, dst, "any", "any", "acdb", "Bcda16b", "acdb"},
        {data, bf16, bf16, src, weights, dst, "any", "any", "acdb", "BcdA16b2a", "acdb"},
        {of_weights, f32, f32, src, weights, dst, "any", "any", "acdb", "acdb", "acdb"},
    };
    for (const Case& c : cases) {
        const DataType to = is_integer(c.type) ? u8 : c.type;
        const SideArgs a = side_args(c.prop);
        const auto p = make_convolution({PrimitiveKind::convolution,
                                         c.prop,
                                         md(c.src, c.type, c.src_tag),
                                         md(c.weights, c.weights_type, "any"),
                                         {},
                                         md(c.dst, to, c.dst_tag)},
                                        alg::convolution_direct, dense(), {});
        ASSERT_TRUE(p) << p.error().reason;
        EXPECT_EQ(tag_of(p->md(a.src)), c.src_is) << p->text();
        EXPECT_EQ(tag_of(p->md(a.weights)), c.weights_is) << p->text();
        EXPECT_EQ(tag_of(p->md(a.dst)), c.dst_is) << p->text();
    }
}

// Blocks of what is summed that are not full: products read them whole, and sums of columns count all of them.
// covers: CNV-62 DCV-07
TEST(Convolution, copies_of_weights_have_zeros_behind_channels) {
    Attr attr;
    Quant q;
    q.type = DataType::s32;
    ASSERT_TRUE(attr.set_zero_points(arg::src, q));
    ConvolutionWindows w;
    w.strides = {1, 1, 1}, w.padding_l = {0, 8, 2};
    for (const char* tag : {"BEDca2e4b2d", "EDBca2e4b2d", "cBDEa4b2d2e"})
        Trial(valid(make_convolution({PrimitiveKind::deconvolution,
                                      PropKind::forward_inference,
                                      md({3, 2, 1, 5, 5}, u8, "acdeb"),
                                      md({9, 2, 1, 8, 3}, s8, tag),
                                      {},
                                      md({3, 9, 1, 4, 5}, DataType::s32, "acdeb")},
                                     alg::deconvolution_direct, w, attr)))
            .check();
}

// ---- the depthwise post-op

// covers: CNV-65
TEST(FusedConvolution, every_way_computes_both) {
    const auto relu = eltwise_op(alg::eltwise_relu, .5f), add = binary_op(binary::add, md({1, 20, 1, 1}, f32, "abcd"));
    for (const auto& [kernel, stride, padding] : std::vector<std::array<int64_t, 3>>{
             {3, 1, 1}, {3, 2, 1}, {5, 3, 2}, {1, 1, 0}, {1, 2, 0}, {4, 1, 3}, {12, 2, 5}}) {
        SCOPED_TRACE(fmt::format("{} {} {}", kernel, stride, padding));
        for (const char* tag : {"any", "abcd", "acdb", "aBcd16b"}) {
            const auto of = [&](DataType bias, DataType dst) {
                return with({relu, depthwise(f32, bias, dst, kernel, stride, padding), add, relu});
            };
            Trial(valid(fused(12, 20, f32, f32, f32, tag, of(f32, f32)))).check();
            Trial(valid(fused(12, 20, f32, f32, f32, tag, of(DataType::undef, f32)))).check();
        }
        const PostOp bytes = depthwise(s8, f32, u8, kernel, stride, padding);
        Attr attr = with({relu, bytes, add});
        for (const auto& [id, mask] : {std::pair{arg::src, 0},
                                       {arg::weights, 1},
                                       {arg::dst, 0},
                                       {arg::post_op_dw | arg::weights, 1},
                                       {arg::post_op_dw | arg::dst, 0}}) {
            Quant q;
            q.mask = mask;
            ASSERT_TRUE(attr.set_scales(id, q));
        }
        Trial(valid(fused(12, 20, u8, s8, u8, "any", attr))).check();
        Trial(valid(fused(12, 20, s8, s8, s8, "acdb", attr))).check();
        Trial(valid(fused(12, 20, bf16, bf16, bf16, "any", with({depthwise(bf16, f32, f32, kernel, stride, padding)}))))
            .check();
        Trial(valid(fused(12, 20, f16, f16, f16, "any", with({depthwise(f16, f16, f16, kernel, stride, padding)}))))
            .check();
    }
}

// covers: CNV-65
TEST(FusedConvolution, is_the_two_one_after_the_other) {
    const auto relu = eltwise_op(alg::eltwise_relu);
    Trial both(valid(fused(3, 2, bf16, bf16, bf16, "abcd", with({relu, depthwise(bf16, f32, f32, 3, 2, 1)}))));
    Trial first(valid(fused(3, 2, bf16, bf16, bf16, "abcd", with({relu}))));
    ConvolutionWindows w;
    w.strides = {2, 2}, w.padding_l = w.padding_r = {1, 1};
    Trial second(
        valid(make_convolution({PrimitiveKind::convolution, PropKind::forward_inference, md({2, 2, 9, 7}, bf16, "abcd"),
                                md({2, 1, 1, 3, 3}, bf16, "any"), md({2}, f32, "a"), md({2, 2, 5, 4}, f32, "abcd")},
                               alg::convolution_direct, w, {})));
    for (const int id : {arg::src, arg::weights, arg::bias}) first.set(id, both.get(id));
    for (const int id : {arg::weights, arg::bias}) second.set(id, both.get(arg::post_op_dw | id));
    first.reference();
    second.set(arg::src, first.get(arg::dst));
    second.reference(), both.reference();
    EXPECT_EQ(both.get(arg::dst), second.get(arg::dst));
    EXPECT_EQ(tag_of(both.p.md(arg::dst)), "abcd");
    EXPECT_EQ(to_string(both.p.md(arg::dst).dims_span()), "2x2x5x4");
}

// The result of the first, which nobody sees, has memory of its own where dst is described as a part of a larger
// tensor. covers: CNV-65
TEST(FusedConvolution, dst_in_a_larger_tensor) {
    const std::vector<int64_t> whole{2, 20, 40, 30}, dims{2, 20, 9, 7}, from{0, 0, 31, 20};
    const MemoryDesc part = *submemory(md(whole, f32, "abcd"), dims, from);
    ConvolutionWindows w;
    w.strides = {1, 1};
    const Problem p =
        valid(make_convolution({PrimitiveKind::convolution, PropKind::forward_inference, md({2, 12, 9, 7}, f32, "abcd"),
                                md({20, 12, 1, 1}, f32, "any"), md({20}, f32, "a"), part},
                               alg::convolution_direct, w, with({depthwise(f32, f32, f32, 3, 1, 1)})));
    ASSERT_GT(part.offset0, 0);
    EXPECT_EQ(p.find_described(arg::post_op_dw | arg::src)->md, part);
    EXPECT_GE(size_t(valid(lower_fused_convolution(p)).scratch[0]), reach_of(parts_of_fused(p).pointwise.md(arg::dst)));
    Trial(p).check();
}

// Under the numbers that callers use, not those that its parts have by themselves.
// covers: CNV-65 SCL-02 PO-04
TEST(FusedConvolution, arguments_are_those_of_the_whole) {
    const auto add = binary_op(binary::add, md({1, 20, 1, 1}, f32, "abcd"));
    Attr attr = with({add, depthwise(s8, f32, u8, 3, 1, 1), add});
    for (const int id : {arg::src, arg::weights, arg::dst, arg::post_op_dw | arg::weights, arg::post_op_dw | arg::dst})
        ASSERT_TRUE(attr.set_scales(id, {}));
    const auto whole = valid(fused(12, 20, u8, s8, u8, "any", attr));
    for (const int i : {0, 2}) EXPECT_TRUE(whole.find(arg::post_op(i) | arg::src_1)) << i;
    EXPECT_FALSE(whole.find(arg::post_op(1) | arg::src_1));
    std::vector<int> in_plan;
    const Plan plan = valid(lower_fused_convolution(whole));
    for (const Operand& o : plan.operands) in_plan.push_back(o.arg);
    std::ranges::sort(in_plan);
    std::vector<int> expected{
        0, arg::src, arg::weights, arg::bias, arg::dst, arg::post_op(0) | arg::src_1, arg::post_op(2) | arg::src_1};
    for (const int id : {arg::weights, arg::bias}) expected.push_back(arg::post_op_dw | id);
    for (const int id :
         {arg::src, arg::weights, arg::dst, arg::dst, arg::post_op_dw | arg::weights, arg::post_op_dw | arg::dst})
        expected.push_back(arg::scales | id); // that of dst by both
    std::ranges::sort(expected);
    EXPECT_EQ(in_plan, expected);
}

// covers: CNV-65 SCL-02
TEST(FusedConvolution, refuses_with_reasons) {
    const auto refused = [](const Result<Problem>& p, Status status, std::string_view part) {
        ASSERT_FALSE(p);
        EXPECT_EQ(p.error().status, status) << p.error().reason;
        EXPECT_NE(p.error().reason.find(part), std::string::npos) << p.error().reason;
    };
    const auto dw = depthwise(f32, f32, f32, 3, 1, 1);
    const auto of = [&](const Attr& attr) { return fused(12, 20, f32, f32, f32, "any", attr); };
    refused(of(with({dw, dw})), Status::unimplemented, "post-op 1 is another one");
    refused(of(with({sum_op(1), dw})), Status::unimplemented, "post-op 0 is a sum");
    refused(of(with({dw, binary_op(binary::add, md({1, 20, 8, 1}, f32, "abcd"))})), Status::invalid_arguments,
            "post-op 0 (depthwise)");
    refused(of(with({depthwise(s8, f32, f32, 3, 1, 1)})), Status::unimplemented, "post-op 0 (depthwise)");
    Attr zero = with({dw});
    Quant q;
    q.type = DataType::s32;
    ASSERT_TRUE(zero.set_zero_points(arg::dst, q));
    refused(of(zero), Status::unimplemented, "zero points of dst");
    Attr scaled = with({dw});
    ASSERT_TRUE(scaled.set_scales(arg::post_op_dw | arg::weights, {}));
    refused(of(scaled), Status::unimplemented, "scales of weights");
    Attr alone;
    ASSERT_TRUE(alone.set_scales(arg::post_op_dw | arg::weights, {}));
    refused(fused(12, 20, u8, s8, u8, "any", alone), Status::unimplemented, "depthwise post-op");
    ConvolutionWindows w = dense();
    w.padding_l = w.padding_r = {1, 1};
    const auto sides = [&](Extents weights, Extents dst) {
        return Sides{PrimitiveKind::convolution,
                     PropKind::forward_inference,
                     plain_md({2, 12, 9, 9}),
                     plain_md(weights),
                     {},
                     plain_md(dst)};
    };
    refused(make_convolution(sides({20, 12, 3, 3}, {2, 20, 9, 9}), alg::convolution_direct, w, with({dw})),
            Status::unimplemented, "1x1");
    refused(make_convolution(sides({20, 12, 1, 1}, {2, 20, 11, 11}), alg::convolution_direct, w, with({dw})),
            Status::unimplemented, "padding 0");
}

} // namespace tessera::ops
