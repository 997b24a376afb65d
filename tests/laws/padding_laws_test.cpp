// SPDX-License-Identifier: Apache-2.0
// zeros_behind: the rows of a map, each with its zeros, are what the map and the fill write. Over reorders into blocked
// layouts of all small numbers of channels, whose fills lie behind rows or elsewhere.
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "core/desc/tags.hpp"
#include "core/plan/moves.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/rewrite/padding.hpp"
#include "ops/moves.hpp"

namespace tessera {

namespace {

void visit(const Nest& nest, size_t operand, size_t k, int64_t at, const std::function<void(int64_t)>& each) {
    if (k == nest.loops.size()) return each(at);
    for (int64_t i = 0; i < nest.loops[k].extent; ++i)
        visit(nest, operand, k + 1, at + nest.loops[k].offset(int(operand), i), each);
}

std::multiset<int64_t> written(const Nest& nest, size_t operand) {
    std::multiset<int64_t> all;
    visit(nest, operand, 0, nest.base[operand], [&](int64_t at) { all.insert(at); });
    return all;
}

std::multiset<int64_t> rows_with_zeros(const Nest& nest, size_t operand, int64_t zeros) {
    Nest rows = nest;
    const size_t dense = dense_loop(nest, operand);
    const int64_t row = dense < nest.loops.size() ? nest.loops[dense].extent : 1;
    if (dense < nest.loops.size()) rows.loops[dense].extent = 1;
    std::multiset<int64_t> all;
    visit(rows, operand, 0, nest.base[operand], [&](int64_t at) {
        for (int64_t i = 0; i < row + zeros; ++i) all.insert(at + i);
    });
    return all;
}

Plan reorder_plan(const char* from, const char* to, std::vector<int64_t> dims) {
    const MemoryDesc src = *make_desc_with_tag(dims, DataType::f32, from);
    const MemoryDesc dst = *make_desc_with_tag(dims, DataType::f32, to);
    Plan plan;
    plan.operands = {{"src", DataType::f32}, {"dst", DataType::f32}};
    Program copy;
    copy.store(1, copy.load(0, ValueType::f32));
    plan.programs.push_back(copy);
    const Layout layouts[] = {layout_of(src), layout_of(dst)};
    add_padding(dst, 1, plan);
    add_moves({.layouts = layouts, .dims = dims, .program = 0}, plan);
    return plan;
}

} // namespace

TEST(padding, rows_and_their_zeros_are_what_both_steps_write) {
    int found = 0;
    for (const char* from : {"abcd", "acdb", "aBcd16b"})
        for (const char* to : {"aBcd4b", "aBcd16b", "ABcd4a4b", "acdb"})
            for (int64_t channels = 1; channels <= 20; ++channels)
                for (int64_t images : {1, 3}) {
                    const Plan plan = reorder_plan(from, to, {images, channels, 2, 3});
                    for (const Step& map : plan.steps)
                        for (const Step& fill : plan.steps) {
                            const int64_t zeros = zeros_behind(plan, map, fill);
                            if (zeros == 0) continue;
                            ++found;
                            auto both = written(map.nest, 1);
                            both.merge(written(fill.nest, 1));
                            EXPECT_EQ(rows_with_zeros(map.nest, 1, zeros), both) << to_string(plan);
                        }
                }
    EXPECT_GT(found, 100);
}

TEST(padding, other_fills_are_not_taken) {
    Plan plan = reorder_plan("abcd", "aBcd16b", {2, 3, 4, 5});
    ASSERT_EQ(plan.steps.size(), 2u);
    Step &fill = plan.steps[0], &map = plan.steps[1];
    ASSERT_EQ(zeros_behind(plan, map, fill), 13);
    EXPECT_EQ(zeros_behind(plan, fill, map), 0);
    EXPECT_EQ(zeros_behind(plan, map, map), 0);
    Step other = fill;
    other.nest.base[1] += 1; // a gap
    EXPECT_EQ(zeros_behind(plan, map, other), 0);
    other = fill, other.nest.loops[0].extent -= 1; // not behind every row
    EXPECT_EQ(zeros_behind(plan, map, other), 0);
    other = fill, other.fill_operand = 0;
    EXPECT_EQ(zeros_behind(plan, map, other), 0);
    plan.operands[1].type = DataType::u4; // half bytes are not written alone
    EXPECT_EQ(zeros_behind(plan, map, fill), 0);
}

} // namespace tessera
