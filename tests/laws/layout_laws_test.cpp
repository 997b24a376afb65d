// SPDX-License-Identifier: Apache-2.0
// The laws written above the layout operations, over all small mode lists.
// covers: MEM-10 MEM-11
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/layout/boxes.hpp"
#include "core/layout/coalesce.hpp"
#include "core/layout/refine.hpp"
#include "core/layout/split.hpp"
#include "small_modes.hpp"

namespace tessera {

TEST(Coalesce, keeps_every_offset_and_never_adds_modes) {
    for (const Modes& m : laws::small_modes()) {
        const Modes c = coalesce(m);
        EXPECT_EQ(extent_of(c), extent_of(m)) << to_string(m);
        EXPECT_LE(c.size(), m.size()) << to_string(m);
        for (int64_t i = 0; i < extent_of(m); ++i) EXPECT_EQ(offset_in(c, i), offset_in(m, i)) << to_string(m) << i;
    }
    EXPECT_EQ(coalesce(Modes{{2, 400}, {1, 7}, {4, 100}, {5, 20}}), (Modes{{40, 20}}));
}

// From the start of a run on, offsets are those of its modes, and a run ends no sooner than it has to.
TEST(Runs, go_on_as_their_modes_do) {
    for (const Modes& modes : laws::small_modes()) {
        const int64_t extent = extent_of(modes);
        for (int64_t first = 0; first < extent; ++first) {
            const int64_t run = run_from(modes, first, extent - first);
            ASSERT_GE(run, 1);
            const Modes own = modes_of_run(modes, run);
            for (int64_t i = 0; i < run; ++i)
                ASSERT_EQ(offset_in(own, i), offset_in(modes, first + i) - offset_in(modes, first))
                    << to_string(modes) << " from " << first << ", " << run;
            for (int64_t part = 1; part < run; ++part) ASSERT_EQ(run_from(modes, first, part), part);
        }
        ASSERT_EQ(run_from(modes, 0, extent), extent);
    }
    EXPECT_EQ(run_from({{3, 100}, {8, 1}}, 5, 19), 3);
    EXPECT_EQ(run_from({{3, 100}, {8, 1}}, 8, 16), 16);
    EXPECT_EQ(modes_of_run({{3, 100}, {8, 1}}, 12), (Modes{{2, 100}, {8, 1}}));
}

TEST(Split, inner_and_outer_offsets_add_up) {
    int cut = 0, refused = 0;
    for (const Modes& m : laws::small_modes())
        for (int64_t inner = 1; inner <= 8; ++inner) {
            const auto s = split(m, inner);
            if (!s) {
                ++refused;
                continue;
            }
            ++cut;
            EXPECT_EQ(extent_of(s->second), inner);
            for (int64_t i = 0; i < extent_of(m); ++i)
                EXPECT_EQ(offset_in(s->first, i / inner) + offset_in(s->second, i % inner), offset_in(m, i))
                    << to_string(m) << " by " << inner << " at " << i;
        }
    EXPECT_GT(cut, 1000);
    EXPECT_GT(refused, 100);
    EXPECT_FALSE(split({{5, 48}, {16, 1}}, 3));
    EXPECT_TRUE(split({{5, 48}, {16, 1}}, 32));
}

namespace {

// Calls body with the addresses of all points of a nest.
template <typename Body> void each_point(const Nest& nest, size_t views, Body body) {
    std::vector<int64_t> at(nest.loops.size(), 0);
    for (;;) {
        std::vector<int64_t> address(views);
        for (size_t v = 0; v < views; ++v) {
            address[v] = nest.base[v];
            for (size_t k = 0; k < at.size(); ++k) address[v] += nest.loops[k].offset(int(v), at[k]);
        }
        body(address);
        size_t k = at.size();
        while (k > 0 && ++at[k - 1] == nest.loops[k - 1].extent) at[--k] = 0;
        if (k == 0) return;
    }
}

// The law of refine and boxes: exactly the address tuples of the coordinates, each once.
void expect_covers(const std::vector<Nest>& nests, const std::vector<Modes>& views, int64_t begin, int64_t end,
                   const std::vector<int64_t>& shift = {}) {
    std::multiset<std::vector<int64_t>> expected, found;
    for (int64_t i = begin; i < end; ++i) {
        std::vector<int64_t> address{i};
        for (size_t v = 0; v < views.size(); ++v)
            address.push_back(offset_in(views[v], i + (shift.empty() ? 0 : shift[v + 1])));
        expected.insert(address);
    }
    for (const Nest& nest : nests) each_point(nest, views.size() + 1, [&](const auto& a) { found.insert(a); });
    EXPECT_EQ(found, expected) << to_string(views[0]) << " and " << to_string(views.back()) << " over [" << begin
                               << ", " << end << ")";
}

} // namespace

TEST(Refine, visits_each_coordinate_once_with_every_views_offset) {
    const auto all = laws::small_modes();
    for (size_t a = 0; a < all.size(); a += 7)
        for (size_t b = 0; b < all.size(); b += 11) {
            const int64_t extent = std::min<int64_t>(40, std::max(extent_of(all[a]), extent_of(all[b])));
            for (int64_t begin : {int64_t(0), int64_t(1), extent / 2}) {
                // The coordinate itself is a view, so that the law compares tuples.
                const std::vector<Modes> views{Modes{{extent, 1}}, all[a], all[b]};
                const auto pieces = refine(views, begin, extent, 1000);
                ASSERT_TRUE(pieces);
                expect_covers(*pieces, {all[a], all[b]}, begin, extent);
            }
        }
}

TEST(Refine, follows_views_that_are_shifted) {
    const auto all = laws::small_modes();
    for (size_t a = 0; a < all.size(); a += 9)
        for (size_t b = 0; b < all.size(); b += 13)
            for (const std::vector<int64_t>& shift : {std::vector<int64_t>{0, 0, 5}, {0, 3, 0}, {0, 7, 2}}) {
                const std::vector<Modes> views{Modes{{40, 1}}, all[a], all[b]};
                const auto pieces = refine(views, 0, 40, 1000, shift);
                ASSERT_TRUE(pieces);
                expect_covers(*pieces, {all[a], all[b]}, 0, 40, shift);
            }
}

// What repeats from block to block is a loop, wherever the first block is entered.
TEST(Refine, needs_two_pieces_a_period_when_views_are_out_of_step) {
    const std::vector<Modes> views{{{1, 160}, {16, 1}}, {{1, 480}, {16, 1}}};
    const std::vector<int64_t> shift{0, 20};
    const auto pieces = refine(views, 0, 160, 100, shift);
    ASSERT_TRUE(pieces);
    EXPECT_LE(pieces->size(), 4u);
}

TEST(Boxes, follow_views_that_are_shifted_also_by_tables) {
    const Modes by7{{6, 7 * 100}, {7, 1}}, by5{{9, 5 * 40}, {5, 2}};
    const std::vector<Dimension> dims{{{by7, by5}, 0, 41, {0, 9}}, {{by5, by7}, 0, 37, {3, 0}}};
    const auto nests = boxes(dims);
    EXPECT_LE(nests.size(), max_boxes);
    std::multiset<std::pair<int64_t, int64_t>> expected, found;
    for (int64_t i = 0; i < 41; ++i)
        for (int64_t j = 0; j < 37; ++j)
            expected.insert({offset_in(by7, i) + offset_in(by5, j + 3), offset_in(by5, i + 9) + offset_in(by7, j)});
    for (const Nest& nest : nests) each_point(nest, 2, [&](const auto& a) { found.insert({a[0], a[1]}); });
    EXPECT_EQ(found, expected);
}

TEST(Refine, needs_one_piece_when_blocks_divide) {
    const std::vector<Modes> views{{{4, 100}, {4, 16}, {4, 1}}, {{16, 100}, {4, 3}}};
    const auto pieces = refine(views, 0, 64, 10);
    ASSERT_TRUE(pieces);
    EXPECT_EQ(pieces->size(), 1u);
    EXPECT_EQ(coalesce(pieces->front(), 2).loops.size(), 3u);
}

TEST(Refine, cuts_clashing_blocks_period_by_period) {
    const std::vector<Modes> views{{{3, 24}, {24, 1}}, {{5, 16}, {16, 1}}};
    const auto pieces = refine(views, 0, 72, 10);
    ASSERT_TRUE(pieces);
    EXPECT_FALSE(refine(views, 0, 72, 3)) << "more pieces than allowed";
}

TEST(Boxes, cover_two_dimensions_and_index_when_there_are_too_many) {
    // 7-blocks against 5-blocks in both dimensions: the cross product would be far beyond max_boxes.
    const Modes by7{{6, 7 * 100}, {7, 1}}, by5{{9, 5 * 40}, {5, 2}};
    const std::vector<Dimension> dims{{{by7, by5}, 0, 41}, {{by5, by7}, 3, 40}};
    const auto nests = boxes(dims);
    EXPECT_LE(nests.size(), max_boxes);
    std::multiset<std::pair<int64_t, int64_t>> expected, found;
    for (int64_t i = 0; i < 41; ++i)
        for (int64_t j = 3; j < 40; ++j)
            expected.insert({offset_in(by7, i) + offset_in(by5, j), offset_in(by5, i) + offset_in(by7, j)});
    for (const Nest& nest : nests) each_point(nest, 2, [&](const auto& a) { found.insert({a[0], a[1]}); });
    EXPECT_EQ(found, expected);
}

TEST(Boxes, of_an_empty_range_are_none) {
    const std::vector<Dimension> dims{{{Modes{{4, 1}}}, 2, 2}};
    EXPECT_TRUE(boxes(dims).empty());
}

} // namespace tessera
