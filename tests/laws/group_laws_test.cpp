// SPDX-License-Identifier: Apache-2.0
// Groups: steps that share loops give the same bits one after the other over all points, with points made larger, and
// under every engine.
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "core/plan/plan.hpp"
#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/local_scratch.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/rewrite/share_rows.hpp"
#include "cpu/select/compile.hpp"
#include "cpu/select/select.hpp"
#include "machines.hpp"

namespace tessera {

namespace {

using Random = std::mt19937;

enum { src, shift, row, values, dst, operands };

// A row at a time: values = 0; values = src * shift; row = sum of values; dst = values - row (as bf16). The rows lie
// anywhere, in one loop or two, the second of them perhaps by a table.
Plan rows_plan(Random& r, int64_t most_columns) {
    Plan plan;
    plan.operands = {{"src", r() % 2 ? DataType::f32 : DataType::s8},
                     {"shift", DataType::f32},
                     {"row", DataType::f32},
                     {"values", DataType::f32},
                     {"dst", DataType::bf16}};
    const int64_t outer = 1 + r() % 5, inner = 1 + r() % 9, columns = 1 + int64_t(r()) % most_columns;
    const int64_t pitch = columns + int64_t(r() % 3);
    const auto loop = [](int64_t extent, PerOperand<int64_t> stride, LoopKind kind = LoopKind::map) {
        return Loop{extent, kind, std::move(stride), {}};
    };
    Step group;
    group.kind = StepKind::group;
    group.nest.loops = {loop(outer, {inner * pitch, 0, inner, inner * pitch, inner * columns}),
                        loop(inner, {pitch, 0, 1, pitch, columns})};
    group.nest.base = {2, 0, 1, 3, 0};
    if (r() % 3 == 0) { // rows of dst in another order
        std::vector<int64_t> offsets;
        for (int64_t i = 0; i < inner; ++i) offsets.push_back((inner - 1 - i) * columns);
        group.nest.loops[1].stride.set(dst, 0);
        group.nest.loops[1].table.set(dst, std::move(offsets));
    }
    Group steps;
    const auto add = [&](StepKind kind, std::vector<Loop> loops, Program p) {
        Step& step = steps.steps.emplace_back();
        step.kind = kind, step.nest.loops = std::move(loops);
        if (kind == StepKind::fill) {
            step.fill_operand = values;
        } else {
            plan.programs.push_back(std::move(p)), step.program = int(plan.programs.size()) - 1;
        }
    };
    Program product, sum, difference;
    product.store(values,
                  product.binary(OpCode::mul, product.load(src, ValueType::f32), product.load(shift, ValueType::f32)));
    sum.store(row, sum.reduce_add(sum.load(values, ValueType::f32)));
    difference.store(dst, difference.binary(OpCode::sub, difference.load(values, ValueType::f32),
                                            difference.load(row, ValueType::f32)));
    add(StepKind::fill, {loop(columns, {0, 0, 0, 1, 0})}, {});
    add(StepKind::map, {loop(columns, {1, 1, 0, 1, 0})}, product);
    if (r() % 4) add(StepKind::reduce, {loop(columns, {0, 0, 0, 1, 0}, LoopKind::reduce)}, sum);
    add(StepKind::map, {loop(columns, {0, 0, 0, 1, 1})}, difference);
    group.group = std::make_shared<const Group>(std::move(steps));
    plan.steps = {group};
    return plan;
}

using Memory = std::vector<std::vector<unsigned char>>;

Memory random_memory(const Plan& plan, Random& r, int64_t elements) {
    Memory memory;
    for (const Operand& o : plan.operands) {
        auto& bytes = memory.emplace_back(size_t(elements) * size_t(bits(o.type)) / 8);
        for (int64_t i = 0; i < elements; ++i)
            write<float>(o.type, bytes.data(), i, float(int32_t(r() % 2000) - 1000) / 16);
    }
    return memory;
}

std::vector<void*> pointers(Memory& memory) {
    std::vector<void*> all;
    for (auto& bytes : memory) all.push_back(bytes.data());
    return all;
}

constexpr int64_t most_elements = 5 * 9 * 1010 + 16;

Memory interpreted(const Plan& plan, const Memory& before) {
    Memory memory = before;
    interpret(plan, pointers(memory));
    return memory;
}

} // namespace

TEST(Groups, are_their_steps_over_all_points) {
    Random r(1);
    for (int i = 0; i < 100; ++i) {
        const Plan plan = rows_plan(r, 40);
        const auto valid = verify(plan);
        ASSERT_TRUE(valid) << valid.error().reason;
        const Memory before = random_memory(plan, r, most_elements), want = interpreted(plan, before);
        const Plan apart = ungrouped(plan);
        ASSERT_TRUE(verify(apart)) << to_string(apart);
        EXPECT_EQ(want, interpreted(apart, before)) << to_string(plan) << to_string(apart);
        for (const int64_t count : {1, 2, 3, 4, 8, 9, 100}) {
            Plan wide = plan;
            wide.steps = widened(plan, plan.steps[0], count);
            const auto still_valid = verify(wide);
            ASSERT_TRUE(still_valid) << still_valid.error().reason << to_string(wide);
            EXPECT_EQ(want, interpreted(wide, before)) << count << '\n' << to_string(plan) << to_string(wide);
        }
    }
}

TEST(Groups, are_what_steps_over_the_same_rows_do) {
    Random r(9);
    int shared = 0;
    for (int i = 0; i < 100; ++i) {
        const Plan apart = ungrouped(rows_plan(r, 40));
        const Memory before = random_memory(apart, r, most_elements), want = interpreted(apart, before);
        for (size_t first = 0; first < apart.steps.size(); ++first)
            for (size_t last = first + 1; last <= apart.steps.size(); ++last) {
                const auto group = share_rows(apart, first, last);
                if (!group) continue;
                shared += last - first > 1;
                Plan together = apart;
                const auto begin = together.steps.begin();
                *(begin + long(first)) = *group;
                together.steps.erase(begin + long(first) + 1, begin + long(last));
                ASSERT_TRUE(verify(together)) << to_string(together);
                ASSERT_EQ(want, interpreted(together, before)) << to_string(apart) << to_string(together);
            }
    }
    EXPECT_GT(shared, 50);
}

// What a step moves by along the rows, the others move by as well.
TEST(Groups, are_not_what_moves_apart) {
    Random r(9);
    Plan plan = ungrouped(rows_plan(r, 40));
    plan.steps = {plan.steps[1], plan.steps[1]};
    ASSERT_TRUE(share_rows(plan, 0, 2));
    for (const int o : used_operands(plan, plan.steps[0])) {
        Plan other = plan;
        Loop& rows = other.steps[1].nest.loops[0];
        rows.stride.set(size_t(o), rows.stride[size_t(o)] + 8);
        EXPECT_FALSE(share_rows(other, 0, 2));
    }
}

TEST(Groups, run_alike_on_every_machine) {
    Random r(2);
    int grouped = 0;
    for (int i = 0; i < 60; ++i) {
        const Plan plan = rows_plan(r, i % 2 ? 1000 : 50);
        const Memory before = random_memory(plan, r, most_elements), want = interpreted(plan, before);
        for (Context machine : machines()) {
            machine.threads = 1 + int(r() % 3);
            machine.l2_bytes = r() % 2 ? 4 << 10 : machine.l2_bytes; // so that points hold a few rows, or all of them
            const auto executable = cpu::compile(std::make_shared<const Plan>(plan), machine);
            ASSERT_TRUE(executable) << executable.error().reason;
            grouped += (*executable)->text().find("group of") != std::string::npos;
            Memory got = before;
            ASSERT_EQ((*executable)->run(pointers(got), {}), Status::success);
            ASSERT_EQ(want, got) << machine.name << '\n' << to_string(plan) << (*executable)->text();
        }
    }
    if (!generating_machines().empty()) { EXPECT_GT(grouped, 50); }
}

TEST(Groups, have_scratch_of_their_own_for_a_point_alone) {
    Random r(5);
    int local = 0;
    for (int i = 0; i < 60; ++i) {
        Plan plan = rows_plan(r, i % 2 ? 1000 : 50);
        plan.scratch = {most_elements * 4};
        plan.operands[values].scratch = 0;
        Group steps = *plan.steps[0].group;
        steps.steps.erase(steps.steps.begin()); // of neighbours that write one operand each element has one writer
        plan.steps[0].group = std::make_shared<const Group>(std::move(steps));
        const Memory before = random_memory(plan, r, most_elements);
        const auto others = [](Memory memory) { return memory[values].clear(), memory; };
        const Memory want = others(interpreted(plan, before));
        for (const int64_t count : {1, 3, 100}) {
            Plan own = plan;
            own.steps = widened(plan, plan.steps[0], count);
            for (Step& step : own.steps) {
                const int64_t columns = step.group->steps[0].nest.loops.back().extent;
                const auto made = make_local(step, {values});
                ASSERT_EQ(made.size(), 1u);
                EXPECT_LE(made[0].elements, count * (columns + 16));
                for (const Loop& loop : step.nest.loops) EXPECT_EQ(loop.stride[values], 0);
            }
            EXPECT_EQ(want, others(interpreted(own, before))) << to_string(plan) << to_string(own);
        }
        for (Context machine : generating_machines()) {
            machine.threads = 1 + int(r() % 3), machine.l2_bytes = 4 << 10;
            const auto executable = cpu::compile(std::make_shared<const Plan>(plan), machine);
            ASSERT_TRUE(executable) << executable.error().reason;
            local += (*executable)->runs() && (*executable)->runs()->scratch[0] < most_elements * 4;
            Memory got = before;
            ASSERT_EQ((*executable)->run(pointers(got), {}), Status::success);
            ASSERT_EQ(want, others(got)) << machine.name << '\n' << to_string(plan) << (*executable)->text();
        }
    }
    if (!generating_machines().empty()) { EXPECT_GT(local, 50); }
}

// Sums of windows in rows, which lie one behind the other or side by side: values = src with a border of zeros, dst =
// sums of values. Steps start at different places of the values, and two loops go the same way.
TEST(Groups, have_scratch_of_their_own_with_borders) {
    Random r(6);
    for (int i = 0; i < 60; ++i) {
        const int64_t rows = 2 + r() % 30, columns = 1 + r() % 40, reach = 1 + r() % 3, extent = columns + 2 * reach;
        const bool beside = r() % 2;
        const int64_t row_of_values = beside ? 1 : extent, column_of_values = beside ? rows : 1;
        const auto loop = [](int64_t count, PerOperand<int64_t> stride, LoopKind kind = LoopKind::map) {
            return Loop{count, kind, std::move(stride), {}};
        };
        Plan plan;
        plan.operands = {
            {"src", DataType::f32}, {}, {}, {"values", DataType::f32, 0, 0, -1, false, 0, 0}, {"dst", DataType::f32}};
        plan.scratch = {rows * extent * 4};
        Program zero, copy, sum;
        zero.store(values, zero.constant(0, ValueType::f32));
        copy.store(values, copy.load(src, ValueType::f32));
        sum.store(dst, sum.reduce_add(sum.load(values, ValueType::f32)));
        plan.programs = {zero, copy, sum};
        Group steps;
        const auto add = [&](int program, std::vector<Loop> loops, int64_t start) {
            Step& step = steps.steps.emplace_back();
            step.kind = program == 2 ? StepKind::reduce : StepKind::map;
            step.program = program, step.in_order = program == 2;
            step.nest.loops = std::move(loops);
            step.nest.base.set(values, start * column_of_values);
        };
        const Loop inner = loop(columns, {1, 0, 0, column_of_values, 1});
        add(0, {loop(reach, {0, 0, 0, column_of_values})}, 0);
        add(0, {loop(reach, {0, 0, 0, column_of_values})}, reach + columns);
        add(1, {inner}, reach);
        add(2, {inner, loop(2 * reach + 1, {0, 0, 0, column_of_values}, LoopKind::reduce)}, 0);
        Step group;
        group.kind = StepKind::group;
        group.nest.loops = {loop(rows, {columns, 0, 0, row_of_values, columns})};
        group.group = std::make_shared<const Group>(std::move(steps));
        plan.steps = {group};
        const auto valid = verify(plan);
        ASSERT_TRUE(valid) << valid.error().reason;
        const Memory before = random_memory(plan, r, (rows + 16) * (extent + 16));
        const std::vector<unsigned char> want = interpreted(plan, before)[dst];
        for (const int64_t count : {1, 3, 100}) {
            Plan own = plan;
            own.steps = widened(plan, plan.steps[0], count);
            for (Step& step : own.steps) {
                const auto made = make_local(step, {values});
                EXPECT_LE(made[0].elements, (std::min(count, rows) + 16) * (extent + 16));
            }
            EXPECT_EQ(want, interpreted(own, before)[dst]) << to_string(plan) << to_string(own);
        }
    }
}

TEST(Groups, of_large_rows_have_a_point_a_row_and_of_small_ones_many) {
    if (generating_machines().empty()) GTEST_SKIP() << "no code is generated for this processor";
    Random r(3);
    for (int i = 0; i < 20; ++i) {
        const Plan plan = rows_plan(r, 400);
        Context machine = generating_machines().back();
        machine.l2_bytes = 1;
        const auto small = cpu::select(plan, machine);
        ASSERT_TRUE(small);
        EXPECT_EQ(small->plan.steps.size(), 1u);
        EXPECT_EQ(small->choices[0].tile.substr(0, 8), "group of");
        machine.l2_bytes = int64_t(1) << 30; // all of it stays there
        const auto large = cpu::select(plan, machine);
        ASSERT_TRUE(large);
        EXPECT_EQ(large->plan.steps.size(), plan.steps[0].group->steps.size());
    }
}

TEST(Groups, that_have_no_meaning_are_refused) {
    Random r(4);
    const Plan good = rows_plan(r, 10);
    const auto reason = [&](const auto& change) {
        Plan plan = good;
        Group group = *plan.steps[0].group;
        change(plan, group);
        plan.steps[0].group = std::make_shared<const Group>(std::move(group));
        const auto ok = verify(plan);
        return ok ? std::string("accepted") : ok.error().reason;
    };
    EXPECT_EQ(reason([](Plan&, Group&) {}), "accepted");
    EXPECT_EQ(reason([](Plan&, Group& g) {
                  Step inner;
                  inner.kind = StepKind::group, inner.group = std::make_shared<const Group>();
                  g.steps.push_back(inner);
              }),
              "plan: a group with a step (group); it may have fills, maps and reductions");
    EXPECT_EQ(reason([](Plan& p, Group&) { p.steps[0].nest.loops[0].kind = LoopKind::reduce; }),
              "plan: a group whose steps share a reduction");
    EXPECT_EQ(reason([](Plan& p, Group&) {
                  p.operands[src].type = DataType::s4;
                  p.steps[0].nest.base.set(src, 1);
              }),
              "plan: a group along which src moves by parts of bytes");
    EXPECT_EQ(reason([](Plan& p, Group&) { p.operands[src].constant = 0, p.constants = {{1}}; }),
              "plan: a group along which src moves, which is no memory of the caller");
    EXPECT_EQ(reason([](Plan& p, Group&) { p.steps[0].kind = StepKind::map, p.steps[0].program = 0; }),
              "plan: a step (map) with steps of its own");
    EXPECT_EQ(reason([](Plan&, Group& g) { g.steps.back().nest.loops[0].extent = 0; }), "plan: a loop of extent 0");
}

} // namespace tessera
