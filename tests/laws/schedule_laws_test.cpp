// SPDX-License-Identifier: Apache-2.0
// schedule: for machines of any size the units cover every point once, nibbles of a byte stay with one thread.
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "cpu/portable/schedule.hpp"

namespace tessera::cpu {

namespace {

Plan plan_of(DataType src, DataType dst) {
    Plan plan;
    plan.operands = {{"src", src, 1}, {"dst", dst, 17}};
    Program p;
    p.store(1, p.load(0, conversion_type(src, dst)));
    plan.programs.push_back(p);
    return plan;
}

Step step_of(std::vector<std::array<int64_t, 3>> loops) {
    Step step;
    step.program = 0;
    for (auto [extent, s, d] : loops) {
        Loop loop;
        loop.extent = extent;
        loop.stride[0] = s, loop.stride[1] = d;
        step.nest.loops.push_back(loop);
    }
    return step;
}

// dst addresses of the scheduled nest; equal to those of the step's nest if nothing was lost.
std::multiset<int64_t> addresses(const Nest& nest) {
    std::multiset<int64_t> all{nest.base[1]};
    for (const Loop& loop : nest.loops) {
        std::multiset<int64_t> next;
        for (int64_t a : all)
            for (int64_t i = 0; i < loop.extent; ++i) next.insert(a + loop.offset(1, i));
        all = std::move(next);
    }
    return all;
}

} // namespace

TEST(Schedule, keeps_the_points_and_counts_its_units) {
    std::mt19937 r(5);
    for (int i = 0; i < 500; ++i) {
        const int64_t a = 1 + r() % 5, b = 1 + r() % 90, c = 1 + r() % 90;
        const bool transposed = r() % 2;
        const Step step = transposed ? step_of({{a, b * c, b * c}, {b, 1, c}, {c, b, 1}})
                                     : step_of({{a, b * c, b * c}, {b, c, c}, {c, 1, 1}});
        Context machine;
        machine.threads = 1 + int(r() % 64);
        const Plan plan = plan_of(DataType::f32, r() % 2 ? DataType::f32 : DataType::s4);
        const Schedule s = schedule(step, plan, machine);
        EXPECT_EQ(addresses(s.nest), addresses(step.nest));
        int64_t units = 1;
        for (size_t k = 0; k < s.outer; ++k) units *= s.nest.loops[k].extent;
        const Loop &rows = s.nest.loops[s.outer], &columns = s.nest.loops[s.outer + 1];
        units *= (rows.extent + s.block_rows - 1) / s.block_rows;
        units *= (columns.extent + s.block_columns - 1) / s.block_columns;
        EXPECT_EQ(s.units, units);
        EXPECT_GE(s.units_per_chunk, 1);
    }
}

TEST(Schedule, leaves_small_work_on_the_calling_thread) {
    Context machine;
    machine.threads = 64;
    const Plan plan = plan_of(DataType::f32, DataType::f32);
    EXPECT_FALSE(schedule(step_of({{8, 1, 1}}), plan, machine).parallel);
    EXPECT_FALSE(schedule(step_of({{100, 128, 128}, {128, 1, 1}}), plan, machine).parallel);
    EXPECT_TRUE(schedule(step_of({{1000, 1280, 1280}, {1024, 1, 1}}), plan, machine).parallel);
}

TEST(Schedule, never_splits_a_byte_between_threads) {
    Context machine;
    machine.threads = 4;
    const Plan plan = plan_of(DataType::f32, DataType::s4);
    EXPECT_FALSE(schedule(step_of({{1001, 1025, 1025}, {1025, 1, 1}}), plan, machine).parallel);
    Step step = step_of({{1001, 1024, 1024}, {1024, 1, 1}});
    EXPECT_TRUE(schedule(step, plan, machine).parallel);
    step.nest.base[1] = 1; // every row begins within a byte
    EXPECT_FALSE(schedule(step, plan, machine).parallel);
}

TEST(Schedule, folds_loops_that_are_too_short_for_a_tile) {
    const Schedule s =
        schedule(step_of({{500, 6, 6}, {3, 1, 2}, {2, 3, 1}}), plan_of(DataType::f32, DataType::f32), Context{});
    EXPECT_TRUE(s.nest.loops.back().indexed());
    EXPECT_GE(s.nest.loops.back().extent, 6);
}

} // namespace tessera::cpu
