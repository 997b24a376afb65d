// SPDX-License-Identifier: Apache-2.0
// What a refusal names as possible works: each case is refused for one type, its reason lists others, and each of these
// makes the same problem possible. Reasons that only a sparse factor or a run-time dim explains name it.
// covers: STA-03 STA-06 ACC-01
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_tessera.h"

namespace {

using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using md = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class Suggestions : public testing::Test {
protected:
    dnnl::engine cpu{dnnl::engine::kind::cpu, 0};

    static std::string reason(const std::function<void()>& call) {
        try {
            call();
        } catch (const dnnl::error& e) { return dnnl_tessera_last_error(); }
        return "";
    }

    // `make` with `wrong` is refused with `start`, the names of `possible`, and perhaps more; with each of them it
    // works.
    static void expect(const std::function<void(dt)>& make, dt wrong, const std::string& start,
                       const std::vector<dt>& possible) {
        std::string text = start;
        for (const dt type : possible)
            text += (text == start ? "" : ", ") + std::string(dnnl_dt2str(dnnl_data_type_t(int(type))));
        EXPECT_EQ(reason([&] { make(wrong); }).find(text), 0u) << reason([&] { make(wrong); }) << "\nbut not\n" << text;
        for (const dt type : possible) EXPECT_EQ(reason([&] { make(type); }), "") << start;
    }

    static md image(dt type) { return {{1, 4, 6, 6}, type, tag::nchw}; }
    static md filter(dt type) { return {{4, 4, 1, 1}, type, tag::oihw}; }
    static md vector(dt type) { return {{4}, type, tag::a}; }
    static md matrix(dt type, memory::dim rows = 2, memory::dim columns = 6) {
        return {{rows, columns}, type, tag::ab};
    }
    void convolve(dt src, dt weights, dt bias, dt dst) const {
        const memory::dims ones = {1, 1}, zeros = {0, 0};
        dnnl::convolution_forward::primitive_desc(cpu, prop_kind::forward_inference, algorithm::convolution_direct,
                                                  image(src), filter(weights), vector(bias), image(dst), ones, zeros,
                                                  zeros);
        dnnl::deconvolution_forward::primitive_desc(cpu, prop_kind::forward_inference, algorithm::deconvolution_direct,
                                                    image(src), filter(weights), vector(bias), image(dst), ones, zeros,
                                                    zeros);
    }
    void multiply(const md& src, const md& weights, const md& dst, const dnnl::primitive_attr& attr = {}) const {
        dnnl::matmul::primitive_desc(cpu, src, weights, dst, attr);
    }
};

const std::vector<dt> floats = {dt::f32, dt::bf16, dt::f16, dt::f8_e5m2, dt::f8_e4m3};
const std::vector<dt> computed = {dt::f32, dt::bf16, dt::f16, dt::f8_e5m2, dt::f8_e4m3, dt::s32, dt::s8, dt::u8};

TEST_F(Suggestions, Convolution) {
    const auto alike = [&](dt t) { convolve(t, t, t, t); };
    expect(alike, dt::f64, "convolution: src is f64; possible are ", floats);
    expect(alike, dt::s32, "convolution: src is s32; possible are ", floats);
    for (const dt t : {dt::u8, dt::s8}) EXPECT_EQ(reason([&] { convolve(t, dt::s8, dt::f32, t); }), "");
    expect([&](dt t) { convolve(dt::f32, t, dt::f32, dt::f32); }, dt::f64,
           "convolution: weights is f64 where src is f32; possible are ", {dt::f32, dt::bf16, dt::f16});
    expect([&](dt t) { convolve(dt::f32, dt::f32, dt::f32, t); }, dt::f64,
           "convolution: dst is f64 where src is f32; possible are ", {dt::f32, dt::u8, dt::s8});
    expect([&](dt t) { convolve(dt::bf16, dt::bf16, t, dt::f32); }, dt::s32,
           "convolution: bias is s32 where src is bf16; possible are ", {dt::bf16, dt::f32});
    expect([&](dt t) { convolve(dt::u8, dt::s8, dt::f32, t); }, dt::f64,
           "convolution: dst is f64 where src is u8; possible are ",
           {dt::u8, dt::s8, dt::s32, dt::f32, dt::bf16, dt::f16});
}

TEST_F(Suggestions, InnerProduct) {
    const auto forward = [&](dt src, dt weights, dt dst) {
        dnnl::inner_product_forward::primitive_desc(cpu, prop_kind::forward_inference, matrix(src),
                                                    matrix(weights, 4, 6), matrix(dst, 2, 4));
    };
    const dnnl::inner_product_forward::primitive_desc hint(cpu, prop_kind::forward_training, matrix(dt::f32),
                                                           matrix(dt::f32, 4, 6), matrix(dt::f32, 2, 4));
    const auto backward = [&](dt t) {
        dnnl::inner_product_backward_data::primitive_desc(cpu, matrix(t), matrix(t, 4, 6), matrix(t, 2, 4), hint);
    };
    expect([&](dt t) { forward(t, t, t); }, dt::f64, "inner_product: src is f64; possible are ", floats);
    expect([&](dt t) { forward(dt::f16, dt::f16, t); }, dt::f64,
           "inner_product: dst is f64 where src is f16; possible are ", {dt::f16, dt::f32, dt::u8, dt::s8});
    for (const dt wrong : {dt::f64, dt::s32, dt::s8})
        expect(backward, wrong,
               "inner_product: weights is " + std::string(dnnl_dt2str(dnnl_data_type_t(int(wrong)))) +
                   "; gradients are of ",
               floats);
}

TEST_F(Suggestions, PointwiseAndSums) {
    const auto eltwise = [&](algorithm alg) {
        return [&, alg](dt t) {
            dnnl::eltwise_forward::primitive_desc(cpu, prop_kind::forward_inference, alg, matrix(t), matrix(t));
        };
    };
    expect(eltwise(algorithm::eltwise_relu), dt::f64, "eltwise: src is f64; ", computed);
    expect(eltwise(algorithm::eltwise_tanh), dt::f64, "eltwise: src is f64; ", floats); // integers take three functions
    const dnnl::eltwise_forward::primitive_desc hint(cpu, prop_kind::forward_training, algorithm::eltwise_relu,
                                                     matrix(dt::f32), matrix(dt::f32));
    const auto gradient = [&](dt t) {
        dnnl::eltwise_backward::primitive_desc(cpu, algorithm::eltwise_relu, matrix(t), matrix(t), matrix(t), 0, 0,
                                               hint);
    };
    expect(gradient, dt::f64, "eltwise: src is f64; ", floats);
    const auto add = [&](dt a, dt b, dt c) {
        dnnl::binary::primitive_desc(cpu, algorithm::binary_add, matrix(a), matrix(b), matrix(c));
    };
    expect([&](dt t) { add(t, dt::f32, dt::f32); }, dt::f64, "binary: src is f64; ", computed);
    expect([&](dt t) { add(dt::f32, t, dt::f32); }, dt::s64, "binary: src_1 is s64; ", computed);
    expect([&](dt t) { add(dt::f32, dt::f32, t); }, dt::e8m0, "binary: dst is e8m0; ", computed);
    expect([&](dt t) { dnnl::sum::primitive_desc(cpu, matrix(dt::f32), {1.f}, {matrix(t)}); }, dt::f64,
           "sum: src 0 is f64; ", computed);
    expect(
        [&](dt t) {
            dnnl::reduction::primitive_desc(cpu, algorithm::reduction_sum, matrix(t), matrix(dt::f32, 2, 1), 0, 0);
        },
        dt::f64, "reduction: src is f64; ", computed);
    expect(
        [&](dt t) {
            dnnl::softmax_forward::primitive_desc(cpu, prop_kind::forward_inference, algorithm::softmax_accurate,
                                                  matrix(dt::f32), matrix(t), 1);
        },
        dt::f64, "softmax: dst is f64; ", computed);
    expect([&](dt t) { multiply(matrix(dt::f32), matrix(dt::f32, 6, 4), matrix(t, 2, 4)); }, dt::f64,
           "matmul: dst is f64; ", computed);
}

TEST_F(Suggestions, Normalizations) {
    const auto throughout = [](dt t) { return md({1, 4, 4, 4}, t, tag::nchw); };
    const auto statistics = dnnl::normalization_flags::none;
    expect(
        [&](dt t) {
            dnnl::batch_normalization_forward::primitive_desc(cpu, prop_kind::forward_training, throughout(t),
                                                              throughout(t), 1e-5f, statistics);
        },
        dt::f64, "batch_normalization: src is f64; ", {dt::f32, dt::bf16, dt::f16});
    expect(
        [&](dt t) {
            dnnl::batch_normalization_forward::primitive_desc(cpu, prop_kind::forward_inference, throughout(t),
                                                              throughout(t), 1e-5f,
                                                              dnnl::normalization_flags::use_global_stats);
        },
        dt::s8, "", {}); // what the former names beside them
}

// ---- accumulation modes: those that the sums meet are accepted

TEST_F(Suggestions, AccumulationModes) {
    const auto with = [&](dnnl::accumulation_mode mode, const std::function<void(const dnnl::primitive_attr&)>& make) {
        dnnl::primitive_attr attr;
        attr.set_accumulation_mode(mode);
        return reason([&] { make(attr); });
    };
    const auto of_floats = [&](const dnnl::primitive_attr& attr) {
        multiply(matrix(dt::bf16), matrix(dt::bf16, 6, 4), matrix(dt::bf16, 2, 4), attr);
    };
    const auto of_integers = [&](const dnnl::primitive_attr& attr) {
        multiply(matrix(dt::u8), matrix(dt::s8, 6, 4), matrix(dt::s32, 2, 4), attr);
    };
    const auto of_rows = [&](const dnnl::primitive_attr& attr) {
        dnnl::softmax_forward::primitive_desc(cpu, prop_kind::forward_inference, algorithm::softmax_accurate,
                                              matrix(dt::s8), matrix(dt::f32), 1, attr);
    };
    using mode = dnnl::accumulation_mode;
    for (const mode m : {mode::strict, mode::relaxed, mode::any})
        for (const auto& make : {std::function<void(const dnnl::primitive_attr&)>(of_floats), {of_integers}, {of_rows}})
            EXPECT_EQ(with(m, make), "");
    for (const mode m : {mode::f32, mode::f16}) {
        EXPECT_EQ(with(m, of_floats), "");
        EXPECT_EQ(with(m, of_rows), "");
    }
    EXPECT_EQ(with(mode::s32, of_integers), "");
    const std::string others =
        ": only integers by integers are summed in s32; strict, relaxed, any, f32, f16 are possible";
    EXPECT_EQ(with(mode::s32, of_floats), "matmul: accumulation mode s32" + others);
    EXPECT_EQ(with(mode::s32, of_rows), "softmax: accumulation mode s32" + others);
    const std::string exact = ": integers by integers are summed in s32; strict, relaxed, any, s32 are possible";
    EXPECT_EQ(with(mode::f32, of_integers), "matmul: accumulation mode f32" + exact);
    EXPECT_EQ(with(mode::f16, of_integers), "matmul: accumulation mode f16" + exact);
}

// Whatever mode allows less, sums of f16 stay f32: 4096 ones and a last 1 that f16 would lose.
TEST_F(Suggestions, SumsAreAsStrictUnderEveryMode) {
    constexpr memory::dim k = 4097;
    memory src(matrix(dt::f32, 1, k), cpu), weights(matrix(dt::f32, k, 1), cpu), dst(matrix(dt::f32, 1, 1), cpu);
    std::fill_n(static_cast<float*>(src.get_data_handle()), k, 1.f);
    std::fill_n(static_cast<float*>(weights.get_data_handle()), k, 1.f);
    memory src16(matrix(dt::f16, 1, k), cpu), weights16(matrix(dt::f16, k, 1), cpu);
    dnnl::stream stream(cpu);
    dnnl::reorder(src, src16).execute(stream, src, src16);
    dnnl::reorder(weights, weights16).execute(stream, weights, weights16);
    using mode = dnnl::accumulation_mode;
    for (const mode m : {mode::strict, mode::relaxed, mode::any, mode::f32, mode::f16}) {
        dnnl::primitive_attr attr;
        attr.set_accumulation_mode(m);
        const dnnl::matmul::primitive_desc pd(cpu, src16.get_desc(), weights16.get_desc(), dst.get_desc(), attr);
        dnnl::matmul(pd).execute(stream, {{DNNL_ARG_SRC, src16}, {DNNL_ARG_WEIGHTS, weights16}, {DNNL_ARG_DST, dst}});
        stream.wait();
        EXPECT_EQ(*static_cast<float*>(dst.get_data_handle()), float(k)) << int(m);
    }
}

// ---- reasons behind a reason

TEST_F(Suggestions, ASparseFactorIsNamedAsTheReason) {
    const md csr = md::csr({2, 6}, dt::f32, 3, dt::s32, dt::s32), coo = md::coo({6, 4}, dt::f32, 3, dt::s32);
    const md dense = matrix(dt::f32, 6, 4), dst = matrix(dt::f32, 2, 4);
    dnnl::primitive_attr relu, scaled;
    dnnl::post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0, 0);
    relu.set_post_ops(ops);
    scaled.set_scales_mask(DNNL_ARG_SRC, 0);
    EXPECT_EQ(reason([&] { multiply(csr, dense, dst); }), "");
    EXPECT_EQ(reason([&] { multiply(csr, dense, dst, relu); }),
              "matmul: src is sparse (csr): post-ops are not possible; apply them with their own primitive");
    EXPECT_EQ(reason([&] { multiply(matrix(dt::f32), coo, dst, relu); }),
              "matmul: weights are sparse (coo): post-ops are not possible; apply them with their own primitive");
    EXPECT_EQ(reason([&] { multiply(csr, dense, dst, scaled); }),
              "matmul: src is sparse (csr): scales of src are not possible; multiply dst by them, with the primitive "
              "binary");
    EXPECT_NE(reason([&] {
                  multiply(csr, dense, matrix(dt::f32, 2, 4).reshape({1, 2, 4}));
              }).find("MxK"),
              std::string::npos); // a contradiction without it, too
    dnnl::primitive_attr rounded;
    rounded.set_rounding_mode(DNNL_ARG_DST, dnnl::rounding_mode::stochastic);
    EXPECT_EQ(reason([&] { multiply(csr, dense, dst, rounded); }),
              "matmul: src is sparse (csr): stochastic rounding of dst is not possible here; the default follows the "
              "rounding mode of the environment");
    const std::string bytes = reason([&] { multiply(md::csr({2, 6}, dt::f32, 3, dt::u8, dt::s32), dense, dst); });
    EXPECT_EQ(bytes,
              "matmul: src is sparse with indices of u8; s32 is possible"); // as oneDNN: not when it is described
}

TEST_F(Suggestions, ARunTimeDimIsExplained) {
    constexpr memory::dim open = DNNL_RUNTIME_DIM_VAL;
    const std::string words = "; * is a run-time dim (DNNL_RUNTIME_DIM_VAL): ";
    const md rows = matrix(dt::f32, open, 6), depth = matrix(dt::f32, 2, open), weights = matrix(dt::f32, 6, 4),
             dst = matrix(dt::f32, 2, 4);
    const auto explained = [&](const std::string& text) { return text.find(words) != text.npos; };
    EXPECT_TRUE(explained(reason([&] { multiply(depth, weights, dst); })));
    EXPECT_TRUE(explained(reason([&] { multiply(rows, weights, dst); })));
    EXPECT_TRUE(explained(reason([&] { dnnl::reorder::primitive_desc(cpu, rows, cpu, matrix(dt::f32)); })));
    EXPECT_TRUE(explained(reason([&] { md({open, 6}, dt::f32, tag::abc); })));
    // What it advises: its number, or * on both sides.
    EXPECT_EQ(reason([&] { multiply(matrix(dt::f32), weights, dst); }), "");
    EXPECT_EQ(reason([&] { multiply(rows, weights, matrix(dt::f32, open, 4)); }), "");
    // Texts that say so themselves, and stars of other origin.
    EXPECT_FALSE(explained(reason([&] { md({open, 6}, dt::f32, tag::any); })));
    EXPECT_FALSE(explained(reason([&] { md({open, -6}, dt::f32, tag::ab); })));
    dnnl_memory_desc_t none = nullptr;
    const dnnl_dims_t dims = {2, 6};
    EXPECT_EQ(dnnl_memory_desc_create_with_string_tag(&none, 2, dims, dnnl_f32, "*"), dnnl_invalid_arguments);
    EXPECT_FALSE(explained(dnnl_tessera_last_error())) << dnnl_tessera_last_error();
}

} // namespace
