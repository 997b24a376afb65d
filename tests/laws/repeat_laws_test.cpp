// SPDX-License-Identifier: Apache-2.0
// Repeats: turns in order give the same under every engine as their steps one after the other. Values are small
// integers, so that every order of a sum gives the same bits.
#include <random>

#include <gtest/gtest.h>

#include "core/plan/plan.hpp"
#include "core/plan/rewrite/turns.hpp"
#include "core/program/lib/expression.hpp"
#include "cpu/select/compile.hpp"
#include "machines.hpp"

namespace tessera {

namespace {

using Random = std::mt19937;

enum { input, weights, sums, states, results };

struct Scan {
    int64_t turns, inner, rows, columns;
    bool backwards;
    Plan plan;
};

// The next state is a clipped sum of the input and the state times weights; states lie one behind the other, or
// backwards. Every turn also stores the state as bf16, and sums of its rows where `states` has room for them.
Scan scan_plan(Random& r) {
    Scan s{1 + int64_t(r() % 7), 1 + int64_t(r() % 3), 1 + int64_t(r() % 20), 1 + int64_t(r() % 40), r() % 2 == 0, {}};
    Plan& plan = s.plan;
    const bool narrow = r() % 2;
    const DataType state = narrow ? DataType::bf16 : DataType::f32;
    plan.operands = {{"input", DataType::s8, 1},
                     {"weights", state, 2},
                     {"sums", DataType::f32},
                     {"states", state, 3},
                     {"results", DataType::bf16, 4}};
    plan.scratch = {s.rows * s.columns * 4};
    plan.operands[sums].scratch = 0;
    const int64_t n = s.rows * s.columns;

    Program epilogue, next;
    const Expression total{&epilogue, epilogue.total(ValueType::f32)};
    const Expression added{&epilogue, epilogue.load(input, ValueType::f32)};
    epilogue.store(sums, (total + added).value);
    Expression x{&next, next.load(sums, ValueType::f32)};
    x = at_least(at_most(x, 3), -3);
    next.store(results, x.value);
    next.store(states, x.value);
    plan.programs = {epilogue, next};

    Step product;
    product.kind = StepKind::product, product.program = 0;
    const auto plain = [&](int64_t row, int64_t column, int64_t k) {
        return Layout{0, {{{s.rows, row}}, {{s.columns, column}}, {{s.columns, k}}}};
    };
    Product of;
    of.a = {states}, of.b = {weights};
    of.space = {{s.rows, s.columns, s.columns},
                4,
                {plain(s.columns, 1, 0), plain(0, 1, s.columns), plain(s.columns, 1, 0), plain(s.columns, 0, 1), {}}};
    product.product = std::make_shared<const Product>(of);
    Step map;
    map.kind = StepKind::map, map.program = 1;
    map.nest.loops = {{n, LoopKind::map, {0, 0, 1, 1, 1}, {}}};
    const int64_t forward = s.backwards ? -n : n;
    map.nest.base.set(states, forward); // what this turn writes

    Step repeat;
    repeat.kind = StepKind::repeat;
    const auto along = [&](int64_t extent, int64_t times) {
        return Loop{extent, LoopKind::map, {times * n, 0, 0, times * forward, times * n}, {}};
    };
    repeat.nest.loops = {along(s.turns, s.inner), along(s.inner, 1)};
    if (s.backwards) repeat.nest.base.set(states, s.turns * s.inner * n);
    Group steps;
    steps.steps = {product, map};
    repeat.group = std::make_shared<const Group>(std::move(steps));
    plan.steps = {repeat};
    return s;
}

using Memory = std::vector<std::vector<unsigned char>>;

Memory random_memory(const Scan& s, Random& r) {
    const int64_t n = s.rows * s.columns, all = s.turns * s.inner;
    Memory memory;
    for (const int64_t elements : {all * n, s.columns * s.columns, n, (all + 1) * n, all * n}) {
        const DataType type = s.plan.operands[memory.size()].type;
        auto& bytes = memory.emplace_back(size_t(elements) * size_t(bits(type)) / 8);
        for (int64_t i = 0; i < elements; ++i) write<float>(type, bytes.data(), i, float(int(r() % 7) - 3));
    }
    return memory;
}

Memory run(const Plan& plan, Memory memory, const Executable* executable) {
    std::vector<void*> all;
    for (auto& bytes : memory) all.push_back(bytes.data());
    if (executable) {
        EXPECT_EQ(executable->run(all, {}), Status::success);
    } else {
        interpret(plan, all);
    }
    memory[sums].clear();
    return memory;
}

} // namespace

TEST(Repeats, are_the_steps_of_their_turns) {
    Random r(1);
    for (int i = 0; i < 100; ++i) {
        const Scan s = scan_plan(r);
        const auto valid = verify(s.plan);
        ASSERT_TRUE(valid) << valid.error().reason;
        const Plan flat = unrolled(s.plan);
        ASSERT_TRUE(verify(flat)) << to_string(flat);
        EXPECT_EQ(flat.steps.size(), size_t(2 * s.turns * s.inner));
        const Memory before = random_memory(s, r), after = run(s.plan, before, nullptr);
        // The formula of the scan, in integers.
        const int64_t n = s.rows * s.columns, all = s.turns * s.inner;
        const auto value = [&](const Memory& m, int o, int64_t i) {
            return read<float>(s.plan.operands[size_t(o)].type, m[size_t(o)].data(), i);
        };
        const auto state_of = [&](int64_t t) { return (s.backwards ? all - t : t) * n; };
        for (int64_t t = 0; t < all; ++t)
            for (int64_t row = 0; row < s.rows; ++row)
                for (int64_t c = 0; c < s.columns; ++c) {
                    float sum = value(before, input, t * n + row * s.columns + c);
                    for (int64_t k = 0; k < s.columns; ++k)
                        sum += value(after, states, state_of(t) + row * s.columns + k) *
                               value(before, weights, k * s.columns + c);
                    const float want = std::min(std::max(sum, -3.f), 3.f);
                    ASSERT_EQ(value(after, states, state_of(t + 1) + row * s.columns + c), want) << to_string(s.plan);
                    ASSERT_EQ(value(after, results, t * n + row * s.columns + c), want);
                }
    }
}

TEST(Repeats, run_alike_on_every_machine) {
    Random r(2);
    int generated = 0;
    for (int i = 0; i < 40; ++i) {
        const Scan s = scan_plan(r);
        const Memory before = random_memory(s, r), want = run(s.plan, before, nullptr);
        for (Context machine : machines()) {
            machine.threads = 1 + int(r() % 3);
            if (r() % 2) machine.parallel_bytes = 0;
            for (const Plan& plan : {s.plan, unrolled(s.plan)}) {
                const auto executable = cpu::compile(std::make_shared<const Plan>(plan), machine);
                ASSERT_TRUE(executable) << executable.error().reason;
                generated += (*executable)->name() != "portable" && (*executable)->code().size() > 1;
                ASSERT_EQ(want, run(plan, before, executable->get())) << machine.name << '\n'
                                                                      << to_string(plan) << (*executable)->text();
            }
        }
    }
    if (!generating_machines().empty()) { EXPECT_GT(generated, 40); }
}

TEST(Repeats, are_verified) {
    Random r(3);
    const Scan s = scan_plan(r);
    Plan plan = s.plan;
    plan.steps[0].nest.loops[0].kind = LoopKind::reduce;
    EXPECT_FALSE(verify(plan));
    plan = s.plan;
    plan.steps[0].nest.loops[0].table.set(states, std::vector<int64_t>(size_t(s.turns), 0));
    EXPECT_FALSE(verify(plan));
    plan = s.plan;
    plan.steps[0].kind = StepKind::group; // with a product
    EXPECT_FALSE(verify(plan));
}

} // namespace tessera
