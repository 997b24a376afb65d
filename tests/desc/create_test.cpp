// SPDX-License-Identifier: Apache-2.0
// Making descriptors: dims, types, strides, run-time extents, sparse and host scalar kinds, and what is refused.
// covers: MEM-01 MEM-02 MEM-03 MEM-04 MEM-05 MEM-06 MEM-10 MEM-14 MEM-15 MEM-16 MEM-17 RTD-01 HSC-01 SPA-01 SPA-02
// covers: SPA-03 TAG-09 OPQ-01
#include "describe.hpp"

namespace tessera::testing {
namespace {

constexpr int64_t huge = std::numeric_limits<int64_t>::max();

TEST(Create, FromOneToTwelveDimensions) {
    for (size_t n = 1; n <= 12; ++n) {
        const List dims(n, 2);
        EXPECT_EQ(tagged(dims, std::string_view("abcdefghijkl").substr(0, n)).ndims, int(n));
        EXPECT_EQ(must(make_desc_any(dims, DataType::f32)).kind, FormatKind::any);
    }
    const List thirteen(13, 1);
    expect_invalid(make_desc_any(thirteen, DataType::f32), "13");
    expect_invalid(make_desc_with_strides(thirteen, DataType::f32, thirteen), "13");
    expect_invalid(make_desc_with_tag(thirteen, DataType::f32, "abcdefghijkl"));
    expect_invalid(make_desc_undef(thirteen, DataType::f32), "13");
}

TEST(Create, ZeroDescriptorMeansAbsent) {
    EXPECT_TRUE(MemoryDesc().is_zero());
    for (const auto& md :
         {make_desc_any({}, DataType::f32), make_desc_with_tag({}, DataType::f32, "a"),
          make_desc_with_strides({}, DataType::f32, {}), make_desc_with_tag({}, DataType::undef, "undef"),
          make_csr_desc({}, DataType::f32, 0, DataType::s32, DataType::s32)}) {
        EXPECT_EQ(must(md), MemoryDesc());
        EXPECT_EQ(must(md).type, DataType::undef);
        EXPECT_EQ(size_of(must(md)), 0u);
    }
    EXPECT_FALSE(tagged({0, 3}, "ab").is_zero());
    EXPECT_EQ(must(make_desc_with_tag(List{2, 3}, DataType::f32, "undef")), MemoryDesc());
}

TEST(Create, EveryTypeButUndef) {
    for (DataType type : all_types) {
        EXPECT_EQ(tagged({2, 4}, "ab", type).type, type);
        EXPECT_EQ(must(make_desc_any(List{2, 4}, type)).type, type);
    }
    for (int number : {0, -1, 17, 32767, std::numeric_limits<int>::min()}) {
        const DataType type{number};
        expect_invalid(make_desc_with_tag(List{2, 3}, type, "ab"), "data type");
        expect_invalid(make_desc_any(List{2, 3}, type), "data type");
        expect_invalid(make_desc_with_strides(List{2, 3}, type, List{3, 1}), "data type");
        expect_invalid(make_host_scalar_desc(type), "data type");
    }
}

TEST(Create, NegativeAndOverflowingDims) {
    expect_invalid(make_desc_with_tag(List{2, -3}, DataType::f32, "ab"), "-3 is negative");
    expect_invalid(make_desc_any(List{-1}, DataType::f32));
    expect_invalid(make_desc_with_strides(List{2, -3}, DataType::f32, List{3, 1}));
    const int64_t forty = int64_t(1) << 40;
    expect_invalid(make_desc_with_tag(List{forty, forty}, DataType::f32, "ab"), "64 bits");
    expect_invalid(make_desc_any(List{forty, forty}, DataType::f32), "64 bits");
    expect_invalid(make_desc_with_strides(List{forty, forty}, DataType::f32, List{0, 0}), "64 bits");
    expect_invalid(make_desc_with_tag(List{int64_t(1) << 31, int64_t(1) << 31}, DataType::f32, "ab"), "64 bits");
    expect_invalid(make_desc_with_tag(List{int64_t(1) << 61}, DataType::f32, "a"), "64 bits");
    EXPECT_EQ(size_of(tagged({(int64_t(1) << 61) - 8}, "a")), (size_t(1) << 63) - 32);
    expect_invalid(make_desc_with_tag(List{1, (int64_t(1) << 62) + 1}, DataType::f32, "AB16b16a"));
    expect_invalid(make_desc_with_tag(List{0, forty, forty}, DataType::f32, "abc"), "64 bits");
    expect_invalid(make_desc_with_strides(List{4, 4}, DataType::f32, List{int64_t(1) << 62, 1}), "64 bits");
    strided({2, 2, 2}, {huge / 2 - 16, huge / 8, 1}, DataType::s8);
    expect_invalid(make_desc_with_strides(List{3, 3}, DataType::s8, List{huge / 2, 1}), "64 bits");
}

TEST(Create, StridesMustNotOverlap) {
    for (const List& strides : {List{1, 1}, List{2, 1}, List{-3, 1}, List{1, 1}})
        expect_invalid(make_desc_with_strides(List{2, 3}, DataType::f32, strides));
    expect_invalid(make_desc_with_strides(List{4, 8}, DataType::f32, List{1, 1}), "overlap");
    expect_invalid(make_desc_with_strides(List{2, 2}, DataType::f32, List{2, 2}), "overlap");
    expect_invalid(make_desc_with_strides(List{2, 3, 4}, DataType::f32, List{11, 4, 1}), "overlap");
    EXPECT_EQ(size_of(strided({2, 3, 4}, {13, 4, 1})), 104u);
    for (const List& strides : {List{3, 1}, List{10, 2}, List{1, 2}, List{0, 1}, List{0, 0}, List{1, 0}, List{3, 0}})
        EXPECT_EQ(strides_of(strided({2, 3}, strides)), strides);
    for (const List& strides : {List{77, 1}, List{0, 1}, List{1, 1}}) strided({1, 4}, strides);
    strided({1, 1}, {5, 9});
    strided({2, 1, 3}, {3, 2, 1});
    strided({3, 0}, {1, 1});
    expect_invalid(make_desc_with_strides(List{2, 3}, DataType::f32, List{1}), "1 stride for 2");
    expect_invalid(make_desc_with_strides(List{2, huge}, DataType::s8, List{huge, 2}));
}

TEST(Create, EqualityIsStructural) {
    EXPECT_EQ(strided({1, 4}, {4, 1}), strided({1, 4}, {77, 1}));
    EXPECT_EQ(tagged({2, 1, 3, 4}, "nchw"), tagged({2, 1, 3, 4}, "nhwc"));
    EXPECT_EQ(tagged({2, 3}, "ab"), strided({2, 3}, {3, 1}));
    EXPECT_EQ(must(make_desc_any(List{2, 3}, DataType::f32)), must(make_desc_any(List{2, 3}, DataType::f32)));
    EXPECT_EQ(tagged({2, 16}, "aB16b"), tagged({2, 16}, "aB16b"));
    EXPECT_NE(tagged({2, 3}, "ab"), tagged({2, 3}, "ab", DataType::s32));
    EXPECT_NE(tagged({2, 3}, "ab"), tagged({2, 3}, "ba"));
    EXPECT_NE(tagged({2, 3}, "ab"), must(make_desc_any(List{2, 3}, DataType::f32)));
    EXPECT_NE(tagged({0, 3}, "ab"), tagged({0, 3}, "ba"));
    EXPECT_NE(tagged({2, 16, 1, 1}, "aBcd16b"), tagged({2, 16, 1, 1}, "abcd"));
    EXPECT_NE(tagged({2, 15}, "aB16b"), tagged({2, 16}, "aB16b"));
    const MemoryDesc parent = tagged({4, 8}, "ab");
    EXPECT_NE(must(submemory(parent, List{2, 3}, List{0, 0})), must(submemory(parent, List{2, 3}, List{1, 0})));
    const MemoryDesc weights = tagged({16, 16}, "AB16b16a", DataType::s8);
    EXPECT_NE(weights, must(with_extra(weights, {Extra::s8s8, 1, 0, 1.f})));
    EXPECT_NE(must(make_csr_desc(List{4, 6}, DataType::f32, 3, DataType::s32, DataType::s32)),
              must(make_csr_desc(List{4, 6}, DataType::f32, 4, DataType::s32, DataType::s32)));
}

TEST(Create, FourBitRowsStartAtBytes) {
    const auto s4 = [](const List& dims, std::string_view tag) { return make_desc_with_tag(dims, DataType::s4, tag); };
    for (const auto& md : {s4({3, 3}, "ab"), s4({3, 4}, "ba"), s4({2, 17, 3}, "acb"), s4({3, 3, 1}, "abc")})
        expect_invalid(md, "even");
    expect_invalid(make_desc_with_tag(List{3, 3}, DataType::f4_e2m1, "ab"), "even");
    expect_invalid(make_desc_with_strides(List{3, 4}, DataType::u4, List{5, 1}), "even");
    expect_invalid(make_desc_with_strides(List{5}, DataType::s4, List{3}), "even");
    EXPECT_EQ(size_of(must(s4({3}, "a"))), 2u);
    EXPECT_EQ(size_of(must(s4({3, 4}, "ab"))), 6u);
    EXPECT_EQ(size_of(must(s4({4, 3}, "ba"))), 6u);
    EXPECT_EQ(size_of(must(s4({3, 1}, "ab"))), 2u);
    EXPECT_EQ(size_of(must(s4({1, 3}, "ab"))), 2u);
    EXPECT_EQ(size_of(must(s4({2, 16, 3}, "acb"))), 48u);
    EXPECT_EQ(size_of(must(s4({2, 17, 3}, "aBc16b"))), 96u);
    EXPECT_EQ(size_of(strided({3, 3}, {4, 1}, DataType::s4)), 6u);
    EXPECT_EQ(size_of(strided({3, 4}, {8, 2}, DataType::s4)), 12u);
    EXPECT_EQ(size_of(strided({5}, {2}, DataType::s4)), 5u);
    must(s4({0, 3}, "ab"));
    must(make_desc_any(List{3, 3}, DataType::s4));
}

TEST(Create, RunTimeExtents) {
    EXPECT_EQ(strides_of(tagged({any_extent, 3}, "ab")), (List{3, 1}));
    EXPECT_EQ(strides_of(tagged({2, any_extent}, "ab")), (List{any_extent, 1}));
    const MemoryDesc blocked = tagged({2, any_extent, 3}, "aBc8b");
    EXPECT_EQ(strides_of(blocked), (List{any_extent, 24, 8}));
    EXPECT_EQ(padded_of(blocked), (List{2, any_extent, 3}));
    EXPECT_EQ(padded_of(tagged({any_extent, 17, 3}, "aBc8b")), (List{any_extent, 24, 3}));
    for (const MemoryDesc& md : {tagged({any_extent, 3}, "ab"), tagged({2, any_extent}, "ab"), blocked,
                                 strided({2, 3}, {any_extent, 1}), strided({2, 3}, {any_extent, any_extent}),
                                 strided({any_extent, 3}, {3, 1}), strided({2, any_extent}, {5, 1})}) {
        EXPECT_TRUE(md.has_runtime());
        EXPECT_EQ(size_of(md), runtime_size);
    }
    EXPECT_EQ(tagged({any_extent, 3}, "ab").nelems(), runtime_dim);
    EXPECT_EQ(size_of(tagged({any_extent, 0}, "ab")), 0u);
    expect_invalid(make_desc_any(List{any_extent, 3}, DataType::f32), "run-time");
    EXPECT_TRUE(tagged({any_extent, 3}, "ab", DataType::s4).has_runtime());
}

TEST(Create, HostScalar) {
    const MemoryDesc md = must(make_host_scalar_desc(DataType::bf16));
    EXPECT_EQ(md.kind, FormatKind::host_scalar);
    EXPECT_EQ(dims_of(md), List{1});
    EXPECT_EQ(size_of(md), 2u);
    EXPECT_EQ(size_of(must(make_host_scalar_desc(DataType::s4))), 1u);
    EXPECT_EQ(size_of(must(make_host_scalar_desc(DataType::s64))), 8u);
}

TEST(Create, Sparse) {
    const MemoryDesc csr = must(make_csr_desc(List{4, 6}, DataType::f32, 3, DataType::s32, DataType::s32));
    EXPECT_EQ(handle_count(csr), 3);
    EXPECT_EQ(
        (std::vector<size_t>{size_of(csr, 0), size_of(csr, 1), size_of(csr, 2), size_of(csr, 3), size_of(csr, -1)}),
        (std::vector<size_t>{12, 12, 20, 0, 0}));
    const MemoryDesc coo = must(make_coo_desc(List{4, 6, 2}, DataType::s8, 3, DataType::s64));
    EXPECT_EQ(handle_count(coo), 4);
    EXPECT_EQ(size_of(coo, 0), 3u);
    EXPECT_EQ(size_of(coo, 3), 24u);
    EXPECT_EQ(size_of(coo, 4), 0u);
    const MemoryDesc packed = must(make_packed_desc(List{4, 6}, DataType::f32, 3));
    EXPECT_EQ(size_of(packed), 0u);
    expect_unimplemented(make_csr_desc(List{4, 6, 2}, DataType::f32, 3, DataType::s32, DataType::s32), "matrices");
    expect_invalid(make_csr_desc(List{4, 6}, DataType::f32, -1, DataType::s32, DataType::s32), "-1");
    expect_invalid(make_csr_desc(List{4, 6}, DataType::f32, runtime_dim, DataType::s32, DataType::s32));
    expect_invalid(make_csr_desc(List{4, 6}, DataType::f32, int64_t(1) << 62, DataType::s32, DataType::s32), "64 bits");
    expect_invalid(make_csr_desc(List{4, 6}, DataType::f32, 3, DataType::undef, DataType::s32), "sparse indices");
    expect_invalid(make_csr_desc(List{4, 6}, DataType::f32, 3, DataType::s32, DataType::undef), "row pointers");
    expect_invalid(make_coo_desc(List{4, 6}, DataType::f32, 3, DataType{99}));
    expect_invalid(make_coo_desc(List{-4, 6}, DataType::f32, 3, DataType::s32));
    expect_invalid(make_packed_desc(List{4, 6}, DataType::undef, 3));
    EXPECT_EQ(size_of(must(make_csr_desc(List{4}, DataType::f32, 3, DataType::s32, DataType::s32)), 2), 20u);
}

// Whether there is code for indices of a type is the primitive's affair.
TEST(Create, SparseIndicesOfEveryType) {
    for (const DataType type : all_types) {
        const MemoryDesc csr = must(make_csr_desc(List{4, 6}, DataType::f32, 3, type, DataType::s32));
        EXPECT_EQ(size_of(csr, 1), size_t(bytes_of(type, 3))) << name(type);
        const MemoryDesc pointers = must(make_csr_desc(List{4, 6}, DataType::f32, 3, DataType::s32, type));
        EXPECT_EQ(size_of(pointers, 2), size_t(bytes_of(type, 5))) << name(type);
        const MemoryDesc coo = must(make_coo_desc(List{4, 6}, DataType::f32, 3, type));
        EXPECT_EQ(size_of(coo, 2), size_t(bytes_of(type, 3))) << name(type);
    }
}

// The largest tensors: as many bytes as an int64_t counts.
TEST(Create, AsLargeAsNumbersAre) {
    for (const DataType type : {DataType::u8, DataType::s8, DataType::boolean}) {
        EXPECT_EQ(size_of(tagged({huge}, "a", type)), size_t(huge));
        EXPECT_EQ(reach_of(tagged({huge}, "a", type)), size_t(huge));
    }
    EXPECT_EQ(size_of(tagged({huge}, "a", DataType::s4)), size_t(huge / 2 + 1));
    EXPECT_EQ(size_of(tagged({huge / 4}, "a")), size_t(huge / 4 * 4));
    expect_invalid(make_desc_with_tag(List{huge / 4 + 1}, DataType::f32, "a"), "64 bits");
    expect_invalid(make_desc_with_tag(List{huge}, DataType::u8, "A16a"), "64 bits");
}

TEST(Create, CompensationIsForBlockedS8) {
    const MemoryDesc weights = tagged({20, 16}, "AB16b16a", DataType::s8);
    const uint32_t both = Extra::s8s8 | Extra::asymmetric_src;
    const MemoryDesc md = must(with_extra(weights, {both, 1, 1, 0.5f}));
    EXPECT_EQ(compensation_count(md, Extra::s8s8), 32);
    EXPECT_EQ(compensation_offset(md, Extra::s8s8), 512u);
    EXPECT_EQ(compensation_offset(md, Extra::asymmetric_src), 640u);
    EXPECT_EQ(size_of(md), 768u);
    EXPECT_EQ(size_of(must(with_extra(weights, {Extra::scale_adjust, 0, 0, 0.5f}))), 512u);
    const MemoryDesc odd = must(with_extra(tagged({3, 3}, "ab", DataType::s8), {Extra::asymmetric_src, 0, 2, 1.f}));
    EXPECT_EQ(compensation_offset(odd, Extra::asymmetric_src), 12u); // nine weights, rounded up for s32
    EXPECT_EQ(size_of(odd), 24u);
    expect_invalid(with_extra(tagged({20, 16}, "ab"), {Extra::s8s8, 1, 0, 1.f}), "s8");
    expect_invalid(with_extra(weights, {Extra::s8s8, 4, 0, 1.f}), "mask 4");
    expect_invalid(with_extra(weights, {64, 1, 0, 1.f}), "flags");
    expect_invalid(with_extra(must(make_desc_any(List{2, 3}, DataType::s8)), {Extra::s8s8, 1, 0, 1.f}));
}

} // namespace
} // namespace tessera::testing
