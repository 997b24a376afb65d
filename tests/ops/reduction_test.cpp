// SPDX-License-Identifier: Apache-2.0
// reduction: results that the specification reports, every way of the library against the reference, what is refused.
#include "ops/reduction/reduction.hpp"

#include <limits>

#include "objects.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32;
constexpr float infinity = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();

Problem reduction(int alg, const MemoryDesc& src, const MemoryDesc& dst, float p = 1, float eps = 0,
                  const Attr& attr = {}) {
    return valid(make_reduction(alg, src, dst, p, eps, attr));
}

// Of a row.
float of(int alg, const std::vector<float>& values, float p = 1, float eps = 0, DataType type = f32) {
    Trial run(reduction(alg, md({int64_t(values.size())}, type, "a"), md({1}, type, "a"), p, eps));
    run.set(arg::src, values);
    run.check();
    return run.get(arg::dst)[0];
}

} // namespace

// covers: RED-03 RED-04 RED-05 RED-06 RED-09
TEST(Reduction, values_of_the_specification) {
    EXPECT_EQ(of(alg::reduction_sum, {1, 2, 3.5f}), 6.5f);
    EXPECT_EQ(of(alg::reduction_mul, {2, -3, 1.5f}), -9);
    EXPECT_EQ(of(alg::reduction_mean, {1, 2, 3, 4}), 2.5f);
    EXPECT_EQ(of(alg::reduction_norm_lp_max, {3, -4}, 2), 5);
    EXPECT_EQ(of(alg::reduction_norm_lp_max, {3, -4}, 2, 100), 10);
    EXPECT_EQ(of(alg::reduction_norm_lp_sum, {3, -4}, 2), 5);
    EXPECT_EQ(of(alg::reduction_norm_lp_sum, {3, -4}, 2, 11), 6);
    EXPECT_EQ(of(alg::reduction_norm_lp_sum, {3, -4}, 1, 11), 18);
    EXPECT_EQ(of(alg::reduction_norm_lp_power_p_max, {3, -4}, 2, 100), 100);
    EXPECT_EQ(of(alg::reduction_norm_lp_power_p_max, {3, -4}, 3, 4), 91);
    EXPECT_EQ(of(alg::reduction_norm_lp_power_p_sum, {3, -4}, 2, 11), 36);
    EXPECT_EQ(of(alg::reduction_norm_lp_power_p_sum, {3, -4}, 2, -30), -5);
    EXPECT_EQ(of(alg::reduction_mean, {1, 2}, 1, 0, DataType::s8), 2);
    EXPECT_EQ(of(alg::reduction_sum, {100, 100}, 1, 0, DataType::s8), 127);
    Trial several(reduction(alg::reduction_mean, md({2, 2, 2}, f32, "abc"), md({1, 2, 1}, f32, "abc")));
    several.set(arg::src, {1, 2, 5, 5, 3, 6, 5, 9});
    several.check();
    EXPECT_EQ(several.get(arg::dst), (std::vector<float>{3, 6}));
}

// NaN in, NaN out; of infinities alone the extremes are infinite. covers: RED-02 SUR-11
TEST(Reduction, extremes_and_nan) {
    EXPECT_EQ(of(alg::reduction_max, {-2, 3, 1}), 3);
    EXPECT_EQ(of(alg::reduction_min, {-2, 3, 1}), -2);
    EXPECT_EQ(of(alg::reduction_max, {-infinity, -infinity}), -infinity);
    EXPECT_EQ(of(alg::reduction_min, {infinity, infinity}), infinity);
    EXPECT_EQ(of(alg::reduction_max, {-infinity, infinity}), infinity);
    for (const int alg : {alg::reduction_max, alg::reduction_min})
        for (const auto& row : {std::vector<float>{NAN, 1, 2}, {1, NAN, 2}, {1, 2, NAN}, {infinity, NAN, -infinity}})
            EXPECT_TRUE(std::isnan(of(alg, row))) << alg;
    for (const int alg : {alg::reduction_sum, alg::reduction_mul, alg::reduction_mean, alg::reduction_norm_lp_max,
                          alg::reduction_norm_lp_power_p_sum}) {
        EXPECT_TRUE(std::isnan(of(alg, {1, NAN, 3}, 2, 1))) << alg;
        EXPECT_EQ(of(alg, {1, infinity, 3}, 2, 1), infinity) << alg;
    }
    EXPECT_TRUE(std::isnan(of(alg::reduction_norm_lp_sum, {1, 2}, 2, -9))) << "the root of a negative number";
}

// Rows that end anywhere in a vector, along and across the dense dim. Of zeros of one sign alone maxima, minima and
// products of one are that zero, sums and means +0, from which they start; of both signs all engines choose the same.
// covers: RED-02 RED-03
TEST(Reduction, signs_of_zeros) {
    const auto bits_of = [](const std::vector<float>& values) { return std::signbit(values[0]); };
    std::vector<int64_t> lengths{64, 70, 128, 140, 200}; // turns of four times 16
    for (int64_t n = 1; n <= 40; ++n) lengths.push_back(n);
    for (const int64_t n : lengths)
        for (const DataType type : {f32, DataType::bf16, DataType::f16})
            for (const char* tag : {"ab", "ba"})
                for (const int alg : {alg::reduction_max, alg::reduction_min, alg::reduction_sum, alg::reduction_mean,
                                      alg::reduction_mul}) {
                    const Problem p = reduction(alg, md({3, n + 1}, type, tag), md({3, 1}, type, tag));
                    const auto filled = [&](auto value) {
                        std::vector<float> values(size_t(3 * n + 3));
                        for (size_t i = 0; i < values.size(); ++i) values[i] = value(i);
                        return values;
                    };
                    Trial negative(p);
                    negative.set(arg::src, filled([](size_t) { return -0.f; }));
                    negative.check();
                    const bool chosen = alg == alg::reduction_max || alg == alg::reduction_min;
                    EXPECT_EQ(bits_of(negative.get(arg::dst)), chosen || (alg == alg::reduction_mul && n % 2 == 0))
                        << n;
                    for (unsigned seed = 1; seed <= 3; ++seed) {
                        std::mt19937 random(seed);
                        Trial both(p);
                        both.set(arg::src, filled([&](size_t) { return random() % 4 < seed ? -0.f : 0.f; }));
                        both.check_bits();
                    }
                    ASSERT_FALSE(testing::Test::HasFailure()) << alg << " of " << n + 1 << ", " << tag;
                }
}

// covers: RED-01 RED-03 RED-08 FMT-06
TEST(Reduction, every_set_of_dims_in_any_layout) {
    const char* tags[] = {"abcd", "acdb", "aBcd16b", "cdba", "ABcd4a4b"};
    const std::vector<int64_t> dims{3, 18, 2, 5};
    unsigned seed = 1;
    for (unsigned mask = 1; mask < 16; ++mask)
        for (int turn = 0; turn < 10; ++turn, ++seed) {
            std::vector<int64_t> to = dims;
            for (size_t d = 0; d < 4; ++d)
                if (mask >> d & 1) to[d] = 1;
            constexpr int algs[] = {alg::reduction_max, alg::reduction_sum, alg::reduction_min, alg::reduction_mean,
                                    alg::reduction_norm_lp_power_p_sum};
            const MemoryDesc src = md(dims, f32, tags[seed % 5]), dst = md(to, f32, tags[seed / 5 % 5]);
            Trial(reduction(algs[turn % 5], src, dst, 2, 0.5f), seed).check();
        }
    Trial(reduction(alg::reduction_mul, md({3, 18, 2, 2}, f32, "aBcd16b"), md({3, 18, 1, 1}, f32, "acdb"))).check();
    // Long sums, in several blocks, of few and of many.
    Trial(reduction(alg::reduction_sum, md({7, 5, 33, 35}, f32, "abcd"), md({1, 5, 1, 1}, f32, "abcd"))).check();
    Trial(reduction(alg::reduction_mean, md({7, 40, 32, 4}, f32, "acdb"), md({1, 40, 1, 1}, f32, "abcd"))).check();
    Trial(reduction(alg::reduction_sum, md({9000}, f32, "a"), md({1}, f32, "a"))).check();
    Trial(reduction(alg::reduction_max, md({9000, 3}, f32, "ab"), md({1, 3}, f32, "ab")), 1, true).check();
}

// covers: RED-09
TEST(Reduction, all_types) {
    const DataType types[] = {f32,           DataType::bf16, DataType::f16,     DataType::s8,
                              DataType::s32, DataType::u8,   DataType::f8_e5m2, DataType::f8_e4m3};
    unsigned seed = 1;
    for (const DataType a : types)
        for (const DataType b : types)
            for (const int alg : {alg::reduction_sum, alg::reduction_max, alg::reduction_mean})
                Trial(reduction(alg, md({2, 20, 4}, a, "acb"), md({2, 20, 1}, b, "abc")), ++seed).check();
    const MemoryDesc f64 = md({2, 3}, DataType::f64, "ab"), fine = md({2, 1}, f32, "ab");
    expect_refusal(make_reduction(alg::reduction_sum, f64, fine, 1, 0, {}), Status::unimplemented, "src is f64");
    const MemoryDesc wide = md({2, 1}, DataType::f64, "ab"), row = md({2, 3}, f32, "ab");
    expect_refusal(make_reduction(alg::reduction_sum, row, wide, 1, 0, {}), Status::unimplemented, "dst is f64");
    for (const DataType type : {DataType::s8, DataType::u8, DataType::s32})
        expect_refusal(make_reduction(alg::reduction_norm_lp_sum, md({2, 3}, type, "ab"), fine, 2, 0, {}),
                       Status::invalid_arguments, "floating-point");
}

// covers: RED-01 RED-10
TEST(Reduction, shapes_and_open_layouts) {
    const MemoryDesc src = md({2, 3, 4}, f32, "abc");
    const auto make = [&](const MemoryDesc& dst) { return make_reduction(alg::reduction_sum, src, dst, 1, 0, {}); };
    const Problem p = valid(make(md({2, 1, 4}, f32, "abc")));
    ASSERT_EQ(p.tensors.size(), 2u);
    EXPECT_TRUE(p.tensors[0].arg == arg::src && !p.tensors[0].output);
    EXPECT_TRUE(p.tensors[1].arg == arg::dst && p.tensors[1].output);
    EXPECT_EQ(row(p.kind).shape(p), "2x3x4:2x1x4");
    EXPECT_EQ(p.auxiliary(), "alg:reduction_sum p:1 eps:0") << "as verbose lines have it";
    expect_refusal(make(src), Status::invalid_arguments, "nothing is reduced");
    expect_refusal(make(md({2, 2, 4}, f32, "abc")), Status::invalid_arguments, "dimension 1 of dst is 2");
    expect_refusal(make(md({2, 4}, f32, "ab")), Status::invalid_arguments, "as many dimensions");
    expect_refusal(make(strided({2, 1, 4}, f32, {0, 1, 1})), Status::unimplemented, "overwrite");
    const MemoryDesc open = md({2, 1, 4}, f32, "any"), one = md({1, 1, 1}, f32, "abc");
    expect_refusal(make_reduction(alg::reduction_sum, open, one, 1, 0, {}), Status::invalid_arguments, "`any`");
    expect_refusal(make_reduction(alg::reduction_sum, one, one, 1, 0, {}), Status::invalid_arguments, "nothing");
    expect_refusal(make_reduction(alg::reduction_sum, md({runtime_dim, 3}, f32, "ab"), md({1, 3}, f32, "ab"), 1, 0, {}),
                   Status::unimplemented, "run-time dims");
    const Problem transposed = reduction(alg::reduction_sum, md({2, 3, 4}, f32, "cba"), open);
    EXPECT_EQ(strides_of(transposed.md(arg::dst)), (std::vector<int64_t>{1, 2, 2}));
    const Problem blocked = reduction(alg::reduction_sum, md({2, 17, 4}, f32, "aBc16b"), md({2, 17, 1}, f32, "any"));
    EXPECT_EQ(blocked.md(arg::dst).inner_nblks, 1);
    EXPECT_TRUE(blocked.tensors[1].was_any);
    Trial(blocked).check();
}

// covers: RED-07
TEST(Reduction, orders_of_norms) {
    const MemoryDesc src = md({2, 3}, f32, "ab"), dst = md({2, 1}, f32, "ab");
    for (const float p : {0.5f, 0.f, -1.f, infinity, NAN})
        expect_refusal(make_reduction(alg::reduction_norm_lp_max, src, dst, p, 0, {}), Status::invalid_arguments,
                       "finite and at least 1");
    Trial(reduction(alg::reduction_sum, src, dst, NAN, NAN)).check(); // where they mean nothing
    Trial(reduction(alg::reduction_norm_lp_power_p_sum, src, dst, 2, -infinity)).check();
    Trial(reduction(alg::reduction_norm_lp_power_p_max, src, dst, 2, NAN)).check();
    for (const int alg : {0, alg::reduction_max - 1, alg::reduction_norm_lp_power_p_sum + 1})
        expect_refusal(make_reduction(alg, src, dst, 2, 0, {}), Status::invalid_arguments, "is none of reduction_max");
}

// covers: RED-12
TEST(Reduction, of_no_elements) {
    const auto of_none = [](int alg, float p, float eps) {
        Trial run(reduction(alg, md({2, 0}, f32, "ab"), md({2, 1}, f32, "ab"), p, eps));
        run.check();
        return run.get(arg::dst)[1];
    };
    EXPECT_EQ(of_none(alg::reduction_sum, 1, 0), 0);
    EXPECT_EQ(of_none(alg::reduction_mul, 1, 0), 1);
    EXPECT_EQ(of_none(alg::reduction_max, 1, 0), -largest);
    EXPECT_EQ(of_none(alg::reduction_min, 1, 0), largest);
    EXPECT_TRUE(std::isnan(of_none(alg::reduction_mean, 1, 0)));
    for (const DataType type : {DataType::s8, DataType::u8, DataType::s32}) { // NaN is none of theirs
        Trial run(reduction(alg::reduction_mean, md({2, 0}, f32, "ab"), md({2, 1}, type, "ab")));
        run.check();
        EXPECT_EQ(run.get(arg::dst)[1], 0) << name(type);
    }
    EXPECT_EQ(of_none(alg::reduction_norm_lp_sum, 2, 9), 3);
    EXPECT_EQ(of_none(alg::reduction_norm_lp_power_p_max, 2, -9), 0);
    EXPECT_EQ(of_none(alg::reduction_norm_lp_power_p_sum, 2, -9), -9);
    Trial(reduction(alg::reduction_sum, md({0, 3, 0}, f32, "abc"), md({0, 3, 1}, f32, "abc"))).check();
    Trial(reduction(alg::reduction_sum, md({0, 17, 2}, f32, "abc"), md({1, 17, 2}, f32, "aBc16b"))).check();
}

// covers: RED-11
TEST(Reduction, post_ops) {
    const MemoryDesc src = md({2, 3, 4}, f32, "abc"), dst = md({2, 1, 4}, f32, "abc");
    PostOp sum, scaled, prelu;
    sum.kind = PostOpKind::sum, sum.scale = 2;
    scaled.kind = PostOpKind::eltwise, scaled.alg = alg::eltwise_linear, scaled.alpha = 3, scaled.beta = 1;
    prelu.kind = PostOpKind::prelu, prelu.mask = 2;
    Attr attr, refused;
    ASSERT_TRUE(attr.post_ops.append(sum));
    ASSERT_TRUE(attr.post_ops.append(scaled));
    ASSERT_TRUE(refused.post_ops.append(prelu));
    Trial run(reduction(alg::reduction_mean, src, dst, 1, 0, attr));
    run.set(arg::src, {0, 1, 2, 3, 0, 1, 2, 3, 3, 4, 5, 6, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 5});
    run.set(arg::dst, {1, 0, 0, 0, 0, 0, 2, 0});
    run.check();
    EXPECT_EQ(run.get(arg::dst), (std::vector<float>{10, 7, 10, 13, 4, 4, 16, 7}));
    expect_refusal(make_reduction(alg::reduction_sum, src, dst, 1, 0, refused), Status::unimplemented,
                   "sum, eltwise, binary are possible");
    Attr scales;
    scales.scales[arg::src] = Quant{};
    expect_refusal(make_reduction(alg::reduction_sum, src, dst, 1, 0, scales), Status::unimplemented, "not possible");
}

} // namespace tessera::ops
