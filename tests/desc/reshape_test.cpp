// SPDX-License-Identifier: Apache-2.0
// Reshape: the observed cases, and its law over all small reshapes: the k-th element in row-major order of the
// dims keeps its offset.
// covers: DER-03 DER-04 OPQ-08 TAG-11
#include "core/layout/layout.hpp"
#include "describe.hpp"

namespace tessera::testing {
namespace {

// Offsets of all elements in row-major order of the dims.
List offsets_of(const MemoryDesc& md) {
    const Layout layout = layout_of(md);
    List result, at(size_t(md.ndims), 0);
    for (int64_t k = 0; k < md.nelems(); ++k) {
        int64_t rest = k;
        for (int d = md.ndims; d-- > 0;) {
            at[size_t(d)] = rest % md.dims[size_t(d)];
            rest /= md.dims[size_t(d)];
        }
        result.push_back(layout.at(at));
    }
    return result;
}

void expect_same_elements(const MemoryDesc& from, const List& dims) {
    const auto to = reshape(from, dims);
    ASSERT_TRUE(to.has_value()) << to.error().reason;
    EXPECT_EQ(dims_of(*to), dims);
    EXPECT_EQ(offsets_of(*to), offsets_of(from)) << to_token(from) << " " << to_string(dims);
    EXPECT_EQ(to->type, from.type);
    EXPECT_EQ(to->nelems(true), from.nelems(true));
}

TEST(Reshape, ObservedStrides) {
    struct Row {
        MemoryDesc from;
        List dims, strides;
    };
    const MemoryDesc ab = tagged({2, 3}, "ab"), ba = tagged({2, 3}, "ba"), blocked = tagged({1, 15, 12}, "aBc8b");
    const MemoryDesc row_gaps = strided({4, 6}, {10, 1}), parent = tagged({4, 8}, "ab");
    const Row rows[] = {
        {ab, {6}, {1}},
        {ab, {1, 2, 3}, {6, 3, 1}},
        {ab, {2, 1, 3}, {3, 3, 1}},
        {ab, {2, 3, 1}, {3, 1, 1}},
        {ab, {3, 2}, {2, 1}},
        {ab, {2, 3}, {3, 1}},
        {ab, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3}, {6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 3, 1}},
        {ab, {6, 1}, {1, 1}},
        {ba, {2, 1, 3}, {1, 6, 2}},
        {ba, {2, 3, 1}, {1, 2, 1}},
        {ba, {1, 2, 3}, {2, 1, 2}},
        {blocked, {1, 15, 3, 4}, {192, 96, 32, 8}},
        {blocked, {15, 12}, {96, 8}},
        {blocked, {1, 15, 12, 1}, {192, 96, 8, 8}},
        {blocked, {1, 15, 4, 3}, {192, 96, 24, 8}},
        {blocked, {1, 1, 15, 12}, {192, 192, 96, 8}},
        {row_gaps, {2, 2, 6}, {20, 10, 1}},
        {row_gaps, {4, 2, 3}, {10, 3, 1}},
        {row_gaps, {4, 6, 1}, {10, 1, 1}},
        {tagged({2, 3, 4}, "acb"), {2, 3, 2, 2}, {12, 1, 6, 3}},
        {tagged({16, 2, 3}, "Abc16a"), {16, 6}, {96, 16}},
        {must(submemory(parent, List{2, 3}, List{1, 2})), {2, 3, 1}, {8, 1, 1}},
        {must(submemory(parent, List{2, 8}, List{1, 0})), {16}, {1}},
        {tagged({2, 6}, "ab", DataType::s4), {4, 3}, {3, 1}},
        {strided({1, 4}, {77, 1}), {4}, {1}},
        {strided({4, 1}, {0, 1}), {2, 2}, {0, 0}},
        {strided({4, 3}, {0, 1}), {2, 2, 3}, {0, 0, 1}},
        {tagged({2, 3, 5}, "aBc8b"), {2, 3, 5, 1}, {40, 40, 8, 8}},
    };
    for (const Row& row : rows) {
        expect_same_elements(row.from, row.dims);
        const MemoryDesc to = must(reshape(row.from, row.dims));
        const MemoryDesc expected = [&] {
            MemoryDesc md = to;
            std::copy(row.strides.begin(), row.strides.end(), md.strides.begin());
            return md;
        }();
        EXPECT_EQ(to, expected) << to_token(row.from) << " " << to_string(row.dims) << " " << to_token(to);
        EXPECT_EQ(to.offset0, row.from.offset0);
    }
}

TEST(Reshape, BlocksStayWholeInTheLastFactor) {
    const MemoryDesc md = tagged({1, 32, 12}, "aBc8b");
    for (const List& dims : {List{1, 2, 16, 12}, List{4, 8, 12}, List{1, 2, 2, 8, 3, 4}, List{32, 12}})
        expect_same_elements(md, dims);
    for (const List& dims : {List{1, 8, 4, 12}, List{1, 16, 2, 12}}) expect_invalid(reshape(md, dims), "blocks");
    expect_invalid(reshape(md, List{384}), "join");
    expect_invalid(reshape(tagged({2, 16, 3}, "aBc8b"), List{32, 3}), "join");
    expect_invalid(reshape(tagged({1, 15, 12}, "aBc8b"), List{1, 3, 5, 12}), "padded");
    expect_invalid(reshape(tagged({1, 3, 5}, "Abc4a"), List{3, 5}), "padded");
    expect_invalid(reshape(tagged({2, 1, 3}, "aBc4b"), List{6}), "padded");
    expect_same_elements(tagged({1, 1, 3}, "aBc4b"), {1, 3});
    expect_same_elements(tagged({1, 1, 3}, "aBc4b"), {1, 1, 1, 3});
    expect_same_elements(tagged({1, 3, 5}, "Abc4a"), {1, 15});
}

TEST(Reshape, Impossible) {
    const MemoryDesc ab = tagged({2, 3}, "ab"), ba = tagged({2, 3}, "ba");
    for (const List& dims : {List{5}, List{2, 3, 0}, List{-2, -3}, List{}, List{any_extent, 3}, List(13, 1)})
        expect_invalid(reshape(ab, dims));
    expect_invalid(reshape(ba, List{6}), "dense");
    expect_invalid(reshape(ba, List{3, 2}), "dense");
    expect_invalid(reshape(strided({4, 6}, {10, 1}), List{24}), "dense");
    expect_invalid(reshape(tagged({2, 3, 4}, "acb"), List{6, 4}));
    expect_invalid(reshape(tagged({2, 3, 4}, "acb"), List{2, 12}));
    expect_invalid(reshape(strided({4, 3}, {0, 1}), List{12}));
    expect_invalid(reshape(must(submemory(tagged({4, 8}, "ab"), List{2, 3}, List{1, 2})), List{6}));
    expect_invalid(reshape(tagged({any_extent, 3}, "ab"), List{any_extent, 3, 1}));
    expect_invalid(reshape(MemoryDesc(), List{1}));
    expect_invalid(reshape(must(make_host_scalar_desc(DataType::f32)), List{1, 1}));
    expect_invalid(reshape(must(make_coo_desc(List{4, 6}, DataType::f32, 3, DataType::s32)), List{24}));
    const MemoryDesc weights = must(with_extra(tagged({16, 16}, "ab", DataType::s8), {Extra::s8s8, 1, 0, 1.f}));
    expect_invalid(reshape(weights, List{256}), "compensated");
}

TEST(Reshape, AnyAndEmpty) {
    const MemoryDesc any = must(make_desc_any(List{2, 3}, DataType::f32));
    EXPECT_EQ(must(reshape(any, List{6})), must(make_desc_any(List{6}, DataType::f32)));
    expect_invalid(reshape(any, List{7}), "number of elements");
    EXPECT_EQ(must(reshape(tagged({0, 3}, "ab"), List{1, 0, 3})), tagged({1, 0, 3}, "abc"));
    for (const List& dims : {List{0}, List{3, 0}, List{3, 0, 2}, List{0, 5}, List{0, 3, 2}, List{0, 0, 3}})
        expect_invalid(reshape(tagged({0, 3}, "ab"), dims), "an extent of 0");
    EXPECT_EQ(must(reshape(tagged({2, 0, 5}, "aBc8b"), List{2, 0, 5, 1})), tagged({2, 0, 5, 1}, "aBcd8b"));
    expect_invalid(reshape(tagged({0, 3}, "ab"), List{1}));
}

// Dims beside an extent of 0 join and are cut as they are without it.
TEST(Reshape, EmptyTensorsFollowTheRulesOfOthers) {
    EXPECT_EQ(must(reshape(tagged({2, 3, 0, 2}, "abcd"), List{6, 0, 2})), tagged({6, 0, 2}, "abc"));
    expect_invalid(reshape(tagged({2, 3, 0, 2}, "cdba"), List{6, 0, 2}), "not dense in this order");
    expect_invalid(reshape(tagged({2, 3, 0, 2}, "bacd"), List{3, 2, 0, 2}), "not dense in this order");
    EXPECT_EQ(must(reshape(tagged({0, 4, 0, 6}, "abcd"), List{0, 2, 1, 2, 0, 6})),
              tagged({0, 2, 1, 2, 0, 6}, "abcdef"));
    const auto split = must(reshape(tagged({4, 0}, "ba"), List{2, 2, 0}));
    EXPECT_EQ(List(split.strides.begin(), split.strides.begin() + 2), (List{2, 1}));
}

// All lists of extents with the given product, extents of 1 included, up to four of them.
void factorisations(int64_t volume, List& prefix, std::vector<List>& result) {
    if (volume == 1 && !prefix.empty()) result.push_back(prefix);
    if (prefix.size() == 4) return;
    for (int64_t f = 1; f <= volume; ++f) {
        if (volume % f != 0) continue;
        prefix.push_back(f);
        factorisations(volume / f, prefix, result);
        prefix.pop_back();
    }
}

TEST(Reshape, LawOverAllSmallReshapes) {
    int possible = 0, impossible = 0;
    for (const int64_t volume : {12, 16}) {
        List prefix;
        std::vector<List> shapes;
        factorisations(volume, prefix, shapes);
        for (const List& dims : shapes) {
            std::vector<std::string> tags;
            if (dims.size() == 1) tags = {"a", "A2a", "A4a"};
            if (dims.size() == 2) tags = {"ab", "ba", "aB2b", "Ab4a", "AB2a2b"};
            if (dims.size() == 3) tags = {"abc", "acb", "cab", "aBc2b", "aBc4b", "BAc2b2a"};
            if (dims.size() == 4) tags = {"abcd", "acdb", "aBcd2b"};
            for (const std::string& tag : tags)
                for (const List& to : shapes) {
                    const MemoryDesc from = tagged(dims, tag);
                    const bool fits = reshape(from, to).has_value();
                    (fits ? possible : impossible) += 1;
                    if (fits) expect_same_elements(from, to);
                    const bool row_major = tag == "a" || tag == "ab" || tag == "abc" || tag == "abcd";
                    EXPECT_TRUE(fits || !(row_major || to == dims)) << to_token(from) << " " << to_string(to);
                    if (to == dims) { EXPECT_EQ(must(reshape(from, to)), from); }
                }
        }
    }
    EXPECT_GT(possible, 5000);
    EXPECT_GT(impossible, 5000);
}

} // namespace
} // namespace tessera::testing
