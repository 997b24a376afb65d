// SPDX-License-Identifier: Apache-2.0
// The drawing of layouts: the inverse of the address function.
// covers: MEM-10 MEM-11 MEM-12
#include <gtest/gtest.h>

#include "core/layout/layout.hpp"
#include "drawing/memory_map.hpp"
#include "drawing/picture.hpp"
#include "trial/experiment_data.hpp"

namespace tessera {
namespace {

// Law: at(address of x) == x for every element, and every place is an element, padding or a gap exactly as the sizes
// say.
void expect_inverse(const MemoryDesc& md) {
    const MemoryMap map(md);
    const Layout layout = layout_of(md);
    for_each_element(md, [&](std::span<const int64_t> at) {
        const Place place = map.at(layout.at(at));
        ASSERT_EQ(place.kind, Place::element) << to_string(layout);
        ASSERT_TRUE(std::equal(at.begin(), at.end(), place.at.begin())) << to_string(layout);
    });
    int64_t counts[3] = {};
    for (int64_t offset = 0; offset < map.places(); ++offset) ++counts[map.at(offset).kind];
    EXPECT_EQ(counts[Place::element], md.nelems());
    EXPECT_EQ(counts[Place::padding], md.nelems(true) - md.nelems());
    EXPECT_EQ(map.at(-1).kind, Place::gap);
    EXPECT_EQ(map.at(map.places()).kind, Place::gap);
}

TEST(MemoryMap, inverts_tags) {
    const int64_t dims[] = {5, 17, 3, 2};
    for (const char* tag :
         {"abcd", "acdb", "dcba", "aBcd16b", "Abcd4a", "ABcd4b16a4b", "BAcd16a16b", "aCBd2b4c2b", "ABCD2a3b2c2d"}) {
        const auto md = make_desc_with_tag(dims, DataType::f32, tag);
        ASSERT_TRUE(md) << tag;
        expect_inverse(*md);
    }
}

TEST(MemoryMap, inverts_strides_with_gaps) {
    const int64_t dims[] = {4, 3, 2}, strides[] = {50, 2, 9};
    const auto md = make_desc_with_strides(dims, DataType::s8, strides);
    ASSERT_TRUE(md);
    expect_inverse(*md);
}

TEST(Picture, crops_and_says_so) {
    const int64_t dims[] = {1, 64, 100, 100};
    const auto md = make_desc_with_tag(dims, DataType::f32, "aBcd16b");
    ASSERT_TRUE(md);
    const auto picture = make_picture(*md, "aBcd16b", {.row_cells = 16, .rows = 8, .color_by = ""});
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->panels[0].rows.size(), 8u);
    EXPECT_NE(picture->panels[0].footnote.find("39992 more rows"), std::string::npos) << picture->panels[0].footnote;
    EXPECT_NE(draw_svg(*picture).find("<svg"), std::string::npos);
}

TEST(Picture, refuses_what_has_no_layout) {
    const int64_t dims[] = {2, 3}, empty[] = {0, 3};
    EXPECT_FALSE(make_picture(*make_desc_any(dims, DataType::f32), "any", {}));
    EXPECT_FALSE(make_picture(*make_desc_with_tag(empty, DataType::f32, "ab"), "ab", {}));
    EXPECT_FALSE(make_picture(*make_desc_with_tag(dims, DataType::f32, "ab"), "ab",
                              {.row_cells = 16, .rows = 8, .color_by = "z"}));
}

} // namespace
} // namespace tessera
