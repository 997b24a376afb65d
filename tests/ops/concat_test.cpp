// SPDX-License-Identifier: Apache-2.0
// concat: every axis, blocks that two sources share, types, scales, empty sources, the choice of dst's layout, the
// rules, and sources that are a part of dst.
#include "objects.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "ops/concat/concat.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, s8 = DataType::s8;

Problem concat_of(int axis, const std::vector<MemoryDesc>& srcs, const MemoryDesc& dst, const Attr& attr = {}) {
    auto made = make_concat(&dst, axis, srcs, attr);
    EXPECT_TRUE(made) << (made ? "" : made.error().reason);
    return *made;
}

MemoryDesc chosen(int axis, const std::vector<MemoryDesc>& srcs, const MemoryDesc* dst = nullptr) {
    auto made = make_concat(dst, axis, srcs, {});
    EXPECT_TRUE(made) << (made ? "" : made.error().reason);
    EXPECT_TRUE(made->tensors.back().was_any);
    return made->md(arg::dst);
}

Attr scaled(int source, int mask = 0) {
    Attr attr;
    attr.scales[arg::multiple_src + source].mask = mask;
    return attr;
}

} // namespace

// covers: CON-01
TEST(Concat, puts_sources_one_after_the_other) {
    Trial run(concat_of(1, {md({2, 1}, f32, "ab"), md({2, 2}, f32, "ba")}, md({2, 3}, f32, "ab")));
    run.set(arg::multiple_src, {1, 2});
    run.set(arg::multiple_src + 1, {3, 4, 5, 6});
    run.check();
    EXPECT_EQ(run.get(arg::dst), (std::vector<float>{1, 3, 4, 2, 5, 6}));
}

// covers: CON-01 CON-03 CON-05 CON-08 FMT-06
TEST(Concat, of_any_layouts_types_and_extents) {
    const std::vector<DataType> types{f32, bf16, DataType::f16, s8, DataType::u8, DataType::s32, DataType::f64};
    const std::vector<const char*> tags{"abcd", "acdb", "aBcd16b", "aBcd8b", "dcba", "ABcd4b16a4b", "abCd4c"};
    std::mt19937 random(11);
    for (unsigned seed = 0; seed < 120; ++seed) {
        std::vector<int64_t> dims{1 + int64_t(random() % 3), 1 + int64_t(random() % 20), 1 + int64_t(random() % 5),
                                  1 + int64_t(random() % 18)};
        const int axis = int(random() % 4);
        const DataType from = types[random() % types.size()];
        const DataType to = random() % 2 ? from : types[random() % types.size()];
        std::vector<MemoryDesc> srcs;
        int64_t extent = 0;
        for (size_t n = 1 + random() % 5; srcs.size() < n;) {
            dims[size_t(axis)] = int64_t(random() % 40);
            extent += dims[size_t(axis)];
            srcs.push_back(md(dims, from, tags[random() % tags.size()]));
        }
        dims[size_t(axis)] = extent;
        const Attr attr = seed % 4 ? Attr() : scaled(int(random() % srcs.size()));
        Trial(concat_of(axis, srcs, md(dims, to, tags[random() % tags.size()]), attr), seed).check();
    }
}

// covers: CON-01 DT-01
TEST(Concat, of_narrow_types) {
    for (const DataType type : {DataType::s4, DataType::u4, DataType::boolean, DataType::e8m0, DataType::f8_e5m2})
        for (const int axis : {0, 1})
            Trial(concat_of(axis, {md({4, 6}, type, "ab"), md({4, 6}, type, "ba"), md({4, 6}, type, "ab")},
                            axis ? md({4, 18}, type, "ab") : md({12, 6}, type, "ab")))
                .check();
}

// covers: CON-01
TEST(Concat, of_many_sources) {
    std::vector<MemoryDesc> srcs;
    int64_t extent = 0;
    for (int i = 0; i < 300; ++i) {
        srcs.push_back(md({3, 1 + i % 5, 2, 2}, f32, i % 2 ? "abcd" : "acdb"));
        extent += 1 + i % 5;
    }
    Trial(concat_of(1, srcs, md({3, extent, 2, 2}, f32, "abcd"))).check();
    Trial(concat_of(1, srcs, md({3, extent, 2, 2}, bf16, "aBcd16b"))).check();
}

// Channels of growth 12 in blocks of 16: two pieces a source, not one for each channel.
// covers: CON-01
TEST(Concat, cuts_shared_blocks_into_few_pieces) {
    const std::vector<MemoryDesc> srcs(4, md({2, 44, 7, 7}, f32, "aBcd16b"));
    const Problem p = concat_of(1, srcs, md({2, 176, 7, 7}, f32, "aBcd16b"));
    const auto plan = lower_concat(p);
    ASSERT_TRUE(plan);
    EXPECT_LE(plan->steps.size(), 16u) << to_string(*plan);
    for (const Step& step : plan->steps)
        for (const Loop& loop : step.nest.loops) EXPECT_FALSE(loop.indexed()) << to_string(*plan);
    Trial(p).check();
}

// covers: CON-09
TEST(Concat, of_views_and_into_views) {
    const MemoryDesc whole = md({6, 40, 5}, f32, "abc"), blocked = md({6, 40, 5}, f32, "aBc8b");
    const std::vector<int64_t> at{2, 8, 1};
    for (const MemoryDesc& dst : {part(whole, {3, 24, 4}, at), part(blocked, {3, 24, 4}, at)})
        for (const MemoryDesc& src :
             {part(whole, {3, 8, 4}, at), part(blocked, {3, 8, 4}, at), md({3, 8, 4}, f32, "cba")})
            Trial(concat_of(1, {src, md({3, 16, 4}, f32, "abc")}, dst)).check();
}

// covers: CON-06 FMT-02 FMT-03
TEST(Concat, chooses_the_layout_of_dst) {
    const auto with = [](int64_t channels, const char* tag) { return md({2, channels, 3, 3}, f32, tag); };
    EXPECT_EQ(tag_of(chosen(1, {with(16, "aBcd16b"), with(16, "aBcd16b")})), "aBcd16b");
    EXPECT_EQ(tag_of(chosen(1, {with(16, "aBcd16b"), with(12, "aBcd16b")})), "aBcd16b");
    EXPECT_EQ(tag_of(chosen(1, {with(12, "aBcd16b"), with(16, "aBcd16b")})), "abcd");
    EXPECT_EQ(tag_of(chosen(1, {with(8, "aBcd16b"), with(8, "aBcd16b")})), "abcd");
    EXPECT_EQ(tag_of(chosen(1, {with(16, "abcd"), with(16, "aBcd16b")})), "aBcd16b");
    EXPECT_EQ(tag_of(chosen(1, {with(16, "aBcd8b"), with(16, "aBcd16b")})), "aBcd8b");
    EXPECT_EQ(tag_of(chosen(1, {with(16, "acdb"), with(16, "abcd")})), "acdb");
    EXPECT_EQ(tag_of(chosen(1, {with(16, "abcd"), with(16, "acdb"), with(16, "acdb")})), "abcd");
    EXPECT_EQ(tag_of(chosen(0, {with(12, "aBcd16b"), with(12, "aBcd16b")})), "aBcd16b");
    const MemoryDesc any = *make_desc_any(std::vector<int64_t>{2, 32, 3, 3}, bf16);
    EXPECT_EQ(chosen(1, {with(16, "acdb"), with(16, "acdb")}, &any), md({2, 32, 3, 3}, bf16, "acdb"));
    EXPECT_EQ(chosen(1, {with(5, "abcd"), with(6, "abcd")}), with(11, "abcd"));
    EXPECT_EQ(chosen(1, {md({2, 5}, s8, "ab"), md({2, 5}, s8, "ab")}).type, s8);
}

// covers: CON-04 MEM-04
TEST(Concat, ignores_what_has_no_elements) {
    const auto none = md({2, 0}, f32, "ab"), some = md({2, 3}, f32, "ab");
    Trial(concat_of(1, {none, some, none, some}, md({2, 6}, f32, "ab"))).check();
    EXPECT_EQ(chosen(1, {none, none}).dims[1], 0);
    EXPECT_EQ(chosen(0, {none, none}).dims[0], 4);
    EXPECT_TRUE(chosen(0, {}).is_zero());
    const auto empty = md({0, 3}, f32, "ab");
    EXPECT_TRUE(make_concat(&empty, 0, {}, {}));
    const MemoryDesc any = *make_desc_any(empty.dims_span(), f32);
    EXPECT_EQ(chosen(0, {}, &any), empty);
    expect_refusal(make_concat(&some, 0, {}, {}), Status::invalid_arguments, "0 in all");
    expect_refusal(make_concat(nullptr, 1, std::vector{md({3, 0}, f32, "ab"), some}, {}), Status::invalid_arguments,
                   "axis 1");
}

// covers: CON-03 CON-05 CON-07 CON-08 CON-10
TEST(Concat, rules) {
    const auto m = md({2, 3}, f32, "ab");
    const std::vector<MemoryDesc> two{m, m};
    EXPECT_TRUE(make_concat(nullptr, 1, std::vector{m}, {}));
    for (const int axis : {-1, 2, 12, INT32_MIN, INT32_MAX})
        expect_refusal(make_concat(nullptr, axis, two, {}), Status::invalid_arguments, "outside of 0..1");
    expect_refusal(make_concat(nullptr, 1, std::vector{m, md({3, 3}, f32, "ab")}, {}), Status::invalid_arguments,
                   "src 1 is 3x3");
    expect_refusal(make_concat(nullptr, 1, std::vector{m, md({2, 3, 1}, f32, "abc")}, {}), Status::invalid_arguments,
                   "3 dimensions");
    const auto small = md({2, 5}, f32, "ab"), other = md({3, 6}, f32, "ab");
    expect_refusal(make_concat(&small, 1, two, {}), Status::invalid_arguments, "6 in all");
    expect_refusal(make_concat(&other, 1, two, {}), Status::invalid_arguments, "dst is 3x6");
    expect_refusal(make_concat(nullptr, 1, std::vector{m, md({2, 3}, s8, "ab")}, {}), Status::invalid_arguments,
                   "one data type");
    const MemoryDesc any = *make_desc_any(m.dims_span(), f32), empty;
    expect_refusal(make_concat(nullptr, 1, std::vector{m, any}, {}), Status::invalid_arguments, "`any`");
    expect_refusal(make_concat(&empty, 1, two, {}), Status::invalid_arguments, "empty");
    expect_refusal(make_concat(nullptr, 1, two, scaled(0, 2)), Status::unimplemented, "mask 2");
    expect_refusal(make_concat(nullptr, 1, two, scaled(2)), Status::unimplemented, "src 2");
    Attr of_dst;
    of_dst.scales[arg::dst] = {};
    expect_refusal(make_concat(nullptr, 1, two, of_dst), Status::unimplemented, "dst");
    Extra extra;
    extra.flags = Extra::s8s8;
    extra.compensation_mask = 1;
    const auto weights = with_extra(md({2, 3}, s8, "ab"), extra);
    ASSERT_TRUE(weights);
    expect_refusal(make_concat(nullptr, 0, std::vector{*weights, *weights}, {}), Status::unimplemented, "compensation");
    expect_refusal(make_concat(nullptr, 1, std::vector{md({runtime_dim, 3}, f32, "ab")}, {}), Status::unimplemented,
                   "run-time");
    expect_refusal(make_concat(nullptr, 1, std::vector<MemoryDesc>(1025, m), {}), Status::unimplemented, "1024");
    const int64_t half = int64_t(1) << 59;
    const auto huge = md({half}, s8, "a");
    expect_refusal(make_concat(nullptr, 0, std::vector<MemoryDesc>(20, huge), {}), Status::invalid_arguments,
                   "64 bits");
}

// covers: CON-02 CON-04 CON-08
TEST(Concat, through_the_interface) {
    using namespace dnnl;
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    using tag = memory::format_tag;
    const memory::desc a({2, 1}, memory::data_type::f32, tag::ab), b({2, 2}, memory::data_type::f32, tag::ab),
        none({2, 0}, memory::data_type::f32, tag::ab), one({1}, memory::data_type::f32, tag::a);
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_MULTIPLE_SRC + 2, 0);
    const concat::primitive_desc pd(cpu, 1, {a, none, b}, attr);
    EXPECT_EQ(pd.dst_desc().get_dims(), (memory::dims{2, 3}));
    EXPECT_EQ(pd.src_desc(2), b);
    EXPECT_TRUE(pd.src_desc(3).is_zero());
    float x[2] = {1, 2}, y[4] = {3, 4, 5, 6}, scale = 10, out[6] = {};
    memory first(a, cpu, x), second(none, cpu, nullptr), third(b, cpu, y), factor(one, cpu, &scale),
        dst(pd.dst_desc(), cpu, out);
    concat(pd).execute(s, {{DNNL_ARG_MULTIPLE_SRC, first},
                           {DNNL_ARG_MULTIPLE_SRC + 1, second},
                           {DNNL_ARG_MULTIPLE_SRC + 2, third},
                           {DNNL_ARG_ATTR_SCALES | (DNNL_ARG_MULTIPLE_SRC + 2), factor},
                           {DNNL_ARG_DST, dst}});
    EXPECT_EQ(std::vector<float>(out, out + 6), (std::vector<float>{1, 30, 40, 2, 50, 60}));
    EXPECT_THROW(concat(pd).execute(s, {{DNNL_ARG_MULTIPLE_SRC, first}, {DNNL_ARG_DST, dst}}), dnnl::error);
    dnnl_primitive_desc_t raw = nullptr;
    const const_dnnl_memory_desc_t descs[] = {a.get(), nullptr};
    EXPECT_EQ(dnnl_concat_primitive_desc_create(&raw, cpu.get(), nullptr, 2, 1, descs, nullptr),
              dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_concat_primitive_desc_create(&raw, cpu.get(), nullptr, -1, 1, descs, nullptr),
              dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_concat_primitive_desc_create(&raw, cpu.get(), nullptr, 1, 1, nullptr, nullptr),
              dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_concat_primitive_desc_create(&raw, cpu.get(), nullptr, INT32_MAX, 1, descs, nullptr),
              dnnl_unimplemented);
    EXPECT_EQ(raw, nullptr);
    // Nothing joined is nothing.
    EXPECT_EQ(dnnl_concat_primitive_desc_create(&raw, cpu.get(), nullptr, 0, 0, nullptr, nullptr), dnnl_success);
    const concat::primitive_desc nothing(raw); // a clone
    EXPECT_EQ(dnnl_primitive_desc_destroy(raw), dnnl_success);
    EXPECT_TRUE(nothing.dst_desc().is_zero());
}

// A producer that wrote its part of dst already: the rest is put beside it.
// covers: CON-09 CON-11
TEST(Concat, beside_a_source_that_lies_in_dst) {
    using namespace dnnl;
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc whole({2, 3}, memory::data_type::f32, memory::format_tag::ab),
        right({2, 1}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc left = whole.submemory_desc({2, 2}, {0, 0});
    float out[6] = {1, 2, -1, 3, 4, -1}, x[2] = {5, 6};
    memory dst(whole, cpu, out), of_dst(left, cpu, out), more(right, cpu, x);
    concat(concat::primitive_desc(cpu, whole, 1, {left, right}))
        .execute(s, {{DNNL_ARG_MULTIPLE_SRC, of_dst}, {DNNL_ARG_MULTIPLE_SRC + 1, more}, {DNNL_ARG_DST, dst}});
    EXPECT_EQ(std::vector<float>(out, out + 6), (std::vector<float>{1, 2, 5, 3, 4, 6}));
    // Where it would have to move, it is refused and nothing is written.
    EXPECT_THROW(
        concat(concat::primitive_desc(cpu, whole, 1, {right, left}))
            .execute(s, {{DNNL_ARG_MULTIPLE_SRC, more}, {DNNL_ARG_MULTIPLE_SRC + 1, of_dst}, {DNNL_ARG_DST, dst}}),
        dnnl::error);
    EXPECT_EQ(out[0], 1.f);
}

} // namespace tessera::ops
