// SPDX-License-Identifier: Apache-2.0
// inner product: the definition, gradients against numerical differentiation, layouts given and left open, the rules.
#include "objects.hpp"
#include "ops/inner_product/inner_product.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, f16 = DataType::f16, s8 = DataType::s8,
                   u8 = DataType::u8;
const PropKind training = PropKind::forward_training;

Problem forward(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& bias, const MemoryDesc& dst,
                const Attr& attr = {}) {
    return valid(make_inner_product_forward(training, src, weights, bias, dst, attr));
}

// The layout that an open tensor took.
std::string chosen(const Problem& p, int id) { return tag_of(p.md(id)); }

Attr with_scale(int id, int mask) {
    Attr attr;
    Quant q;
    q.mask = mask;
    EXPECT_TRUE(attr.set_scales(id, q));
    return attr;
}

// sum of dd * inner_product(s, w, b): the scalar whose gradients are asked for.
double loss(const std::vector<float>& s, const std::vector<float>& w, const std::vector<float>& b,
            const std::vector<float>& dd) {
    Trial run(forward(md({3, 2, 2, 2}, f32, "abcd"), md({4, 2, 2, 2}, f32, "abcd"), md({4}, f32, "a"),
                      md({3, 4}, f32, "ab")));
    run.set(arg::src, s);
    run.set(arg::weights, w);
    run.set(arg::bias, b);
    run.reference();
    const auto y = run.get(arg::dst);
    double sum = 0;
    for (size_t i = 0; i < y.size(); ++i) sum += double(dd[i]) * y[i];
    return sum;
}

} // namespace

// covers: INP-01 INP-08
TEST(InnerProduct, forward_values) {
    for (const PropKind prop : {PropKind::forward_training, PropKind::forward_inference}) {
        Trial run(valid(make_inner_product_forward(prop, md({2, 3}, f32, "ab"), md({2, 3}, f32, "ab"),
                                                   md({2}, f32, "a"), md({2, 2}, f32, "ab"), {})));
        run.set(arg::src, {1, 2, 3, 4, 5, 6});
        run.set(arg::weights, {1, 0, -1, 2, 2, 2});
        run.set(arg::bias, {10, 20});
        run.check();
        EXPECT_EQ(run.get(arg::dst), (std::vector<float>{8, 32, 8, 50}));
    }
}

// Linear in everything, of multiples of 1/4: the difference quotients are exact.
// covers: INP-02
TEST(InnerProduct, gradients_are_numerical_derivatives) {
    const MemoryDesc data = md({3, 2, 2, 2}, f32, "abcd"), weights = md({4, 2, 2, 2}, f32, "abcd");
    const MemoryDesc bias = md({4}, f32, "a"), result = md({3, 4}, f32, "ab");
    Trial to_data(valid(make_inner_product_backward_data(data, weights, result, {})));
    Trial to_weights(valid(make_inner_product_backward_weights(data, weights, bias, result, {})));
    auto s = to_weights.get(arg::src), w = to_data.get(arg::weights);
    const auto dd = to_data.get(arg::diff_dst);
    std::vector<float> b{1, 2, 3, 4};
    to_weights.set(arg::diff_dst, dd);
    to_data.check();
    to_weights.check();
    const auto derivative = [&](std::vector<float>& of, size_t i) {
        const float x = of[i];
        of[i] = x + 1;
        const double up = loss(s, w, b, dd);
        of[i] = x - 1;
        const double down = loss(s, w, b, dd);
        of[i] = x;
        return (up - down) / 2;
    };
    const auto diff_src = to_data.get(arg::diff_src), diff_weights = to_weights.get(arg::diff_weights);
    const auto diff_bias = to_weights.get(arg::diff_bias);
    for (size_t i = 0; i < s.size(); ++i) EXPECT_EQ(diff_src[i], derivative(s, i)) << "diff_src " << i;
    for (size_t i = 0; i < w.size(); ++i) EXPECT_EQ(diff_weights[i], derivative(w, i)) << "diff_weights " << i;
    for (size_t i = 0; i < b.size(); ++i) EXPECT_EQ(diff_bias[i], derivative(b, i)) << "diff_bias " << i;
}

// covers: INP-05 FMT-06
TEST(InnerProduct, any_pair_of_layouts) {
    const char* of_src[] = {"abcd", "acdb", "aBcd16b", "dcba", "ABcd4a4b"};
    const char* of_weights[] = {"abcd", "cdba", "ABcd16b16a", "AcdB4b16a4b", "aBcd8b", "cdBA16a16b2a"};
    const char* of_dst[] = {"ab", "ba", "aB16b", "AB4a8b"};
    unsigned seed = 1;
    for (const char* s : of_src)
        for (const char* w : of_weights) {
            const MemoryDesc src = md({3, 18, 2, 3}, f32, s), weights = md({17, 18, 2, 3}, f32, w);
            const MemoryDesc dst = md({3, 17}, f32, of_dst[++seed % 4]), bias = md({17}, f32, "a");
            Trial(forward(src, weights, bias, dst), seed).check();
            Trial(valid(make_inner_product_backward_data(src, weights, dst, {})), seed).check();
            Trial(valid(make_inner_product_backward_weights(src, weights, bias, dst, {})), seed).check();
        }
}

// covers: INP-04 CNV-40 CNV-41 CNV-42 CNV-43 CNV-44 CNV-47 CNV-48
TEST(InnerProduct, types) {
    struct Types {
        DataType src, weights, bias, dst;
    };
    const Types possible[] = {
        {f32, f32, f32, f32},
        {f32, bf16, f32, f32}, // CNV-50
        {f16, f16, f32, f16},
        {f16, f16, f16, f32},
        {f16, f16, f32, u8},
        {bf16, bf16, bf16, bf16},
        {bf16, bf16, f32, f32},
        {u8, s8, DataType::s32, s8},
        {s8, s8, f32, bf16},
        {u8, s8, u8, f16},
        {s8, s8, s8, DataType::s32},
        {DataType::f8_e5m2, DataType::f8_e4m3, f32, f16},
        {DataType::f8_e4m3, DataType::f8_e4m3, f16, DataType::f8_e4m3},
    };
    unsigned seed = 1;
    for (const Types& t : possible) {
        const auto tensor = [&](std::vector<int64_t> dims, DataType type) {
            return md(dims, type, dims.size() == 1 ? "a" : "ab");
        };
        const MemoryDesc src = tensor({5, 20}, t.src), weights = tensor({7, 20}, t.weights);
        Trial(forward(src, weights, tensor({7}, t.bias), tensor({5, 7}, t.dst)), ++seed).check();
        if (is_integer(t.src) || t.weights != t.src) continue;
        const MemoryDesc gradient = tensor({5, 7}, t.src);
        for (const DataType wide : {t.src, f32}) {
            Trial(valid(make_inner_product_backward_data(tensor({5, 20}, wide), weights, gradient, {})), ++seed)
                .check();
            Trial(
                valid(make_inner_product_backward_weights(src, tensor({7, 20}, wide), tensor({7}, wide), gradient, {})),
                ++seed)
                .check();
        }
    }
    const auto make = [&](DataType s, DataType w, DataType b, DataType d) {
        return make_inner_product_forward(training, md({5, 20}, s, "ab"), md({7, 20}, w, "ab"), md({7}, b, "a"),
                                          md({5, 7}, d, "ab"), {});
    };
    const Status no = Status::unimplemented;
    expect_refusal(make(u8, u8, f32, f32), no, "weights is u8 where src is u8; possible are s8");
    expect_refusal(make(bf16, f32, f32, f32), no, "weights is f32 where src is bf16; possible are bf16");
    expect_refusal(make(f32, f32, bf16, f32), no, "bias is bf16 where src is f32");
    expect_refusal(make(f32, f32, f32, f16), no, "dst is f16 where src is f32");
    expect_refusal(make(DataType::s32, s8, f32, f32), no, "src is s32");
    expect_refusal(make(DataType::f64, f32, f32, f32), no, "src is f64");
    expect_refusal(
        make_inner_product_backward_data(md({5, 20}, s8, "ab"), md({7, 20}, s8, "ab"), md({5, 7}, s8, "ab"), {}), no,
        "gradients are of f32");
    expect_refusal(
        make_inner_product_backward_data(md({5, 20}, bf16, "ab"), md({7, 20}, f32, "ab"), md({5, 7}, f32, "ab"), {}),
        no, "diff_src is bf16 where weights is f32; possible are f32");
}

// covers: INP-03 INP-07
TEST(InnerProduct, shapes) {
    const auto make = [](std::vector<int64_t> src, std::vector<int64_t> weights, std::vector<int64_t> bias,
                         std::vector<int64_t> dst) {
        const auto tensor = [](const std::vector<int64_t>& dims) {
            return dims.empty() ? MemoryDesc() : md(dims, f32, std::string_view("abcdef").substr(0, dims.size()));
        };
        return make_inner_product_forward(training, tensor(src), tensor(weights), tensor(bias), tensor(dst), {});
    };
    const Status no = Status::invalid_arguments;
    EXPECT_TRUE(make({2, 3, 4}, {5, 3, 4}, {}, {2, 5}));
    expect_refusal(make({2, 3, 4, 4}, {5, 3}, {}, {2, 5}), no, "both need as many dimensions");
    expect_refusal(make({2, 3, 4}, {5, 3, 2}, {}, {2, 5}), no, "dimension 2 of src is 4, of weights 2");
    expect_refusal(make({2, 3}, {5, 3}, {}, {2, 4}), no, "dst is 2x4; src 2x3 and weights 5x3 make 2x5");
    expect_refusal(make({2, 3}, {5, 3}, {}, {2, 5, 1}), no, "make 2x5");
    expect_refusal(make({2, 3}, {5, 3}, {4}, {2, 5}), no, "bias is 4");
    expect_refusal(make({2, 3}, {5, 3}, {1, 5}, {2, 5}), no, "bias is 1x5");
    expect_refusal(make({2}, {5}, {}, {2, 5}), no, "src has 1 dimension,");
    expect_refusal(make({2, 0}, {5, 0}, {}, {2, 5}), no, "weights is 5x0; only the batch may be empty");
    expect_refusal(make({2, 3}, {0, 3}, {}, {2, 0}), no, "weights is 0x3");
    expect_refusal(make_inner_product_forward(PropKind::backward, md({2, 3}, f32, "ab"), md({5, 3}, f32, "ab"), {},
                                              md({2, 5}, f32, "ab"), {}),
                   no, "propagation kind backward is");
    // Without terms the gradients are zeros, padding included.
    Trial empty(valid(make_inner_product_backward_weights(md({0, 3}, f32, "ab"), md({5, 3}, f32, "AB16b16a"),
                                                          md({5}, f32, "a"), md({0, 5}, f32, "ab"), {})));
    empty.check();
    EXPECT_EQ(empty.get(arg::diff_bias), std::vector<float>(5, 0.f));
    Trial(valid(make({0, 3}, {5, 3}, {5}, {0, 5}))).check();
}

// covers: INP-05 FMT-01 FMT-02
TEST(InnerProduct, open_layouts) {
    struct Case {
        DataType type;
        std::vector<int64_t> src;
        const char* given; // layout of src
        int64_t outputs;
        const char *forward, *backward; // those of weights
    };
    const Case cases[] = {
        {f32, {9, 300}, "ab", 40, "Ab16a", "Ba16b"},
        {bf16, {9, 300}, "ab", 40, "AB16b16a2b", "BA16a16b2a"},
        {f16, {9, 300}, "ab", 40, "Ab16a", "Ba16b"},
        {f32, {9, 300}, "ab", 15, "ab", "Ba16b"}, // few columns forward
        {f32, {9, 30}, "ab", 40, "ab", "ab"},     // few weights
        {f32, {2, 32, 3, 4}, "acdb", 40, "Acdb16a", "cdBa16b"},
        {f32, {2, 32, 3, 4}, "abcd", 40, "Abcd16a", "abcd"},
        {bf16, {2, 64, 3, 4}, "acdb", 40, "AcdB16b16a2b", "cdBA16a16b2a"},
        {bf16, {2, 33, 3, 4}, "acdb", 40, "Acdb16a", "acdb"}, // pixels would have padding between them
        {bf16, {2, 32, 3, 4}, "aBcd16b", 40, "ABcd8b16a2b", "aBcd16b"},
        {f32, {2, 32, 3, 4}, "aBcd8b", 40, "ABcd8b16a", "aBcd8b"},
    };
    for (const Case& c : cases) {
        std::vector<int64_t> dims = c.src;
        dims[0] = c.outputs;
        const MemoryDesc src = md(c.src, c.type, c.given), weights = md(dims, c.type, "any");
        const MemoryDesc dst = md({c.src[0], c.outputs}, c.type, "any");
        const Problem p = forward(src, weights, md({c.outputs}, f32, "any"), dst);
        EXPECT_EQ(chosen(p, arg::weights), c.forward) << p.text();
        EXPECT_EQ(chosen(p, arg::dst), "ab");
        EXPECT_EQ(chosen(p, arg::bias), "a");
        EXPECT_TRUE(p.find(arg::weights)->was_any);
        const Problem back = valid(make_inner_product_backward_data(src, weights, dst, {}));
        EXPECT_EQ(chosen(back, arg::weights), c.backward) << back.text();
        Trial(p).check();
        Trial(back).check();
    }
    const MemoryDesc quads = md({40, 300}, s8, "any");
    EXPECT_EQ(chosen(forward(md({9, 300}, u8, "ab"), quads, {}, md({9, 40}, f32, "any")), arg::weights), "AB16b16a4b");
    // Channels last where weights are open as well, else in the order of weights; gradients of weights lie as src does.
    const MemoryDesc open = md({2, 32, 3, 4}, f32, "any"), open_weights = md({40, 32, 3, 4}, f32, "any");
    const MemoryDesc dst = md({2, 40}, f32, "any");
    EXPECT_EQ(chosen(forward(open, open_weights, {}, dst), arg::src), "acdb");
    EXPECT_EQ(chosen(forward(open, md({40, 32, 3, 4}, f32, "cdba"), {}, dst), arg::src), "acdb");
    EXPECT_EQ(chosen(forward(open, md({40, 32, 3, 4}, f32, "abcd"), {}, dst), arg::src), "abcd");
    const Problem gradient =
        valid(make_inner_product_backward_weights(md({2, 32, 3, 4}, f32, "acdb"), open_weights, {}, dst, {}));
    EXPECT_EQ(chosen(gradient, arg::diff_weights), "acdb");
    Trial(gradient).check();
}

// covers: INP-06 SCL-08
TEST(InnerProduct, attributes) {
    const MemoryDesc src = md({5, 20}, u8, "ab"), weights = md({7, 20}, s8, "ab"), dst = md({5, 7}, s8, "ab");
    const MemoryDesc floats = md({5, 20}, f32, "ab"), float_weights = md({7, 20}, f32, "ab");
    const MemoryDesc float_dst = md({5, 7}, f32, "ab");
    const auto make = [&](const Attr& attr) {
        return make_inner_product_forward(training, src, weights, {}, dst, attr);
    };
    for (const auto& [id, mask] : {std::pair{arg::src, 0}, {arg::weights, 0}, {arg::weights, 1}, {arg::dst, 0}})
        Trial(valid(make(with_scale(id, mask)))).check();
    const Status no = Status::unimplemented;
    expect_refusal(make(with_scale(arg::src, 1)), no, "the scales of src have mask 1; possible is 0");
    expect_refusal(make(with_scale(arg::weights, 2)), no, "the scales of weights have mask 2; possible are 0 and 1");
    expect_refusal(make(with_scale(arg::dst, 2)), no, "the scales of dst have mask 2");
    expect_refusal(make(with_scale(arg::src_1, 0)), no, "scales of src_1");
    expect_refusal(make_inner_product_forward(training, floats, float_weights, {}, float_dst, with_scale(arg::src, 0)),
                   no, "belong to integers");
    expect_refusal(make_inner_product_backward_data(floats, float_weights, float_dst, with_scale(arg::weights, 0)), no,
                   "scales of weights are not possible in backward_data");
    Attr zero_points;
    ASSERT_TRUE(zero_points.set_zero_points(arg::src, Quant{0, {}, DataType::s32}));
    expect_refusal(make(zero_points), no, "zero points of src are not possible");
    Attr sum;
    PostOp op;
    op.kind = PostOpKind::sum;
    ASSERT_TRUE(sum.post_ops.append(op));
    Trial(valid(make(sum))).check();
    expect_refusal(make_inner_product_backward_weights(floats, float_weights, {}, float_dst, sum), no,
                   "post-ops are not possible");
}

// The sum over rows that follows is a step with a program of its own, whatever parts the product before it has.
TEST(InnerProduct, gradients_of_weights_in_parts_and_of_the_bias) {
    Trial(valid(make_inner_product_backward_weights(md({16400, 4}, f32, "ab"), md({5, 4}, f32, "ab"), md({5}, f32, "a"),
                                                    md({16400, 5}, f32, "ab"), {})))
        .check();
}

} // namespace tessera::ops
