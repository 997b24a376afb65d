// SPDX-License-Identifier: Apache-2.0
// Bars are as long as their fractions, and pictures of them are well-formed whatever their labels hold.
#include <gtest/gtest.h>

#include "drawing/bars.hpp"

namespace tessera {
namespace {

TEST(Bars, cells_are_eighths_of_the_range) {
    EXPECT_EQ(draw_bar(0, 12), "        │   ");
    EXPECT_EQ(draw_bar(0.75, 12), "██████  │   ");
    EXPECT_EQ(draw_bar(1, 12), "████████│   ");
    EXPECT_EQ(draw_bar(1.0625, 12), "████████▌   ");
    EXPECT_EQ(draw_bar(1.5, 12), "████████████");
    EXPECT_EQ(draw_bar(7, 12), "███████████▶");
    EXPECT_EQ(draw_bar(-1, 12), draw_bar(0, 12));
}

size_t count(const std::string& text, const std::string& what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
}

TEST(Bars, the_picture_has_a_bar_and_a_number_for_each) {
    const auto picture = draw_svg(BarChart{"A & B", {"fact"}, "memcpy", {{"f32->s8", 0.5}, {"<b>", 1.25}}});
    EXPECT_EQ(count(picture, "<rect x="), 2u);
    EXPECT_EQ(count(picture, "width=\"150.0\""), 1u); // half of the 300 pixels of memcpy
    EXPECT_EQ(count(picture, "width=\"375.0\""), 1u);
    EXPECT_EQ(count(picture, ">0.50</text>"), 1u);
    EXPECT_EQ(count(picture, "A &amp; B"), 1u);
    EXPECT_EQ(count(picture, "f32-&gt;s8"), 1u);
    EXPECT_EQ(count(picture, "&lt;b&gt;"), 1u);
    EXPECT_EQ(count(picture, "<text"), count(picture, "</text>"));
}

} // namespace
} // namespace tessera
