// SPDX-License-Identifier: Apache-2.0
// What the C++ wrappers add to the C calls: reasons in errors, sharing, defaults of queries, checks before
// pointers are handed over, and the translation of the previous version's spelling.
// covers: RUN-01 RUN-03 RUN-07 MEM-01 MEM-03 MEM-18 QRY-01 OBJ-01 OBJ-02 CPP-200 CPP-201 CPP-204 CPP-209

#include <cmath>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

const engine& cpu() {
    static const engine eng(engine::kind::cpu, 0);
    return eng;
}

// The error a call ends with; success is status dnnl_success.
template <typename Call> error outcome(Call call) {
    try {
        call();
    } catch (const error& e) { return e; }
    return error(dnnl_success, "");
}

memory filled(const memory::desc& md, float first, float step) {
    memory m(md, cpu());
    float* p = static_cast<float*>(m.get_data_handle());
    for (size_t i = 0; i < md.get_size() / sizeof(float); ++i) p[i] = first + step * float(i);
    return m;
}

std::vector<float> values(const memory& m) {
    const float* p = static_cast<const float*>(m.get_data_handle());
    return std::vector<float>(p, p + m.get_desc().get_size() / sizeof(float));
}

void run(const primitive& p, const std::unordered_map<int, memory>& args) {
    stream s(cpu());
    p.execute(s, args);
    s.wait();
}

std::vector<float> run_one(const primitive& p, const memory& src, const memory::desc& dst_md) {
    memory dst = filled(dst_md, -7.f, 0.f);
    run(p, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    return values(dst);
}

// What creation says when the library at hand has not built the primitive; "" when it has. Nothing but a refusal with
// the status `unimplemented` and a reason counts as "not built".
template <typename Create> std::string not_built(Create create) {
    try {
        create();
        return "";
    } catch (const error& e) {
        EXPECT_EQ(e.status, dnnl_unimplemented) << e.what();
        EXPECT_GT(std::string(e.what()).size(), 20u);
        return e.what();
    }
}

} // namespace

TEST(Error, TextOutlivesTheOriginal) {
    std::unique_ptr<error> original(new error(dnnl_unimplemented, std::string("built at run time").c_str()));
    const error copy = *original;
    original.reset();
    EXPECT_STREQ(copy.what(), "built at run time");
    EXPECT_EQ(copy.what(), copy.message);
    EXPECT_EQ(copy.status, dnnl_unimplemented);
    EXPECT_STREQ(error(dnnl_runtime_error, nullptr).what(), "");
}

TEST(Error, CarriesTheReasonOfTheLibrary) {
    const error e = outcome([] { memory::desc({2, 3}, dt::f32, tag::abc); });
    EXPECT_EQ(e.status, dnnl_invalid_arguments);
    const std::string text = e.what();
    EXPECT_EQ(text.find("could not create a memory descriptor by a tag"), 0u) << text;
    if (dnnl_tessera_last_error_cpp) {
        const std::string reason = dnnl_tessera_last_error_cpp();
        ASSERT_FALSE(reason.empty());
        EXPECT_EQ(text, "could not create a memory descriptor by a tag: " + reason);
        EXPECT_EQ(dnnl_tessera_last_error(), "dnnl_memory_desc_create_with_tag: " + reason);
    }
    EXPECT_EQ(outcome([] { error::wrap_c_api(dnnl_success, "no"); }).status, dnnl_success);
}

// Each name once, and those of C in the spelling of C++.
TEST(Error, SpeaksAsCppDoes) {
    if (!dnnl_tessera_last_error_cpp) GTEST_SKIP() << "the library at hand has no reasons for C++";
    const memory::desc a({2, 3}, dt::f32, tag::ab), b({2, 4}, dt::f32, tag::ab);
    const auto text = [](auto&& call) { return std::string(outcome(call).what()); };
    EXPECT_EQ(text([&] { reorder::primitive_desc(cpu(), a, cpu(), b); }),
              "could not create a primitive descriptor of a reorder: dimension 1 of src is 3, of dst 4; shapes must be "
              "equal (2x3 and 2x4), there is no broadcasting");
    EXPECT_EQ(text([&] { memory(memory::desc::host_scalar(dt::f32), cpu()); }),
              "could not create a memory object: a host scalar has no buffer; memory(desc, value) makes one");
    EXPECT_EQ(text([&] { engine(engine::kind(9), 0); }),
              "could not create an engine: there is no engine of kind 9; engine::kind::cpu with index 0 is there");
    const reorder move(reorder::primitive_desc(cpu(), a, cpu(), a));
    EXPECT_EQ(text([&] {
                  stream s(cpu());
                  move.execute(s, {});
              }),
              "could not execute a primitive: reorder: argument DNNL_ARG_FROM (1) is missing");
    EXPECT_EQ(dnnl_stream_wait(nullptr), dnnl_invalid_arguments);
    EXPECT_STREQ(dnnl_tessera_last_error(), "dnnl_stream_wait: stream is null");
    EXPECT_STREQ(dnnl_tessera_last_error_cpp(), "stream is null");
    EXPECT_EQ(dnnl_stream_destroy(nullptr), dnnl_success);
}

TEST(Handle, SharesAndMoves) {
    engine a(engine::kind::cpu, 0);
    engine b = a;
    EXPECT_TRUE(a == b);
    EXPECT_EQ(a.get(), b.get());
    engine c = std::move(a);
    EXPECT_TRUE(c == b);
    EXPECT_FALSE(static_cast<bool>(a));
    EXPECT_EQ(a.get(true), nullptr);
    EXPECT_EQ(outcome([&] { a.get(); }).status, dnnl_invalid_arguments);
    {
        engine weak(b.get(), true); // must not destroy b's object
    }
    EXPECT_EQ(b.get_kind(), engine::kind::cpu);
    EXPECT_TRUE(engine() == engine());
}

TEST(MemoryDesc, EmptyStandsForAbsent) {
    const memory::desc none;
    EXPECT_TRUE(none.is_zero());
    EXPECT_FALSE(static_cast<bool>(none));
    EXPECT_EQ(none.get_ndims(), 0);
    EXPECT_EQ(none.get_size(), 0u);
    EXPECT_EQ(none.get_data_type(), dt::undef);
    EXPECT_TRUE(none.get_dims().empty());
    const memory::desc no_rows({0, 3}, dt::f32, tag::ab);
    EXPECT_FALSE(no_rows.is_zero());
    EXPECT_EQ(no_rows.get_size(), 0u);
    memory::desc left = no_rows;
    const memory::desc right = std::move(left);
    EXPECT_TRUE(left == none && left.is_zero() && left.get_size() == 0); // moved from
    EXPECT_TRUE(right == no_rows && right != none);
}

TEST(MemoryDesc, AllowEmptyNeverThrows) {
    const memory::dims thirteen(13, 1);
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    EXPECT_TRUE(memory::desc({2, 3}, dt::f32, tag::abc, true).is_zero());
    EXPECT_TRUE(memory::desc(thirteen, dt::f32, tag::abc, true).is_zero());
    EXPECT_TRUE(memory::desc({2, 3}, dt::f32, memory::dims{1, 1}, true).is_zero());
    EXPECT_TRUE(memory::desc({2, 3}, dt::f32, memory::dims{3}, true).is_zero());
    EXPECT_TRUE(md.submemory_desc({3, 3}, {0, 0}, true).is_zero());
    EXPECT_TRUE(md.submemory_desc({1}, {0}, true).is_zero());
    EXPECT_TRUE(md.reshape({7}, true).is_zero());
    EXPECT_TRUE(md.permute_axes({0, 0}, true).is_zero());
    EXPECT_TRUE(md.permute_axes({0}, true).is_zero());
    EXPECT_EQ(outcome([&] { memory::desc(thirteen, dt::f32, tag::abc); }).status, dnnl_invalid_arguments);
    EXPECT_EQ(outcome([&] { memory::desc({2, 3}, dt::f32, memory::dims{3}); }).status, dnnl_invalid_arguments);
    EXPECT_EQ(outcome([&] { md.submemory_desc({1}, {0}); }).status, dnnl_invalid_arguments);
    EXPECT_EQ(outcome([&] { md.permute_axes({0}); }).status, dnnl_invalid_arguments);
}

TEST(MemoryDesc, OldAndNewGetters) {
    const memory::desc md({2, 17, 5}, dt::s8, tag::aBc16b);
    EXPECT_EQ(md.dims(), (memory::dims{2, 17, 5}));
    EXPECT_EQ(md.get_dims(), md.dims());
    EXPECT_EQ(md.data_type(), dt::s8);
    EXPECT_EQ(md.get_padded_dims(), (memory::dims{2, 32, 5}));
    EXPECT_EQ(md.get_strides(), (memory::dims{160, 80, 16}));
    EXPECT_EQ(md.get_inner_nblks(), 1);
    EXPECT_EQ(md.get_inner_blks(), (memory::dims{16}));
    EXPECT_EQ(md.get_inner_idxs(), (memory::dims{1}));
    EXPECT_EQ(md.get_format_kind(), memory::format_kind::blocked);
    EXPECT_EQ(md.get_size(), 320u);
    const memory::desc in({2, 3}, dt::f32, tag::ab);
    EXPECT_TRUE(in.permute_axes({1, 0}) == memory::desc({3, 2}, dt::f32, tag::ba));
}

TEST(Memory, Buffers) {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    float mine[6] = {};
    memory user(md, cpu(), mine);
    EXPECT_EQ(user.get_data_handle(), mine);
    EXPECT_TRUE(user.get_desc() == md);
    EXPECT_EQ(user.get_engine().get_kind(), engine::kind::cpu);
    memory owned(md, cpu());
    ASSERT_NE(owned.get_data_handle(), nullptr);
    memory none(md, cpu(), DNNL_MEMORY_NONE);
    EXPECT_EQ(none.get_data_handle(), nullptr);
    none.set_data_handle(mine, stream(cpu()));
    EXPECT_EQ(none.get_data_handle(), mine);
    float* mapped = owned.map_data<float>();
    ASSERT_NE(mapped, nullptr);
    mapped[5] = 3.f;
    owned.unmap_data(mapped);
    EXPECT_EQ(values(owned)[5], 3.f);
    memory empty;
    EXPECT_FALSE(static_cast<bool>(empty));
    EXPECT_EQ(outcome([&] { empty.get_desc(); }).status, dnnl_invalid_arguments);
}

TEST(PrimitiveDesc, QueriesThatDoNotApply) {
    const memory::desc md({2, 6}, dt::f32, tag::ab);
    const shuffle_forward::primitive_desc pd(cpu(), prop_kind::forward_inference, md, md, 1, 3);
    EXPECT_EQ(pd.get_kind(), primitive::kind::shuffle);
    EXPECT_EQ(pd.get_axis(), 1);
    EXPECT_EQ(pd.get_group_size(), 3);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::forward_inference);
    EXPECT_TRUE(pd.get_strides().empty() && pd.get_kernel().empty() && pd.get_factors().empty());
    EXPECT_EQ(pd.get_alpha(), 0.f);
    EXPECT_EQ(pd.get_local_size(), 0);
    EXPECT_EQ(pd.get_cell_kind(), algorithm::undef);
    EXPECT_EQ(pd.get_direction(), rnn_direction::undef);
    EXPECT_TRUE(pd.weights_desc().is_zero() && pd.diff_src_desc().is_zero() && pd.workspace_desc().is_zero());
    EXPECT_TRUE(pd.src_desc() == md && pd.dst_desc() == md);
    EXPECT_EQ(outcome([&] { pd.query_md(query::alg_kind); }).status, dnnl_invalid_arguments);
    EXPECT_EQ(outcome([] { shuffle_forward::primitive_desc().get_axis(); }).status, dnnl_invalid_arguments);
    const reorder::primitive_desc moved(cpu(), md, cpu(), md);
    EXPECT_EQ(moved.get_axis(), -1);
    EXPECT_EQ(moved.get_src_engine().get_kind(), engine::kind::cpu);
    EXPECT_EQ(engine::query(pd).get_kind(), engine::kind::cpu);
}

TEST(PrimitiveDesc, WrapsOnlyItsOwnKind) {
    const memory::desc md({2, 6}, dt::f32, tag::ab);
    shuffle_forward::primitive_desc pd(cpu(), prop_kind::forward_inference, md, md, 1, 3);
    const shuffle_forward::primitive_desc copy(pd.get());
    EXPECT_NE(copy.get(), pd.get());
    EXPECT_TRUE(copy.src_desc() == md);
    EXPECT_EQ(outcome([&] { softmax_forward::primitive_desc(pd.get()); }).status, dnnl_invalid_arguments);
    EXPECT_EQ(outcome([&] { shuffle_backward::primitive_desc(pd.get()); }).status, dnnl_invalid_arguments);
    EXPECT_FALSE(static_cast<bool>(shuffle_forward::primitive_desc(dnnl_primitive_desc_t(nullptr))));
}

TEST(PrimitiveDesc, ShortListsAreRefusedBeforeTheyAreRead) {
    const memory::desc src({1, 1, 4, 4}, dt::f32, tag::nchw), dst({1, 1, 2, 2}, dt::f32, tag::nchw);
    auto make = [&](const memory::dims& kernel, bool allow_empty) {
        return pooling_forward::primitive_desc(cpu(), prop_kind::forward_inference, algorithm::pooling_max, src, dst,
                                               {2, 2}, kernel, {0, 0}, {0, 0}, {0, 0}, primitive_attr(), allow_empty);
    };
    const error e = outcome([&] { make({2}, false); });
    EXPECT_EQ(e.status, dnnl_invalid_arguments);
    EXPECT_NE(std::string(e.what()).find("has 1 value; the tensors have 2 spatial dimensions"), std::string::npos)
        << e.what();
    EXPECT_FALSE(static_cast<bool>(make({2}, true)));
    EXPECT_EQ(outcome([&] { sum::primitive_desc(cpu(), {1.f}, {src, src}); }).status, dnnl_invalid_arguments);
    EXPECT_FALSE(static_cast<bool>(
        shuffle_forward::primitive_desc(cpu(), prop_kind::forward, src, src, 9, 2, primitive_attr(), true)));
}

TEST(Primitive, MoreArgumentsThanFitTheStack) {
    const memory::desc md({4}, dt::f32, tag::a);
    if (auto why = not_built([&] { sum::primitive_desc(cpu(), {1.f}, {md}); }); !why.empty()) GTEST_SKIP() << why;
    const int n = 20;
    const sum::primitive_desc pd(cpu(), md, std::vector<float>(n, 1.f), std::vector<memory::desc>(n, md));
    std::unordered_map<int, memory> args = {{DNNL_ARG_DST, filled(md, 0.f, 0.f)}};
    for (int i = 0; i < n; ++i) args[DNNL_ARG_MULTIPLE_SRC + i] = filled(md, float(i), 1.f);
    run(sum(pd), args);
    EXPECT_EQ(values(args[DNNL_ARG_DST]), (std::vector<float>{190, 210, 230, 250}));
}

TEST(OldSpelling, ShuffleThereAndBack) {
    const memory::desc md({2, 12, 3}, dt::f32, tag::abc);
    const shuffle_forward::desc op(prop_kind::forward_training, md, 1, 4);
    const shuffle_forward::primitive_desc old(op, cpu());
    const shuffle_forward::primitive_desc now(cpu(), prop_kind::forward_training, md, md, 1, 4);
    const memory src = filled(md, 1.f, 1.f);
    const std::vector<float> there = run_one(shuffle_forward(old), src, md);
    EXPECT_EQ(there, run_one(shuffle_forward(now), src, md));
    for (int u = 0; u < 3; ++u)
        for (int v = 0; v < 4; ++v) EXPECT_EQ(there[size_t(u + v * 3) * 3], values(src)[size_t(u * 4 + v) * 3]);
    const shuffle_backward::primitive_desc back(shuffle_backward::desc(md, 1, 4), cpu(), old);
    const shuffle_backward::primitive_desc with_attr(shuffle_backward::desc(md, 1, 4), primitive_attr(), cpu(), old);
    EXPECT_TRUE(with_attr.diff_src_desc() == back.diff_src_desc());
    memory diff_dst(md, cpu(), const_cast<float*>(there.data())), diff_src = filled(md, 0.f, 0.f);
    run(shuffle_backward(back), {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}});
    EXPECT_EQ(values(diff_src), values(src));
}

TEST(OldSpelling, EltwiseWithoutParameters) {
    const memory::desc md({64}, dt::f32, tag::a);
    if (auto why = not_built([&] {
            eltwise_forward::primitive_desc(cpu(), prop_kind::forward_inference, algorithm::eltwise_relu, md, md);
        });
        !why.empty())
        GTEST_SKIP() << why;
    const memory src = filled(md, -8.f, 0.25f);
    auto check = [&](algorithm a, float alpha, double (*f)(double)) {
        const eltwise_forward::primitive_desc pd(eltwise_forward::desc(prop_kind::forward_inference, a, md, alpha),
                                                 primitive_attr(), cpu());
        const std::vector<float> got = run_one(eltwise_forward(pd), src, md);
        // 1e-5: f32 functions of a few ulp, values up to 8.
        for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], f(values(src)[i]), 1e-5) << int(a) << " " << i;
    };
    check(algorithm::eltwise_bounded_relu, 6.f, [](double s) { return std::fmin(6., std::fmax(0., s)); });
    check(algorithm::eltwise_logsigmoid, 0.f, [](double s) { return -std::log1p(std::exp(-s)); });
    check(algorithm::eltwise_soft_relu, 0.f, [](double s) { return std::log1p(std::exp(s)); });
    check(algorithm::eltwise_hardswish, 0.f, [](double s) { return s * std::fmax(0., std::fmin(1., s / 6 + 0.5)); });
    const eltwise_forward::primitive_desc clip(cpu(), prop_kind::forward_inference, algorithm::eltwise_bounded_relu, md,
                                               md, 2.f, 0.f);
    EXPECT_EQ(clip.get_algorithm(), algorithm::eltwise_clip);
    EXPECT_EQ(clip.get_beta(), 2.f);
}

TEST(OldSpelling, Softmaxes) {
    const memory::desc md({3, 5}, dt::f32, tag::ab);
    if (auto why = not_built([&] {
            softmax_forward::primitive_desc(cpu(), prop_kind::forward_inference, algorithm::softmax_log, md, md, 1);
        });
        !why.empty())
        GTEST_SKIP() << why;
    const memory src = filled(md, -1.f, 0.5f);
    const softmax_forward::primitive_desc plain(softmax_forward::desc(prop_kind::forward_inference, md, 1), cpu());
    const logsoftmax_forward::primitive_desc log(logsoftmax_forward::desc(prop_kind::forward_scoring, md, 1), cpu());
    const softmax_v2_forward::primitive_desc second(
        softmax_v2_forward::desc(prop_kind::forward_inference, algorithm::softmax_log, md, md, 1), cpu());
    EXPECT_EQ(plain.get_algorithm(), algorithm::softmax_accurate);
    EXPECT_EQ(log.get_algorithm(), algorithm::softmax_log);
    const std::vector<float> p = run_one(softmax_forward(plain), src, md),
                             l = run_one(logsoftmax_forward(log), src, md);
    EXPECT_EQ(l, run_one(softmax_v2_forward(second), src, md));
    EXPECT_NEAR(std::accumulate(p.begin(), p.begin() + 5, 0.f), 1.f, 1e-6f);
    for (size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(std::log(p[i]), l[i], 1e-5f);
    const logsoftmax_backward::primitive_desc back(logsoftmax_backward::desc(md, md, 1), cpu(), log);
    EXPECT_EQ(back.get_algorithm(), algorithm::softmax_log);
}

TEST(OldSpelling, ConcatAndSumTakeTheEngineLate) {
    const memory::desc md({2, 3}, dt::f32, tag::ab), wide({2, 6}, dt::f32, tag::ab);
    if (auto why = not_built([&] { concat::primitive_desc(cpu(), 1, {md, md}); }); !why.empty()) GTEST_SKIP() << why;
    EXPECT_TRUE(concat::primitive_desc(1, {md, md}, cpu()).dst_desc() == wide);
    EXPECT_TRUE(concat::primitive_desc(wide, 1, {md, md}, cpu()).src_desc(1) == md);
    EXPECT_TRUE(sum::primitive_desc(md, {1.f, 2.f}, {md, md}, cpu()).dst_desc() == md);
    EXPECT_TRUE(sum::primitive_desc({1.f, 2.f}, {md, md}, cpu()).dst_desc() == md);
}

TEST(OldSpelling, PostOps) {
    post_ops ops;
    ops.append_sum(0.5f, dt::s8);
    ops.append_eltwise(1.f, algorithm::eltwise_relu, 0.f, 0.f);
    ops.append_eltwise(3.f, algorithm::eltwise_bounded_relu, 6.f, 0.f);
    ASSERT_EQ(ops.len(), 4);
    float scale = 0, alpha = 0, beta = 0;
    algorithm a = algorithm::undef;
    dt type = dt::undef;
    ops.get_params_sum(0, scale, type);
    EXPECT_EQ(scale, 0.5f);
    EXPECT_EQ(type, dt::s8);
    ops.get_params_eltwise(2, scale, a, alpha, beta);
    EXPECT_TRUE(scale == 1.f && a == algorithm::eltwise_clip && alpha == 0.f && beta == 6.f);
    ops.get_params_eltwise(3, a, alpha, beta);
    EXPECT_TRUE(a == algorithm::eltwise_linear && alpha == 3.f && beta == 0.f);
    EXPECT_EQ(ops.kind(0), primitive::kind::sum);
    EXPECT_EQ(outcome([&] { ops.kind(4); }).status, dnnl_invalid_arguments);
    EXPECT_EQ(outcome([&] { ops.kind(-1); }).status, dnnl_invalid_arguments);
    ops.append_dw_k3s2p1(dt::s8, dt::f32, dt::u8, 0, {1.f});
    dt w = dt::undef, b = dt::undef, d = dt::undef;
    int mask = 7;
    std::vector<float> scales = {2.f};
    ops.get_params_dw_k3s2p1(4, w, b, d, mask, scales);
    EXPECT_TRUE(w == dt::s8 && b == dt::f32 && d == dt::u8 && mask == 0 && scales.empty());
    EXPECT_EQ(outcome([&] { ops.get_params_dw_k3s1p1(4, w, b, d, mask, scales); }).status, dnnl_invalid_arguments);
    EXPECT_EQ(outcome([&] { ops.append_dw(dt::s8, dt::f32, dt::u8, 3, 1, 1, 0, {2.f}); }).status, dnnl_unimplemented);
    primitive_attr attr;
    attr.set_post_ops(ops);
    EXPECT_EQ(attr.get_post_ops().len(), 5);
}

TEST(OldSpelling, ScalesAndZeroPoints) {
    primitive_attr attr;
    attr.set_scales(DNNL_ARG_SRC, 0, std::vector<float>{DNNL_RUNTIME_F32_VAL});
    attr.set_zero_points(DNNL_ARG_SRC, 0, std::vector<int32_t>{DNNL_RUNTIME_S32_VAL});
    attr.set_zero_points(DNNL_ARG_SRC, 0, std::vector<int32_t>{0});
    EXPECT_EQ(outcome([&] { attr.set_scales(DNNL_ARG_SRC, 0, std::vector<float>{2.f}); }).status, dnnl_unimplemented);
    EXPECT_EQ(outcome([&] { attr.set_zero_points(DNNL_ARG_SRC, 0, std::vector<int32_t>{3}); }).status,
              dnnl_unimplemented);
    int mask = -1;
    std::vector<float> scales;
    if (!dnnl_primitive_attr_set_output_scales) {
        EXPECT_EQ(outcome([&] { attr.set_output_scales(0, {2.f}); }).status, dnnl_unimplemented);
        GTEST_SKIP() << "this library has no output scales";
    }
    primitive_attr out;
    out.set_output_scales(1 << 1, {2.f, 0.5f, 4.f});
    out.get_output_scales(mask, scales);
    EXPECT_EQ(mask, 1 << 1);
    EXPECT_EQ(scales, (std::vector<float>{2.f, 0.5f, 4.f}));
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    memory src = filled(md, 1.f, 1.f), dst = filled(md, 0.f, 0.f);
    stream s(cpu());
    reorder(src, dst, out).execute(s, src, dst);
    s.wait();
    EXPECT_EQ(values(dst), (std::vector<float>{2, 1, 12, 8, 2.5f, 24}));
}
