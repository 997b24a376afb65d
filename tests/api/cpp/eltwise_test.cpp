// SPDX-License-Identifier: Apache-2.0
// Element-wise primitives through the C++ API: every function against its formula in double, every derivative against
// the difference quotient of that formula; tensors of post-ops as arguments; queries; what is refused at execution.
// covers: ELT-01 ELT-02 ELT-03 ELT-04 ELT-05 ELT-06 ELT-07 ELT-08 ELT-09 ELT-10 ELT-11 ELT-12 ELT-13 ELT-14 ELT-15
// covers: ELT-16 ELT-17 ELT-18 ELT-19 ELT-20 ELT-21 ELT-30 ELT-32 ELT-36 ELT-39 ELT-40 ELT-41 ELT-43 PO-05 PO-07 RUN-06
// covers: DRP-01
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using alg = algorithm;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

const engine& cpu() {
    static const engine eng(engine::kind::cpu, 0);
    return eng;
}

std::vector<float> values(const memory& m) {
    const float* p = static_cast<const float*>(m.get_data_handle());
    return std::vector<float>(p, p + m.get_desc().get_size() / sizeof(float));
}

memory memory_of(const memory::desc& md, const std::vector<float>& v) {
    memory m(md, cpu());
    std::copy(v.begin(), v.end(), static_cast<float*>(m.get_data_handle()));
    return m;
}

void run(const primitive& p, const std::unordered_map<int, memory>& args) {
    stream s(cpu());
    p.execute(s, args);
    s.wait();
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double soft_relu(double x) { return std::log1p(std::exp(x)); }
double clipped(double x, double lo, double hi) { return x > hi ? hi : x > lo ? x : lo; }

struct Function {
    alg forward, from_dst; // from_dst: undef where there is no such form
    float alpha, beta;
    double (*f)(double x, double a, double b);
    bool positive = false; // x > 0 only
};

const Function functions[] = {
    {alg::eltwise_relu, alg::eltwise_relu_use_dst_for_bwd, 0.25f, 0,
     [](double x, double a, double) { return x > 0 ? x : a * x; }},
    {alg::eltwise_tanh, alg::eltwise_tanh_use_dst_for_bwd, 0, 0, [](double x, double, double) { return std::tanh(x); }},
    {alg::eltwise_elu, alg::eltwise_elu_use_dst_for_bwd, 0.75f, 0,
     [](double x, double a, double) { return x > 0 ? x : a * std::expm1(x); }},
    {alg::eltwise_square, alg::undef, 0, 0, [](double x, double, double) { return x * x; }},
    {alg::eltwise_abs, alg::undef, 0, 0, [](double x, double, double) { return std::fabs(x); }},
    {alg::eltwise_sqrt, alg::eltwise_sqrt_use_dst_for_bwd, 0, 0, [](double x, double, double) { return std::sqrt(x); },
     true},
    {alg::eltwise_linear, alg::undef, 2, -1, [](double x, double a, double b) { return a * x + b; }},
    {alg::eltwise_soft_relu, alg::undef, 2, 0, [](double x, double a, double) { return soft_relu(a * x) / a; }},
    {alg::eltwise_soft_relu, alg::undef, -1, 0, [](double x, double a, double) { return soft_relu(a * x) / a; }},
    {alg::eltwise_hardsigmoid, alg::undef, 0.2f, 0.5f,
     [](double x, double a, double b) { return clipped(a * x + b, 0, 1); }},
    {alg::eltwise_logistic, alg::eltwise_logistic_use_dst_for_bwd, 0, 0,
     [](double x, double, double) { return logistic(x); }},
    {alg::eltwise_exp, alg::eltwise_exp_use_dst_for_bwd, 0, 0, [](double x, double, double) { return std::exp(x); }},
    {alg::eltwise_gelu_tanh, alg::undef, 0, 0,
     [](double x, double, double) {
         return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
     }},
    {alg::eltwise_swish, alg::undef, 1.5f, 0, [](double x, double a, double) { return x * logistic(a * x); }},
    {alg::eltwise_log, alg::undef, 0, 0, [](double x, double, double) { return std::log(x); }, true},
    {alg::eltwise_clip, alg::undef, -1.01f, 2.03f, [](double x, double a, double b) { return clipped(x, a, b); }},
    {alg::eltwise_clip_v2, alg::eltwise_clip_v2_use_dst_for_bwd, -1.01f, 2.03f,
     [](double x, double a, double b) { return clipped(x, a, b); }},
    {alg::eltwise_pow, alg::undef, 0.5f, 3, [](double x, double a, double b) { return a * std::pow(x, b); }},
    {alg::eltwise_pow, alg::undef, 2, 0.5f, [](double x, double a, double b) { return a * std::pow(x, b); }, true},
    {alg::eltwise_pow, alg::undef, 2, -1.5f, [](double x, double a, double b) { return a * std::pow(x, b); }, true},
    {alg::eltwise_gelu_erf, alg::undef, 0, 0,
     [](double x, double, double) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.))); }},
    {alg::eltwise_mish, alg::undef, 0, 0, [](double x, double, double) { return x * std::tanh(soft_relu(x)); }},
    {alg::eltwise_hardswish, alg::undef, 0.17f, 0.5f,
     [](double x, double a, double b) { return x * clipped(a * x + b, 0, 1); }},
};

// Away from 0, where some functions have a kink.
std::vector<float> arguments(bool positive) {
    std::vector<float> v;
    for (int i = 0; i < 77; ++i) v.push_back((positive ? 0.07f : -4.05f) + 0.105f * float(i));
    return v;
}

const memory::desc line({77}, dt::f32, tag::a);

} // namespace

// A function that is left out of the table has no gradient test: all but round, which has no gradient, are there.
TEST(Eltwise, table_is_complete) {
    std::set<int> known;
    for (const Function& fn : functions) known.insert({int(fn.forward), int(fn.from_dst)});
    for (int a = int(alg::eltwise_relu); a <= int(alg::eltwise_hardswish); ++a)
        EXPECT_EQ(known.count(a), a == int(alg::eltwise_round) ? 0u : 1u) << a;
    for (int a = int(alg::eltwise_relu_use_dst_for_bwd); a <= int(alg::eltwise_clip_v2_use_dst_for_bwd); ++a)
        EXPECT_EQ(known.count(a), 1u) << a;
}

TEST(Eltwise, functions) {
    for (const Function& fn : functions)
        for (const alg a : {fn.forward, fn.from_dst}) {
            if (a == alg::undef) continue;
            const eltwise_forward::primitive_desc pd(cpu(), prop_kind::forward_training, a, line, line, fn.alpha,
                                                     fn.beta);
            const memory src = memory_of(line, arguments(fn.positive)), dst(line, cpu());
            run(eltwise_forward(pd), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
            for (size_t i = 0; i < 77; ++i) {
                const double x = values(src)[i], y = fn.f(x, fn.alpha, fn.beta);
                // 4 ulp where the value is not a difference of larger ones.
                EXPECT_NEAR(values(dst)[i], y, 5e-7 * std::max(1., std::fabs(y))) << int(a) << " at " << x;
            }
        }
}

TEST(Eltwise, rounding_takes_ties_to_even) {
    const memory::desc md({8}, dt::f32, tag::a);
    const eltwise_forward::primitive_desc pd(cpu(), prop_kind::forward_inference, alg::eltwise_round, md, md);
    const memory m = memory_of(md, {0.5f, 1.5f, -1.5f, 2.5f, -0.4f, 7.51f, 1e10f, -2.5f});
    run(eltwise_forward(pd), {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}); // in place
    EXPECT_EQ(values(m), (std::vector<float>{0, 2, -2, 2, -0.f, 8, 1e10f, -2}));
    EXPECT_THROW(eltwise_backward::primitive_desc(cpu(), alg::eltwise_round, md, md, md, 0.f, 0.f, pd), error);
}

TEST(Eltwise, derivatives) {
    for (const Function& fn : functions)
        for (const alg a : {fn.forward, fn.from_dst}) {
            if (a == alg::undef) continue;
            const bool from_dst = a == fn.from_dst;
            const eltwise_forward::primitive_desc hint(cpu(), prop_kind::forward_training, a, line, line, fn.alpha,
                                                       fn.beta);
            const eltwise_backward::primitive_desc pd(cpu(), a, line, line, line, fn.alpha, fn.beta, hint);
            const std::vector<float> x = arguments(fn.positive);
            std::vector<float> data = x;
            for (float& v : data) v = from_dst ? float(fn.f(v, fn.alpha, fn.beta)) : v;
            const memory diff = memory_of(line, std::vector<float>(77, -0.75f)); // diff_dst and diff_src in one
            run(eltwise_backward(pd), {{from_dst ? DNNL_ARG_DST : DNNL_ARG_SRC, memory_of(line, data)},
                                       {DNNL_ARG_DIFF_DST, diff},
                                       {DNNL_ARG_DIFF_SRC, diff}});
            for (size_t i = 0; i < 77; ++i) {
                const double h = 1e-5, at = x[i];
                const double slope = (fn.f(at + h, fn.alpha, fn.beta) - fn.f(at - h, fn.alpha, fn.beta)) / (2 * h);
                // 1e-6 of the quotient, and what rounding dst to f32 changes.
                EXPECT_NEAR(values(diff)[i], -0.75 * slope, 3e-6 * std::max(1., std::fabs(slope)))
                    << int(a) << " at " << at;
            }
        }
}

// NaN goes through every function; infinities give limits.
TEST(Eltwise, special_values) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const memory::desc md({4}, dt::f32, tag::a);
    const auto of = [&](alg a, float alpha = 0, float beta = 0) {
        const memory m = memory_of(md, {nan, -inf, inf, -1});
        run(eltwise_forward({cpu(), prop_kind::forward_inference, a, md, md, alpha, beta}),
            {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
        return values(m);
    };
    for (const Function& fn : functions)
        EXPECT_TRUE(std::isnan(of(fn.forward, fn.alpha, fn.beta)[0])) << int(fn.forward);
    EXPECT_TRUE(std::isnan(of(alg::eltwise_round)[0]));
    for (const alg a : {alg::eltwise_gelu_tanh, alg::eltwise_gelu_erf, alg::eltwise_mish}) {
        EXPECT_EQ(of(a)[1], 0) << int(a);
        EXPECT_EQ(of(a)[2], inf) << int(a);
    }
    EXPECT_EQ(of(alg::eltwise_swish, 1)[1], 0);
    EXPECT_EQ(of(alg::eltwise_swish, 1)[2], inf);
    EXPECT_EQ(of(alg::eltwise_exp)[1], 0);
    EXPECT_EQ(of(alg::eltwise_exp)[2], inf);
    EXPECT_EQ(of(alg::eltwise_tanh)[1], -1);
    EXPECT_EQ(of(alg::eltwise_logistic)[2], 1);
    EXPECT_EQ(of(alg::eltwise_hardswish, 1.f / 6, 0.5f)[1], 0);
    EXPECT_TRUE(std::isnan(of(alg::eltwise_sqrt)[3]));
    EXPECT_TRUE(std::isnan(of(alg::eltwise_log)[3]));
    EXPECT_TRUE(std::isnan(of(alg::eltwise_pow, 1, 0.5f)[3]));
}

TEST(Eltwise, tensors_of_post_ops_are_arguments) {
    const memory::desc md({2, 3, 2, 2}, dt::f32, tag::acdb), channel({1, 3, 1, 1}, dt::f32, tag::abcd);
    const memory::desc open({2, 3, 2, 2}, dt::f32, tag::any);
    post_ops chain;
    chain.append_binary(alg::binary_add, channel);
    chain.append_sum(2.f);
    chain.append_binary(alg::binary_mul, open);
    chain.append_prelu(2);
    primitive_attr attr;
    attr.set_post_ops(chain);
    const eltwise_forward::primitive_desc pd(cpu(), prop_kind::forward_inference, alg::eltwise_linear, md, md, 1.f, 0.f,
                                             attr);
    const int first = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
    const int third = DNNL_ARG_ATTR_MULTIPLE_POST_OP(2) | DNNL_ARG_SRC_1;
    const int fourth = DNNL_ARG_ATTR_MULTIPLE_POST_OP(3) | DNNL_ARG_WEIGHTS;
    EXPECT_EQ(pd.query_md(query::exec_arg_md, first), channel);
    EXPECT_EQ(pd.query_md(query::exec_arg_md, third), md);
    EXPECT_EQ(pd.query_md(query::exec_arg_md, fourth), channel);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd.get(), dnnl_query_num_of_inputs_s32, 0), 4);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd.get(), dnnl_query_num_of_outputs_s32, 0), 1);

    std::vector<float> x, w;
    for (int i = 0; i < 24; ++i) x.push_back(float(i) - 12), w.push_back(i % 2 ? 1.5f : -1);
    const memory src = memory_of(md, x), dst = memory_of(md, std::vector<float>(24, 0.5f));
    const std::unordered_map<int, memory> args{{DNNL_ARG_SRC, src},
                                               {DNNL_ARG_DST, dst},
                                               {first, memory_of(channel, {10, 20, 30})},
                                               {third, memory_of(md, w)},
                                               {fourth, memory_of(channel, {0.5f, 0.25f, 2})}};
    run(eltwise_forward(pd), args);
    for (size_t i = 0; i < 24; ++i) {
        const size_t c = i % 3; // channels lie innermost
        float v = (x[i] + 10 * float(c + 1) + 1) * w[i];
        if (v <= 0) v *= std::vector<float>{0.5f, 0.25f, 2}[c];
        EXPECT_EQ(values(dst)[i], v) << i;
    }

    // One that is missing is named as it is written.
    for (const auto& [id, name] : {std::pair{first, "MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1"},
                                   {fourth, "MULTIPLE_POST_OP(3) | DNNL_ARG_WEIGHTS"}}) {
        auto fewer = args;
        fewer.erase(id);
        try {
            run(eltwise_forward(pd), fewer);
            ADD_FAILURE() << "no refusal";
        } catch (const error& e) {
            EXPECT_EQ(e.status, dnnl_invalid_arguments);
            EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
        }
    }
    auto wrong = args;
    wrong[first] = memory_of({{1, 1, 1, 2}, dt::f32, tag::abcd}, {1, 2}); // two values for three
    EXPECT_THROW(run(eltwise_forward(pd), wrong), error);
    // In place: src and a tensor of a post-op that lies as dst does; others would be overwritten before they are read.
    auto same = args;
    same[DNNL_ARG_SRC] = dst;
    EXPECT_NO_THROW(run(eltwise_forward(pd), same));
    same[third] = dst;
    EXPECT_NO_THROW(run(eltwise_forward(pd), same));
    same[fourth] = memory(channel, cpu(), dst.get_data_handle());
    EXPECT_THROW(run(eltwise_forward(pd), same), error);
}

TEST(Eltwise, queries) {
    const memory::desc md({2, 3}, dt::bf16, tag::ba), open({2, 3}, dt::bf16, tag::any);
    const eltwise_forward::primitive_desc pd(cpu(), prop_kind::forward_inference, alg::eltwise_elu, md, open, 0.5f,
                                             0.25f);
    EXPECT_EQ(pd.get_algorithm(), alg::eltwise_elu);
    EXPECT_EQ(pd.get_alpha(), 0.5f);
    EXPECT_EQ(pd.get_beta(), 0.25f);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::forward_inference);
    EXPECT_EQ(pd.src_desc(), md);
    EXPECT_EQ(pd.dst_desc(), md);
    EXPECT_EQ(pd.get_kind(), primitive::kind::eltwise);
    const eltwise_backward::primitive_desc back(cpu(), alg::eltwise_elu, open, open, md, 0.5f, 0.f, pd);
    EXPECT_EQ(back.diff_src_desc(), md);
    EXPECT_EQ(back.diff_dst_desc(), md);
    EXPECT_EQ(back.get_prop_kind(), prop_kind::backward_data);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(back.get(), dnnl_query_num_of_inputs_s32, 0), 2);
}

TEST(Eltwise, hint_is_optional_in_c) {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    dnnl_primitive_desc_t pd = nullptr;
    EXPECT_EQ(dnnl_eltwise_backward_primitive_desc_create(&pd, cpu().get(), dnnl_eltwise_tanh, md.get(), md.get(),
                                                          md.get(), 0, 0, nullptr, nullptr),
              dnnl_success);
    dnnl_primitive_desc_t again = nullptr;
    EXPECT_EQ(dnnl_eltwise_backward_primitive_desc_create(&again, cpu().get(), dnnl_eltwise_tanh, md.get(), md.get(),
                                                          md.get(), 0, 0, pd, nullptr),
              dnnl_invalid_arguments); // a backward one is none
    dnnl_primitive_desc_destroy(pd);
}

TEST(Eltwise, no_elements_no_buffers) {
    const memory::desc md({0, 3}, dt::f32, tag::ab);
    const memory none(md, cpu(), nullptr);
    run(eltwise_forward({cpu(), prop_kind::forward_inference, alg::eltwise_exp, md, md}),
        {{DNNL_ARG_SRC, none}, {DNNL_ARG_DST, none}});
}

// Mask and values are those of the other implementation; in place, too, and with the mask's layout left open.
TEST(Eltwise, dropout) {
    const memory::desc md({2, 3, 4, 4}, dt::f32, tag::abcd), open({2, 3, 4, 4}, dt::u8, tag::any);
    const char* const kept = "01000111111011010100001001000100"; // of the first 32 elements
    for (const bool on_host : {false, true}) {
        primitive_attr attr;
        attr.set_dropout(open, dt::s64, true, on_host);
        const eltwise_forward::primitive_desc pd(cpu(), prop_kind::forward_training, alg::eltwise_relu, md, md, 0.f,
                                                 0.f, attr);
        const memory::desc mask_md = pd.query_md(query::exec_arg_md, DNNL_ARG_ATTR_DROPOUT_MASK);
        EXPECT_EQ(mask_md, memory::desc({2, 3, 4, 4}, dt::u8, tag::abcd));
        memory data = memory_of(md, std::vector<float>(96, 3.f)), mask(mask_md, cpu());
        memory probability, seed, offset;
        if (on_host) {
            probability = memory(memory::desc::host_scalar(dt::f32), 0.5f);
            seed = memory(memory::desc::host_scalar(dt::s64), int64_t(5));
            offset = memory(memory::desc::host_scalar(dt::s64), int64_t(9));
        } else {
            probability = memory_of(memory::desc({1}, dt::f32, tag::a), {0.5f});
            seed = memory(memory::desc({1}, dt::s64, tag::a), cpu());
            offset = memory(memory::desc({1}, dt::s64, tag::a), cpu());
            *static_cast<int64_t*>(seed.get_data_handle()) = 5;
            *static_cast<int64_t*>(offset.get_data_handle()) = 9;
        }
        std::unordered_map<int, memory> args{{DNNL_ARG_SRC, data},
                                             {DNNL_ARG_DST, data},
                                             {DNNL_ARG_ATTR_DROPOUT_MASK, mask},
                                             {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, probability},
                                             {DNNL_ARG_ATTR_DROPOUT_SEED, seed}};
        EXPECT_THROW(run(eltwise_forward(pd), args), error) << "no offset";
        args[DNNL_ARG_ATTR_DROPOUT_OFFSET] = offset;
        run(eltwise_forward(pd), args);
        const uint8_t* const m = static_cast<const uint8_t*>(mask.get_data_handle());
        for (size_t i = 0; i < 32; ++i) {
            EXPECT_EQ(m[i], kept[i] - '0') << i;
            EXPECT_EQ(values(data)[i], m[i] ? 6.f : 0.f) << i;
        }
        args[DNNL_ARG_ATTR_DROPOUT_SEED] = memory_of(memory::desc({1}, dt::f32, tag::a), {0.f});
        EXPECT_THROW(run(eltwise_forward(pd), args), error) << "a seed of another type";
    }
}
