// SPDX-License-Identifier: Apache-2.0
// Regions and permuted axes of descriptors.
// covers: DER-01 DER-02 DER-05 OPQ-08 MEM-10 TAG-11 SPA-04
#include "describe.hpp"

namespace tessera::testing {
namespace {

MemoryDesc part(const MemoryDesc& md, const List& dims, const List& offsets) {
    return must(submemory(md, dims, offsets));
}

TEST(Submemory, InheritsStrides) {
    const MemoryDesc parent = tagged({4, 8}, "ab");
    const MemoryDesc md = part(parent, {2, 3}, {1, 2});
    EXPECT_EQ(md.offset0, 10);
    EXPECT_EQ(strides_of(md), (List{8, 1}));
    EXPECT_EQ(padded_of(md), (List{2, 3}));
    EXPECT_EQ(part(parent, {4, 8}, {0, 0}), parent);
    EXPECT_EQ(part(md, {1, 2}, {1, 1}).offset0, 19);
    EXPECT_EQ(part(parent, {0, 3}, {0, 0}).nelems(), 0);
    EXPECT_EQ(part(parent, {0, 0}, {4, 8}).offset0, 40);
    EXPECT_EQ(part(tagged({0, 8}, "ab"), {0, 3}, {0, 2}).offset0, 2);
    EXPECT_EQ(part(tagged({4, 8}, "ab", DataType::s4), {2, 4}, {1, 1}).offset0, 9);
}

TEST(Submemory, StaysInside) {
    const MemoryDesc parent = tagged({4, 8}, "ab");
    for (const auto& [dims, offsets] :
         std::vector<std::pair<List, List>>{{{4, 8}, {1, 0}},
                                            {{2, 3}, {-1, 0}},
                                            {{2, 3}, {3, 5}},
                                            {{2, 9}, {0, 0}},
                                            {{-1, 3}, {0, 0}},
                                            {{1, 1}, {std::numeric_limits<int64_t>::max(), 0}},
                                            {{std::numeric_limits<int64_t>::max(), 1}, {1, 0}}})
        expect_invalid(submemory(parent, dims, offsets), "outside");
    expect_invalid(submemory(parent, List{2}, List{0}));
}

TEST(Submemory, OfBlocksStartsAtBlocks) {
    const MemoryDesc parent = tagged({2, 20, 5}, "aBc8b");
    EXPECT_EQ(padded_of(parent), (List{2, 24, 5}));
    struct Row {
        List dims, offsets, padded;
        int64_t offset0;
    };
    const Row rows[] = {
        {{2, 8, 5}, {0, 8, 0}, {2, 8, 5}, 40},  {{2, 4, 5}, {0, 16, 0}, {2, 8, 5}, 80},
        {{2, 4, 5}, {0, 8, 0}, {2, 4, 5}, 40},  {{2, 12, 5}, {0, 8, 0}, {2, 16, 5}, 40},
        {{2, 20, 5}, {0, 0, 0}, {2, 24, 5}, 0}, {{1, 20, 3}, {1, 0, 2}, {1, 24, 3}, 136},
        {{2, 3, 5}, {0, 0, 0}, {2, 3, 5}, 0},   {{2, 0, 5}, {0, 8, 0}, {2, 0, 5}, 40},
        {{2, 16, 5}, {0, 0, 0}, {2, 16, 5}, 0},
    };
    for (const Row& row : rows) {
        const MemoryDesc md = part(parent, row.dims, row.offsets);
        EXPECT_EQ(padded_of(md), row.padded);
        EXPECT_EQ(md.offset0, row.offset0);
        EXPECT_EQ(strides_of(md), (List{120, 40, 8}));
    }
    EXPECT_EQ(size_of(part(parent, {1, 20, 3}, {1, 0, 2})), 480u);
    EXPECT_EQ(size_of(part(parent, {1, 4, 1}, {0, 8, 0})), 32u);
    const MemoryDesc both = part(tagged({40, 40}, "AB16b16a"), {16, 8}, {16, 32});
    EXPECT_EQ(both.offset0, 1280);
    EXPECT_EQ(padded_of(both), (List{16, 16}));
    EXPECT_EQ(size_of(both), 1024u);
    for (const auto& [dims, offsets] : std::vector<std::pair<List, List>>{{{2, 8, 5}, {0, 4, 0}},
                                                                          {{2, 10, 5}, {0, 8, 0}},
                                                                          {{2, 12, 5}, {0, 0, 0}},
                                                                          {{2, 0, 5}, {0, 3, 0}},
                                                                          {{2, 1, 1}, {0, 1, 0}}})
        expect_unimplemented(submemory(parent, dims, offsets), "works");
}

TEST(Submemory, NeedsALayout) {
    expect_unimplemented(submemory(must(make_desc_any(List{4, 8}, DataType::f32)), List{2, 3}, List{0, 0}));
    expect_unimplemented(submemory(MemoryDesc(), {}, {}));
    expect_unimplemented(submemory(tagged({any_extent, 3}, "ab"), List{1, 3}, List{0, 0}));
    expect_unimplemented(submemory(tagged({4, 8}, "ab"), List{any_extent, 3}, List{0, 0}));
    expect_unimplemented(submemory(tagged({4, 8}, "ab"), List{1, 3}, List{any_extent, 0}));
    expect_unimplemented(submemory(must(make_packed_desc(List{4, 6}, DataType::f32, 3)), List{1, 1}, List{0, 0}));
    expect_unimplemented(submemory(must(make_host_scalar_desc(DataType::f32)), List{1}, List{0}));
    const MemoryDesc weights = must(with_extra(tagged({16, 16}, "ab", DataType::s8), {Extra::s8s8, 1, 0, 1.f}));
    expect_unimplemented(submemory(weights, List{1, 1}, List{0, 0}), "compensated");
}

TEST(Permute, MovesEverythingOfADimension) {
    const std::vector<int> cycle{1, 2, 0};
    const MemoryDesc md = must(permute_axes(tagged({2, 3, 4}, "abc"), cycle));
    EXPECT_EQ(dims_of(md), (List{4, 2, 3}));
    EXPECT_EQ(strides_of(md), (List{1, 12, 4}));
    const MemoryDesc blocked = must(permute_axes(tagged({2, 17, 5}, "aBc8b"), std::vector{1, 0, 2}));
    EXPECT_EQ(dims_of(blocked), (List{17, 2, 5}));
    EXPECT_EQ(padded_of(blocked), (List{24, 2, 5}));
    EXPECT_EQ(strides_of(blocked), (List{40, 120, 8}));
    EXPECT_EQ(block_dims_of(blocked), List{0});
    EXPECT_EQ(must(permute_axes(tagged({2, 3}, "ab"), std::vector{1, 0})), tagged({3, 2}, "ba"));
    EXPECT_EQ(must(permute_axes(must(make_desc_any(List{2, 3}, DataType::f32)), std::vector{1, 0})),
              must(make_desc_any(List{3, 2}, DataType::f32)));
    EXPECT_EQ(must(permute_axes(part(tagged({4, 8}, "ab"), {2, 3}, {1, 2}), std::vector{1, 0})).offset0, 10);
    EXPECT_EQ(strides_of(must(permute_axes(tagged({2, 4}, "ab", DataType::s4), std::vector{1, 0}))), (List{1, 4}));
}

TEST(Permute, NeedsAPermutation) {
    const MemoryDesc md = tagged({2, 3, 4}, "abc");
    expect_invalid(permute_axes(md, std::vector{0, 0, 1}), "twice");
    expect_invalid(permute_axes(md, std::vector{0, 1, 3}), "outside");
    expect_invalid(permute_axes(md, std::vector{-1, 0, 1}), "outside");
    expect_invalid(permute_axes(md, std::vector{std::numeric_limits<int>::max(), 0, 1}), "outside");
    expect_invalid(permute_axes(md, std::vector{0, 1}));
    expect_invalid(permute_axes(tagged({any_extent, 3}, "ab"), std::vector{1, 0}));
    expect_invalid(permute_axes(MemoryDesc(), {}));
    expect_invalid(permute_axes(must(make_coo_desc(List{4, 6}, DataType::f32, 3, DataType::s32)), std::vector{1, 0}));
}

} // namespace
} // namespace tessera::testing
