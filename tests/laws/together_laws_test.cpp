// SPDX-License-Identifier: Apache-2.0
// Which steps run at the same time: those of one program that write different elements of its outputs, unless they read
// what another one of them may write.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/plan/rewrite/together.hpp"
#include "core/plan/rewrite/turns.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera {

namespace {

// Windows with a border on both sides: a step for each range of results.
Plan pooling_plan(const std::string& prop) {
    const auto line = parse_problem_line("pooling --dir=" + prop +
                                         " --alg=max --kernel=3x3 --padding=1 --stag=acdb 2x16x9x9:2x16x9x9");
    const auto problem = problem_of(*line);
    Plan plan = *ops::row(problem->kind).lower(*problem);
    mark_together(plan, std::vector<bool>(plan.steps.size()));
    return plan;
}
int64_t waiting(const Plan& plan) {
    return std::ranges::count(plan.steps, Together::no, [](const Step& step) { return step.together; });
}

} // namespace

TEST(Together, are_windows_with_their_numbers) {
    Plan plan = pooling_plan("FWD_D");
    ASSERT_GE(plan.steps.size(), 4u);
    const Program program = plan.programs[size_t(plan.steps[0].program)];
    EXPECT_EQ(std::ranges::count(program.ops, OpCode::store, [](const Op& op) { return op.code; }), 2); // the workspace
    EXPECT_EQ(waiting(plan), 1);
    EXPECT_EQ(waiting(pooling_plan("FWD_I")), 1);
}

TEST(Together, are_no_steps_that_read_one_of_several_outputs) {
    for (const size_t read : {0, 1}) { // of the two stores
        Plan plan = pooling_plan("FWD_D");
        std::vector<int> stored;
        for (const Op& op : plan.programs[0].ops)
            if (op.code == OpCode::store) stored.push_back(op.operand);
        ASSERT_EQ(stored.size(), 2u);
        Program reads;
        reads.load(stored[read], ValueType::f32);
        const int loaded = append(reads, plan.programs[0]).empty() ? 0 : 1;
        ASSERT_EQ(loaded, 1);
        plan.programs[0] = reads;
        mark_together(plan, std::vector<bool>(plan.steps.size()));
        EXPECT_EQ(waiting(plan), int64_t(plan.steps.size())) << read;
    }
}

// The second step writes what the first one does, and reads what that writes besides.
TEST(Together, are_no_steps_of_which_one_reads_another_output) {
    Plan plan = pooling_plan("FWD_D");
    std::vector<int> stored;
    for (const Op& op : plan.programs[0].ops)
        if (op.code == OpCode::store) stored.push_back(op.operand);
    ASSERT_EQ(stored.size(), 2u);
    plan.steps.resize(2);
    Step& second = plan.steps[1];
    Program copy;
    copy.store(stored[1], copy.load(stored[0], ValueType::f32));
    plan.programs.push_back(copy);
    second.kind = StepKind::map, second.program = int(plan.programs.size()) - 1;
    std::erase_if(second.nest.loops, [](const Loop& loop) { return loop.kind == LoopKind::reduce; });
    mark_together(plan, std::vector<bool>(2));
    EXPECT_EQ(waiting(plan), 2);
}

// A state of a recurrent cell is read by the step that writes the next one, in the same tensor by the same program.
TEST(Together, are_no_turns_of_time) {
    for (const char* cell : {"vanilla_rnn --activation=tanh", "lstm", "gru"}) {
        const auto line = parse_problem_line(fmt::format("rnn --dir=FWD_I --alg={} l1t5mb2sic8", cell));
        ASSERT_TRUE(line) << line.error().reason;
        const auto problem = problem_of(*line);
        ASSERT_TRUE(problem) << problem.error().reason;
        Plan plan = unrolled(*ops::row(problem->kind).lower(*problem));
        mark_together(plan, std::vector<bool>(plan.steps.size()));
        EXPECT_EQ(waiting(plan), int64_t(plan.steps.size())) << cell << ": " << to_string(plan);
    }
}

} // namespace tessera
