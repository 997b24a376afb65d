// SPDX-License-Identifier: Apache-2.0
// The tag language: every enumerated tag, the systematic aliases, tags nobody enumerated, and what is no tag.
// covers: TAG-01 TAG-02 TAG-03 TAG-04 TAG-05 TAG-06 TAG-07 TAG-08 TAG-09 TAG-20 TAG-21 TAG-22 MEM-17
#include <map>
#include <random>
#include <set>

#include "core/desc/tags.hpp"
#include "describe.hpp"

namespace tessera::testing {
namespace {

struct EnumeratedTag {
    int number;
    std::string_view spelling;
    bool canonical;
};
constexpr EnumeratedTag enumerated[] = {
#define TAG(number, spelling) {number, #spelling, true},
#define ALIAS(number, spelling) {number, #spelling, false},
#include "core/desc/tags.def"
#undef TAG
#undef ALIAS
};

// Dims that are larger than all blocks, no multiples of them, and pairwise different.
List long_dims(const Tag& tag) {
    List dims;
    for (int d = 0; d < tag.ndims; ++d) dims.push_back(2 + d);
    for (int j = 0; j < tag.inner_nblks; ++j) dims[size_t(tag.inner_idxs[size_t(j)])] *= tag.inner_blks[size_t(j)];
    for (int64_t& d : dims) d += 1;
    return dims;
}

TEST(Tags, EveryEnumeratedTagIsItsCanonicalForm) {
    int canonical = 0, aliases = 0;
    std::string last;
    for (const auto& [number, spelling, is_canonical] : enumerated) {
        EXPECT_EQ(number_of_tag(spelling), number);
        if (spelling == "any" || spelling == "undef") continue;
        (is_canonical ? canonical : aliases) += 1;
        const auto tag = parse_tag(spelling);
        ASSERT_TRUE(tag.has_value()) << spelling << ": " << tag.error().reason;
        if (is_canonical) {
            EXPECT_EQ(spelling_of_tag(number), spelling);
            last = spelling;
        }
        EXPECT_EQ(to_string(*tag), last) << spelling;
        const List dims = long_dims(*tag);
        const MemoryDesc md = tagged(dims, spelling);
        EXPECT_EQ(md, tagged(dims, last)) << spelling;
        EXPECT_EQ(tag_of(md), last) << spelling;
        EXPECT_TRUE(matches_tag(md, spelling));
        EXPECT_EQ(to_string(closest_tag(md)), last);
    }
    EXPECT_EQ(canonical, 873);
    EXPECT_EQ(aliases, 798);
}

TEST(Tags, NumbersThatAreNoTags) {
    EXPECT_EQ(spelling_of_tag(0), "undef");
    EXPECT_EQ(spelling_of_tag(1), "any");
    EXPECT_EQ(spelling_of_tag(2), "a");
    for (int number : {-1, 875, 30000, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
        EXPECT_EQ(spelling_of_tag(number), "");
    EXPECT_EQ(number_of_tag("dcbaefgh"), -1);
    EXPECT_EQ(number_of_tag(""), -1);
}

TEST(Tags, KnownPairs) {
    const std::map<std::string_view, std::string_view> pairs = {
        {"x", "a"},
        {"ntc", "bac"},
        {"nwc", "acb"},
        {"chwn", "bcda"},
        {"hwio", "cdba"},
        {"giodhw", "acbdef"},
        {"giohw", "acbde"},
        {"dhwigo", "defcab"},
        {"wigo", "dcab"},
        {"ldgoi", "abdec"},
        {"hwigo", "decab"},
        {"ldoi", "abdc"},
        {"nCw16c", "aBc16b"},
        {"OIhw4i16o4i", "ABcd4b16a4b"},
        {"hwioG16g", "decbA16a"},
        {"OhwI24o", "Acdb24a"},
        {"OhwI32o", "Acdb32a"},
        {"gOhwI24o", "aBdec24b"},
        {"gOhwI32o", "aBdec32b"},
        {"gIOhw2i8o16i2o", "aBCde2c8b16c2b"},
        {"gIOdhw2i8o16i2o", "aBCdef2c8b16c2b"},
    };
    for (const auto& [alias, canonical] : pairs) EXPECT_EQ(to_string(*parse_tag(alias)), canonical) << alias;
}

TEST(Tags, BlockSizesThatOccur) {
    std::set<int64_t> sizes;
    int most = 0;
    for (const auto& row : enumerated) {
        const auto tag = parse_tag(row.spelling);
        if (!tag) continue;
        most = std::max(most, tag->inner_nblks);
        sizes.insert(tag->inner_blks.begin(), tag->inner_blks.begin() + tag->inner_nblks);
    }
    EXPECT_EQ(sizes, (std::set<int64_t>{2, 4, 8, 12, 16, 24, 32, 40, 48, 64}));
    EXPECT_EQ(most, 4);
}

TEST(Tags, OrderIsSlowestFirst) {
    EXPECT_EQ(strides_of(tagged({2, 3, 4}, "abc")), (List{12, 4, 1}));
    EXPECT_EQ(strides_of(tagged({2, 3, 4}, "acb")), (List{12, 1, 3}));
    EXPECT_EQ(strides_of(tagged({2, 3, 4}, "cba")), (List{1, 2, 6}));
    const MemoryDesc md = tagged({2, 17, 5, 5}, "aBcd16b");
    EXPECT_EQ(strides_of(md), (List{800, 400, 80, 16}));
    EXPECT_EQ(blocks_of(md), List{16});
    EXPECT_EQ(block_dims_of(md), List{1});
    EXPECT_EQ(blocks_of(tagged({16, 16, 1, 1}, "ABcd4b16a4b")), (List{4, 16, 4}));
    EXPECT_EQ(block_dims_of(tagged({16, 16, 1, 1}, "ABcd4b16a4b")), (List{1, 0, 1}));
}

TEST(Tags, TagsNobodyEnumerated) {
    for (std::string_view text :
         {"dcbaefgh", "AB3a5b", "aBc12b", "lkjihgfedcba", "aBcD7d3b2d", "ABcd2a2a2a2a2b2b2b2b"}) {
        const auto tag = parse_tag(text);
        ASSERT_TRUE(tag.has_value()) << text;
        EXPECT_EQ(to_string(*tag), text);
        EXPECT_EQ(number_of_tag(text), -1);
        EXPECT_EQ(tag_of(tagged(long_dims(*tag), text)), text);
    }
    EXPECT_EQ(to_string(*parse_tag("nCHw3h5c")), "aBCd3c5b");
}

TEST(Tags, RandomTagsComeBack) {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        Tag tag;
        tag.ndims = 1 + int(random() % 12);
        for (int d = 0; d < tag.ndims; ++d) tag.order[size_t(d)] = d;
        std::shuffle(tag.order.begin(), tag.order.begin() + tag.ndims, random);
        tag.inner_nblks = int(random() % 5);
        for (int j = 0; j < tag.inner_nblks; ++j) {
            tag.inner_blks[size_t(j)] = 2 + int64_t(random() % 7);
            tag.inner_idxs[size_t(j)] = int64_t(random() % unsigned(tag.ndims));
        }
        const std::string text = to_string(tag);
        ASSERT_TRUE(parse_tag(text).has_value()) << text;
        EXPECT_EQ(*parse_tag(text), tag) << text;
        EXPECT_EQ(tag_of(tagged(long_dims(tag), text)), text);
    }
}

TEST(Tags, ExtentsOfOneKeepTheLogicalOrder) {
    EXPECT_EQ(tag_of(tagged({2, 1, 3, 4}, "nhwc")), "abcd");
    EXPECT_EQ(tag_of(tagged({1, 1, 1}, "cba")), "abc");
    EXPECT_EQ(tag_of(tagged({2, 3, 1, 4}, "nhwc")), "acdb");
    EXPECT_EQ(tag_of(strided({2, 1, 4}, {4, 99, 1})), "abc");
    EXPECT_EQ(tag_of(tagged({16, 16, 1, 1}, "ABcd16b16a")), "ABcd16b16a");
}

TEST(Tags, NotEveryLayoutHasATag) {
    EXPECT_EQ(tag_of(strided({2, 3}, {10, 1})), "");
    EXPECT_EQ(tag_of(strided({2, 3}, {0, 1})), "");
    EXPECT_EQ(tag_of(must(make_desc_any(List{2, 3}, DataType::f32))), "");
    EXPECT_EQ(tag_of(MemoryDesc()), "");
    const MemoryDesc parent = tagged({4, 8}, "ab");
    EXPECT_EQ(tag_of(must(submemory(parent, List{2, 3}, List{0, 0}))), "");
    EXPECT_EQ(tag_of(must(submemory(parent, List{2, 8}, List{1, 0}))), "ab"); // dense, wherever it starts
    EXPECT_EQ(tag_of(tagged({any_extent, 3}, "ba")), "ba");
    EXPECT_EQ(tag_of(strided({2, 3}, {any_extent, 1})), "");
    EXPECT_FALSE(matches_tag(parent, "ba"));
    EXPECT_FALSE(matches_tag(parent, "abc"));
    EXPECT_FALSE(matches_tag(parent, "?"));
    EXPECT_TRUE(matches_tag(tagged({2, 1, 3, 4}, "nchw"), "nhwc"));
}

TEST(Tags, RefusalsSayWhatIsWrong) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"", "starts with the letters"},
        {"16b", "starts with the letters"},
        {"abd", "'c' is missing"},
        {"aab", "occurs twice"},
        {"nqw", "neither"},
        {"bcd", "neither"},
        {"abc16b", "written 'B'"},
        {"aBc", "none follows"},
        {"aBc16B", "small"},
        {"aBc16d", "not among"},
        {"aBc16", "pairs"},
        {"aBc16b4", "pairs"},
        {"aBcb", "occurs twice"},
        {"aBc16b,", "pairs"},
        {"aBc1b", "2 elements"},
        {"aBc0b", "2 elements"},
        {"abcdefghijklm", "more than 12"},
        {"aBc99999999999999999999b", "64 bits"},
        {"nchw ", "pairs"},
        {"aB2b2b2b2b2b2b2b2b2b2b2b2b2b", "more than 12 inner"},
        {"\x01\x02", "starts"},
        {"any16b", "missing"},
        {"aBc-8b", "pairs"},
    };
    for (const auto& [text, part] : rows) expect_invalid(parse_tag(text), part);
    expect_invalid(parse_tag("any"));
    expect_invalid(parse_tag("undef"));
    expect_invalid(parse_tag(std::string(100000, 'a')));
    expect_invalid(parse_tag(std::string("ab\0c", 4)));
    expect_invalid(make_desc_with_tag(List{2, 3, 4}, DataType::f32, "nchw"),
                   "tag 'nchw' has 4 dimensions, the tensor 3");
    expect_invalid(make_desc_with_tag(List{2, 3}, DataType::f32, "aB4999999999999999999b"), "64 bits");
    expect_invalid(make_desc_with_tag(List{2, 3}, DataType::f32, "AB9999999999a9999999999b"), "64 bits");
}

TEST(Tags, RandomTextIsRefusedOrComesBack) {
    std::mt19937 random(2);
    const std::string_view alphabet = "abcdlnchwoigtxABCNOI0123468\xff ";
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (size_t n = random() % 12; n-- > 0;) text += alphabet[random() % alphabet.size()];
        const auto tag = parse_tag(text);
        if (tag)
            EXPECT_EQ(*parse_tag(to_string(*tag)), *tag) << text;
        else
            EXPECT_FALSE(tag.error().reason.empty());
    }
}

} // namespace
} // namespace tessera::testing
