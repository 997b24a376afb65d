// SPDX-License-Identifier: Apache-2.0
// Element-wise functions and elementary functions as programs against their definition in double, in ulp.
//
// A sample of 2^18 arguments meets every exponent and both signs. TESSERA_EXHAUSTIVE=1 takes all 2^32 instead and
// prints what was found; TESSERA_EXHAUSTIVE="tanh backward" does so for one function. The bounds leave room for what
// only all arguments show: 0.1 ulp for exp, 0.5 for what is made of it.
//
// covers: ELT-01 ELT-02 ELT-03 ELT-04 ELT-05 ELT-06 ELT-07 ELT-08 ELT-09 ELT-10 ELT-11 ELT-12 ELT-13 ELT-14 ELT-15
//
// covers: ELT-16 ELT-17 ELT-18 ELT-19 ELT-20 ELT-21 ELT-30 ELT-39 ELT-40 ELT-42
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/program/lib/eltwise.hpp"
#include "core/program/lib/eltwise_errors.hpp"
#include "core/program/lib/math.hpp"
#include "cpu/lanes/lanes.hpp"

namespace tessera {

namespace {

using Definition = std::function<double(double)>;

struct Function {
    std::string name;
    Program program; // dst = f(src)
    Definition exact;
    Definition scale;  // errors count in ulp of the larger of this and the exact value
    double ulps;       // bound
    double floor = 0;  // absolute errors up to here are right
    double growth = 0; // ulp for each x * x
};

Program program_of(const std::function<int(Program&, int)>& append) {
    Program p;
    const int x = p.load(0, ValueType::f32);
    p.store(1, append(p, x));
    return simplify(p);
}

double zero(double) { return 0; }

std::vector<Function> functions() {
    std::vector<Function> all;
    auto math = [&](const char* name, int (*append)(Program&, int), double (*exact)(double), double ulps) {
        all.push_back({name, program_of(append), exact, zero, ulps});
    };
    math("math expm1", math::expm1, std::expm1, 2.25);
    math("math log1p", math::log1p, std::log1p, 2.25);
    math("math erf", math::erf, std::erf, 6.5);
    for (const EltwiseError& r : eltwise_errors) {
        const Definition f = [r](double x) { return eltwise_of(r.alg, x, r.alpha, r.beta); };
        if (r.forward > 0)
            all.push_back({r.name, program_of([&](Program& p, int x) { return eltwise(p, r.alg, x, r.alpha, r.beta); }),
                           f, zero, r.forward, r.floor, r.growth});
        if (r.backward > 0)
            all.push_back({std::string(r.name) + " backward", program_of([&](Program& p, int x) {
                               const int one = p.constant(1, ValueType::f32);
                               return eltwise_backward(p, r.alg, x, one, r.alpha, r.beta);
                           }),
                           [r](double x) { return eltwise_backward_of(r.alg, x, 1, r.alpha, r.beta); },
                           r.gated ? f : zero, r.backward, r.floor, r.growth});
    }
    return all;
}

void run(const Program& p, const std::vector<float>& src, std::vector<float>& dst) {
    static const DataType types[] = {DataType::f32, DataType::f32};
    const cpu::Access loads[] = {{const_cast<float*>(src.data()), 0, 0, 1}, {dst.data(), 0, 0, 1}};
    cpu::run_lanes(p, types, loads, loads, 1, int64_t(src.size()));
}

// Of a number in f32, its exponent taken from the bits of the double.
double ulp_of(double x) {
    const auto exponent = int64_t(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff);
    return std::bit_cast<double>(uint64_t(std::max<int64_t>(exponent - 23, 1023 - 149)) << 52);
}

// Of f32 beyond the largest number: 2^128.
double finite(double x) { return std::clamp(x, -0x1p128, 0x1p128); }

struct Worst {
    double ulps = 0;
    float at = 0, got = 0;
    double exact = 0;
};

void compare(const Function& f, const std::vector<float>& src, const std::vector<float>& dst, Worst& worst) {
    for (size_t i = 0; i < src.size(); ++i) {
        const double exact = f.exact(double(src[i])), got = double(dst[i]);
        double ulps = std::numeric_limits<double>::infinity();
        if (std::isnan(exact) || std::isnan(got)) {
            if (std::isnan(exact) && std::isnan(got)) ulps = 0;
        } else {
            const double error = std::fabs(finite(got) - finite(exact));
            const double unit =
                ulp_of(std::min(std::max(std::fabs(exact), std::fabs(f.scale(double(src[i])))), 0x1p127));
            ulps = error <= f.floor ? 0 : error / unit;
            // What x * x costs is no part of the bound.
            if (f.growth != 0) ulps = std::max(0., ulps - ulps_at(0, f.growth, double(src[i])));
        }
        if (ulps > worst.ulps) worst = {ulps, src[i], dst[i], exact};
    }
}

// Numbers begin .. end of a walk over all bit patterns, `step` apart, anywhere within their step.
Worst worst_of(const Function& f, uint64_t begin, uint64_t end, uint64_t step) {
    Worst worst;
    std::vector<float> src, dst;
    uint32_t random = 12345;
    for (uint64_t i = begin; i < end;) {
        src.clear();
        for (; i < end && src.size() < 4096; i += step) {
            random = random * 1664525 + 1013904223;
            src.push_back(std::bit_cast<float>(uint32_t(i + (random >> 8) % step)));
        }
        dst.assign(src.size(), -77.f);
        run(f.program, src, dst);
        compare(f, src, dst, worst);
    }
    return worst;
}

std::string sentence(const Function& f, const Worst& w) {
    int ops = 0;
    for (const Op& op : f.program.ops)
        ops +=
            op.code != OpCode::constant && op.code != OpCode::load && op.code != OpCode::store && op.code != OpCode::as;
    return fmt::format("{:<24} {:5.2f} ulp of {}, {} operations, at {:a} = {}: {} instead of {}", f.name, w.ulps,
                       f.ulps, ops, w.at, w.at, w.got, w.exact);
}

const std::vector<float>& particular_arguments() {
    static const std::vector<float> all = [] {
        std::vector<float> v;
        const float magnitudes[] = {0,
                                    0x1p-149f,
                                    0x1p-126f,
                                    0x1.fffffcp-127f,
                                    1e-20f,
                                    0.5f,
                                    1,
                                    0x1.fffffep-1f,
                                    1.5f,
                                    2,
                                    2.5f,
                                    3,
                                    8,
                                    9,
                                    10,
                                    11,
                                    15,
                                    16,
                                    40,
                                    87.336540f,
                                    88.722832f,
                                    88.722839f,
                                    89,
                                    103,
                                    103.97208f,
                                    104,
                                    105,
                                    1e10f,
                                    0x1p64f,
                                    0x1.6a09e6p127f,
                                    0x1.fffffep127f,
                                    std::numeric_limits<float>::infinity(),
                                    std::numeric_limits<float>::quiet_NaN()};
        for (float m : magnitudes) v.push_back(m), v.push_back(-m);
        return v;
    }();
    return all;
}

} // namespace

TEST(Eltwise, programs_are_within_their_bounds) {
    const char* exhaustive = std::getenv("TESSERA_EXHAUSTIVE");
    for (const Function& f : functions()) {
        ASSERT_TRUE(verify(f.program, 2)) << f.name;
        Worst worst;
        std::vector<float> dst(particular_arguments().size());
        run(f.program, particular_arguments(), dst);
        compare(f, particular_arguments(), dst, worst);
        EXPECT_LE(worst.ulps, f.ulps) << sentence(f, worst);
        if (!exhaustive) {
            worst = worst_of(f, 0, uint64_t(1) << 32, 1 << 14);
        } else if (exhaustive == std::string("1") || f.name == exhaustive) {
            const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
            std::vector<Worst> parts(threads);
            std::vector<std::thread> running;
            for (unsigned t = 0; t < threads; ++t)
                running.emplace_back([&, t] {
                    parts[t] = worst_of(f, (uint64_t(t) << 32) / threads, (uint64_t(t + 1) << 32) / threads, 1);
                });
            for (std::thread& t : running) t.join();
            for (const Worst& w : parts)
                if (w.ulps > worst.ulps) worst = w;
            fmt::print("{}\n", sentence(f, worst));
        }
        EXPECT_LE(worst.ulps, f.ulps) << sentence(f, worst);
    }
}

// The lanes compute what the definition of the operations says, bit for bit.
TEST(Eltwise, lanes_and_eval_agree) {
    for (const Function& f : functions()) {
        std::vector<float> src = particular_arguments(), dst(src.size());
        run(f.program, src, dst);
        for (size_t i = 0; i < src.size(); ++i) {
            float one = -77;
            void* pointers[] = {&src[i], &one};
            const DataType types[] = {DataType::f32, DataType::f32};
            const int64_t elements[] = {0, 0};
            eval(f.program, types, pointers, elements);
            if (std::isnan(one) && std::isnan(dst[i])) continue;
            EXPECT_EQ(std::bit_cast<uint32_t>(one), std::bit_cast<uint32_t>(dst[i])) << f.name << " of " << src[i];
        }
    }
}

TEST(Eltwise, nan_stays_and_limits_are_the_mathematical_ones) {
    for (const Function& f : functions()) {
        if (f.name.find("backward") != std::string::npos) continue; // a slope that is chosen, not computed, may stay
        if (f.name == "pow 0") continue;                            // 1 of everything
        const std::vector<float> src{std::numeric_limits<float>::quiet_NaN()};
        std::vector<float> dst(1);
        run(f.program, src, dst);
        EXPECT_TRUE(std::isnan(dst[0])) << f.name;
    }
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> src{infinity, -infinity};
    auto limits = [&](int alg, float alpha, float beta) {
        std::vector<float> dst(2);
        run(program_of([&](Program& p, int x) { return eltwise(p, alg, x, alpha, beta); }), src, dst);
        return dst;
    };
    using Two = std::vector<float>;
    EXPECT_EQ(limits(alg::eltwise_relu, 0, 0), Two({infinity, 0}));
    for (int alg : {alg::eltwise_gelu_erf, alg::eltwise_gelu_tanh, alg::eltwise_mish})
        EXPECT_EQ(limits(alg, 0, 0), Two({infinity, -0.f})) << alg;
    EXPECT_EQ(limits(alg::eltwise_swish, 1, 0), Two({infinity, 0}));
    EXPECT_EQ(limits(alg::eltwise_swish, -1, 0), Two({0, -infinity}));
    EXPECT_EQ(limits(alg::eltwise_hardswish, 1.f / 6, 0.5f), Two({infinity, 0}));
    EXPECT_EQ(limits(alg::eltwise_hardswish, 0, 0.5f), Two({infinity, -infinity}));
    EXPECT_EQ(limits(alg::eltwise_hardswish, 0, -1), Two({0, 0}));
    EXPECT_EQ(limits(alg::eltwise_hardsigmoid, 0.2f, 0.5f), Two({1, 0}));
    EXPECT_EQ(limits(alg::eltwise_hardsigmoid, 0, 0.5f), Two({0.5f, 0.5f}));
    EXPECT_EQ(limits(alg::eltwise_exp, 0, 0), Two({infinity, 0}));
    EXPECT_EQ(limits(alg::eltwise_tanh, 0, 0), Two({1, -1}));
    EXPECT_EQ(limits(alg::eltwise_elu, 0.5f, 0), Two({infinity, -0.5f}));
    EXPECT_EQ(limits(alg::eltwise_soft_relu, 1, 0), Two({infinity, 0}));
    EXPECT_EQ(limits(alg::eltwise_soft_relu, -1, 0), Two({-0.f, -infinity}));
    EXPECT_EQ(limits(alg::eltwise_soft_relu, 0, 0), Two({infinity, infinity}));
    EXPECT_EQ(limits(alg::eltwise_pow, 1, -3.7f)[0], 0);
    EXPECT_EQ(limits(alg::eltwise_pow, 1, 5), Two({infinity, -infinity}));
}

// Powers of what is no ordinary number, as IEEE 754 and C have them: the exponents that have programs of their own, and
// others.
TEST(Eltwise, powers_of_special_numbers) {
    constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> src{infinity, -infinity, nan, 0.f, -0.f, -2.f, 1.f, -1.f, 1e-42f, -1e-42f, 3e38f, -3e38f};
    for (const float beta :
         {0.f, 1.f, 2.f, 3.f, 5.f, -1.f, -2.f, -3.f, 0.5f, 1.5f, -0.5f, 0.25f, 2.5f, -1.5f, 1e9f, 3.7f})
        for (const float alpha : {1.f, -3.f}) {
            std::vector<float> dst(src.size());
            run(program_of([&](Program& p, int x) { return eltwise(p, alg::eltwise_pow, x, alpha, beta); }), src, dst);
            for (size_t i = 0; i < src.size(); ++i) {
                const auto want = float(double(alpha) * std::pow(double(src[i]), double(beta)));
                const std::string where = fmt::format("{} * {}^{}: {}, not {}", alpha, src[i], beta, dst[i], want);
                EXPECT_EQ(std::isnan(dst[i]), std::isnan(want)) << where;
                if (std::isnan(want)) continue;
                EXPECT_EQ(std::signbit(dst[i]), std::signbit(want)) << where;
                if (want == 0 || std::isinf(want))
                    EXPECT_EQ(dst[i], want) << where;
                else
                    EXPECT_NEAR(dst[i] / want, 1, 1e-5) << where;
            }
        }
}

// eltwise_backward_of is the derivative of eltwise_of, or of dst what the derivative at src is.
TEST(Eltwise, definitions_of_derivatives_are_slopes) {
    for (const EltwiseError& r : eltwise_errors) {
        if (r.backward == 0) continue;
        for (double x = -8.03125; x < 8; x += 0.0625 + 1e-4) {
            const double h = 1e-5;
            const bool dst = uses_dst(r.alg);
            const double above = eltwise_of(r.alg, x + h, r.alpha, r.beta),
                         below = eltwise_of(r.alg, x - h, r.alpha, r.beta);
            const double numeric = (above - below) / (2 * h), data = dst ? eltwise_of(r.alg, x, r.alpha, r.beta) : x;
            const double exact = eltwise_backward_of(r.alg, data, 2, r.alpha, r.beta) / 2;
            if (std::isnan(numeric)) continue; // outside the domain
            if (std::fabs(numeric) > 1e15) continue;
            EXPECT_NEAR(exact, numeric, 2e-6 * std::max(1., std::fabs(numeric))) << r.name << " at " << x;
        }
    }
}

TEST(Eltwise, facts_of_the_functions) {
    EXPECT_TRUE(is_eltwise(alg::eltwise_relu) && is_eltwise(alg::eltwise_hardswish));
    EXPECT_TRUE(is_eltwise(alg::eltwise_clip_v2_use_dst_for_bwd));
    for (int other : {0, 31, 53, 255, 263, int(alg::binary_add)}) EXPECT_FALSE(is_eltwise(other)) << other;
    EXPECT_TRUE(uses_dst(alg::eltwise_exp_use_dst_for_bwd));
    EXPECT_FALSE(uses_dst(alg::eltwise_exp));
    EXPECT_FALSE(has_backward(alg::eltwise_round));
    EXPECT_TRUE(has_backward(alg::eltwise_mish) && has_backward(alg::eltwise_relu_use_dst_for_bwd));
    EXPECT_TRUE(keeps_zero(alg::eltwise_clip, -1, 1) && keeps_zero(alg::eltwise_pow, 2, 0.5f));
    EXPECT_TRUE(keeps_zero(alg::eltwise_linear, 3, 0) && keeps_zero(alg::eltwise_hardswish, 1, 2));
    EXPECT_FALSE(keeps_zero(alg::eltwise_exp, 0, 0) || keeps_zero(alg::eltwise_log, 0, 0));
    EXPECT_FALSE(keeps_zero(alg::eltwise_clip, 1, 2) || keeps_zero(alg::eltwise_linear, 1, 1));
    EXPECT_FALSE(keeps_zero(alg::eltwise_pow, 1, 0) || keeps_zero(alg::eltwise_pow, 1, -1));
    // Padding stays zero in the program, too.
    for (const Function& f : functions()) {
        if (f.exact(0) != 0) continue;
        std::vector<float> dst(1);
        run(f.program, {0}, dst);
        EXPECT_EQ(dst[0], 0) << f.name;
    }
}

} // namespace tessera
