// SPDX-License-Identifier: Apache-2.0
// Each operation descriptor of the previous version's spelling states the same problem as the present
// constructor: both end with the same status, and both descriptors answer every query alike.
// covers: CPP-209 SHU-15 RNN-67 POO-15 SOF-03 ELT-30

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using md = memory::desc;
using dims = memory::dims;
using tag = memory::format_tag;

namespace {

const engine& cpu() {
    static const engine eng(engine::kind::cpu, 0);
    return eng;
}

md f32(const dims& d, tag t) { return md(d, memory::data_type::f32, t); }

template <typename Primitive> using PdOf = typename Primitive::primitive_desc;

template <typename PD> struct Made {
    dnnl_status_t status = dnnl_success;
    PD pd;
};

template <typename PD, typename Make> Made<PD> made(Make make) {
    Made<PD> m;
    try {
        m.pd = make();
    } catch (const error& e) { m.status = e.status; }
    return m;
}

void expect_same(const primitive_desc_base& a, const primitive_desc_base& b) {
    EXPECT_EQ(a.get_kind(), b.get_kind());
    EXPECT_EQ(a.get_prop_kind(), b.get_prop_kind());
    EXPECT_EQ(a.get_algorithm(), b.get_algorithm());
    EXPECT_EQ(a.get_strides(), b.get_strides());
    EXPECT_EQ(a.get_dilations(), b.get_dilations());
    EXPECT_EQ(a.get_padding_l(), b.get_padding_l());
    EXPECT_EQ(a.get_padding_r(), b.get_padding_r());
    EXPECT_EQ(a.get_kernel(), b.get_kernel());
    EXPECT_EQ(a.get_factors(), b.get_factors());
    EXPECT_EQ(a.get_alpha(), b.get_alpha());
    EXPECT_EQ(a.get_beta(), b.get_beta());
    EXPECT_EQ(a.get_epsilon(), b.get_epsilon());
    EXPECT_EQ(a.get_flags(), b.get_flags());
    EXPECT_EQ(a.get_axis(), b.get_axis());
    EXPECT_EQ(a.get_group_size(), b.get_group_size());
    EXPECT_EQ(a.get_local_size(), b.get_local_size());
    EXPECT_EQ(a.get_k(), b.get_k());
    EXPECT_EQ(a.get_p(), b.get_p());
    EXPECT_EQ(a.get_cell_kind(), b.get_cell_kind());
    EXPECT_EQ(a.get_direction(), b.get_direction());
    EXPECT_EQ(a.get_activation_kind(), b.get_activation_kind());
    for (int arg : {1,  2,   3,   4,   17,  18,  19,  33,  34,  35,  36,  41,  49,  50,  51, 52,
                    64, 129, 130, 131, 132, 145, 146, 147, 161, 162, 163, 164, 169, 255, 256})
        EXPECT_TRUE(a.query_md(query::exec_arg_md, arg) == b.query_md(query::exec_arg_md, arg)) << "argument " << arg;
}

} // namespace

// SAME(class, v2 expression of a primitive_desc, present one): defines `name` for later hints.
#define SAME(name, cls, old_form, new_form)                                                                            \
    SCOPED_TRACE(#cls);                                                                                                \
    using name##_type = PdOf<cls>;                                                                                     \
    const auto name = made<name##_type>([&] { return name##_type old_form; });                                         \
    const auto name##_now = made<name##_type>([&] { return name##_type new_form; });                                   \
    ASSERT_EQ(name.status, name##_now.status);                                                                         \
    if (name.status != dnnl_success) return;                                                                           \
    expect_same(name.pd, name##_now.pd)

namespace {
const prop_kind train = prop_kind::forward_training;
const prop_kind infer = prop_kind::forward_inference;
const md none;
} // namespace

TEST(SameProblem, Convolution) {
    const md src = f32({2, 4, 9, 9}, tag::nchw), wei = f32({6, 4, 3, 3}, tag::oihw), bia = f32({6}, tag::x);
    const md dst = f32({2, 6, 5, 5}, tag::nchw), dilated = f32({2, 6, 4, 4}, tag::nchw);
    const dims s = {2, 2}, d = {1, 1}, l = {1, 1}, r = {1, 1};
    const algorithm direct = algorithm::convolution_direct;
    using fwd = convolution_forward;
    SAME(a, fwd, (fwd::desc(train, direct, src, wei, bia, dst, s, l, r), cpu()),
         (cpu(), train, direct, src, wei, bia, dst, s, l, r));
    SAME(b, fwd, (fwd::desc(train, direct, src, wei, dst, s, l, r), primitive_attr(), cpu()),
         (cpu(), train, direct, src, wei, dst, s, l, r));
    EXPECT_TRUE(b.pd.bias_desc().is_zero());
    EXPECT_TRUE(a.pd.bias_desc() == bia);
    SAME(c, fwd, (fwd::desc(train, direct, src, wei, bia, dilated, s, d, l, r), cpu()),
         (cpu(), train, direct, src, wei, bia, dilated, s, d, l, r));
    EXPECT_EQ(c.pd.get_dilations(), d);
    using bwd = convolution_backward_data;
    SAME(e, bwd, (bwd::desc(direct, src, wei, dst, s, l, r), cpu(), a.pd),
         (cpu(), direct, src, wei, dst, s, l, r, a.pd));
    using wgt = convolution_backward_weights;
    SAME(f, wgt, (wgt::desc(direct, src, wei, bia, dst, s, l, r), cpu(), a.pd),
         (cpu(), direct, src, wei, bia, dst, s, l, r, a.pd));
    EXPECT_TRUE(f.pd.diff_bias_desc() == bia);
    SAME(g, wgt, (wgt::desc(direct, src, wei, dilated, s, d, l, r), primitive_attr(), cpu(), c.pd),
         (cpu(), direct, src, wei, dilated, s, d, l, r, c.pd));
}

TEST(SameProblem, Deconvolution) {
    const md src = f32({2, 4, 5, 5}, tag::nchw), wei = f32({6, 4, 3, 3}, tag::oihw), bia = f32({6}, tag::x);
    const md dst = f32({2, 6, 9, 9}, tag::nchw);
    const dims s = {2, 2}, l = {1, 1}, r = {1, 1};
    const algorithm direct = algorithm::deconvolution_direct;
    using fwd = deconvolution_forward;
    SAME(a, fwd, (fwd::desc(train, direct, src, wei, bia, dst, s, l, r), cpu()),
         (cpu(), train, direct, src, wei, bia, dst, s, l, r));
    using bwd = deconvolution_backward_data;
    SAME(b, bwd, (bwd::desc(direct, src, wei, dst, s, l, r), cpu(), a.pd),
         (cpu(), direct, src, wei, dst, s, l, r, a.pd));
    using wgt = deconvolution_backward_weights;
    SAME(c, wgt, (wgt::desc(direct, src, wei, bia, dst, s, l, r), cpu(), a.pd),
         (cpu(), direct, src, wei, bia, dst, s, l, r, a.pd));
}

TEST(SameProblem, InnerProductAndMatmul) {
    const md src = f32({3, 8}, tag::nc), wei = f32({5, 8}, tag::oi), bia = f32({5}, tag::x), dst = f32({3, 5}, tag::nc);
    using fwd = inner_product_forward;
    SAME(a, fwd, (fwd::desc(train, src, wei, bia, dst), cpu()), (cpu(), train, src, wei, bia, dst));
    SAME(b, fwd, (fwd::desc(infer, src, wei, dst), cpu()), (cpu(), infer, src, wei, dst));
    using bwd = inner_product_backward_data;
    SAME(c, bwd, (bwd::desc(src, wei, dst), cpu(), a.pd), (cpu(), src, wei, dst, a.pd));
    using wgt = inner_product_backward_weights;
    SAME(d, wgt, (wgt::desc(src, wei, bia, dst), cpu(), a.pd), (cpu(), src, wei, bia, dst, a.pd));
    const md k = f32({8, 5}, tag::ab), row = f32({1, 5}, tag::ab);
    SAME(e, matmul, (matmul::desc(src, k, dst), cpu()), (cpu(), src, k, dst));
    SAME(f, matmul, (matmul::desc(src, k, row, dst), primitive_attr(), cpu()), (cpu(), src, k, row, dst));
    EXPECT_TRUE(e.pd.bias_desc().is_zero() && f.pd.bias_desc() == row);
}

TEST(SameProblem, Normalizations) {
    const md t = f32({2, 6, 4, 4}, tag::nchw), m = f32({3, 7, 5}, tag::tnc), stat = f32({3, 7}, tag::ab);
    const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
    EXPECT_EQ(flags, normalization_flags::use_scale_shift);
    using bf = batch_normalization_forward;
    SAME(a, bf, (bf::desc(train, t, 0.5f, flags), cpu()), (cpu(), train, t, t, 0.5f, flags));
    EXPECT_EQ(a.pd.get_flags(), flags);
    EXPECT_EQ(a.pd.mean_desc().get_dims(), (dims{6}));
    using bb = batch_normalization_backward;
    SAME(b, bb, (bb::desc(prop_kind::backward, t, t, 0.5f, flags), cpu(), a.pd),
         (cpu(), prop_kind::backward, t, t, t, 0.5f, flags, a.pd));
    using lf = layer_normalization_forward;
    SAME(c, lf, (lf::desc(train, m, stat, 0.5f, flags), cpu()), (cpu(), train, m, m, stat, 0.5f, flags));
    EXPECT_TRUE(c.pd.mean_desc() == stat && c.pd.variance_desc() == stat);
    SAME(d, lf, (lf::desc(infer, m, 0.5f, normalization_flags::use_global_stats), cpu()),
         (cpu(), infer, m, m, 0.5f, normalization_flags::use_global_stats));
    EXPECT_EQ(d.pd.mean_desc().get_dims(), (dims{3, 7}));
    using lb = layer_normalization_backward;
    SAME(e, lb, (lb::desc(prop_kind::backward, m, m, stat, 0.5f, flags), cpu(), c.pd),
         (cpu(), prop_kind::backward, m, m, m, stat, 0.5f, flags, c.pd));
    const algorithm across = algorithm::lrn_across_channels;
    SAME(f, lrn_forward, (lrn_forward::desc(train, across, t, 5, 1e-4f, 0.75f), cpu()),
         (cpu(), train, across, t, t, 5, 1e-4f, 0.75f, 1.f));
    SAME(g, lrn_backward, (lrn_backward::desc(across, t, t, 5, 1e-4f, 0.75f, 2.f), cpu(), f.pd),
         (cpu(), across, t, t, t, 5, 1e-4f, 0.75f, 2.f, f.pd));
}

TEST(SameProblem, Windows) {
    const md src = f32({2, 6, 8, 8}, tag::nchw), dst = f32({2, 6, 4, 4}, tag::nchw),
             small = f32({2, 6, 3, 3}, tag::nchw);
    const dims two = {2, 2}, zero = {0, 0}, one = {1, 1};
    const algorithm avg = algorithm::pooling_avg;
    using fwd = pooling_forward;
    SAME(a, fwd, (fwd::desc(train, avg, src, dst, two, two, zero, zero), cpu()),
         (cpu(), train, algorithm::pooling_avg_exclude_padding, src, dst, two, two, zero, zero, zero));
    using v2 = pooling_v2_forward;
    SAME(b, v2, (v2::desc(train, avg, src, small, two, two, one, zero, zero), cpu()),
         (cpu(), train, avg, src, small, two, two, one, zero, zero));
    SAME(c, pooling_backward, (pooling_backward::desc(avg, src, dst, two, two, zero, zero), cpu(), a.pd),
         (cpu(), avg, src, dst, two, two, zero, zero, zero, a.pd));
    const std::vector<float> half = {0.5f, 0.5f};
    const algorithm linear = algorithm::resampling_linear;
    using res = resampling_forward;
    SAME(d, res, (res::desc(train, linear, src, dst), cpu()), (cpu(), train, linear, src, dst));
    SAME(e, res, (res::desc(train, linear, half, src), cpu()), (cpu(), train, linear, half, src));
    EXPECT_EQ(e.pd.dst_desc().get_dims(), dst.get_dims());
    SAME(f, resampling_backward, (resampling_backward::desc(linear, half, src, dst), cpu(), d.pd),
         (cpu(), linear, half, src, dst, d.pd));
    const md row = f32({2, 6, 1, 1}, tag::nchw);
    SAME(g, reduction, (reduction::desc(algorithm::reduction_norm_lp_sum, src, row, 2.f, 0.5f), cpu()),
         (cpu(), algorithm::reduction_norm_lp_sum, src, row, 2.f, 0.5f));
    EXPECT_EQ(g.pd.get_p(), 2.f);
    EXPECT_EQ(g.pd.get_epsilon(), 0.5f);
}

TEST(SameProblem, Elementwise) {
    const md t = f32({2, 6, 4, 4}, tag::nchw), w = f32({1, 6, 1, 1}, tag::nchw);
    SAME(a, eltwise_forward, (eltwise_forward::desc(train, algorithm::eltwise_linear, t, 2.f, 3.f), cpu()),
         (cpu(), train, algorithm::eltwise_linear, t, t, 2.f, 3.f));
    SAME(b, eltwise_backward, (eltwise_backward::desc(algorithm::eltwise_bounded_relu, t, t, 2.f), cpu(), a.pd),
         (cpu(), algorithm::eltwise_clip, t, t, t, 0.f, 2.f, a.pd));
    SAME(c, binary, (binary::desc(algorithm::binary_mul, t, w, t), cpu()), (cpu(), algorithm::binary_mul, t, w, t));
    EXPECT_TRUE(c.pd.src1_desc() == w && c.pd.src_desc(1) == w && c.pd.src2_desc().is_zero());
    SAME(d, prelu_forward, (prelu_forward::desc(train, t, w), cpu()), (cpu(), train, t, w, t));
    SAME(e, prelu_backward, (prelu_backward::desc(t, w, t, w), cpu(), d.pd), (cpu(), t, w, t, w, t, d.pd));
    SAME(f, softmax_backward,
         (softmax_backward::desc(t, t, 1), cpu(),
          softmax_forward::primitive_desc(cpu(), train, algorithm::softmax_accurate, t, t, 1)),
         (cpu(), algorithm::softmax_accurate, t, t, t, 1,
          softmax_forward::primitive_desc(cpu(), train, algorithm::softmax_accurate, t, t, 1)));
}

namespace {
// L = 1 layer, D = 1 direction, T = 3 steps, N = 2, 4 channels in, 5 hidden, g gates.
struct Cell {
    explicit Cell(int g)
        : src(f32({3, 2, 4}, tag::tnc)), state(f32({1, 1, 2, 5}, tag::ldnc)), wl(f32({1, 1, 4, g, 5}, tag::ldigo)),
          wi(f32({1, 1, 5, g, 5}, tag::ldigo)), bias(f32({1, 1, g, 5}, tag::ldgo)), dst(f32({3, 2, 5}, tag::tnc)) {}
    md src, state, wl, wi, bias, dst;
};
const rnn_direction l2r = rnn_direction::unidirectional;
const prop_kind back = prop_kind::backward;
} // namespace

TEST(SameProblem, VanillaRnn) {
    const Cell c(1);
    const algorithm relu = algorithm::eltwise_relu;
    using fwd = vanilla_rnn_forward;
    SAME(a, fwd,
         (fwd::desc(train, relu, l2r, c.src, c.state, c.wl, c.wi, c.bias, c.dst, c.state, rnn_flags::undef, 0.5f),
          cpu()),
         (cpu(), train, relu, l2r, c.src, c.state, c.wl, c.wi, c.bias, c.dst, c.state, 0.5f));
    EXPECT_EQ(a.pd.get_alpha(), 0.5f);
    EXPECT_EQ(a.pd.get_activation_kind(), relu);
    EXPECT_TRUE(a.pd.src_layer_desc() == c.src && a.pd.bias_desc() == c.bias && a.pd.dst_iter_desc() == c.state);
    EXPECT_TRUE(a.pd.src_iter_c_desc().is_zero());
    const md any_l = f32({1, 1, 4, 1, 5}, tag::any), any_i = f32({1, 1, 5, 1, 5}, tag::any);
    using bwd = vanilla_rnn_backward;
    SAME(b, bwd,
         (bwd::desc(back, relu, l2r, c.src, c.state, any_l, any_i, c.bias, c.dst, c.state, c.src, c.state, any_l, any_i,
                    c.bias, c.dst, c.state, rnn_flags::undef, 0.5f),
          cpu(), a.pd),
         (cpu(), back, relu, l2r, c.src, c.state, any_l, any_i, c.bias, c.dst, c.state, c.src, c.state, any_l, any_i,
          c.bias, c.dst, c.state, 0.5f, a.pd));
    EXPECT_TRUE(b.pd.diff_src_layer_desc() == c.src);
}

TEST(SameProblem, Lstm) {
    const Cell c(4);
    const md peep = f32({1, 1, 3, 5}, tag::ldgo), proj = f32({1, 1, 5, 5}, tag::ldio);
    using fwd = lstm_forward;
    SAME(a, fwd, (fwd::desc(train, l2r, c.src, c.state, c.state, c.wl, c.wi, c.bias, c.dst, c.state, c.state), cpu()),
         (cpu(), train, l2r, c.src, c.state, c.state, c.wl, c.wi, c.bias, c.dst, c.state, c.state));
    SAME(b, fwd,
         (fwd::desc(train, l2r, c.src, c.state, c.state, c.wl, c.wi, peep, c.bias, c.dst, c.state, c.state), cpu()),
         (cpu(), train, l2r, c.src, c.state, c.state, c.wl, c.wi, peep, c.bias, c.dst, c.state, c.state));
    EXPECT_TRUE(b.pd.weights_peephole_desc() == peep && b.pd.bias_desc() == c.bias);
    SAME(d, fwd,
         (fwd::desc(infer, l2r, c.src, c.state, c.state, c.wl, c.wi, peep, proj, c.bias, c.dst, c.state, c.state),
          cpu()),
         (cpu(), infer, l2r, c.src, c.state, c.state, c.wl, c.wi, peep, proj, c.bias, c.dst, c.state, c.state));
    EXPECT_TRUE(d.pd.weights_projection_desc() == proj && d.pd.src_iter_c_desc() == c.state);
    const md wl = f32({1, 1, 4, 4, 5}, tag::any), wi = f32({1, 1, 5, 4, 5}, tag::any);
    using bwd = lstm_backward;
    SAME(e, bwd,
         (bwd::desc(back, l2r, c.src, c.state, c.state, wl, wi, c.bias, c.dst, c.state, c.state, c.src, c.state,
                    c.state, wl, wi, c.bias, c.dst, c.state, c.state),
          cpu(), a.pd),
         (cpu(), back, l2r, c.src, c.state, c.state, wl, wi, c.bias, c.dst, c.state, c.state, c.src, c.state, c.state,
          wl, wi, c.bias, c.dst, c.state, c.state, a.pd));
    EXPECT_TRUE(e.pd.diff_dst_iter_c_desc() == c.state);
}

// The four GRU classes share their arguments, but for the attention.
template <typename Fwd, typename Bwd> void same_gru(int bias_gates) {
    Cell c(3);
    c.bias = f32({1, 1, bias_gates, 5}, tag::ldgo);
    SAME(a, Fwd, (typename Fwd::desc(train, l2r, c.src, c.state, c.wl, c.wi, c.bias, c.dst, c.state), cpu()),
         (cpu(), train, l2r, c.src, c.state, c.wl, c.wi, c.bias, c.dst, c.state));
    const md wl = f32({1, 1, 4, 3, 5}, tag::any), wi = f32({1, 1, 5, 3, 5}, tag::any);
    SAME(b, Bwd,
         (typename Bwd::desc(back, l2r, c.src, c.state, wl, wi, c.bias, c.dst, c.state, c.src, c.state, wl, wi, c.bias,
                             c.dst, c.state),
          cpu(), a.pd),
         (cpu(), back, l2r, c.src, c.state, wl, wi, c.bias, c.dst, c.state, c.src, c.state, wl, wi, c.bias, c.dst,
          c.state, a.pd));
}

template <typename Fwd, typename Bwd> void same_augru(int bias_gates) {
    Cell c(3);
    c.bias = f32({1, 1, bias_gates, 5}, tag::ldgo);
    const md att = f32({3, 2, 1}, tag::tnc);
    SAME(a, Fwd, (typename Fwd::desc(train, l2r, c.src, c.state, att, c.wl, c.wi, c.bias, c.dst, c.state), cpu()),
         (cpu(), train, l2r, c.src, c.state, att, c.wl, c.wi, c.bias, c.dst, c.state));
    EXPECT_TRUE(a.pd.attention_desc() == att);
    const md wl = f32({1, 1, 4, 3, 5}, tag::any), wi = f32({1, 1, 5, 3, 5}, tag::any);
    SAME(b, Bwd,
         (typename Bwd::desc(back, l2r, c.src, c.state, att, wl, wi, c.bias, c.dst, c.state, c.src, c.state, att, wl,
                             wi, c.bias, c.dst, c.state),
          cpu(), a.pd),
         (cpu(), back, l2r, c.src, c.state, att, wl, wi, c.bias, c.dst, c.state, c.src, c.state, att, wl, wi, c.bias,
          c.dst, c.state, a.pd));
    EXPECT_TRUE(b.pd.diff_attention_desc() == att);
}

TEST(SameProblem, Gru) { same_gru<gru_forward, gru_backward>(3); }
TEST(SameProblem, LbrGru) { same_gru<lbr_gru_forward, lbr_gru_backward>(4); }
TEST(SameProblem, Augru) { same_augru<augru_forward, augru_backward>(3); }
TEST(SameProblem, LbrAugru) { same_augru<lbr_augru_forward, lbr_augru_backward>(4); }
