// SPDX-License-Identifier: Apache-2.0
// binary: the definition of each function, broadcasting between all kinds of layouts, the rules and the attributes.
#include "core/program/binary.hpp"

#include <algorithm>

#include "objects.hpp"
#include "ops/binary/binary.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32, s8 = DataType::s8;
const MemoryDesc none;

Problem binary_of_descs(int alg, const MemoryDesc& a, const MemoryDesc& b, const MemoryDesc& dst, const Attr& attr = {},
                        const MemoryDesc& condition = none) {
    auto made = make_binary(alg, a, b, condition, dst, attr);
    EXPECT_TRUE(made) << (made ? "" : made.error().reason);
    return *made;
}

std::vector<float> values(int alg, const std::vector<float>& a, const std::vector<float>& b, DataType type = f32) {
    const int64_t n = int64_t(a.size());
    Trial run(binary_of_descs(alg, md({n}, type, "a"), md({n}, type, "a"), md({n}, type, "a")));
    run.set(arg::src, a);
    run.set(arg::src_1, b);
    run.check();
    return run.get(arg::dst);
}

void expect_same(const std::vector<float>& got, const std::vector<float>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i])))
            << "element " << i << ": " << got[i] << " instead of " << want[i];
}

const int all_algs[] = {binary::add, binary::mul, binary::max, binary::min, binary::div, binary::sub,
                        binary::ge,  binary::gt,  binary::le,  binary::lt,  binary::eq,  binary::ne};

} // namespace

// covers: BIN-01 BIN-09
TEST(Binary, functions) {
    const float inf = INFINITY, nan = NAN;
    const std::vector<float> a{1, 2, 3, -4, inf, nan, 1, nan, 0.f}, b{2, 2, 1, 2, inf, 1, nan, nan, -0.f};
    expect_same(values(binary::add, a, b), {3, 4, 4, -2, inf, nan, nan, nan, 0});
    expect_same(values(binary::sub, a, b), {-1, 0, 2, -6, nan, nan, nan, nan, 0});
    expect_same(values(binary::mul, a, b), {2, 4, 3, -8, inf, nan, nan, nan, 0});
    expect_same(values(binary::div, a, b), {0.5, 1, 3, -2, nan, nan, nan, nan, nan});
    expect_same(values(binary::max, a, b), {2, 2, 3, 2, inf, nan, nan, nan, 0});
    expect_same(values(binary::min, a, b), {1, 2, 1, -4, inf, nan, nan, nan, 0});
    expect_same(values(binary::ge, a, b), {0, 1, 1, 0, 1, 0, 0, 0, 1});
    expect_same(values(binary::gt, a, b), {0, 0, 1, 0, 0, 0, 0, 0, 0});
    expect_same(values(binary::le, a, b), {1, 1, 0, 1, 1, 0, 0, 0, 1});
    expect_same(values(binary::lt, a, b), {1, 0, 0, 1, 0, 0, 0, 0, 0});
    expect_same(values(binary::eq, a, b), {0, 1, 0, 0, 1, 0, 0, 0, 1});
    expect_same(values(binary::ne, a, b), {1, 0, 1, 1, 0, 1, 1, 1, 0});
}

// covers: BIN-08
TEST(Binary, integers_saturate_after_f32) {
    expect_same(values(binary::div, {5, -5, 0, 7}, {0, 0, 0, 2}, s8), {127, -128, -128, 4});
    expect_same(values(binary::add, {100, -100, 3}, {100, -100, 4}, s8), {127, -128, 7});
    expect_same(values(binary::sub, {3, 200}, {5, 1}, DataType::u8), {0, 199});
    expect_same(values(binary::mul, {70000, -3}, {70000, 3}, DataType::s32), {2147483520, -9});
}

// covers: BIN-03 BIN-04 BIN-06
TEST(Binary, both_sides_broadcast_in_any_layout) {
    const std::vector<std::vector<int64_t>> shapes{{2, 17, 4, 5}, {2, 1, 4, 1}, {1, 17, 1, 5},
                                                   {1, 17, 1, 1}, {1, 1, 1, 1}, {2, 17, 1, 1}};
    const char* tags[] = {"abcd", "acdb", "aBcd16b", "cdba", "aBcd8b", "ABcd4a4b"};
    unsigned seed = 1;
    for (const auto& a : shapes)
        for (const auto& b : shapes) {
            std::vector<int64_t> to;
            for (size_t d = 0; d < a.size(); ++d) to.push_back(std::max(a[d], b[d]));
            for (int turn = 0; turn < 4; ++turn, ++seed)
                Trial(binary_of_descs(all_algs[seed % 12], md(a, f32, tags[seed % 6]), md(b, f32, tags[seed / 6 % 6]),
                                      md(to, f32, tags[seed / 5 % 6])),
                      seed, turn == 3)
                    .check();
        }
}

// covers: BIN-07
TEST(Binary, all_types) {
    const DataType types[] = {f32,           DataType::bf16, DataType::f16,     s8,
                              DataType::s32, DataType::u8,   DataType::f8_e5m2, DataType::f8_e4m3};
    unsigned seed = 1;
    for (const DataType a : types)
        for (const DataType b : types)
            for (const DataType to : types) {
                const int alg = all_algs[++seed % 12];
                Trial(binary_of_descs(alg, md({3, 37}, a, "ab"), md({1, 37}, b, "ab"), md({3, 37}, to, "ba")), seed)
                    .check();
                Trial(binary_of_descs(alg, md({2, 40}, a, "ab"), md({2, 40}, b, "ab"), md({2, 40}, to, "ab")), seed)
                    .check();
            }
    for (const DataType bad : {DataType::f64, DataType::s64, DataType::s4, DataType::e8m0, DataType::boolean}) {
        const MemoryDesc odd = md({2, 4}, bad, "ab"), fine = md({2, 4}, f32, "ab");
        expect_refusal(make_binary(binary::add, odd, fine, none, fine, {}), Status::unimplemented, "src is");
        expect_refusal(make_binary(binary::add, fine, odd, none, fine, {}), Status::unimplemented, "src_1 is");
        expect_refusal(make_binary(binary::add, fine, fine, none, odd, {}), Status::unimplemented, "dst is");
    }
}

// covers: BIN-04 BIN-13
TEST(Binary, strides_views_and_empty_shapes) {
    const MemoryDesc gaps = strided({3, 5}, f32, {11, 2}), repeated = strided({3, 5}, f32, {0, 1});
    Trial(binary_of_descs(binary::mul, gaps, repeated, gaps)).check();
    Trial(binary_of_descs(binary::mul, repeated, gaps, md({3, 5}, f32, "ba"))).check();
    const std::vector<int64_t> dims{2, 5}, offsets{1, 3};
    const MemoryDesc part = *submemory(md({4, 9}, f32, "ab"), dims, offsets);
    Trial(binary_of_descs(binary::sub, part, md({2, 1}, f32, "ab"), part)).check();
    Trial(binary_of_descs(binary::add, md({0, 5}, f32, "ab"), md({1, 5}, f32, "ab"), md({0, 5}, f32, "ab"))).check();
    Trial(binary_of_descs(binary::max, md({2, 3, 2, 2, 3, 2, 5}, f32, "abcdefg"),
                          md({1, 3, 1, 2, 1, 2, 1}, f32, "gfedcba"), md({2, 3, 2, 2, 3, 2, 5}, f32, "bacdefg")))
        .check();
    expect_refusal(make_binary(binary::add, gaps, gaps, none, repeated, {}), Status::unimplemented, "stride 0");
}

// covers: BIN-04
TEST(Binary, shapes_that_do_not_go_together) {
    // An extent of 0 goes with 1, and stays.
    EXPECT_TRUE(
        make_binary(binary::add, md({0, 3}, f32, "ab"), md({1, 3}, f32, "ab"), none, md({0, 3}, f32, "ab"), {}));
    EXPECT_FALSE(
        make_binary(binary::add, md({0, 3}, f32, "ab"), md({1, 3}, f32, "ab"), none, md({1, 3}, f32, "ab"), {}));
    const MemoryDesc a = md({2, 3}, f32, "ab");
    const auto make = [&](const MemoryDesc& b, const MemoryDesc& to) {
        return make_binary(binary::add, a, b, none, to, {});
    };
    expect_refusal(make(md({2, 4}, f32, "ab"), a), Status::invalid_arguments, "dimension 1 of src is 3, of src_1 4");
    expect_refusal(make(md({2, 3, 1}, f32, "abc"), a), Status::invalid_arguments, "2x3x1");
    expect_refusal(make(md({2, 1}, f32, "ab"), md({2, 4}, f32, "ab")), Status::invalid_arguments, "dimension 1 of dst");
    expect_refusal(make(md({1, 3}, f32, "ab"), md({1, 3}, f32, "ab")), Status::invalid_arguments, "dimension 0 of dst");
    expect_refusal(make_binary(47, a, a, none, a, {}), Status::invalid_arguments,
                   "eltwise_clip_v2 is none of binary_add");
    expect_refusal(make(md({2, 3}, f32, "ab"), none), Status::invalid_arguments, "dst is an empty descriptor");
}

// covers: BIN-05
TEST(Binary, select) {
    const MemoryDesc a = md({5}, f32, "a"), condition = md({5}, s8, "a");
    Trial run(binary_of_descs(binary::select, a, a, a, {}, condition));
    run.set(arg::src, {1, 2, 3, 4, NAN});
    run.set(arg::src_1, {-1, -2, NAN, -4, -5});
    run.set(arg::src_2, {0, 1, -1, 0, -128});
    run.check();
    expect_same(run.get(arg::dst), {-1, 2, 3, -4, NAN});

    const MemoryDesc big = md({2, 17, 3}, f32, "aBc16b"), row = md({1, 17, 1}, f32, "abc");
    Trial(binary_of_descs(binary::select, big, row, big, {}, md({2, 17, 3}, s8, "acb"))).check();
    Trial(binary_of_descs(binary::select, row, big, big, {}, md({1, 17, 1}, s8, "abc"))).check();
    Trial(binary_of_descs(binary::select, big, big, big, {}, *make_desc_any(big.dims_span(), s8))).check();
    expect_refusal(make_binary(binary::select, a, a, none, a, {}), Status::invalid_arguments, "third source");
    expect_refusal(make_binary(binary::add, a, a, condition, a, {}), Status::invalid_arguments, "third source");
    expect_refusal(make_binary(binary::select, a, a, a, a, {}), Status::invalid_arguments, "s8");
    expect_refusal(make_binary(binary::select, a, a, md({1}, s8, "a"), a, {}), Status::invalid_arguments, "shapes");
}

// covers: BIN-06 FMT-02
TEST(Binary, open_layouts_follow_src) {
    const auto any = [](std::vector<int64_t> dims) { return *make_desc_any(dims, f32); };
    const Problem p = binary_of_descs(binary::add, md({2, 3}, f32, "ba"), any({2, 3}), any({2, 3}));
    EXPECT_EQ(strides_of(p.md(arg::src_1)), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(strides_of(p.md(arg::dst)), (std::vector<int64_t>{1, 2}));
    EXPECT_TRUE(p.find(arg::src_1)->was_any && p.find(arg::dst)->was_any && !p.find(arg::src)->was_any);

    const Problem channels =
        binary_of_descs(binary::add, md({2, 3, 4, 5}, f32, "acdb"), any({1, 3, 1, 1}), any({2, 3, 4, 5}));
    EXPECT_EQ(strides_of(channels.md(arg::src_1)), (std::vector<int64_t>{3, 1, 3, 3}));
    // A broadcast src has an order, too; of one element there is none, and dst follows src_1.
    const Problem wide =
        binary_of_descs(binary::add, md({1, 3, 1, 1}, f32, "acdb"), md({2, 3, 4, 5}, f32, "abcd"), any({2, 3, 4, 5}));
    EXPECT_EQ(tag_of(wide.md(arg::dst)), "acdb");
    const Problem scalar =
        binary_of_descs(binary::add, md({1, 1, 1}, f32, "abc"), md({2, 3, 4}, f32, "cab"), any({2, 3, 4}));
    EXPECT_EQ(tag_of(scalar.md(arg::dst)), "cab");
    // Blocks stay where there is something to block.
    const Problem blocked =
        binary_of_descs(binary::add, md({2, 17, 4, 5}, f32, "aBcd16b"), any({2, 1, 4, 5}), any({2, 17, 4, 5}));
    EXPECT_EQ(blocked.md(arg::src_1).inner_nblks, 0);
    EXPECT_EQ(tag_of(blocked.md(arg::dst)), "aBcd16b");
    expect_refusal(make_binary(binary::add, any({2, 3}), any({2, 3}), none, any({2, 3}), {}), Status::invalid_arguments,
                   "any");
}

// covers: BIN-02 BIN-10
TEST(Binary, scales) {
    Attr attr;
    attr.scales[arg::src] = attr.scales[arg::src_1] = Quant{};
    const MemoryDesc a = md({2, 3}, s8, "ab"), to = md({2, 3}, f32, "ab");
    Trial run(binary_of_descs(binary::add, a, a, to, attr));
    run.set(arg::src, {1, 2, 3, 4, 5, 6});
    run.set(arg::src_1, {1, 1, 1, 2, 2, 2});
    write<float>(f32, run.bytes.at(arg::scales | arg::src).data(), 0, 0.5f);
    write<float>(f32, run.bytes.at(arg::scales | arg::src_1).data(), 0, 4.f);
    run.check();
    expect_same(run.get(arg::dst), {4.5, 5, 5.5, 10, 10.5, 11});

    const auto refused = [&](const Attr& bad, std::string_view word) {
        expect_refusal(make_binary(binary::add, a, a, none, to, bad), Status::unimplemented, word);
    };
    attr.scales[arg::src].mask = 2;
    refused(attr, "mask 2");
    Attr of_dst, zero_points, dynamic;
    of_dst.scales[arg::dst] = Quant{};
    refused(of_dst, "scales of dst");
    zero_points.zero_points[arg::src] = Quant{};
    refused(zero_points, "zero points of src");
    dynamic.scales[arg::src].mode = QuantizationMode::dynamic_mx;
    refused(dynamic, "dynamic");
}

// covers: BIN-02 BIN-11
TEST(Binary, post_ops) {
    const MemoryDesc full = md({2, 17, 3}, f32, "abc"), row = md({1, 17, 1}, f32, "abc");
    Attr attr;
    PostOp sum, relu, mul, select;
    sum.kind = PostOpKind::sum, sum.scale = 2;
    relu.kind = PostOpKind::eltwise, relu.alg = 32, relu.alpha = 0.5;
    mul.kind = PostOpKind::binary, mul.alg = binary::mul, mul.src1 = row;
    select.kind = PostOpKind::binary, select.alg = binary::select, select.src1 = row;
    select.src2 = md({2, 17, 3}, s8, "acb");
    for (const PostOp& op : {sum, relu, mul, select}) ASSERT_TRUE(attr.post_ops.append(op));
    const Problem p = binary_of_descs(binary::add, full, row, full, attr);
    for (const int id : {arg::post_op(2) | arg::src_1, arg::post_op(3) | arg::src_1, arg::post_op(3) | arg::src_2})
        EXPECT_TRUE(p.find(id) && p.find(id)->attribute) << id;
    Trial(p).check();
    // A sum reads dst at its full size, whatever src is.
    Trial(binary_of_descs(binary::add, row, full, full, attr)).check();

    Attr prelu;
    PostOp slope;
    slope.kind = PostOpKind::prelu, slope.mask = 2;
    ASSERT_TRUE(prelu.post_ops.append(slope));
    expect_refusal(make_binary(binary::add, full, full, none, full, prelu), Status::unimplemented, "prelu");
}

// covers: BIN-12
TEST(Binary, in_place) {
    const MemoryDesc full = md({2, 17, 3}, f32, "aBc16b"), row = md({1, 17, 1}, f32, "abc");
    Trial run(binary_of_descs(binary::sub, full, row, full));
    const auto a = run.get(arg::src), b = run.get(arg::src_1);
    run.share(arg::dst, arg::src);
    run.check();
    const auto to = run.get(arg::src);
    for (size_t i = 0; i < to.size(); ++i) EXPECT_EQ(to[i], a[i] - b[i / 3 % 17]) << i;
}

} // namespace tessera::ops
