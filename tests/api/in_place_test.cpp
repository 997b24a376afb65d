// SPDX-License-Identifier: Apache-2.0
// One buffer for an input and an output: which primitives take it, whatever their shapes and types are, and that the
// results are those of two buffers. covers: SHU-12 BIN-12 ELT-36 SOF-12
#include <cstring>
#include <string>
#include <unordered_map>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

const int src_1_of_post_op = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;

struct InPlace : testing::Test {
    engine eng{engine::kind::cpu, 0};
    stream strm{eng};

    memory filled(const memory::desc& md, int seed) {
        memory::desc plain(md.get_dims(), dt::f32, md.get_ndims() == 4 ? tag::abcd : tag::ab);
        memory values(plain, eng), m(md, eng);
        auto* const at = static_cast<float*>(values.get_data_handle());
        for (size_t i = 0; i < plain.get_size() / 4; ++i) at[i] = float(int(i * 7 + size_t(seed) * 3) % 11 - 5);
        reorder(values, m).execute(strm, values, m);
        strm.wait();
        return m;
    }
    memory copy_of(const memory& m) {
        memory copy(m.get_desc(), eng);
        std::memcpy(copy.get_data_handle(), m.get_data_handle(), m.get_desc().get_size());
        return copy;
    }
    static bool same(const memory& a, const memory& b) {
        return std::memcmp(a.get_data_handle(), b.get_data_handle(), a.get_desc().get_size()) == 0;
    }
    std::string refusal(const primitive& p, const std::unordered_map<int, memory>& args) {
        try {
            p.execute(strm, args);
        } catch (const error& e) { return e.what(); }
        strm.wait();
        return "";
    }
};

} // namespace

// diff_weights are computed of both inputs before diff_src is written over one of them.
TEST_F(InPlace, prelu_writes_diff_src_over_diff_dst_and_over_src) {
    const memory::dims shapes[] = {{2, 8, 5, 5}, {16, 64, 3, 3}, {1, 1, 1, 1}, {3, 40, 33, 31}};
    for (const dt type : {dt::f32, dt::bf16, dt::f16})
        for (const tag layout : {tag::abcd, tag::acdb, tag::aBcd16b})
            for (const memory::dims& dims : shapes)
                for (const int mask : {0, 2, 15, 14}) {
                    memory::dims slopes = dims;
                    for (size_t d = 0; d < 4; ++d)
                        if (!(mask >> d & 1)) slopes[d] = 1;
                    const memory::desc data(dims, type, layout), weights(slopes, type, tag::abcd);
                    const prelu_forward::primitive_desc hint(eng, prop_kind::forward_training, data, weights, data);
                    const prelu_backward p({eng, data, weights, data, weights, data, hint});
                    const memory src = filled(data, 1), w = filled(weights, 2), dd = filled(data, 3);
                    const memory ds(data, eng), dw(weights, eng);
                    const std::string where = std::to_string(int(type)) + " mask " + std::to_string(mask);
                    const auto run = [&](const memory& x, const memory& g, const memory& to, const memory& to_weights) {
                        return refusal(p, {{DNNL_ARG_SRC, x},
                                           {DNNL_ARG_WEIGHTS, w},
                                           {DNNL_ARG_DIFF_DST, g},
                                           {DNNL_ARG_DIFF_SRC, to},
                                           {DNNL_ARG_DIFF_WEIGHTS, to_weights}});
                    };
                    ASSERT_EQ(run(src, dd, ds, dw), "");
                    for (const bool over_src : {false, true}) {
                        const memory shared = copy_of(over_src ? src : dd), dw2(weights, eng);
                        ASSERT_EQ(run(over_src ? shared : src, over_src ? dd : shared, shared, dw2), "") << where;
                        EXPECT_TRUE(same(shared, ds) && same(dw2, dw)) << where << (over_src ? ", src" : ", diff_dst");
                    }
                    if (mask == 15) { // slopes are needed after their gradients are written, and so is diff_dst
                        EXPECT_NE(run(src, dd, ds, w), "");
                        EXPECT_NE(run(src, dd, ds, dd), "");
                    }
                }
}

TEST_F(InPlace, matmul_adds_a_post_op_out_of_dsts_own_buffer) {
    const int sizes[][3] = {{1, 16, 1}, {1, 700, 33}, {7, 5000, 33}, {130, 700, 256}, {64, 65536 / 8, 24}, {33, 1, 20}};
    for (const auto& [M, K, N] : sizes)
        for (const dt type : {dt::f32, dt::bf16, dt::s8})
            for (const tag layout : {tag::ab, tag::ba}) {
                const bool bytes = type == dt::s8;
                const memory::desc a({M, K}, bytes ? dt::u8 : type, tag::ab), b({K, N}, type, tag::ab),
                    c({M, N}, bytes ? dt::f32 : type, layout);
                primitive_attr attr;
                post_ops chain;
                chain.append_binary(algorithm::binary_add, c);
                attr.set_post_ops(chain);
                const matmul p({eng, a, b, c, attr});
                memory x = filled(a, 1), w = filled(b, 2), added = filled(c, 3), dst(c, eng);
                const auto run = [&](const memory& with, const memory& to) {
                    return refusal(
                        p, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, to}, {src_1_of_post_op, with}});
                };
                ASSERT_EQ(run(added, dst), "");
                const memory shared = copy_of(added);
                ASSERT_EQ(run(shared, shared), "");
                EXPECT_TRUE(same(shared, dst)) << M << "x" << K << "x" << N;
            }
}

// The exponentials are in dst before the post-op reads its tensor.
TEST_F(InPlace, softmax_refuses_a_post_op_out_of_dsts_own_buffer) {
    const memory::desc md({4, 100}, dt::f32, tag::ab);
    primitive_attr attr;
    post_ops chain;
    chain.append_binary(algorithm::binary_add, md);
    attr.set_post_ops(chain);
    const softmax_forward p({eng, prop_kind::forward_inference, algorithm::softmax_accurate, md, md, 1, attr});
    const memory src = filled(md, 1), dst = filled(md, 2), added = filled(md, 3);
    EXPECT_NE(refusal(p, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {src_1_of_post_op, dst}}).find("in place"),
              std::string::npos);
    ASSERT_EQ(refusal(p, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {src_1_of_post_op, added}}), "");
    ASSERT_EQ(refusal(p, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, src}, {src_1_of_post_op, added}}), "");
    EXPECT_TRUE(same(src, dst));
}

// Elements would be overwritten before they are read.
TEST_F(InPlace, other_layouts_and_widths_are_refused) {
    const memory::desc ab({8, 6}, dt::f32, tag::ab), ba({8, 6}, dt::f32, tag::ba), half({8, 6}, dt::f16, tag::ab),
        pitched({8, 6}, dt::f32, memory::dims{9, 1});
    const memory buffer(memory::desc({80}, dt::f32, tag::a), eng);
    const auto over = [&](const memory::desc& md) { return memory(md, eng, buffer.get_data_handle()); };
    const auto copy = [&](const memory::desc& from, const memory::desc& to) {
        return refusal(reorder({eng, from, eng, to}), {{DNNL_ARG_FROM, over(from)}, {DNNL_ARG_TO, over(to)}});
    };
    const auto softmax = [&](const memory::desc& from, const memory::desc& to) {
        return refusal(softmax_forward({eng, prop_kind::forward_inference, algorithm::softmax_accurate, from, to, 1}),
                       {{DNNL_ARG_SRC, over(from)}, {DNNL_ARG_DST, over(to)}});
    };
    const auto product = [&](const memory::desc& added) {
        primitive_attr attr;
        post_ops chain;
        chain.append_binary(algorithm::binary_add, added);
        attr.set_post_ops(chain);
        const memory::desc a({8, 4}, dt::f32, tag::ab), b({4, 6}, dt::f32, tag::ab);
        return refusal(matmul({eng, a, b, ab, attr}), {{DNNL_ARG_SRC, filled(a, 1)},
                                                       {DNNL_ARG_WEIGHTS, filled(b, 2)},
                                                       {DNNL_ARG_DST, over(ab)},
                                                       {src_1_of_post_op, over(added)}});
    };
    const auto slopes = [&](const memory::desc& from, const memory::desc& to) {
        const prelu_forward::primitive_desc hint(eng, prop_kind::forward_training, ab, ab, ab);
        return refusal(prelu_backward({eng, ab, ab, to, ab, from, hint}), {{DNNL_ARG_SRC, filled(ab, 1)},
                                                                           {DNNL_ARG_WEIGHTS, filled(ab, 2)},
                                                                           {DNNL_ARG_DIFF_DST, over(from)},
                                                                           {DNNL_ARG_DIFF_SRC, over(to)},
                                                                           {DNNL_ARG_DIFF_WEIGHTS, memory(ab, eng)}});
    };
    EXPECT_EQ(copy(ab, ab) + softmax(ab, ab) + product(ab) + slopes(ab, ab), "");
    for (const memory::desc& other : {ba, half, pitched}) {
        for (const std::string& text : {copy(ab, other), copy(other, ab), softmax(ab, other), softmax(other, ab),
                                        product(other), slopes(ab, other), slopes(other, ab)})
            EXPECT_NE(text.find("in place"), std::string::npos) << text;
    }
    EXPECT_NE(product(memory::desc({1, 6}, dt::f32, tag::ab)).find("in place"), std::string::npos);
}

// The states of a stream of batches stay in their buffers; those of an other layout are refused.
TEST_F(InPlace, lstm_writes_states_over_those_it_begins_with) {
    const memory::dim layers = 2, steps = 3, rows = 5, channels = 20;
    const auto plain = [](const memory::dims& dims, tag layout) { return memory::desc(dims, dt::f32, layout); };
    const memory::desc x = plain({steps, rows, channels}, tag::abc), h = plain({layers, 1, rows, channels}, tag::abcd),
                       w = plain({layers, 1, channels, 4, channels}, tag::abcde),
                       b = plain({layers, 1, 4, channels}, tag::abcd);
    const lstm_forward p(
        {eng, prop_kind::forward_inference, rnn_direction::unidirectional_left2right, x, h, h, w, w, b, x, h, h});
    const auto values = [&](const memory::desc& md, int seed) { // as filled(), of any dims
        memory m(md, eng);
        auto* const at = static_cast<float*>(m.get_data_handle());
        for (size_t i = 0; i < md.get_size() / 4; ++i) at[i] = float(int(i * 7 + size_t(seed) * 3) % 11 - 5) / 8;
        return m;
    };
    const memory input = values(x, 1), wx = values(w, 2), wh = values(w, 3), bias = values(b, 4), state = values(h, 5),
                 cell = values(h, 6), to(x, eng), state_after(h, eng), cell_after(h, eng);
    const auto run = [&](const memory& s, const memory& c, const memory& s2, const memory& c2, const memory& dst) {
        return refusal(p, {{DNNL_ARG_SRC_LAYER, input},
                           {DNNL_ARG_SRC_ITER, s},
                           {DNNL_ARG_SRC_ITER_C, c},
                           {DNNL_ARG_WEIGHTS_LAYER, wx},
                           {DNNL_ARG_WEIGHTS_ITER, wh},
                           {DNNL_ARG_BIAS, bias},
                           {DNNL_ARG_DST_LAYER, dst},
                           {DNNL_ARG_DST_ITER, s2},
                           {DNNL_ARG_DST_ITER_C, c2}});
    };
    ASSERT_EQ(run(state, cell, state_after, cell_after, to), "");
    const memory s = copy_of(state), c = copy_of(cell), other(x, eng);
    ASSERT_EQ(run(s, c, s, c, other), "");
    EXPECT_TRUE(same(s, state_after) && same(c, cell_after) && same(other, to));
    EXPECT_NE(run(s, c, c, s, other), ""); // the one over the other
    EXPECT_NE(run(s, c, s, c, input), ""); // layers after the first read all steps
}
