// SPDX-License-Identifier: Apache-2.0
// Reductions in two levels: the same results as in one where no addition rounds, the same loops cut in any way; and the
// first level has no more points than a block. covers: RED-01
#include <random>

#include <gtest/gtest.h>

#include "core/plan/rewrite/two_levels.hpp"
#include "core/program/reduction.hpp"
#include "core/types/convert.hpp"

namespace tessera {

namespace {

using Random = std::mt19937;

int64_t points_of(const Step& step) {
    int64_t points = 1;
    for (const Loop& loop : step.nest.loops)
        if (loop.kind == LoopKind::reduce) points *= loop.extent;
    return points;
}

std::vector<float> result(const Plan& plan, std::vector<float> src, int64_t results) {
    std::vector<float> dst(size_t(results), -7);
    std::vector<std::vector<char>> scratch;
    for (const int64_t bytes : plan.scratch) scratch.emplace_back(size_t(bytes));
    std::vector<void*> pointers;
    for (const Operand& o : plan.operands)
        pointers.push_back(o.scratch >= 0    ? static_cast<void*>(scratch[size_t(o.scratch)].data())
                           : o.name == "src" ? static_cast<void*>(src.data())
                                             : static_cast<void*>(dst.data()));
    interpret(plan, pointers);
    return dst;
}

} // namespace

TEST(TwoLevels, give_what_one_level_gives) {
    Random r(3);
    int cut = 0;
    for (int i = 0; i < 40; ++i) {
        const auto combine = std::vector{OpCode::reduce_add, OpCode::reduce_max, OpCode::reduce_min}[r() % 3];
        std::vector<int64_t> extents{int64_t(1 + r() % 3), int64_t(1 + r() % 40), int64_t(1 + r() % 300), 1};
        if (i % 4 == 0) extents = {1, 1, int64_t(4000 + r() % 9000), 1};
        const int64_t results = 1 + int64_t(r() % 3);
        extents[r() % 4] *= results; // where the results lie: inside, outside, between
        const size_t at = size_t(std::ranges::max_element(extents) - extents.begin());
        Plan plan;
        plan.operands = {{"src", DataType::f32}, {"dst", DataType::f32}};
        Program p;
        const int doubled = p.binary(OpCode::mul, p.load(0, ValueType::f32), p.constant(2, ValueType::f32));
        p.store(1, p.binary(OpCode::add, p.reduce(combine, doubled), p.constant(1, ValueType::f32)));
        plan.programs = {p};
        Step step;
        step.kind = StepKind::reduce, step.program = 0;
        int64_t stride = 1;
        std::vector<Loop> sums;
        for (size_t d = extents.size(); d-- > 0;) {
            Loop loop{extents[d], LoopKind::reduce, {stride, 0}, {}};
            if (d == at && loop.extent % results == 0) {
                loop.extent /= results;
                step.nest.loops.push_back({results, LoopKind::map, {stride * loop.extent, 1}, {}});
            }
            stride *= extents[d];
            sums.insert(sums.begin(), loop);
        }
        step.nest.loops.insert(step.nest.loops.end(), sums.begin(), sums.end());
        plan.steps = {step};
        ASSERT_TRUE(verify(plan));
        Plan levels = plan;
        in_two_levels(1, levels);
        ASSERT_TRUE(verify(levels)) << to_string(levels);
        EXPECT_EQ(levels.steps.size() > 1, points_of(step) > reduction_block) << to_string(plan);
        cut += levels.steps.size() > 1;
        for (size_t k = 0; k + 1 < levels.steps.size(); ++k) EXPECT_LE(points_of(levels.steps[k]), reduction_block);
        std::vector<float> src(size_t(stride), 0);
        for (float& x : src) x = float(int32_t(r() % 65) - 32);
        EXPECT_EQ(result(plan, src, results), result(levels, src, results)) << to_string(plan) << to_string(levels);
    }
    EXPECT_GT(cut, 10);
}

} // namespace tessera
