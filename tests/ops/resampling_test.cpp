// SPDX-License-Identifier: Apache-2.0
// resampling: the examples of its definition, every layout and type in every way of execution against the reference,
// and the reference against the formulas in double, the transpose of the forward map and numerical derivatives.
#include "ops/resampling/resampling.hpp"

#include <algorithm>

#include "objects.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32;
constexpr int algs[] = {resampling_nearest, resampling_linear};

Problem forward(int alg, const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr = {}) {
    auto made = make_resampling(PropKind::forward_inference, alg, {}, src, dst, attr);
    EXPECT_TRUE(made) << (made ? "" : made.error().reason);
    return *made;
}

Problem backward(int alg, const MemoryDesc& diff_src, const MemoryDesc& diff_dst) {
    auto made = make_resampling(PropKind::backward_data, alg, {}, diff_src, diff_dst, {});
    EXPECT_TRUE(made) << (made ? "" : made.error().reason);
    return *made;
}

void check_both(int alg, const MemoryDesc& src, const MemoryDesc& dst, bool extremes = false) {
    SCOPED_TRACE(forward(alg, src, dst).text());
    Trial(forward(alg, src, dst), 1, extremes).check();
    Trial(backward(alg, src, dst), 2, extremes).check();
}

std::vector<double> row(int alg, const std::vector<double>& src, int64_t outputs) {
    const auto inputs = int64_t(src.size());
    std::vector<double> dst;
    for (int64_t o = 0; o < outputs; ++o) {
        const double x = (double(o) + 0.5) * double(inputs) / double(outputs) - 0.5;
        const auto at = [&](double i) { return src[size_t(std::clamp(i, 0., double(inputs - 1)))]; };
        if (alg == resampling_nearest) {
            dst.push_back(at(std::round(x)));
            continue;
        }
        const double left = std::max(std::floor(x), 0.), w = std::fabs(x - left);
        dst.push_back((1 - w) * at(left) + w * at(std::ceil(x)));
    }
    return dst;
}

std::vector<double> doubles(const std::vector<float>& v) { return {v.begin(), v.end()}; }

// Random, in logical order: what the reference makes of it.
struct Sample {
    std::vector<float> in, out;
};
Sample sample(const Problem& p, unsigned seed) {
    Trial run(p, seed);
    run.reference();
    return {run.get(p.tensors[0].arg), run.get(p.tensors[1].arg)};
}

} // namespace

// covers: RES-01 RES-02
TEST(Resampling, nearest_examples) {
    const auto left = [](int64_t i, int64_t o) { return taps_of(resampling_nearest, i, o).left; };
    using Indices = std::vector<int64_t>;
    EXPECT_EQ(left(3, 2), (Indices{0, 2}));
    EXPECT_EQ(left(2, 3), (Indices{0, 1, 1}));
    EXPECT_EQ(left(5, 2), (Indices{1, 3}));
    EXPECT_EQ(left(4, 6), (Indices{0, 1, 1, 2, 3, 3}));
    EXPECT_EQ(left(2, 1), (Indices{1}));
}

// covers: RES-01 RES-03
TEST(Resampling, linear_examples) {
    const auto ramp = [](int64_t inputs, int64_t outputs) {
        Trial run(forward(resampling_linear, md({1, 1, inputs}, f32, "abc"), md({1, 1, outputs}, f32, "abc")));
        std::vector<float> values;
        for (int64_t i = 0; i < inputs; ++i) values.push_back(float(i));
        run.set(arg::src, values);
        run.check();
        return run.get(arg::dst);
    };
    EXPECT_EQ(ramp(5, 2), (std::vector<float>{.75f, 3.25f}));
    const std::vector<float> want{0, .5f, 1.1666667f, 1.8333333f, 2.5f, 3}, got = ramp(4, 6);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) EXPECT_FLOAT_EQ(got[i], want[i]) << i;
}

// covers: RES-01 RES-02 RES-03
TEST(Resampling, rows_are_the_formulas) {
    for (const int alg : algs)
        for (int64_t inputs = 1; inputs <= 12; ++inputs)
            for (int64_t outputs = 1; outputs <= 25; ++outputs) {
                const Sample s =
                    sample(forward(alg, md({1, 1, inputs}, f32, "abc"), md({1, 1, outputs}, f32, "abc")), 7);
                const std::vector<double> want = row(alg, doubles(s.in), outputs);
                for (size_t o = 0; o < want.size(); ++o) // values up to 4, three roundings
                    EXPECT_NEAR(s.out[o], want[o], 8 * 6e-8) << inputs << " to " << outputs << " at " << o;
            }
}

// covers: RES-03 RES-05
TEST(Resampling, dimensions_are_independent) {
    const int64_t from[] = {3, 4, 5}, to[] = {5, 4, 2};
    for (const int alg : algs) {
        const Sample s = sample(forward(alg, md({1, 1, 3, 4, 5}, f32, "abcde"), md({1, 1, 5, 4, 2}, f32, "abcde")), 3);
        std::vector<double> values = doubles(s.in); // one dimension after the other
        int64_t extents[] = {from[0], from[1], from[2]};
        for (size_t d = 0; d < 3; ++d) {
            int64_t inner = 1, outer = 1;
            for (size_t k = 0; k < 3; ++k) (k < d ? outer : inner) *= k == d ? 1 : extents[k];
            std::vector<double> next(size_t(outer * to[d] * inner));
            for (int64_t a = 0; a < outer; ++a)
                for (int64_t b = 0; b < inner; ++b) {
                    std::vector<double> line;
                    for (int64_t i = 0; i < from[d]; ++i) line.push_back(values[size_t((a * from[d] + i) * inner + b)]);
                    line = row(alg, line, to[d]);
                    for (int64_t o = 0; o < to[d]; ++o) next[size_t((a * to[d] + o) * inner + b)] = line[size_t(o)];
                }
            values = next, extents[d] = to[d];
        }
        ASSERT_EQ(s.out.size(), values.size());
        for (size_t o = 0; o < values.size(); ++o) EXPECT_NEAR(s.out[o], values[o], 32 * 6e-8) << o;
    }
}

// covers: RES-04
TEST(Resampling, backward_is_the_transpose) {
    const std::vector<std::array<int64_t, 4>> shapes{{5, 4, 10, 8}, {4, 6, 2, 3},  {5, 7, 7, 5}, {3, 3, 9, 1},
                                                     {7, 2, 1, 13}, {1, 5, 16, 3}, {8, 3, 3, 3}, {6, 6, 6, 6}};
    for (const int alg : algs)
        for (const auto& [ih, iw, oh, ow] : shapes) {
            const MemoryDesc src = md({2, 3, ih, iw}, f32, "abcd"), dst = md({2, 3, oh, ow}, f32, "acdb");
            const Sample there = sample(forward(alg, src, dst), 5), back = sample(backward(alg, src, dst), 6);
            double a = 0, b = 0, size = 0; // <forward(x), y> and <x, backward(y)>
            for (size_t i = 0; i < there.out.size(); ++i) {
                a += double(there.out[i]) * double(back.in[i]);
                size += std::fabs(double(there.out[i]) * double(back.in[i]));
            }
            for (size_t i = 0; i < there.in.size(); ++i) b += double(there.in[i]) * double(back.out[i]);
            EXPECT_NEAR(a, b, 64 * 6e-8 * (size + 64)) << ih << "x" << iw << " to " << oh << "x" << ow;
        }
}

// The map is linear: the difference of forward at x + e_i and x is column i, at any step. covers: RES-04
TEST(Resampling, backward_is_the_derivative) {
    struct Shapes {
        std::vector<int64_t> from, to;
        const char* tag;
    };
    const Shapes all[] = {{{1, 1, 5}, {1, 1, 12}, "abc"},
                          {{1, 2, 9}, {1, 2, 4}, "acb"},
                          {{1, 1, 3, 4}, {1, 1, 5, 6}, "abcd"},
                          {{1, 2, 6, 5}, {1, 2, 3, 7}, "acdb"},
                          {{1, 1, 2, 3, 4}, {1, 1, 5, 4, 3}, "abcde"},
                          {{1, 2, 3, 2, 3}, {1, 2, 2, 5, 6}, "acdeb"}};
    for (int turn = 0; turn < 12; ++turn) {
        const int alg = algs[turn % 2];
        const auto& [from, to, tag] = all[turn / 2];
        const MemoryDesc src = md(from, f32, tag), dst = md(to, f32, tag);
        const Sample back = sample(backward(alg, src, dst), 8);
        Trial at(forward(alg, src, dst), 9);
        const std::vector<float> x = at.get(arg::src);
        at.reference();
        const std::vector<float> y = at.get(arg::dst);
        for (size_t i = 0; i < x.size(); ++i) {
            std::vector<float> moved = x;
            moved[i] += 1;
            at.set(arg::src, moved);
            at.reference();
            const std::vector<float> z = at.get(arg::dst);
            double slope = 0;
            for (size_t o = 0; o < z.size(); ++o) slope += (double(z[o]) - double(y[o])) * double(back.in[o]);
            EXPECT_NEAR(slope, back.out[i], 4e-5) << i; // 120 terms up to 4 times some roundings of 2^-22
        }
    }
}

// covers: RES-05 RES-09 FMT-06
TEST(Resampling, layouts) {
    const char* tags[] = {"abcd", "acdb", "aBcd8b", "aBcd16b", "dcba", "cdba", "abCd4c", "abcD8d", "ABcd4a4b"};
    const std::vector<std::array<int64_t, 4>> shapes{{5, 4, 10, 8}, {4, 6, 2, 3}, {5, 7, 7, 5}, {9, 8, 9, 3}};
    unsigned turn = 0;
    for (const int alg : algs)
        for (const auto& [ih, iw, oh, ow] : shapes)
            for (const char* from : tags)
                for (const char* to : tags) // a pair of layouts with every other shape
                    if (++turn % 2) check_both(alg, md({2, 19, ih, iw}, f32, from), md({2, 19, oh, ow}, f32, to));
}

// covers: RES-05 RES-09
TEST(Resampling, ranks) {
    for (const int alg : algs) {
        for (const char* tag : {"abc", "acb", "aBc16b", "abC4c"})
            for (const int64_t outputs : {1, 4, 9, 18, 40, 200})
                check_both(alg, md({2, 17, 9}, f32, tag), md({2, 17, outputs}, f32, tag));
        for (const char* tag : {"abcde", "acdeb", "aBcde16b", "abcDe2d"}) {
            check_both(alg, md({2, 17, 3, 4, 5}, f32, tag), md({2, 17, 6, 8, 10}, f32, tag));
            check_both(alg, md({2, 17, 3, 4, 5}, f32, tag), md({2, 17, 2, 4, 7}, f32, tag));
            check_both(alg, md({1, 3, 2, 2, 2}, f32, tag), md({1, 3, 34, 34, 34}, f32, tag)); // 39304 / 8 terms
        }
    }
}

// covers: RES-08
TEST(Resampling, types) {
    const DataType types[] = {f32,          DataType::bf16, DataType::f16,     DataType::s32,
                              DataType::s8, DataType::u8,   DataType::f8_e5m2, DataType::f8_e4m3};
    const char* const tags[] = {"abcd", "acdb", "aBcd16b"};
    unsigned turn = 0; // the layouts take turns, so that each has pairs of every type
    for (const int alg : algs)
        for (const DataType from : types)
            for (const DataType to : types) {
                const char* const tag = tags[turn++ % 3];
                check_both(alg, md({2, 18, 4, 5}, from, tag), md({2, 18, 8, 10}, to, tag));
                check_both(alg, md({1, 18, 4, 5}, from, tag), md({1, 18, 3, 7}, to, tag));
            }
}

// covers: RES-09 DER-01
TEST(Resampling, strides) {
    for (const int alg : algs) {
        check_both(alg, strided({2, 6, 4, 5}, f32, {500, 50, 11, 2}), strided({2, 6, 8, 10}, f32, {1500, 3, 181, 18}));
        const MemoryDesc row = strided({2, 6, 4, 5}, f32, {0, 5, 0, 1}); // read: one image and row for all
        Trial(forward(alg, row, md({2, 6, 8, 10}, f32, "acdb"))).check();
        Trial(backward(alg, md({2, 6, 2, 3}, f32, "acdb"), row)).check();
        MemoryDesc part = *submemory(md({4, 9, 12, 11}, f32, "abcd"), std::vector<int64_t>{2, 6, 8, 10},
                                     std::vector<int64_t>{1, 2, 3, 1});
        check_both(alg, md({2, 6, 4, 5}, f32, "abcd"), part);
        check_both(alg, part, md({2, 6, 4, 5}, f32, "abcd"));
    }
}

// covers: RES-02 RES-03 RES-04
TEST(Resampling, infinities_stay_where_they_belong) {
    for (const int alg : algs)
        for (const char* tag : {"abcd", "acdb"})
            for (const auto& [ih, iw, oh, ow] :
                 std::vector<std::array<int64_t, 4>>{{5, 4, 10, 8}, {4, 6, 2, 3}, {5, 7, 7, 5}, {5, 5, 15, 5}})
                check_both(alg, md({2, 19, ih, iw}, f32, tag), md({2, 19, oh, ow}, f32, tag), true);
    // An output on an input is that input, whatever lies beside it.
    Trial up(forward(resampling_linear, md({1, 1, 3}, f32, "abc"), md({1, 1, 9}, f32, "abc")));
    up.set(arg::src, {1, INFINITY, -2});
    up.check();
    const std::vector<float> y = up.get(arg::dst);
    EXPECT_EQ(y[0], 1);
    EXPECT_EQ(y[1], 1);
    EXPECT_EQ(y[4], INFINITY);
    EXPECT_EQ(y[7], -2);
    EXPECT_EQ(y[8], -2);
    // 9 -> 3 reads 1, 4, 7 alone: what is not read gets zeros, whatever diff_dst holds.
    Trial down(backward(resampling_linear, md({1, 1, 9}, f32, "abc"), md({1, 1, 3}, f32, "abc")));
    down.set(arg::diff_dst, {NAN, INFINITY, 5});
    down.check();
    const std::vector<float> x = down.get(arg::diff_src);
    EXPECT_TRUE(std::isnan(x[1]));
    for (const size_t i : {0, 2, 3, 5, 6, 8}) EXPECT_EQ(x[i], 0) << i;
    EXPECT_EQ(x[4], INFINITY);
    EXPECT_EQ(x[7], 5);
}

// covers: RES-10 PO-03 PO-05
TEST(Resampling, post_ops) {
    for (const int alg : algs)
        for (const char* tag : {"abcd", "acdb", "aBcd16b", "abCd4c"}) {
            Attr attr;
            PostOp sum, relu, add, mul;
            sum.kind = PostOpKind::sum, sum.scale = 0.5f;
            relu.kind = PostOpKind::eltwise, relu.alg = 0x20, relu.alpha = 0.25f; // eltwise_relu
            add.kind = mul.kind = PostOpKind::binary;
            add.alg = 0x1fff0, mul.alg = 0x1fff1; // binary_add, binary_mul
            add.src1 = md({1, 18, 1, 1}, f32, "abcd"), mul.src1 = md({2, 18, 8, 10}, DataType::bf16, "any");
            attr.post_ops.entries = {sum, relu, add, mul};
            Trial(forward(alg, md({2, 18, 4, 5}, f32, tag), md({2, 18, 8, 10}, f32, tag), attr)).check();
            add.src1 = md({1, 1, 8, 1}, DataType::s8, "abcd"), mul.src1 = md({2, 1, 1, 7}, f32, "dcba");
            attr.post_ops.entries = {add, mul, relu, sum};
            Trial(forward(alg, md({2, 18, 4, 5}, DataType::u8, tag), md({2, 18, 8, 7}, DataType::s8, tag), attr))
                .check();
        }
}

// covers: RES-06
TEST(Resampling, factors) {
    const auto spatial = [](std::vector<int64_t> src, std::vector<float> factors) {
        src.insert(src.begin(), {2, 3});
        const std::string tag = std::string("abcde").substr(0, src.size());
        auto p = make_resampling(PropKind::forward_training, resampling_linear, factors, md(src, f32, tag), {}, {});
        EXPECT_TRUE(p) << (p ? "" : p.error().reason);
        const auto dims = p->md(arg::dst).dims_span();
        return std::vector<int64_t>(dims.begin() + 2, dims.end());
    };
    using Extents = std::vector<int64_t>;
    EXPECT_EQ(spatial({3}, {2}), Extents{6});
    EXPECT_EQ(spatial({5}, {.5f}), Extents{2});
    EXPECT_EQ(spatial({10}, {.7f}), Extents{7});
    EXPECT_EQ(spatial({3, 4, 5}, {2, 1, .2f}), (Extents{6, 4, 1}));
    EXPECT_EQ(spatial({3, 0}, {2, 1.5f}), (Extents{6, 0}));
    const MemoryDesc src = md({2, 3, 5}, f32, "abc");
    for (const float wrong : {0.f, -1.f, .1f, NAN, INFINITY, 1e30f})
        expect_refusal(make_resampling(PropKind::forward_training, resampling_nearest, {&wrong, 1}, src, {}, {}),
                       Status::invalid_arguments, "factor");
    const float other = 7; // dst's extents count
    EXPECT_TRUE(make_resampling(PropKind::forward_training, resampling_nearest, {&other, 1}, src,
                                md({2, 3, 4}, f32, "abc"), {}));
    expect_refusal(make_resampling(PropKind::forward_training, resampling_nearest, {}, src, {}, {}),
                   Status::invalid_arguments, "dst is an empty descriptor");
}

// What query 27 shows: what lies between the extents, whatever the caller gave. covers: RES-06
TEST(Resampling, factors_of_a_descriptor) {
    using factors = std::vector<float>;
    using dnnl::memory;
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const auto f32 = memory::data_type::f32;
    const memory::desc src({2, 3, 4, 5}, f32, memory::format_tag::nchw),
        dst({2, 3, 6, 5}, f32, memory::format_tag::nchw);
    const auto training = dnnl::prop_kind::forward_training;
    const auto linear = dnnl::algorithm::resampling_linear;
    const dnnl::resampling_forward::primitive_desc by_extents(cpu, training, linear, src, dst);
    EXPECT_EQ(by_extents.get_factors(), (factors{1.5f, 1.f}));
    const dnnl::resampling_forward::primitive_desc by_factors(cpu, training, linear, factors{2.f, 0.5f}, src);
    EXPECT_EQ(by_factors.get_factors(), (factors{2.f, 0.4f})); // 5 * 0.5 is 2 elements
    const dnnl::resampling_forward::primitive_desc both(cpu, training, linear, factors{3.f, 7.f}, src, dst);
    EXPECT_EQ(both.get_factors(), (factors{1.5f, 1.f}));
    const dnnl::resampling_backward::primitive_desc gradient(cpu, linear, src, dst, by_extents);
    EXPECT_EQ(gradient.get_factors(), (factors{1.5f, 1.f}));
    const dnnl::shuffle_forward::primitive_desc other(cpu, training, src, src, 1, 3);
    EXPECT_TRUE(other.get_factors().empty());
}

// covers: RES-05 RES-07 RES-08 RES-09 RES-10 RES-11 RES-12
TEST(Resampling, rules) {
    const auto made = [](const MemoryDesc& src, const MemoryDesc& dst, PropKind prop = PropKind::forward_inference,
                         int alg = resampling_linear,
                         const Attr& attr = {}) { return make_resampling(prop, alg, {}, src, dst, attr); };
    const MemoryDesc src = md({2, 3, 4, 5}, f32, "acdb"), dst = md({2, 3, 8, 10}, f32, "any");
    constexpr auto inv = Status::invalid_arguments, unimpl = Status::unimplemented;
    EXPECT_EQ(tag_of(made(src, dst)->md(arg::dst)), "acdb");
    EXPECT_EQ(tag_of(made(md({2, 20, 4, 5}, f32, "aBcd16b"), md({2, 20, 9, 9}, f32, "any"))->md(arg::dst)), "aBcd16b");
    EXPECT_TRUE(made(src, dst, PropKind::forward_training));
    expect_refusal(made(src, dst, PropKind::backward), inv, "propagation kind");
    expect_refusal(made(src, dst, PropKind::forward_inference, 1), inv, "algorithm");
    expect_refusal(made(md({2, 3}, f32, "ab"), md({2, 3}, f32, "ab")), inv, "3 to 5");
    expect_refusal(made(md({2, 3, 4, 5, 6, 7}, f32, "abcdef"), dst), inv, "3 to 5");
    expect_refusal(made(src, md({2, 3, 8}, f32, "abc")), inv, "as many dimensions");
    expect_refusal(made(src, md({1, 3, 8, 10}, f32, "abcd")), inv, "dimension 0");
    expect_refusal(made(src, md({2, 4, 8, 10}, f32, "abcd")), inv, "dimension 1");
    expect_refusal(made(dst, src), inv, "any");
    expect_refusal(made(md({2, 3, 0, 5}, f32, "abcd"), dst), inv, "no elements");
    expect_refusal(made(src, md({2, 3, 0, 10}, f32, "abcd")), inv, "no elements");
    EXPECT_TRUE(made(md({0, 3, 4, 5}, f32, "abcd"), md({0, 3, 8, 10}, f32, "any")));
    EXPECT_TRUE(made(md({2, 0, 4, 5}, f32, "abcd"), md({2, 0, 8, 10}, f32, "any")));
    expect_refusal(made(md({2, 3, 4, 5}, DataType::f64, "abcd"), dst), unimpl, "f64");
    expect_refusal(made(src, md({2, 3, 8, 10}, DataType::s4, "abcd")), unimpl, "s4");
    expect_refusal(made(src, strided({2, 3, 8, 10}, f32, {0, 80, 10, 1})), unimpl, "stride 0");
    expect_refusal(made(md({1, 1, 1}, f32, "abc"), md({1, 1, (1 << 20) + 1}, f32, "abc")), unimpl, "pieces");

    const auto gradients = made(dst, md({2, 3, 8, 10}, f32, "any"), PropKind::backward_data);
    ASSERT_TRUE(gradients);
    EXPECT_EQ(gradients->tensors[0].arg, arg::diff_dst);
    EXPECT_TRUE(gradients->tensors[1].output);
    Attr attr;
    PostOp relu;
    relu.kind = PostOpKind::eltwise, relu.alg = 0x20;
    attr.post_ops.entries = {relu};
    EXPECT_TRUE(made(src, dst, PropKind::forward_inference, resampling_linear, attr));
    expect_refusal(made(src, md({2, 3, 8, 10}, f32, "abcd"), PropKind::backward_data, resampling_linear, attr), unimpl,
                   "post-op");
    Attr scaled;
    scaled.scales[arg::src] = {};
    expect_refusal(made(src, dst, PropKind::forward_inference, resampling_linear, scaled), unimpl, "scale");
}

} // namespace tessera::ops
