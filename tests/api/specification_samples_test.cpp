// SPDX-License-Identifier: Apache-2.0
// The code samples and numbered claims of the oneAPI specification's pages on memory formats, memory objects, reorder
// and shuffle, in the spelling of those pages, through the public C++ header.
// covers: TAG-01 TAG-02 TAG-07 TAG-08 MEM-01 MEM-10 MEM-14 MEM-18 DER-01 DER-03 DER-05 QRY-01 OBJ-01 OBJ-02 OBJ-03
// covers: REO-01 REO-03 REO-06 REO-08 REO-09 REO-10 SHU-01 SHU-02 SHU-03 SHU-04 CVT-01
#include <cmath>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

engine cpu() { return engine(engine::kind::cpu, 0); }

} // namespace

// "Plain Memory Formats": the matrix, transposed and not.
TEST(MemoryFormats, matrix_by_strides_equals_matrix_by_tag) {
    const int M = 3, N = 5;
    dnnl::memory::dims dims{M, N}; // Dimensions always stay the same

    // Non-transposed matrix
    dnnl::memory::dims strides_non_transposed{N, 1};
    dnnl::memory::desc A_non_transposed{dims, dnnl::memory::data_type::f32, strides_non_transposed};

    // Transposed matrix
    dnnl::memory::dims strides_transposed{1, M};
    dnnl::memory::desc A_transposed{dims, dnnl::memory::data_type::f32, strides_transposed};

    EXPECT_TRUE(A_non_transposed == memory::desc({M, N}, memory::data_type::f32, memory::format_tag::ab));
    EXPECT_TRUE(A_transposed == memory::desc({M, N}, memory::data_type::f32, memory::format_tag::ba));
    EXPECT_TRUE(A_transposed != A_non_transposed);
    EXPECT_EQ(A_transposed.dims(), A_non_transposed.dims());
}

TEST(MemoryFormats, strides_must_agree_with_dimensions) {
    EXPECT_THROW(memory::desc({4, 8}, memory::data_type::f32, memory::dims{1, 1}), dnnl::error);
    EXPECT_THROW(memory::desc({2, 3}, memory::data_type::f32, memory::dims{2, 1}), dnnl::error);
    EXPECT_NO_THROW(memory::desc({2, 3}, memory::data_type::f32, memory::dims{10, 2})); // not dense: fine
}

TEST(MemoryFormats, aliases_are_the_tags_they_stand_for) {
    using tag = memory::format_tag;
    EXPECT_EQ(tag::nchw, tag::abcd);
    EXPECT_EQ(tag::nhwc, tag::acdb);
    EXPECT_EQ(tag::ntc, tag::bac);
    EXPECT_EQ(tag::giodhw, tag::acbdef);
    EXPECT_EQ(tag::ldgoi, tag::abdec);
    const memory::desc md({2, 3, 4, 5, 6, 7}, memory::data_type::f32, tag::giodhw);
    EXPECT_EQ(md.get_strides(), (memory::dims{2520, 210, 630, 42, 7, 1}));
}

TEST(MemoryFormats, submemory_inherits_strides_for_in_place_concat) {
    const memory::desc parent({4, 8}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc right = parent.submemory_desc({4, 3}, {0, 5});
    EXPECT_EQ(right.get_strides(), parent.get_strides());
    EXPECT_EQ(right.get_submemory_offset(), 5);
}

// "Memory object": permute_axes.
TEST(MemoryObject, permute_axes_example) {
    const auto data_type = memory::data_type::f32;
    std::vector<int> permutation = {1, 0}; // swap the first and the second axes
    dnnl::memory::desc in_md({2, 3}, data_type, memory::format_tag::ab);
    dnnl::memory::desc expect_out_md({3, 2}, data_type, memory::format_tag::ba);

    EXPECT_TRUE(in_md.permute_axes(permutation) == expect_out_md);
}

TEST(MemoryObject, permute_axes_loop) {
    const memory::desc md({2, 3, 4}, memory::data_type::f32, memory::format_tag::abc);
    const std::vector<int> permutation{1, 2, 0};
    const memory::desc new_desc = md.permute_axes(permutation);
    for (size_t i = 0; i < 3; i++) EXPECT_EQ(new_desc.dims()[size_t(permutation[i])], md.dims()[i]);
}

TEST(MemoryObject, getters_of_the_specification) {
    const memory::desc md({2, 3}, memory::data_type::s8, memory::format_tag::ba);
    EXPECT_EQ(md.dims(), (memory::dims{2, 3}));
    EXPECT_EQ(md.data_type(), memory::data_type::s8);
    EXPECT_EQ(md.get_size(), 6u);
    EXPECT_FALSE(md.is_zero());
    EXPECT_TRUE(memory::desc().is_zero());
}

TEST(MemoryObject, allow_empty_answers_a_zero_descriptor) {
    EXPECT_TRUE(memory::desc({2, 3}, memory::data_type::f32, memory::format_tag::abc, true).is_zero());
    EXPECT_TRUE(memory::desc({2, 3}, memory::data_type::f32, memory::dims{1, 1}, true).is_zero());
    const memory::desc md({2, 3}, memory::data_type::f32, memory::format_tag::ba);
    EXPECT_TRUE(md.submemory_desc({3, 3}, {0, 0}, true).is_zero());
    EXPECT_TRUE(md.reshape({6}, true).is_zero());
    EXPECT_TRUE(md.permute_axes({0, 0}, true).is_zero());
    EXPECT_THROW(md.reshape({6}), dnnl::error);
}

TEST(MemoryObject, reshape_adds_removes_splits_and_joins) {
    const memory::desc md({2, 1, 6}, memory::data_type::f32, memory::format_tag::abc);
    EXPECT_EQ(md.reshape({2, 6}).dims(), (memory::dims{2, 6}));
    EXPECT_EQ(md.reshape({2, 1, 6, 1}).dims(), (memory::dims{2, 1, 6, 1}));
    EXPECT_EQ(md.reshape({2, 2, 3}).get_strides(), (memory::dims{6, 3, 1}));
    EXPECT_EQ(md.reshape({12}).get_strides(), (memory::dims{1}));
}

TEST(MemoryObject, handles) {
    const engine eng = cpu();
    stream strm(eng);
    const memory::desc md({2, 3}, memory::data_type::f32, memory::format_tag::ab);
    float data[6] = {};
    memory user(md, eng, data), own(md, eng, DNNL_MEMORY_ALLOCATE), none(md, eng, DNNL_MEMORY_NONE), plain(md, eng);
    EXPECT_EQ(user.get_data_handle(), data);
    EXPECT_NE(own.get_data_handle(), nullptr);
    EXPECT_NE(plain.get_data_handle(), nullptr);
    EXPECT_EQ(none.get_data_handle(), nullptr);
    none.set_data_handle(data);
    EXPECT_EQ(none.get_data_handle(), data);
    own.set_data_handle(data, strm);
    EXPECT_EQ(own.get_data_handle(), data);
    EXPECT_TRUE(user.get_desc() == md);
    EXPECT_EQ(user.get_engine().get_kind(), engine::kind::cpu);
    EXPECT_FALSE(bool(memory()));
}

TEST(MemoryObject, the_handle_of_a_zero_volume_memory_is_never_accessed) {
    const engine eng = cpu();
    stream strm(eng);
    const memory::desc a({0, 3}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc b({0, 3}, memory::data_type::f32, memory::format_tag::ba);
    EXPECT_EQ(a.get_size(), 0u);
    memory src(a, eng, nullptr), dst(b, eng, nullptr);
    reorder(src, dst).execute(strm, src, dst);
    strm.wait();
}

// "Reorder": saturation, and the formula with output scale and sum.
TEST(Reorder, saturates_when_it_narrows) {
    const engine eng = cpu();
    stream strm(eng);
    auto convert = [&](float value, memory::data_type type) {
        memory src({{1}, memory::data_type::f32, memory::format_tag::x}, eng, &value);
        memory dst({{1}, type, memory::format_tag::x}, eng);
        reorder(src, dst).execute(strm, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
        strm.wait();
        return dst;
    };
    EXPECT_EQ(*static_cast<int8_t*>(convert(1024, memory::data_type::s8).get_data_handle()), 127);
    EXPECT_EQ(*static_cast<uint8_t*>(convert(-124, memory::data_type::u8).get_data_handle()), 0);
}

TEST(Reorder, dst_is_alpha_src_plus_beta_dst) {
    const engine eng = cpu();
    stream strm(eng);
    const float alpha = 0.5f, beta = 2.f;
    primitive_attr attr;
    attr.set_output_scales(0, {alpha});
    post_ops ops;
    ops.append_sum(beta);
    attr.set_post_ops(ops);
    const memory::dims dims{2, 3, 4, 5};
    const memory::desc fmt_src(dims, memory::data_type::f32, memory::format_tag::nchw);
    const memory::desc fmt_dst(dims, memory::data_type::s32, memory::format_tag::nhwc);
    memory src(fmt_src, eng), dst(fmt_dst, eng);
    for (int i = 0; i < 120; ++i) static_cast<float*>(src.get_data_handle())[i] = float(4 * i);
    std::fill_n(static_cast<int32_t*>(dst.get_data_handle()), 120, 7);
    reorder(reorder::primitive_desc(eng, fmt_src, eng, fmt_dst, attr)).execute(strm, src, dst);
    strm.wait();
    for (int n = 0; n < 2; ++n)
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < 20; ++i)
                EXPECT_EQ(static_cast<int32_t*>(dst.get_data_handle())[(n * 20 + i) * 3 + c],
                          2 * ((n * 3 + c) * 20 + i) + 14);
}

// "Shuffle": the axis as a (C/G) x G matrix, transposed; through operation descriptors, forward and backward.
TEST(Shuffle, transposes_the_axis_and_backward_undoes_it) {
    const engine eng = cpu();
    stream strm(eng);
    const memory::dim channels = 6, group_size = 2;
    const memory::desc md({1, channels, 2}, memory::data_type::f32, memory::format_tag::ncw);
    memory src(md, eng), dst(md, eng), diff_src(md, eng);
    std::iota(static_cast<float*>(src.get_data_handle()), static_cast<float*>(src.get_data_handle()) + 12, 0.f);

    shuffle_forward::desc forward_desc(prop_kind::forward_training, md, 1, int(group_size));
    shuffle_forward::primitive_desc forward_pd(forward_desc, eng);
    shuffle_forward(forward_pd).execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    shuffle_backward::desc backward_desc(md, 1, int(group_size));
    shuffle_backward::primitive_desc backward_pd(backward_desc, eng, forward_pd);
    shuffle_backward(backward_pd).execute(strm, {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_DIFF_SRC, diff_src}});
    strm.wait();

    const float* s = static_cast<float*>(src.get_data_handle());
    const float* d = static_cast<float*>(dst.get_data_handle());
    for (memory::dim u = 0; u < channels / group_size; ++u)
        for (memory::dim v = 0; v < group_size; ++v)
            for (memory::dim in = 0; in < 2; ++in)
                EXPECT_EQ(d[(u + v * channels / group_size) * 2 + in], s[(u * group_size + v) * 2 + in]);
    EXPECT_EQ(std::memcmp(diff_src.get_data_handle(), s, 48), 0);
}

// covers: REO-23 SHU-12 OBJ-09
TEST(Execution, refuses_what_would_destroy_data_and_touches_nothing) {
    const engine eng = cpu();
    stream strm(eng);
    const memory::desc ab({2, 3}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc ba({2, 3}, memory::data_type::f32, memory::format_tag::ba);
    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    std::vector<float> data = values;
    memory as_ab(ab, eng, data.data()), as_ba(ba, eng, data.data());
    reorder(as_ab, as_ab).execute(strm, as_ab, as_ab); // nothing moves: harmless
    EXPECT_EQ(data, values);
    EXPECT_THROW(reorder(as_ab, as_ba).execute(strm, as_ab, as_ba), dnnl::error);
    EXPECT_EQ(data, values);
    const shuffle_forward::primitive_desc pd(eng, prop_kind::forward_inference, ab, ab, 1, 3);
    EXPECT_THROW(shuffle_forward(pd).execute(strm, {{DNNL_ARG_SRC, as_ab}, {DNNL_ARG_DST, as_ab}}), dnnl::error);
    EXPECT_EQ(data, values);
    // A part of a buffer may move to another part of it.
    memory upper(ab.submemory_desc({1, 3}, {0, 0}), eng, data.data()),
        lower(ab.submemory_desc({1, 3}, {1, 0}), eng, data.data());
    reorder(upper, lower).execute(strm, upper, lower);
    EXPECT_EQ(data, (std::vector<float>{1, 2, 3, 1, 2, 3}));
    // A memory with fewer bytes than the primitive reads.
    memory wrong(memory::desc({5, 1}, memory::data_type::f32, memory::format_tag::ab), eng);
    try {
        memory out(ba, eng);
        reorder(as_ab, out).execute(strm, wrong, out);
        FAIL() << "a memory of 5x1 for a primitive of 2x3";
    } catch (const dnnl::error& e) {
        EXPECT_EQ(e.status, dnnl_invalid_arguments);
        EXPECT_NE(std::string(e.what()).find("5x1"), std::string::npos) << e.what();
    }
}
