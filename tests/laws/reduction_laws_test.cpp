// SPDX-License-Identifier: Apache-2.0
// Sums: the order of core/program/reduction.hpp, said once more here over a list of values; the interpreter and the
// portable engine must follow it bit for bit, whatever loops are dense, cut, indexed or shared by threads.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/plan/plan.hpp"
#include "core/program/reduction.hpp"
#include "cpu/portable/executable.hpp"

namespace tessera {

namespace {

using Random = std::mt19937;

float sum_of(const std::vector<float>& x) {
    float total = 0;
    for (size_t from = 0; from < x.size(); from += 4096) {
        float sums[16] = {};
        for (size_t i = from; i < std::min(x.size(), from + 4096); ++i) sums[i % 16] += x[i];
        for (int apart : {8, 4, 2, 1})
            for (int k = 0; k < apart; ++k) sums[k] += sums[k + apart];
        total = from ? total + sums[0] : sums[0];
    }
    return total;
}

// sum over the reduce loops of min(a, 0) * b, plus bias, where dst was not negative
Plan backward_plan(Nest nest) {
    Plan plan;
    plan.operands = {{"a", DataType::f32}, {"b", DataType::bf16}, {"bias", DataType::f32}, {"dst", DataType::f32}};
    Program p;
    const int zero = p.constant(0, ValueType::f32);
    const int x = p.binary(OpCode::min, p.load(0, ValueType::f32), zero);
    const int sum = p.reduce_add(p.binary(OpCode::mul, x, p.load(1, ValueType::f32)));
    const int old = p.load(3, ValueType::f32);
    const int more = p.binary(OpCode::add, sum, p.load(2, ValueType::f32));
    p.store(3, p.ternary(OpCode::select, p.binary(OpCode::lt, old, zero), sum, more));
    plan.programs = {p};
    Step step;
    step.kind = StepKind::reduce, step.nest = std::move(nest), step.program = 0;
    plan.steps = {step};
    return plan;
}

// The same with integers: wrapping sums of products.
Plan integer_plan(Nest nest) {
    Plan plan = backward_plan(std::move(nest));
    plan.operands[0].type = DataType::s32, plan.operands[1].type = DataType::s8, plan.operands[3].type = DataType::s32;
    Program p;
    const int sum = p.reduce_add(p.binary(OpCode::mul, p.load(0, ValueType::s32), p.load(1, ValueType::s32)));
    p.store(3, p.binary(OpCode::add, sum, p.load(3, ValueType::s32)));
    plan.programs = {p};
    return plan;
}

// Dense a and b over dims in a random order of strides, dst and bias over those that are not summed.
Nest random_nest(Random& r, const std::vector<int64_t>& outer, const std::vector<int64_t>& reduce) {
    Nest nest;
    for (size_t d = 0; d < outer.size() + reduce.size(); ++d) {
        Loop loop;
        loop.extent = d < outer.size() ? outer[d] : reduce[d - outer.size()];
        loop.kind = d < outer.size() ? LoopKind::map : LoopKind::reduce;
        nest.loops.push_back(loop);
    }
    std::vector<size_t> order(nest.loops.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = d;
    std::shuffle(order.begin(), order.end(), r);
    int64_t stride = 1, written = 1;
    for (size_t d : order) {
        Loop& loop = nest.loops[d];
        loop.stride[0] = stride, loop.stride[1] = r() % 4 ? stride : 0;
        if (loop.kind != LoopKind::reduce) loop.stride[2] = loop.stride[3] = written, written *= loop.extent;
        if (r() % 8 == 0) { // an indexed loop, backwards
            std::vector<int64_t> offsets;
            for (int64_t i = 0; i < loop.extent; ++i) offsets.push_back((loop.extent - 1 - i) * stride);
            loop.table.set(0, offsets);
        }
        stride *= loop.extent;
    }
    nest.base[0] = 3;
    return nest;
}

struct Buffers {
    std::vector<uint32_t> a, b, bias, dst;
    std::vector<void*> pointers() { return {a.data(), b.data(), bias.data(), dst.data()}; }
};

Buffers random_buffers(Random& r, const Plan& plan, int64_t points) {
    Buffers m;
    auto* const memory = &m.a;
    for (size_t o = 0; o < 4; ++o) {
        memory[o].resize(size_t(points) + 8);
        const DataType type = plan.operands[o].type;
        for (int64_t i = 0; i < int64_t(memory[o].size()); ++i)
            write<float>(type, memory[o].data(), i, std::ldexp(float(int32_t(r())), int(r() % 40) - 50));
    }
    return m;
}

void check(const Plan& plan, Random& r) {
    ASSERT_TRUE(verify(plan)) << to_string(plan);
    Buffers want = random_buffers(r, plan, plan.steps[0].nest.points());
    const Buffers before = want;
    interpret(plan, want.pointers());
    for (int threads : {1, 2, 5}) {
        Context machine;
        machine.threads = threads;
        const auto engine = cpu::make_portable(std::make_shared<const Plan>(plan), machine);
        ASSERT_TRUE(engine);
        Buffers got = before;
        ASSERT_EQ((*engine)->run(got.pointers(), {}), Status::success);
        ASSERT_EQ(std::memcmp(want.dst.data(), got.dst.data(), want.dst.size() * 4), 0)
            << threads << " threads\n"
            << to_string(plan) << (*engine)->text();
    }
}

} // namespace

TEST(Reduction, has_the_order_that_is_written_down) {
    Random r(1);
    for (int64_t n : {1, 2, 15, 16, 17, 100, 4095, 4096, 4097, 20000}) {
        Plan plan;
        plan.operands = {{"src", DataType::f32}, {"dst", DataType::f32}};
        Program p;
        p.store(1, p.reduce_add(p.load(0, ValueType::f32)));
        plan.programs = {p};
        Step step;
        step.kind = StepKind::reduce, step.program = 0;
        step.nest.loops = {Loop{.extent = n, .kind = LoopKind::reduce, .stride = {1, 0}}};
        plan.steps = {step};
        std::vector<float> x(static_cast<size_t>(n));
        for (float& f : x) f = std::ldexp(float(int32_t(r())), int(r() % 40) - 50);
        float interpreted = 0, run = 0;
        void* pointers[] = {x.data(), &interpreted};
        interpret(plan, pointers);
        EXPECT_EQ(interpreted, sum_of(x)) << n;
        const auto engine = cpu::make_portable(std::make_shared<const Plan>(plan), Context{});
        ASSERT_TRUE(engine);
        pointers[1] = &run;
        ASSERT_EQ((*engine)->run(pointers, {}), Status::success);
        EXPECT_EQ(run, sum_of(x)) << n;
    }
}

TEST(Reduction, is_the_same_on_every_path) {
    Random r(2);
    for (int i = 0; i < 300 && !testing::Test::HasFatalFailure(); ++i) {
        constexpr int64_t extents[] = {1, 2, 3, 7, 16, 17, 33, 70};
        std::vector<int64_t> outer(r() % 3), reduce(1 + r() % 3);
        for (auto* list : {&outer, &reduce})
            for (int64_t& e : *list) e = extents[r() % std::size(extents)];
        const Nest nest = random_nest(r, outer, reduce);
        if (nest.points() > 40000) continue;
        check(r() % 4 ? backward_plan(nest) : integer_plan(nest), r);
    }
}

TEST(Reduction, of_many_blocks) {
    Random r(3);
    for (const auto& outer : {std::vector<int64_t>{}, {3}, {65}})
        for (const auto& reduce : {std::vector<int64_t>{9000}, {5, 7, 301}, {2, 4096}})
            check(backward_plan(random_nest(r, outer, reduce)), r);
}

TEST(Reduction, follows_the_rounding_mode) {
    Random r(4);
    for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        for (int i = 0; i < 20; ++i) check(backward_plan(random_nest(r, {5, 20}, {3, 50})), r);
        std::fesetround(FE_TONEAREST);
    }
}

TEST(Reduction, splits_into_a_part_a_point_and_one_a_sum) {
    const Plan plan = backward_plan({});
    const ReductionParts parts = split_reduction(plan.programs[0], 4);
    EXPECT_EQ(parts.type, ValueType::f32);
    const std::string names[] = {"a", "b", "bias", "dst", "sums"};
    EXPECT_EQ(to_string(parts.point, names),
              "v0=constant 0  v1=load a:f32  v2=min v1 v0  v3=load b:f32  v4=mul v2 v3  store sums v4");
    EXPECT_EQ(to_string(parts.outer, names), "v0=constant 0  v1=load sums:f32  v2=load dst:f32  v3=load bias:f32  "
                                             "v4=add v1 v3  v5=lt v2 v0  v6=select v5 v1 v4  store dst v6");
}

namespace {

// dst = result of a, dst2 = its second value where it has one; of n points, one operand with their numbers.
Plan combining_plan(OpCode combine, ValueType type, DataType stored, Nest nest) {
    Plan plan;
    const DataType result = type == ValueType::f32 ? DataType::f32 : DataType::s32;
    plan.operands = {{"a", stored}, {"number", DataType::s32}, {"dst", result}, {"dst2", DataType::s32}};
    Program p;
    const bool pairs = combine == OpCode::reduce_max_at || combine == OpCode::reduce_moments;
    const int a = p.load(0, type);
    const int r =
        combine == OpCode::reduce_max_at ? p.reduce(combine, a, p.load(1, ValueType::s32)) : p.reduce(combine, a);
    p.store(2, r);
    if (combine == OpCode::reduce_moments) plan.operands[3].type = DataType::f32;
    if (pairs) p.store(3, p.second(r));
    plan.programs = {p};
    Step step;
    step.kind = StepKind::reduce, step.nest = std::move(nest), step.program = 0;
    plan.steps = {step};
    return plan;
}

constexpr OpCode combinations[] = {OpCode::reduce_add, OpCode::reduce_mul,    OpCode::reduce_max,
                                   OpCode::reduce_min, OpCode::reduce_max_at, OpCode::reduce_moments};

} // namespace

// All paths share these two, so that they are asked alone.
TEST(Reduction, of_the_largest_takes_nan_for_the_highest_value) {
    const auto at = [](float x, uint32_t number) { return of_point(std::bit_cast<uint32_t>(x), number); };
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    const auto larger = [](const Partial& a, const Partial& b) {
        return combined(OpCode::reduce_max_at, ValueType::f32, a, b).second;
    };
    EXPECT_EQ(larger(at(nan, 4), at(-3, 5)), 4u);
    EXPECT_EQ(larger(at(-3, 5), at(nan, 4)), 4u);
    EXPECT_EQ(larger(at(infinity, 3), at(nan, 4)), 4u);
    EXPECT_EQ(larger(at(nan, 6), at(nan, 4)), 4u);
    EXPECT_EQ(larger(at(nan, 4), at(nan, 6)), 4u);
    EXPECT_EQ(larger(of_nothing(OpCode::reduce_max_at, ValueType::f32), at(-infinity, 6)), 6u);
}

TEST(Reduction, combines_in_every_way_alike_on_every_path) {
    Random r(7);
    for (int i = 0; i < 200; ++i) {
        const OpCode combine = combinations[r() % 6];
        const bool integers = combine != OpCode::reduce_moments && r() % 3 == 0;
        constexpr int64_t extents[] = {1, 3, 16, 17, 70, 90};
        std::vector<int64_t> outer(r() % 3), reduce(1 + r() % 2);
        for (auto* list : {&outer, &reduce})
            for (int64_t& e : *list) e = extents[r() % std::size(extents)];
        if (i % 10 == 0) reduce = {4097 + int64_t(r() % 9000)}, outer.resize(std::min<size_t>(outer.size(), 1));
        Nest nest = random_nest(r, outer, reduce);
        const int64_t points = nest.points();
        if (points > 400000) continue;
        for (Loop& loop : nest.loops) {
            loop.stride[1] = loop.table[0] ? 0 : loop.stride[0];
            if (const Table& table = loop.table[0]) loop.table.set(1, *table);
        }
        nest.base[1] = nest.base[0];
        const Plan plan = combining_plan(combine, integers ? ValueType::s32 : ValueType::f32,
                                         integers ? DataType::s32 : DataType::f32, nest);
        const auto valid = verify(plan);
        ASSERT_TRUE(valid) << valid.error().reason;
        std::vector<uint32_t> a(size_t(points) + 8), number(a.size());
        for (size_t k = 0; k < a.size(); ++k) {
            number[k] = uint32_t(k);
            const float special[] = {NAN, INFINITY, -INFINITY, -0.f, 0.f, 1e-40f};
            const float x = combine != OpCode::reduce_moments && r() % 50 == 0 ? special[r() % 6]
                            : combine == OpCode::reduce_mul                    ? 1 + float(int(r() % 64) - 32) / 1024
                                                                               : float(int(r() % 2001) - 1000) / 16;
            a[k] = integers ? uint32_t(r()) : std::bit_cast<uint32_t>(x);
        }
        std::vector<uint32_t> found[2], second[2];
        Context machine;
        machine.threads = 1 + int(r() % 7);
        for (int way = 0; way < 2; ++way) {
            found[way].assign(size_t(points) + 8, 0xabababab), second[way] = found[way];
            void* pointers[] = {a.data(), number.data(), found[way].data(), second[way].data()};
            if (way == 0) {
                interpret(plan, pointers);
                continue;
            }
            const auto engine = cpu::make_portable(std::make_shared<const Plan>(plan), machine);
            ASSERT_TRUE(engine);
            ASSERT_EQ((*engine)->run(pointers, {}), Status::success);
        }
        for (size_t k = 0; k < found[0].size(); ++k) {
            const auto same = [&](uint32_t x, uint32_t y) {
                return x == y ||
                       (!integers && std::isnan(std::bit_cast<float>(x)) && std::isnan(std::bit_cast<float>(y)));
            };
            ASSERT_TRUE(same(found[0][k], found[1][k])) << i << " element " << k << "\n" << to_string(plan);
            ASSERT_TRUE(same(second[0][k], second[1][k])) << i << " element " << k << "\n" << to_string(plan);
        }
    }
}

TEST(Reduction, combinations_give_what_they_say) {
    const auto run = [](OpCode combine, std::vector<float> x) {
        Nest nest;
        nest.loops = {Loop{.extent = int64_t(x.size()), .kind = LoopKind::reduce, .stride = {1, 1, 0, 0}}};
        const Plan plan = combining_plan(combine, ValueType::f32, DataType::f32, nest);
        std::vector<int32_t> number;
        for (size_t k = 0; k < x.size(); ++k) number.push_back(int32_t(k));
        std::pair<float, uint32_t> result{};
        void* pointers[] = {x.data(), number.data(), &result.first, &result.second};
        interpret(plan, pointers);
        return result;
    };
    for (const OpCode extreme : {OpCode::reduce_max, OpCode::reduce_min, OpCode::reduce_max_at})
        for (const auto& with_nan : {std::vector<float>{NAN, -3, 2}, {-3, NAN, 2}, {-3, 2, NAN}, {INFINITY, NAN}})
            EXPECT_TRUE(std::isnan(run(extreme, with_nan).first)) << int(extreme);
    EXPECT_EQ(run(OpCode::reduce_max, {-INFINITY, -INFINITY}).first, -INFINITY);
    EXPECT_EQ(run(OpCode::reduce_min, {INFINITY, INFINITY}).first, INFINITY);
    EXPECT_EQ(run(OpCode::reduce_mul, {2, 3, -4}).first, -24);
    const auto first = run(OpCode::reduce_max_at, {1, 7, -1, 7, 3});
    EXPECT_EQ(first.first, 7);
    EXPECT_EQ(first.second, 1u);
    EXPECT_EQ(run(OpCode::reduce_max_at, {1, NAN, INFINITY, NAN}).second, 1u);
    EXPECT_EQ(run(OpCode::reduce_max_at, {NAN, NAN}).second, 0u);
    EXPECT_EQ(run(OpCode::reduce_max_at, {-INFINITY, -INFINITY}).second, 0u);
    // Mean and variance of 10^5 numbers far from 0, of which a sum of squares in f32 would keep no digit.
    Random r(9);
    std::vector<float> x(100000);
    double mean = 0, squares = 0;
    for (float& f : x) f = 10000 + float(int(r() % 2001) - 1000) / 1000, mean += f;
    mean /= double(x.size());
    for (const float f : x) squares += (f - mean) * (f - mean);
    const auto moments = run(OpCode::reduce_moments, x);
    EXPECT_NEAR(moments.first, mean, 1e-6 * mean);
    EXPECT_NEAR(std::bit_cast<float>(moments.second), squares, 1e-3 * squares);
}

TEST(Reduction, programs_that_cannot_be_are_refused) {
    Program p;
    const int a = p.load(0, ValueType::f32);
    const int sum = p.reduce_add(a);
    p.store(1, p.second(sum));
    EXPECT_FALSE(verify(p, 2)); // a sum has no second value
    Program twice;
    const int b = twice.reduce(OpCode::reduce_max, twice.load(0, ValueType::f32));
    twice.store(1, twice.reduce(OpCode::reduce_min, b));
    EXPECT_FALSE(verify(twice, 2));
    Program numbered;
    const int v = numbered.load(0, ValueType::f32);
    numbered.store(1, numbered.reduce(OpCode::reduce_max_at, v, v)); // numbers are s32
    EXPECT_FALSE(verify(numbered, 2));
}

} // namespace tessera
