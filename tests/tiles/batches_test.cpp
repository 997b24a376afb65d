// SPDX-License-Identifier: Apache-2.0
// Steps in a row that write one tensor run together, chunk by chunk, where none of them needs what another one wrote.
// Here the first step writes all rows and the second one needs, in its first rows, the last ones: together, it would
// read them before they are written, on one thread too.
#include <memory>

#include <gtest/gtest.h>

#include "../ops/objects.hpp"
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/select/select.hpp"
#include "ops/concat/concat.hpp"
#include "ops/ops.hpp"
#include "ops/reorder/reorder.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t rows = 64, columns = 1024, half = rows / 2;
enum : int { src, dst, later, other, other_later }; // operands: `later` and `other_later` are read half a tensor on

Context chunked() {
    Context machine(this_machine());
    machine.threads = 1, machine.l2_bytes = 16 << 10; // a chunk is half of it
    return machine;
}

Step step_of(int program, int64_t count) {
    Step step;
    step.program = program;
    for (const auto& [extent, stride] : {std::pair{count, columns}, {columns, int64_t(1)}}) {
        Loop loop{extent};
        for (size_t o = src; o <= other_later; ++o) loop.stride[o] = stride;
        step.nest.loops.push_back(loop);
    }
    for (size_t o : {later, other_later}) step.nest.base[o] = half * columns;
    return step;
}

// `first` over all rows, then `second` over the first half of them.
Plan plan_of(Program first, Program second) {
    Plan plan;
    plan.operands = {{"src", DataType::f32, arg::src},
                     {"dst", DataType::f32, arg::dst},
                     {"dst, later rows", DataType::f32, arg::dst},
                     {"other", DataType::f32, 18},
                     {"other, later rows", DataType::f32, 18}};
    plan.programs = {std::move(first), std::move(second)};
    plan.steps = {step_of(0, rows), step_of(1, half)};
    return plan;
}

// What generated code leaves in dst is what the interpreter of plans does.
void expect_the_order_of_steps(const Plan& plan) {
    ASSERT_TRUE(verify(plan)) << verify(plan).error().reason;
    const auto code = make_generated(std::make_shared<const Plan>(plan), chunked());
    ASSERT_TRUE(code);
    std::vector<float> in(rows * columns), out(in.size()), second(in.size()), right(in.size()), second_right(in.size());
    for (size_t i = 0; i < in.size(); ++i) in[i] = float(i + 1);
    const auto pointers = [&](std::vector<float>& a, std::vector<float>& b) {
        return std::vector<void*>{in.data(), a.data(), a.data(), b.data(), b.data()};
    };
    interpret(plan, pointers(right, second_right));
    ASSERT_EQ(code->run(pointers(out, second), {}), Status::success);
    EXPECT_TRUE(out == right) << code->text();
    EXPECT_TRUE(second == second_right) << code->text();
}

class Groups : public testing::Test {
protected:
    void SetUp() override {
        if (!make_generated(std::make_shared<const Plan>(plan_of(copy(dst), copy(dst))), chunked()))
            GTEST_SKIP() << "no code is generated for this processor";
    }
    static Program copy(int to) {
        Program p;
        p.store(to, p.load(src, ValueType::f32));
        return p;
    }
};

} // namespace

TEST_F(Groups, a_step_that_reads_what_the_one_before_wrote) {
    Program add;
    add.store(dst, add.binary(OpCode::add, add.load(src, ValueType::f32), add.load(later, ValueType::f32)));
    expect_the_order_of_steps(plan_of(copy(dst), add));
}

TEST_F(Groups, a_step_that_reads_the_second_output_of_the_one_before) {
    Program two, move;
    const int value = two.load(src, ValueType::f32);
    two.store(other, value);
    two.store(dst, two.binary(OpCode::add, value, value));
    move.store(dst, move.load(other_later, ValueType::f32));
    expect_the_order_of_steps(plan_of(two, move));
}

TEST_F(Groups, a_step_of_two_outputs_behind_one_that_wrote_one) {
    Program two;
    const int value = two.load(later, ValueType::f32);
    two.store(other, value);
    two.store(dst, two.binary(OpCode::add, value, value));
    expect_the_order_of_steps(plan_of(copy(dst), two));
}

TEST_F(Groups, steps_that_write_different_tensors) {
    Program move;
    move.store(other, move.load(later, ValueType::f32));
    expect_the_order_of_steps(plan_of(copy(dst), move));
}

// Channels of a block and the zeros behind them share lines: f32 nchw -> nChw16c.
TEST_F(Groups, zeros_run_together_with_what_they_surround) {
    const Problem p = ops::valid(ops::make_reorder(ops::md({2, 60, 14, 14}, DataType::f32, "abcd"),
                                                   ops::md({2, 60, 14, 14}, DataType::f32, "aBcd16b"), {}));
    const auto plan = ops::row(p.kind).lower(p);
    ASSERT_TRUE(plan);
    const auto code = make_generated(std::make_shared<const Plan>(*plan), chunked());
    ASSERT_TRUE(code);
    EXPECT_NE(code->text().find("in step with\nfill"), std::string::npos) << code->text();
}

// What steps write decides how they run: "+" beside, "&" in step, "z" for zeros.
TEST_F(Groups, steps_run_in_step_where_what_they_write_is_interleaved) {
    const auto marks = [](const Result<Problem>& made) {
        const Problem p = ops::valid(made);
        const auto selection = select(ops::valid(ops::row(p.kind).lower(p)), chunked());
        std::string text;
        for (const Step& step : selection->plan.steps) {
            text += step.together == Together::no ? " " : step.together == Together::beside ? "+" : "&";
            if (step.kind == StepKind::fill) text += "z";
        }
        return text;
    };
    const auto moved = [](std::vector<int64_t> dims, const char* from, const char* to) {
        return ops::make_reorder(ops::md(dims, DataType::f32, from), ops::md(dims, DataType::f32, to), {});
    };
    const auto joined = [](int axis, const char* tag) {
        const std::vector sources(3, ops::md({2, 16, 8, 8}, DataType::f32, tag));
        std::vector<int64_t> dims{2, 16, 8, 8};
        dims[size_t(axis)] *= 3;
        const MemoryDesc dst = ops::md(dims, DataType::f32, tag);
        return ops::make_concat(&dst, axis, sources, {});
    };
    EXPECT_EQ(marks(moved({2, 60, 14, 14}, "abcd", "aBcd16b")), " &&z");
    EXPECT_EQ(marks(moved({1, 60, 14, 14}, "abcd", "aBcd16b")), " +&z"); // whole blocks end where the last one begins
    // Of four boxes in blocks of 16 x 16 those of the last 12 rows begin behind all others.
    EXPECT_EQ(marks(moved({60, 60, 3, 3}, "abcd", "ABcd16b16a")), " &&z&z+&&z");
    EXPECT_EQ(marks(joined(0, "abcd")), " ++");
    EXPECT_EQ(marks(joined(1, "abcd")), " &&");
    EXPECT_EQ(marks(joined(1, "acdb")), " &&");
}

} // namespace tessera::cpu
