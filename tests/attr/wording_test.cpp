// SPDX-License-Identifier: Apache-2.0
// How messages speak of numbers: counts with their nouns, enumerators by their names, the nearest word.
// covers: STA-03
#include <algorithm>

#include <gtest/gtest.h>

#include "core/attr/attr.hpp"
#include "core/desc/tags.hpp"
#include "core/nearest.hpp"
#include "core/problem/problem.hpp"
#include "core/shown.hpp"
#include "post_op_objects.hpp"

namespace tessera {
namespace {

std::string reason(PostOp p) {
    PostOps chain;
    const auto added = chain.append(std::move(p));
    return added ? "" : added.error().reason;
}

TEST(Wording, NounsFollowTheirNumbers) {
    const auto text = [](int n) { return fmt::format("{:group size} of {:entry|entries}", counted(n), counted(n)); };
    EXPECT_EQ(text(0), "0 group sizes of 0 entries");
    EXPECT_EQ(text(1), "1 group size of 1 entry");
    EXPECT_EQ(text(2), "2 group sizes of 2 entries");
    EXPECT_EQ(fmt::format("{:byte}", counted(size_t(1))), "1 byte");
    EXPECT_EQ(fmt::format("{:byte}", counted(-1)), "-1 bytes");
    const auto md = make_desc_with_tag(std::array<int64_t, 1>{5}, DataType::f32, "ab");
    ASSERT_FALSE(md);
    EXPECT_EQ(md.error().reason, "tag 'ab' has 2 dimensions, the tensor 1: 5; the row-major tag of 1 is a");
    EXPECT_NE(make_desc_with_tag(std::array<int64_t, 2>{5, 5}, DataType::f32, "a").error().reason.find("1 dimension,"),
              std::string::npos);
}

TEST(Wording, EnumeratorsHaveNamesAndOthersNumbers) {
    EXPECT_EQ(named(DataType::f64), "f64");
    EXPECT_EQ(named(DataType::undef), "undef");
    EXPECT_EQ(named(DataType(77)), "77");
    EXPECT_EQ(named(PropKind::backward_data), "backward_data");
    EXPECT_EQ(named(PropKind::undef), "undef");
    EXPECT_EQ(named(PropKind(77)), "77");
    EXPECT_EQ(alg_name(0x20), "eltwise_relu");
    EXPECT_EQ(alg_name(77), "77");
    EXPECT_EQ(reason(eltwise_op(0x1fff0)).find("post-op eltwise: algorithm binary_add is none of eltwise"), 0u);
    EXPECT_EQ(reason(eltwise_op(0x2e, 1, 0)).find("post-op eltwise_clip: beta 0 is below alpha 1"), 0u);
    PostOp depthwise;
    depthwise.kind = PostOpKind::convolution;
    depthwise.weights_type = DataType::s8;
    depthwise.dst_type = DataType(99);
    EXPECT_EQ(reason(depthwise),
              "post-op depthwise convolution: data types of weights (s8) and dst (99) must be known");
}

TEST(Wording, TextsOfOthersAreSafeAndShort) {
    EXPECT_EQ(shown("a\x1b[31mb\r\tc\x7f\n", 100), "a?[31mb??c?\n");
    EXPECT_EQ(shown("0123456789", 10), "0123456789");
    EXPECT_EQ(shown("0123456789", 9), "012...789");
    EXPECT_EQ(shown("", 9), "");
    EXPECT_EQ(shown("m\u00e4tmul \u20ac \U0001f600", 100), "m\u00e4tmul \u20ac \U0001f600");
    EXPECT_EQ(shown("\u00e4\u00e4\u00e4\u00e4\u00e4", 9), "\u00e4...\u00e4");          // no half character at the cut
    EXPECT_EQ(shown("a\xe4z \xe2\x82 \xc0\x80 \xff \xc2\x9b", 100), "a?z ?? ?? ? ??"); // Latin 1, broken UTF-8, C1
    const std::string bytes = shown(std::string(5000, '\x80'), 2048);
    EXPECT_EQ(std::ranges::count(bytes, '?'), std::ptrdiff_t(bytes.size()) - 3);
    EXPECT_LE(bytes.size(), 2048u);
}

TEST(Wording, MisspeltTagsHaveANeighbour) {
    const auto meant = [](const char* tag) {
        const auto parsed = parse_tag(tag);
        const std::string text = parsed ? "" : parsed.error().reason;
        const size_t at = text.find("; did you mean ");
        return at == text.npos ? "" : text.substr(at + 15);
    };
    EXPECT_EQ(meant("nhwcc"), "nhwc?");
    EXPECT_EQ(meant("nChw16C"), "nChw16c?");
    EXPECT_EQ(meant("aBcd16"), "aBcd16b?");
    EXPECT_EQ(meant("something else"), "");
    EXPECT_EQ(meant("nhcw"), ""); // an order without an enumerator, not a mistake
    EXPECT_TRUE(parse_tag("nhcw"));
    EXPECT_EQ(meant("nhwcccccccccccccccccccccccccccccccccccccccccc"), "");
}

} // namespace
} // namespace tessera
