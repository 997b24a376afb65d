// SPDX-License-Identifier: Apache-2.0
// sum: the formula, rounding, mixed types and layouts, many sources, the choice of dst's layout, the rules, and
// sources that are dst.
#include "objects.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "ops/sum/sum.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, s8 = DataType::s8;

Problem sum_of(const std::vector<float>& scales, const std::vector<MemoryDesc>& srcs, const MemoryDesc& dst) {
    auto made = make_sum(&dst, scales, srcs, {});
    EXPECT_TRUE(made) << (made ? "" : made.error().reason);
    return *made;
}

MemoryDesc chosen(const std::vector<MemoryDesc>& srcs, const MemoryDesc* dst = nullptr) {
    auto made = make_sum(dst, std::vector<float>(srcs.size(), 1.f), srcs, {});
    EXPECT_TRUE(made) << (made ? "" : made.error().reason);
    EXPECT_TRUE(made->tensors.back().was_any);
    return made->md(arg::dst);
}

} // namespace

// covers: SUM-01 SUM-05
TEST(Sum, of_integers_is_rounded_to_even_and_saturates) {
    const MemoryDesc m = md({6}, s8, "a");
    Trial run(sum_of({0.5f, 1.f}, {m, m}, m));
    run.set(arg::multiple_src, {1, 3, 127, -128, 5, -1});
    run.set(arg::multiple_src + 1, {0, 0, 100, -100, 0, 0});
    run.check();
    EXPECT_EQ(run.get(arg::dst), (std::vector<float>{0, 2, 127, -128, 2, 0}));
}

// covers: SUM-01
TEST(Sum, is_taken_in_f32_and_in_order) {
    const MemoryDesc m = md({2}, f32, "a");
    Trial run(sum_of({1.f, 1.f, -1.f}, {m, m, m}, m));
    run.set(arg::multiple_src, {1e8f, 1.f});
    run.set(arg::multiple_src + 1, {1.f, 2.f});
    run.set(arg::multiple_src + 2, {1e8f, 3.f});
    run.check();
    EXPECT_EQ(run.get(arg::dst), (std::vector<float>{0.f, 0.f}));
}

// covers: SUM-01 SUM-04 SUM-08 FMT-06
TEST(Sum, mixes_types_and_layouts) {
    const std::vector<DataType> types{f32, bf16, DataType::f16, s8, DataType::u8, DataType::s32, DataType::f8_e4m3};
    const std::vector<const char*> tags{"abcd", "acdb", "aBcd16b", "aBcd8b", "dcba", "ABcd4b16a4b"};
    std::mt19937 random(7);
    for (unsigned seed = 0; seed < 60; ++seed) {
        const std::vector<int64_t> dims{1 + int64_t(random() % 3), 1 + int64_t(random() % 40),
                                        1 + int64_t(random() % 5), 1 + int64_t(random() % 33)};
        std::vector<MemoryDesc> srcs;
        std::vector<float> scales;
        const auto any_md = [&] { return md(dims, types[random() % types.size()], tags[random() % tags.size()]); };
        for (size_t n = 1 + random() % 4; srcs.size() < n;) {
            srcs.push_back(any_md());
            scales.push_back(float(int(random() % 5) - 2) / 2);
        }
        Trial run(sum_of(scales, srcs, any_md()), seed, seed % 3 == 0);
        run.check();
    }
}

// covers: SUM-01
TEST(Sum, of_many_sources) {
    for (const int n : {8, 13, 15, 16, 17, 40, 300}) {
        const MemoryDesc m = md({3, 67}, f32, "ab"), narrow = md({3, 67}, s8, "ab");
        std::vector<MemoryDesc> srcs(size_t(n), m);
        srcs[size_t(n) / 2] = narrow;
        std::vector<float> scales;
        for (int i = 0; i < n; ++i) scales.push_back(float(i % 7) / 4 - 1);
        Trial(sum_of(scales, srcs, m)).check();
        Trial(sum_of(scales, srcs, narrow)).check();
    }
}

// covers: SUM-08 MEM-10
TEST(Sum, of_views_stays_inside_of_them) {
    const MemoryDesc whole = md({6, 40, 5}, f32, "abc"), blocked = md({6, 40, 5}, f32, "aBc8b");
    const std::vector<int64_t> dims{3, 16, 4}, at{2, 8, 1};
    for (const MemoryDesc& dst : {part(whole, dims, at), part(blocked, dims, at)})
        for (const MemoryDesc& src : {part(whole, dims, at), part(blocked, dims, at), md(dims, f32, "cba")})
            Trial(sum_of({2.f, 0.5f}, {src, md(dims, bf16, "abc")}, dst)).check();
}

// covers: SUM-06
TEST(Sum, in_place_with_any_source_of_dsts_layout) {
    const MemoryDesc m = md({5, 37}, f32, "ab");
    for (int i = 0; i < 3; ++i) {
        Trial run(sum_of({2.f, 0.5f, 3.f}, {m, m, m}, m));
        run.share(arg::dst, arg::multiple_src + i);
        run.check();
    }
}

// covers: SUM-04 FMT-02 FMT-03
TEST(Sum, chooses_type_and_layout_of_dst) {
    const std::vector<int64_t> dims{2, 12, 3, 3};
    const auto plain = md(dims, f32, "abcd"), last = md(dims, f32, "acdb"), by16 = md(dims, f32, "aBcd16b"),
               by8 = md(dims, f32, "aBcd8b");
    EXPECT_EQ(tag_of(chosen({plain, by16})), "aBcd16b");
    EXPECT_EQ(tag_of(chosen({by16, plain})), "aBcd16b");
    EXPECT_EQ(tag_of(chosen({plain, by16, by8})), "aBcd16b");
    EXPECT_EQ(tag_of(chosen({last, plain})), "acdb");
    EXPECT_EQ(tag_of(chosen({plain, last})), "abcd");
    EXPECT_EQ(chosen({md(dims, s8, "abcd"), plain}).type, s8);
    EXPECT_EQ(chosen({plain, md(dims, s8, "abcd")}).type, f32);
    const MemoryDesc any = *make_desc_any(dims, bf16);
    EXPECT_EQ(chosen({plain, by16}, &any), md(dims, bf16, "aBcd16b"));
    EXPECT_EQ(chosen({part(md({4, 12, 3, 3}, f32, "abcd"), dims, {1, 0, 0, 0})}).offset0, 0);
    // Repeated elements have no places to write to.
    const MemoryDesc repeated = *make_desc_with_strides(dims, f32, std::vector<int64_t>{0, 9, 3, 1});
    EXPECT_EQ(chosen({repeated}), plain);
}

// covers: SUM-02 SUM-03 SUM-07 SUM-08
TEST(Sum, rules) {
    const auto m = md({2, 3}, f32, "ab");
    const std::vector<MemoryDesc> two{m, m};
    const std::vector<float> ones{1.f, 1.f}, one{1.f};
    expect_refusal(make_sum(nullptr, {}, {}, {}), Status::invalid_arguments, "no sources");
    expect_refusal(make_sum(nullptr, one, two, {}), Status::invalid_arguments, "1 scale for 2 sources");
    expect_refusal(make_sum(nullptr, ones, std::vector{m, md({2, 1}, f32, "ab")}, {}), Status::invalid_arguments,
                   "src 1 is 2x1");
    const auto other = md({3, 2}, f32, "ab");
    expect_refusal(make_sum(&other, ones, two, {}), Status::invalid_arguments, "dst is 3x2");
    const MemoryDesc any = *make_desc_any(m.dims_span(), f32), empty;
    expect_refusal(make_sum(nullptr, ones, std::vector{m, any}, {}), Status::invalid_arguments, "`any`");
    expect_refusal(make_sum(&empty, ones, two, {}), Status::invalid_arguments, "empty");
    expect_refusal(make_sum(nullptr, one, std::vector{md({2, 3}, DataType::f64, "ab")}, {}), Status::unimplemented,
                   "f64");
    const MemoryDesc repeated = *make_desc_with_strides(m.dims_span(), f32, std::vector<int64_t>{0, 1});
    expect_refusal(make_sum(&repeated, ones, two, {}), Status::unimplemented, "stride 0");
    const MemoryDesc open = md({runtime_dim, 3}, f32, "ab");
    expect_refusal(make_sum(nullptr, one, std::vector{open}, {}), Status::unimplemented, "run-time");
    Attr scaled;
    scaled.scales[arg::multiple_src] = {};
    expect_refusal(make_sum(nullptr, ones, two, scaled), Status::unimplemented, "scales");
    Attr chained;
    chained.post_ops.entries.emplace_back().kind = PostOpKind::sum;
    expect_refusal(make_sum(nullptr, ones, two, chained), Status::unimplemented, "post-op");
    expect_refusal(make_sum(nullptr, std::vector<float>(1025, 1.f), std::vector<MemoryDesc>(1025, m), {}),
                   Status::unimplemented, "1024");
    Attr user;
    user.scratchpad = ScratchpadMode::user;
    EXPECT_TRUE(make_sum(nullptr, ones, two, user));
}

// covers: SUM-02 SUM-06 SUM-09
TEST(Sum, through_the_interface) {
    using namespace dnnl;
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc plain({2, 3}, memory::data_type::f32, memory::format_tag::ab);
    const sum::primitive_desc pd(cpu, {1.f, 2.f}, {plain, plain});
    EXPECT_EQ(pd.dst_desc(), plain);
    EXPECT_EQ(pd.src_desc(1), plain);
    EXPECT_TRUE(pd.src_desc(2).is_zero());
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd.get(), dnnl_query_num_of_inputs_s32, 0), 2);
    float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {10, 20, 30, 40, 50, 60};
    memory first(plain, cpu, a), second(plain, cpu, b);
    sum(pd).execute(s, {{DNNL_ARG_MULTIPLE_SRC, first}, {DNNL_ARG_MULTIPLE_SRC + 1, second}, {DNNL_ARG_DST, first}});
    EXPECT_EQ(a[0], 21.f);
    EXPECT_EQ(a[5], 126.f);
    // A scale changed is another problem: nothing of the first one may be taken from the cache.
    sum(sum::primitive_desc(cpu, {1.f, -1.f}, {plain, plain}))
        .execute(s, {{DNNL_ARG_MULTIPLE_SRC, first}, {DNNL_ARG_MULTIPLE_SRC + 1, second}, {DNNL_ARG_DST, second}});
    EXPECT_EQ(b[0], 11.f);
    EXPECT_THROW(sum(pd).execute(s, {{DNNL_ARG_MULTIPLE_SRC, first}, {DNNL_ARG_DST, first}}), dnnl::error);
    // Another layout in dst's buffer would be read after it is overwritten.
    const memory::desc turned({2, 3}, memory::data_type::f32, memory::format_tag::ba);
    memory other(turned, cpu, a);
    EXPECT_THROW(
        sum(sum::primitive_desc(cpu, plain, {1.f, 1.f}, {plain, turned}))
            .execute(s, {{DNNL_ARG_MULTIPLE_SRC, second}, {DNNL_ARG_MULTIPLE_SRC + 1, other}, {DNNL_ARG_DST, first}}),
        dnnl::error);
    dnnl_primitive_desc_t raw = nullptr;
    EXPECT_EQ(dnnl_primitive_desc_next_impl(pd.get()), dnnl_last_impl_reached);
    const const_dnnl_memory_desc_t descs[] = {plain.get(), nullptr};
    const float scales[] = {1, 1};
    EXPECT_EQ(dnnl_sum_primitive_desc_create(&raw, cpu.get(), nullptr, 2, scales, descs, nullptr),
              dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_sum_primitive_desc_create(&raw, cpu.get(), nullptr, 0, scales, descs, nullptr),
              dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_sum_primitive_desc_create(&raw, cpu.get(), nullptr, INT32_MAX, scales, descs, nullptr),
              dnnl_unimplemented);
    EXPECT_EQ(raw, nullptr);
    // No elements: nothing is read or written.
    const memory::desc none({0, 3}, memory::data_type::f32, memory::format_tag::ab);
    memory nowhere(none, cpu, nullptr);
    sum(sum::primitive_desc(cpu, {1.f}, {none}))
        .execute(s, {{DNNL_ARG_MULTIPLE_SRC, nowhere}, {DNNL_ARG_DST, nowhere}});
}

} // namespace tessera::ops
