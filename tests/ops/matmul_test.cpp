// SPDX-License-Identifier: Apache-2.0
// matmul: samples of the specification, exact sums in all layouts and types, the rules, the layouts chosen for weights.
#include "ops/matmul/matmul.hpp"

#include <bit>
#include <random>

#include "core/program/lib/eltwise.hpp"

#include "objects.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, s8 = DataType::s8, u8 = DataType::u8,
                   s32 = DataType::s32, s4 = DataType::s4, u4 = DataType::u4;
const MemoryDesc none;

Problem matmul(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& dst, const Attr& attr = {},
               const MemoryDesc& bias = none) {
    return valid(make_matmul(src, weights, bias, dst, attr));
}

Attr with_quants(std::initializer_list<std::pair<int, Quant>> scales,
                 std::initializer_list<std::pair<int, Quant>> zero_points = {}) {
    Attr attr;
    for (const auto& [id, q] : scales) EXPECT_TRUE(attr.set_scales(id, q));
    for (const auto& [id, q] : zero_points) EXPECT_TRUE(attr.set_zero_points(id, q));
    return attr;
}

Quant zero_point(int mask = 0, std::vector<int64_t> groups = {}, DataType type = s32) { return {mask, groups, type}; }

} // namespace

// covers: MAT-01 MAT-03
TEST(Matmul, rows_by_columns_and_bias) {
    Trial run(matmul(md({2, 3}, f32, "ab"), md({3, 2}, f32, "ab"), md({2, 2}, f32, "ab"), {}, md({1, 2}, f32, "ab")));
    run.set(arg::src, {1, 2, 3, 4, 5, 6});
    run.set(arg::weights, {1, -1, 0, 2, 0.5, 4});
    run.set(arg::bias, {10, 20});
    run.check();
    EXPECT_EQ(run.get(arg::dst), (std::vector<float>{12.5, 35, 17, 50}));
}

// covers: MAT-40
TEST(Matmul, order_of_attributes) {
    Attr attr = with_quants({{arg::src, Quant()}, {arg::weights, Quant()}, {arg::dst, Quant()}},
                            {{arg::src, zero_point()}, {arg::dst, zero_point()}});
    EXPECT_TRUE(attr.post_ops.append(sum_op(2.f, 1)));
    Trial run(matmul(md({1, 1}, u8, "ab"), md({1, 1}, s8, "ab"), md({1, 1}, s8, "ab"), attr, md({1, 1}, f32, "ab")));
    run.set(arg::src, {10});
    run.set(arg::weights, {3});
    run.set(arg::bias, {1});
    run.set(arg::dst, {5});
    const auto put = [&](int id, DataType type, float value) { write<float>(type, run.bytes.at(id).data(), 0, value); };
    put(arg::scales | arg::src, f32, 0.5f);
    put(arg::scales | arg::weights, f32, 1.f);
    put(arg::scales | arg::dst, f32, 4.f);
    put(arg::zero_points | arg::src, s32, 2);
    put(arg::zero_points | arg::dst, s32, 7);
    run.check(); // ((10 - 2) * 3 * 0.5 + 1 + 2 * (5 - 1)) / 4 + 7 = 12.25
    EXPECT_EQ(run.get(arg::dst), std::vector<float>{12});
}

// covers: MAT-50
TEST(Matmul, sum_reads_dst_before_it_is_written) {
    Attr attr;
    EXPECT_TRUE(attr.post_ops.append(sum_op(0.5f)));
    EXPECT_TRUE(attr.post_ops.append(eltwise_op(alg::eltwise_relu, 0.5f)));
    Trial run(matmul(md({1, 2}, f32, "ab"), md({2, 2}, f32, "ab"), md({1, 2}, f32, "ab"), attr));
    run.set(arg::src, {1, 1});
    run.set(arg::weights, {-3, -30, -3, -30});
    run.set(arg::dst, {20, 20});
    run.check();
    EXPECT_EQ(run.get(arg::dst), (std::vector<float>{4, -25}));
}

// covers: MAT-06
TEST(Matmul, sums_of_nothing_are_zero) {
    Attr attr;
    EXPECT_TRUE(attr.post_ops.append(sum_op(1.f)));
    Trial run(
        matmul(md({2, 0}, f32, "ab"), md({0, 2}, f32, "ab"), md({2, 2}, f32, "aB8b"), attr, md({1, 2}, f32, "ab")));
    run.set(arg::bias, {1, 2});
    run.set(arg::dst, {0, 10, 20, 30});
    run.check();
    EXPECT_EQ(run.get(arg::dst), (std::vector<float>{1, 12, 21, 32}));
}

// All of the range of both integers, which products of pairs saturate somewhere: 255 * 127 * 2 > 32767.
// covers: MAT-27 NUM-05
TEST(Matmul, integers_are_exact) {
    for (const DataType a : {u8, s8})
        for (const DataType b : {u8, s8, u4, s4}) {
            Trial run(matmul(md({2, 70}, a, "ab"), md({70, 2}, b, "ab"), md({2, 2}, s32, "ab")));
            run.set(arg::src, std::vector<float>(140, float(range(a).highest)));
            run.set(arg::weights,
                    std::vector<float>(140, float(range(b).lowest < 0 ? range(b).lowest : range(b).highest)));
            run.check();
            const double product = range(a).highest * (range(b).lowest < 0 ? range(b).lowest : range(b).highest);
            EXPECT_EQ(run.get(arg::dst), std::vector<float>(4, float(70 * product)));
        }
}

// More than the 24 bits of f32: 2048 * 255 * 127 + 253 * 126, a number that f32 rounds.
TEST(Matmul, large_sums_of_integers_are_exact) {
    Trial run(matmul(md({2, 2049}, u8, "ab"), md({2049, 2}, s8, "ab"), md({2, 2}, s32, "ab")));
    std::vector<float> src(2 * 2049, 255), weights(2049 * 2, 127);
    src[0] = src[2049] = 253, weights[0] = weights[1] = 126;
    run.set(arg::src, src), run.set(arg::weights, weights);
    run.check();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(read<double>(s32, run.bytes.at(arg::dst).data(), i), 66356358.);
}

// Values whose sums are exact in every order, so that all ways agree bit for bit.
// covers: MAT-02 MAT-04 MAT-07 MAT-41 MAT-42
// Sums so long that their parts are steps of their own begin within the buffers of views.
TEST(Matmul, long_sums_of_views) {
    const auto part = [](const MemoryDesc& whole, std::vector<int64_t> dims, std::vector<int64_t> offsets) {
        return *submemory(whole, dims, offsets);
    };
    const MemoryDesc src = part(md({7, 16500}, f32, "ab"), {5, 16400}, {1, 7});
    const MemoryDesc weights = part(md({16500, 6}, f32, "ab"), {16400, 4}, {9, 1});
    Trial(valid(make_matmul(src, weights, {}, md({5, 4}, f32, "ab"), {}))).check();
}

TEST(Matmul, all_layouts_types_and_broadcasts) {
    std::mt19937 random(7);
    const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
    const char* src_tags[] = {"abcd", "abdc", "badc", "abcD16d", "abCD4c8d"};
    const char* weights_tags[] = {"abcd", "abdc", "any", "abDC16c16d4c", "abDc16d"};
    const char* dst_tags[] = {"abcd", "abdc", "acbd", "any", "abcD8d"};
    const std::pair<DataType, DataType> types[] = {{f32, f32}, {bf16, bf16}, {u8, s8}, {s8, s8}, {f32, s8}, {u8, u4}};
    for (unsigned turn = 0; turn < 60; ++turn) {
        const int64_t m = 1 + random() % 9, n = one_of((int64_t[]){1, 2, 16, 20, 48}), k = 8 * (1 + random() % 12);
        const std::vector<int64_t> batch{1 + int64_t(random() % 2), 1 + int64_t(random() % 3)};
        auto src_batch = batch, weights_batch = batch;
        (random() % 2 ? src_batch : weights_batch)[random() % 2] = 1;
        const auto [a, b] = one_of(types);
        const bool integers = is_integer(a);
        Attr attr = random() % 2 ? with_quants({{arg::src, {1 << 2, {}}}, {arg::weights, {0xc, {8, 1}}}}) : Attr();
        if (integers && random() % 2)
            attr.zero_points = {{arg::src, zero_point()}, {arg::weights, zero_point(0xc, {4, 1}, s8)}};
        attr.fpmath_apply_to_int = true;
        Trial(matmul(md({src_batch[0], src_batch[1], m, k}, a, one_of(src_tags)),
                     md({weights_batch[0], weights_batch[1], k, n}, b, one_of(weights_tags)),
                     md({batch[0], batch[1], m, n}, integers ? s32 : f32, one_of(dst_tags)), attr),
              turn)
            .check();
    }
}

// covers: MAT-02 MAT-03 MAT-05 MAT-28 MAT-41 MAT-42 MAT-45
TEST(Matmul, refusals_say_why) {
    const auto a = md({4, 6}, f32, "ab"), b = md({6, 8}, f32, "ab"), c = md({4, 8}, f32, "ab");
    const auto refuse = [&](const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& dst, Status status,
                            std::string_view word, const Attr& attr = {}, const MemoryDesc& bias = none) {
        expect_refusal(make_matmul(src, weights, bias, dst, attr), status, word);
    };
    const auto contradiction = Status::invalid_arguments, missing = Status::unimplemented;
    refuse(none, b, c, contradiction, "src is an empty descriptor");
    refuse(md({4}, f32, "a"), md({4}, f32, "a"), md({4}, f32, "a"), contradiction, "a vector is 1x4 or 4x1");
    refuse(a, md({5, 8}, f32, "ab"), c, contradiction, "dimension 1 of src (4x6) is 6, dimension 0 of weights (5x8) 5");
    refuse(a, b, md({1, 8}, f32, "ab"), contradiction, "dimension 0 of dst");
    refuse(a, b, c, contradiction, "dimension 1 of bias is 4", {}, md({1, 4}, f32, "ab"));
    refuse(md({2, 4, 6}, f32, "abc"), md({3, 6, 8}, f32, "abc"), md({3, 4, 8}, f32, "abc"), contradiction,
           "batch dimension 0 of src is 2, of weights 3");
    refuse(md({1, 4, 6}, f32, "abc"), md({1, 6, 8}, f32, "abc"), md({3, 4, 8}, f32, "abc"), contradiction,
           "of src 1 and weights 1 comes 1");
    refuse(md({runtime_dim, 6}, f32, "ab"), b, c, contradiction, "is 4, dimension 0 of src (*x6) *");
    refuse(a, md({6, 8}, s8, "ab"), c, missing, "apply_to_int");
    refuse(md({4, 6}, s32, "ab"), md({6, 8}, s8, "ab"), c, missing, "s32 of src with s8 of weights");
    refuse(a, b, md({4, 8}, DataType::e8m0, "ab"), missing, "dst is e8m0");
    refuse(a, b, strided({4, 8}, f32, {0, 1}), missing, "stride 0 along dimension 0");
    refuse(a, b, c, contradiction, "no multiple of the group 4", with_quants({{arg::weights, {3, {4, 1}}}}));
    refuse(a, b, c, contradiction, "leaves out", with_quants({{arg::weights, {2, {2, 1}}}}));
    refuse(a, b, c, contradiction, "mask 4", with_quants({{arg::src, {4, {}}}}));
    refuse(a, b, c, missing, "scales of src_1", with_quants({{arg::src_1, Quant()}}));
    refuse(a, b, c, missing, "zero points of src, which is f32", with_quants({}, {{arg::src, zero_point()}}));
    refuse(a, b, c, missing, "which is f32; f8 and f4",
           with_quants({{arg::dst, {3, {1, 8}, DataType::e8m0, false, QuantizationMode::dynamic_mx}}}));
    Attr attr;
    EXPECT_TRUE(attr.set_precomputed_reductions(arg::src, {3, {1, 3}, s32}));
    refuse(a, b, c, missing, "precomputed reductions of src, which is f32", attr);
}

// Pairs of attributes of which each alone is possible.
// covers: MAT-44 OSC-01
TEST(Matmul, attributes_that_exclude_each_other) {
    const MemoryDesc a = md({4, 64}, f32, "ab"), b = md({64, 64}, f32, "ab"),
                     small = md({4, 64}, DataType::f8_e4m3, "ab");
    const MemoryDesc bytes = md({4, 64}, u8, "ab"), weights = md({64, 64}, s8, "ab"), c = md({4, 64}, f32, "ab");
    const auto refuse = [&](const MemoryDesc& src, const MemoryDesc& wei, const MemoryDesc& dst, const Attr& attr,
                            std::string_view reason, Status status = Status::unimplemented) {
        expect_refusal(make_matmul(src, wei, none, dst, attr), status, reason);
    };
    const Quant mx{3, {1, 32}, DataType::e8m0, false, QuantizationMode::dynamic_mx};
    const Attr dynamic = with_quants({{arg::dst, mx}});
    EXPECT_TRUE(make_matmul(a, b, none, small, dynamic));
    // Zero points of dst need integer weights, scales that the primitive computes a dst of f8: both are possible here.
    EXPECT_TRUE(make_matmul(bytes, weights, none, small, dynamic));
    EXPECT_TRUE(make_matmul(bytes, weights, none, small, with_quants({}, {{arg::dst, zero_point()}})));
    refuse(bytes, weights, small, with_quants({{arg::dst, mx}}, {{arg::dst, zero_point()}}), "beside zero points");
    Attr rounded = dynamic;
    EXPECT_TRUE(rounded.set_rounding(arg::dst, RoundingMode::stochastic));
    refuse(a, b, small, rounded, "stochastic rounding");

    Attr reduced;
    EXPECT_TRUE(reduced.set_precomputed_reductions(arg::src, {3, {1, 32}, s32}));
    Attr of_weights = reduced;
    EXPECT_TRUE(of_weights.set_zero_points(arg::weights, zero_point()));
    EXPECT_TRUE(make_matmul(bytes, weights, none, c, of_weights));
    Attr of_src = reduced;
    EXPECT_TRUE(of_src.set_zero_points(arg::src, zero_point()));
    refuse(bytes, weights, c, of_src, "beside zero points of src");
    Attr scaled = reduced;
    const float at_execution = std::bit_cast<float>(0x7fc000d0u);
    EXPECT_TRUE(scaled.set_output_scales(0, {&at_execution, 1}));
    refuse(bytes, weights, c, scaled, "beside output scales at execution", Status::invalid_arguments);
}

// As many as the masked dims have elements, or more. covers: OSC-02
TEST(Matmul, output_scales_are_counted) {
    const MemoryDesc a = md({3, 6}, f32, "ab"), b = md({6, 5}, f32, "ab"), c = md({3, 5}, f32, "ab");
    const std::vector<float> factors(16, 0.5f);
    for (const auto& [mask, needed] : {std::pair{0, 1}, {1, 3}, {2, 5}, {3, 15}})
        for (int count = 1; count <= 16; ++count) {
            Attr attr;
            EXPECT_TRUE(attr.set_output_scales(mask, {factors.data(), size_t(count)}));
            const auto made = make_matmul(a, b, none, c, attr);
            EXPECT_EQ(bool(made), count >= needed) << count << " for mask " << mask;
            if (!made) {
                EXPECT_EQ(made.error().status, Status::invalid_arguments);
                EXPECT_NE(made.error().reason.find(fmt::format("needs {}", needed)), std::string::npos)
                    << made.error().reason;
            }
        }
}

// covers: FMT-01
TEST(Matmul, open_weights_get_panels) {
    const auto tag = [](std::vector<int64_t> dims, DataType type) {
        const int rank = int(dims.size());
        std::vector<int64_t> src(dims), dst(dims);
        src[size_t(rank) - 2] = dst[size_t(rank) - 2] = 3;
        src.back() = dims[size_t(rank) - 2];
        Attr attr;
        attr.fpmath_apply_to_int = true;
        const bool integer = is_integer(type) && bits(type) == 8;
        return tag_of(matmul(md(src, integer ? u8 : f32, "any"), md(dims, type, "any"), md(dst, f32, "any"), attr)
                          .md(arg::weights));
    };
    for (const DataType type : {f32, DataType::f16}) EXPECT_EQ(tag({300, 40}, type), "Ba16b") << name(type);
    for (const DataType type : {DataType::f8_e5m2, DataType::f4_e2m1, s4}) // decompressed
        EXPECT_EQ(tag({300, 40}, type), "ab") << name(type);
    EXPECT_EQ(tag({300, 40}, bf16), "BA16a16b2a");
    EXPECT_EQ(tag({300, 40}, u8), "BA16a16b4a");
    EXPECT_EQ(tag({2, 300, 40}, s8), "aCB16b16c4b");
    EXPECT_EQ(tag({5, 2, 300, 40}, f32), "abDc16d");
    EXPECT_EQ(tag({64, 64}, f32), "ab");  // small
    EXPECT_EQ(tag({1000, 15}, s8), "ab"); // narrow
}

// Bytes that are multiplied as f32 are widened from panels; where they become bf16, and of 4 bits, they stay plain.
// covers: FMT-01
TEST(Matmul, open_weights_that_are_decompressed) {
    const auto tag = [](DataType src, DataType type, FpmathMode mode, int64_t k = 300, int64_t n = 40) {
        Attr attr;
        attr.fpmath = mode, attr.fpmath_apply_to_int = true;
        return tag_of(
            matmul(md({3, k}, src, "ab"), md({k, n}, type, "any"), md({3, n}, f32, "ab"), attr).md(arg::weights));
    };
    for (const DataType type : {s8, u8}) {
        EXPECT_EQ(tag(f32, type, FpmathMode::strict), "Ba16b") << name(type);
        EXPECT_EQ(tag(f32, type, FpmathMode::bf16), "ab") << name(type);
        EXPECT_EQ(tag(f32, type, FpmathMode::any), "ab") << name(type);
        EXPECT_EQ(tag(bf16, type, FpmathMode::bf16), "ab") << name(type);
    }
    EXPECT_EQ(tag(f32, s4, FpmathMode::strict), "ab");
    EXPECT_EQ(tag(f32, s8, FpmathMode::strict, 64, 64), "ab");   // small
    EXPECT_EQ(tag(f32, s8, FpmathMode::strict, 1000, 15), "ab"); // narrow
}

// The plan's meaning and the engine's, on a matrix with empty rows; what they should give is in tests/api.
// covers: MAT-60 MAT-61
TEST(Matmul, sparse_plans_mean_what_the_engine_does) {
    std::vector<float> values{1, 2, 3, 4, 5}, dense(24), dst(24, -1.f), interpreted(24, -2.f);
    std::vector<int32_t> columns{0, 3, 1, 0, 2}, rows{0, 0, 2, 3, 3}, beginnings{0, 2, 2, 3, 5};
    for (size_t i = 0; i < dense.size(); ++i) dense[i] = float(i % 7) - 3;
    for (const bool csr : {true, false})
        for (const bool is_src : {true, false}) {
            const std::vector<int64_t> four{4, 4}, wide{4, 6}, tall{6, 4};
            const MemoryDesc list =
                valid(csr ? make_csr_desc(four, f32, 5, s32, s32) : make_coo_desc(four, f32, 5, s32));
            const Problem p = is_src ? matmul(list, md(wide, f32, "ab"), md(wide, f32, "ba"))
                                     : matmul(md(tall, f32, "ba"), list, md(tall, f32, "ab"));
            const auto plan = std::make_shared<const Plan>(valid(lower_matmul(p)));
            ASSERT_TRUE(verify(*plan)) << to_string(*plan);
            std::vector<void*> pointers;
            for (const Operand& o : plan->operands)
                pointers.push_back(o.arg == arg::dst               ? dst.data()
                                   : (o.arg == arg::src) != is_src ? dense.data()
                                   : o.buffer == 0                 ? static_cast<void*>(values.data())
                                   : csr ? (o.buffer == 1 ? columns.data() : beginnings.data())
                                         : (o.buffer == 1 ? rows.data() : columns.data()));
            Context machine;
            machine.threads = 2;
            ASSERT_EQ((*cpu::make_portable(plan, machine))->run(pointers, {}), Status::success);
            for (void*& pointer : pointers)
                if (pointer == dst.data()) pointer = interpreted.data();
            interpret(*plan, pointers);
            EXPECT_EQ(dst, interpreted) << to_string(*plan);
        }
}

// covers: MAT-05
TEST(Matmul, run_time_dims_are_checked_when_they_are_known) {
    Problem p = matmul(md({runtime_dim, 6}, f32, "ab"), md({6, 8}, f32, "ab"), md({runtime_dim, 8}, f32, "ab"));
    ASSERT_TRUE(p.has_runtime());
    p.tensors[0].md = md({4, 6}, f32, "ab");
    p.tensors[2].md = md({4, 8}, f32, "ab");
    EXPECT_TRUE(resolved_matmul(p));
    p.tensors[2].md = md({5, 8}, f32, "ab");
    expect_refusal(resolved_matmul(p), Status::invalid_arguments, "dimension 0 of dst (5x8) is 5");
}

} // namespace tessera::ops
