// SPDX-License-Identifier: Apache-2.0
// Rules and values of lrn; plans and oracle agree within bounds in tests/inputs/lrn.txt and the fuzz of plans.
#include "ops/lrn/lrn.hpp"

#include <cmath>
#include <limits>

#include "objects.hpp"
#include "trial.hpp"

namespace tessera::ops {
namespace {

constexpr DataType f32 = DataType::f32;
constexpr int across = alg::lrn_across_channels, within = alg::lrn_within_channel;

Problem forward(int alg, const MemoryDesc& src, const LrnParameters& p) {
    return valid(make_lrn_forward(PropKind::forward_training, alg, src, src, p, {}));
}

std::vector<float> of_ones(int alg, std::vector<int64_t> dims, const LrnParameters& p) {
    const MemoryDesc src = md(dims, f32, std::string("abcde").substr(0, dims.size()));
    Trial run(forward(alg, src, p));
    run.set(arg::src, std::vector<float>(size_t(src.nelems()), 1));
    run.check();
    return run.get(arg::dst);
}

} // namespace

// covers: LRN-01 LRN-02 LRN-03 LRN-05
TEST(Lrn, values_of_the_specification) {
    using V = std::vector<float>;
    EXPECT_EQ(of_ones(across, {1, 4, 1, 1}, {3, 3, 1, 0}), (V{0.5f, 1.f / 3, 1.f / 3, 0.5f}));
    EXPECT_EQ(of_ones(within, {1, 1, 3, 3}, {3, 9, 1, 0})[0], 0.25f) << "omega 4/9 of alpha 1";
    EXPECT_EQ(of_ones(within, {1, 1, 3, 3}, {3, 9, 1, 0})[4], 1.f / 9);
    EXPECT_EQ(of_ones(across, {1, 6, 1, 1}, {4, 4, 1, 0}), (V{.5f, 1.f / 3, 1.f / 3, 1.f / 3, 1.f / 3, .5f}));
    EXPECT_EQ(of_ones(across, {1, 3}, {2, 2, 1, 0}), (V{1, 1, 1})) << "a window of one, divided by two";
    EXPECT_EQ(of_ones(across, {1, 3}, {0, 1, 1, 1}), (V{0, 0, 0}));
    EXPECT_EQ(of_ones(within, {1, 3}, {3, 2, 1, 0}), (V{.5f, .5f, .5f})) << "without spatial dims: 3 ^ 0";
    EXPECT_EQ(of_ones(across, {1, 1}, {5, 80, .75f, 0}), (V{.125f})) << "16 ^ -3/4, by roots exactly";
    EXPECT_EQ(of_ones(across, {1, 1}, {5, 15, .5f, 1}), (V{.5f}));
}

// Powers of negative numbers are NaN but for whole exponents; of 0, infinities and NaN they are what IEEE 754 has,
// whose 0th power is 1. Sums of squares are exact: the window's 4 divides them. covers: LRN-01 LRN-02 LRN-04 LRN-05
TEST(Lrn, alpha_beta_and_k_of_every_sign) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float alphas[] = {-4, -1, 0, 1}, ks[] = {-2, -infinity, 0, 1},
                    betas[] = {-2, -1, -.75f, -.5f, 0, .5f, .6f, .75f, 1, 2, 3};
    const char* const tags[] = {"abcd", "acdb", "aBcd16b"};
    size_t turn = 0;
    for (const int alg : {across, within})
        for (const bool backward : {false, true})
            for (const bool special : {false, true})
                for (const float alpha : alphas)
                    for (const float beta : betas)
                        for (const float k : ks) {
                            const MemoryDesc src = md({2, 5, 3, 3}, f32, tags[turn++ % 3]);
                            const LrnParameters p{alg == across ? 4 : 2, alpha, beta, k};
                            Trial run(backward ? valid(make_lrn_backward(alg, src, src, src, p, {}))
                                               : forward(alg, src, p),
                                      unsigned(turn));
                            std::vector<float> values = run.get(arg::src);
                            for (size_t i = 0; i < 40; ++i) values[i] = i % 3 ? values[i] / 4 : 0;
                            if (special) values[50] = infinity, values[60] = -infinity, values[89] = NAN;
                            run.set(arg::src, values);
                            run.check_close(2e-5f);
                            ASSERT_FALSE(testing::Test::HasFailure()) << (backward ? "gradient, " : "") << "alpha "
                                                                      << alpha << " beta " << beta << " k " << k;
                        }
}

// The derivative of the sum of g * dst, by differences. covers: LRN-04
TEST(Lrn, gradients_are_derivatives) {
    for (const int alg : {across, within}) {
        const MemoryDesc src = md({1, 3, 2, 2}, f32, "abcd");
        const LrnParameters p{3, .7f, .75f, 1};
        std::vector<float> s, g;
        for (int i = 0; i < 12; ++i) s.push_back(float(i % 5) / 2 - 1), g.push_back(float(i % 7) - 2);
        Trial gradient(valid(make_lrn_backward(alg, src, src, src, p, {})));
        gradient.set(arg::src, s), gradient.set(arg::diff_dst, g);
        gradient.reference();
        const std::vector<float> want = gradient.get(arg::diff_src);
        const auto total = [&](const std::vector<float>& values) {
            Trial run(forward(alg, src, p));
            run.set(arg::src, values);
            run.reference();
            const std::vector<float> d = run.get(arg::dst);
            double sum = 0;
            for (size_t i = 0; i < d.size(); ++i) sum += double(g[i]) * double(d[i]);
            return sum;
        };
        for (size_t i = 0; i < s.size(); ++i) {
            constexpr float step = 0x1p-8f;
            std::vector<float> up = s, down = s;
            up[i] += step, down[i] -= step;
            EXPECT_NEAR((total(up) - total(down)) / double(2 * step), double(want[i]), 1e-3) << alg << ", " << i;
        }
    }
}

// covers: LRN-05 LRN-06 LRN-07 LRN-08 LRN-09
TEST(Lrn, rules) {
    const MemoryDesc src = md({2, 17, 3}, f32, "aBc16b"), any = md({2, 17, 3}, f32, "any");
    const LrnParameters p{5, 1, .75f, 1};
    const auto make = [&](const MemoryDesc& a, const MemoryDesc& b, const LrnParameters& of, int alg) {
        return make_lrn_forward(PropKind::forward_training, alg, a, b, of, {});
    };
    const Problem open = valid(make(src, any, p, across));
    EXPECT_EQ(open.md(arg::dst).inner_nblks, 1);
    EXPECT_EQ(open.find(arg::workspace), nullptr);
    EXPECT_EQ(row(open.kind).shape(open), "mb2ic17iw3ls5beta0.75");
    const Problem gradient = valid(make_lrn_backward(across, any, any, src, p, {}));
    EXPECT_EQ(gradient.md(arg::diff_src).inner_nblks, 1);
    EXPECT_EQ(gradient.find(arg::workspace), nullptr);
    expect_refusal(make(src, src, {-1, 1, 1, 1}, across), Status::invalid_arguments, "local size is -1");
    expect_refusal(make(any, src, p, across), Status::invalid_arguments, "`any`");
    expect_refusal(make(src, md({2, 17, 4}, f32, "abc"), p, across), Status::invalid_arguments, "one shape");
    expect_refusal(make(src, md({2, 17, 3}, DataType::bf16, "abc"), p, across), Status::unimplemented, "one type");
    expect_refusal(make(md({4}, f32, "a"), md({4}, f32, "a"), p, across), Status::invalid_arguments, "at least 2");
    expect_refusal(make(src, src, p, 7), Status::invalid_arguments, "is neither lrn_across");
    expect_refusal(make(md({2, 3}, DataType::s8, "ab"), md({2, 3}, DataType::s8, "ab"), p, across),
                   Status::unimplemented, "src is s8");
    Trial(valid(make(src, src, {5, NAN, 1, NAN}, across))).check();
    Trial(valid(make(md({0, 3}, f32, "ab"), md({0, 3}, f32, "ab"), p, across))).check();
}

} // namespace tessera::ops
