// SPDX-License-Identifier: Apache-2.0
// Counted operands (Operand::counted) have numbers for elements and no memory: whatever job takes a step, it computes
// them. Rows that number their columns again and again must not be read from a buffer.
#include <memory>

#include <gtest/gtest.h>

#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"

namespace tessera::cpu {

namespace {

enum : size_t { src, dst, number };
struct Strides {
    const char* name;
    int64_t src[2], dst[2], number[2]; // outer loop, inner loop
};
constexpr int64_t rows = 40, columns = 24;
constexpr Strides cases[] = {
    {"columns", {columns, 1}, {columns, 1}, {0, 1}},          {"rows", {columns, 1}, {columns, 1}, {1, 0}},
    {"elements", {columns, 1}, {columns, 1}, {columns, 1}},   {"apart", {columns, 1}, {columns, 1}, {3, 1000}},
    {"transposed", {1, rows}, {columns, 1}, {columns, 1}},    {"gaps", {columns + 5, 1}, {columns + 3, 1}, {0, 1}},
    {"every second", {2 * columns, 2}, {columns, 1}, {0, 7}},
};

Plan plan_of(const Strides& s) {
    Plan plan;
    plan.operands = {{"src", DataType::f32, 1}, {"dst", DataType::f32, 17}, {"number", DataType::u8}};
    plan.operands[number].counted = true;
    Program& p = plan.programs.emplace_back();
    const int value = p.load(src, ValueType::f32);
    p.store(dst, p.binary(OpCode::add, value, p.cvt(p.index(number), ValueType::f32)));
    Step& step = plan.steps.emplace_back();
    step.program = 0;
    for (int l = 0; l < 2; ++l) {
        Loop& loop = step.nest.loops.emplace_back();
        loop.extent = l ? columns : rows;
        loop.stride[src] = s.src[l], loop.stride[dst] = s.dst[l], loop.stride[number] = s.number[l];
    }
    return plan;
}

} // namespace

TEST(CountedOperand, is_computed_by_every_job) {
    Context machine(this_machine());
    machine.threads = 1;
    for (const Strides& s : cases) {
        const Plan plan = plan_of(s);
        ASSERT_TRUE(verify(plan)) << verify(plan).error().reason;
        const auto code = make_generated(std::make_shared<const Plan>(plan), machine);
        if (!code) GTEST_SKIP() << "no code is generated for this processor";
        std::vector<float> in(3 * rows * columns), out(in.size()), right(in.size());
        for (size_t i = 0; i < in.size(); ++i) in[i] = float(i);
        interpret(plan, std::vector<void*>{in.data(), right.data(), nullptr});
        ASSERT_EQ(code->run(std::vector<void*>{in.data(), out.data(), nullptr}, {}), Status::success);
        EXPECT_TRUE(out == right) << s.name << ": " << code->text();
    }
}

} // namespace tessera::cpu
