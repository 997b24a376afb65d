// SPDX-License-Identifier: Apache-2.0
// The law of arranged(): the same points, in an order in which dense matrices have one stride.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "core/desc/memory_desc.hpp"
#include "core/plan/space.hpp"

namespace tessera {

namespace {

using Points = std::vector<std::vector<int64_t>>; // elements by operand

Points points_of(const Space& space) {
    Points points;
    std::vector<int64_t> at(space.dims.size(), 0);
    for (size_t d = 0; d < at.size();) {
        std::vector<int64_t> elements;
        for (const Layout& layout : space.layouts) elements.push_back(layout.at(at));
        points.push_back(std::move(elements));
        for (d = 0; d < at.size() && ++at[d] == space.dims[d]; ++d) at[d] = 0;
    }
    std::sort(points.begin(), points.end());
    return points;
}

Layout layout(std::vector<int64_t> dims, const char* tag) {
    return layout_of(*make_desc_with_tag(dims, DataType::f32, tag));
}

// src of n c h w, weights of o c h w and dst of n o over n o c h w, the last three summed.
Space product(int64_t channels, const char* of_src, const char* of_weights, const char* of_dst) {
    const int64_t n = 3, o = 18, h = 2, w = 3;
    const Layout src = layout({n, channels, h, w}, of_src), weights = layout({o, channels, h, w}, of_weights),
                 dst = layout({n, o}, of_dst);
    const Modes none{{o, 0}};
    Space space{{n, o, channels, h, w}, 0b11100, {}};
    space.layouts.push_back({0, {src.dims[0], none, src.dims[1], src.dims[2], src.dims[3]}});
    space.layouts.push_back({5, {none, weights.dims[0], weights.dims[1], weights.dims[2], weights.dims[3]}});
    space.layouts.push_back({0, {dst.dims[0], dst.dims[1], none, none, none}});
    return space;
}

} // namespace

TEST(Space, arranged_has_the_same_points) {
    const char* of_src[] = {"abcd", "acdb", "aBcd16b", "dcba", "ABcd2a4b", "ABcd4b16a4b"};
    const char* of_weights[] = {"abcd", "cdba", "ABcd16b16a", "AcdB4b16a4b", "aBcd8b"};
    const char* of_dst[] = {"ab", "ba", "aB16b", "AB2a6b", "AB4a8b"};
    int cut = 0;
    for (const int64_t channels : {16, 18, 32, 48})
        for (const char* s : of_src)
            for (const char* w : of_weights)
                for (const char* d : of_dst) {
                    const Space space = product(channels, s, w, d), sorted = arranged(space, 2, 0);
                    ASSERT_EQ(points_of(sorted), points_of(space)) << channels << " " << s << " " << w << " " << d;
                    for (size_t k = 0; k < sorted.dims.size(); ++k) // those of the sum stay those of the sum
                        if (sorted.reduces(k)) {
                            EXPECT_EQ(
                                extent_of(sorted.layouts[2].dims[k]) > 1 ? sorted.layouts[2].dims[k][0].stride : 0, 0);
                        }
                    cut += sorted.dims.size() > space.dims.size();
                }
    EXPECT_GT(cut, 100);
}

TEST(Space, arranged_follows_blocks) {
    const Space s = arranged(product(32, "aBcd16b", "ABcd16b16a", "ab"), 2, 0);
    EXPECT_EQ(s.dims, (std::vector<int64_t>{3, 18, 2, 2, 3, 16}));
    EXPECT_EQ(to_string(s.layouts[0]), "(3:192 18:0 2:96 2:48 3:16 16:1)");
    const Space channels_last = arranged(product(32, "acdb", "acdb", "ba"), 2, 0);
    EXPECT_EQ(channels_last.dims, (std::vector<int64_t>{18, 3, 2, 3, 32}));
    EXPECT_EQ(channels_last.reduce_mask, 0b11100);
    // 18 channels have padding in their last block: nothing can be cut.
    EXPECT_EQ(arranged(product(18, "aBcd16b", "abcd", "ab"), 2, 0).dims.size(), 5u);
}

TEST(Space, joined_has_the_same_points_in_fewer_dims) {
    int fewer = 0;
    for (const char* s : {"abcd", "acdb", "aBcd16b", "dcba"})
        for (const char* w : {"abcd", "cdba", "ABcd16b16a", "aBcd8b"})
            for (const char* d : {"ab", "ba", "AB2a6b"}) {
                const Space space = arranged(product(32, s, w, d), 2, 0), one = joined(space);
                ASSERT_EQ(points_of(one), points_of(space)) << s << " " << w << " " << d;
                ASSERT_LE(one.dims.size(), space.dims.size());
                fewer += one.dims.size() < space.dims.size();
            }
    EXPECT_GE(fewer, 8);
    EXPECT_EQ(joined(arranged(product(32, "abcd", "abcd", "ab"), 2, 0)).dims, (std::vector<int64_t>{3, 18, 32 * 6}));
    // Dims of one point go, all but the last of them.
    const Space point{{1, 1, 5}, 4, {{0, {{{1, 7}}, {{1, 9}}, {{5, 1}}}}, {}}};
    EXPECT_EQ(joined(point).dims, (std::vector<int64_t>{5}));
    EXPECT_EQ(joined(point).reduce_mask, 1);
    EXPECT_EQ(joined({{1, 1}, 0, {}}).dims.size(), 1u);
    const Space one_term = joined({{7, 1, 1}, 6, {}}); // still a sum
    EXPECT_EQ(one_term.dims, (std::vector<int64_t>{7, 1}));
    EXPECT_EQ(one_term.reduce_mask, 2);
}

} // namespace tessera
