// SPDX-License-Identifier: Apache-2.0
// Programs: simplify keeps every result bit, verify refuses what eval could not run.
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "core/program/program.hpp"

namespace tessera {

namespace {

// A random f32 program over operands 0 (src f32), 1 (dst f32), 2 (factor f32).
Program random_program(std::mt19937& r) {
    Program p;
    std::vector<int> values{p.load(0, ValueType::f32), p.constant(1, ValueType::f32), p.constant(0, ValueType::f32),
                            p.load(2, ValueType::f32)};
    for (const double divisor : {4., -0.125, 3., 0x1p-126, 0x1p127, 0x1p-149})
        if (r() % 4 == 0) values.push_back(p.constant(divisor, ValueType::f32));
    for (unsigned k = 0; k < r() % 8; ++k) {
        constexpr OpCode codes[] = {OpCode::add, OpCode::sub, OpCode::mul, OpCode::div};
        const int a = values[r() % values.size()], b = values[r() % values.size()];
        values.push_back(p.binary(codes[r() % 4], a, b));
    }
    p.store(1, values.back());
    return p;
}

float result_of(const Program& p, float src, float factor) {
    float dst = -77;
    void* pointers[] = {&src, &dst, &factor};
    const DataType types[] = {DataType::f32, DataType::f32, DataType::f32};
    const int64_t elements[] = {0, 0, 0};
    eval(p, types, pointers, elements);
    return dst;
}

} // namespace

TEST(Simplify, keeps_every_bit_of_the_result) {
    std::mt19937 r(9);
    size_t dropped = 0;
    for (int i = 0; i < 5000; ++i) {
        const Program p = random_program(r), s = simplify(p);
        ASSERT_TRUE(verify(p, 3));
        ASSERT_TRUE(verify(s, 3));
        dropped += p.ops.size() - s.ops.size();
        for (float src : {0.f, -0.f, 1.5f, -3.25f, 1e-40f, 3e38f})
            for (float factor : {1.f, 0.5f, -0.f}) {
                const float a = result_of(p, src, factor), b = result_of(s, src, factor);
                if (a != a && b != b) continue; // NaN: its payload is not specified
                ASSERT_EQ(std::memcmp(&a, &b, 4), 0) << a << " " << b;
            }
    }
    EXPECT_GT(dropped, 10000u);
}

TEST(Verify, refuses_programs_that_cannot_run) {
    Program undefined;
    undefined.ops.push_back({OpCode::store, ValueType::f32, 1, 5});
    EXPECT_FALSE(verify(undefined, 2));
    Program no_operand;
    no_operand.store(4, no_operand.load(0, ValueType::f32));
    EXPECT_FALSE(verify(no_operand, 2));
    Program mixed;
    const int a = mixed.load(0, ValueType::f32), b = mixed.load(0, ValueType::s32);
    mixed.store(1, mixed.binary(OpCode::add, a, b));
    EXPECT_FALSE(verify(mixed, 2));
    Program twice;
    twice.store(1, twice.reduce_add(twice.reduce_add(twice.load(0, ValueType::s32))));
    EXPECT_FALSE(verify(twice, 2));
    Program stored_before;
    const int x = stored_before.load(0, ValueType::f32);
    stored_before.store(1, x);
    stored_before.store(1, stored_before.reduce_add(x));
    EXPECT_FALSE(verify(stored_before, 2));
    Program bits_of_floats;
    const int y = bits_of_floats.load(0, ValueType::f32);
    bits_of_floats.store(1, bits_of_floats.binary(OpCode::bit_and, y, y));
    EXPECT_FALSE(verify(bits_of_floats, 2));
    Program doubles;
    const int z = doubles.load(0, ValueType::f64);
    doubles.store(1, doubles.binary(OpCode::add, z, z));
    EXPECT_FALSE(verify(doubles, 2));
    Program shifted_by_a_load;
    const int n = shifted_by_a_load.load(0, ValueType::s32);
    shifted_by_a_load.store(1, shifted_by_a_load.binary(OpCode::shl, n, n));
    EXPECT_FALSE(verify(shifted_by_a_load, 2));
}

TEST(Simplify, keeps_what_adds_zero) { // -0 - -0 is +0
    Program p;
    p.store(1, p.binary(OpCode::sub, p.load(0, ValueType::f32), p.constant(-0., ValueType::f32)));
    EXPECT_EQ(simplify(p), p);
}

TEST(Simplify, multiplies_where_the_reciprocal_is_exact) {
    const auto code = [](double divisor) {
        Program p;
        p.store(1, p.binary(OpCode::div, p.load(0, ValueType::f32), p.constant(divisor, ValueType::f32)));
        return simplify(p).ops[2].code;
    };
    for (const double divisor : {4., -0.125, 0x1p-126, 0x1p126}) EXPECT_EQ(code(divisor), OpCode::mul) << divisor;
    for (const double divisor : {3., 0x1p127, 0x1p-127, 0., double(INFINITY)})
        EXPECT_EQ(code(divisor), OpCode::div) << divisor;
}

// Kernels are found by their text.
TEST(Print, tells_constants_of_different_types_apart) {
    const std::string names[] = {"src", "dst"};
    std::string texts[2];
    for (ValueType type : {ValueType::f32, ValueType::s32}) {
        Program p;
        p.store(1, p.constant(1, type));
        texts[type == ValueType::f32] = to_string(p, names);
    }
    EXPECT_NE(texts[0], texts[1]);
}

TEST(Print, speaks_in_operand_names) {
    Program p;
    p.store(1, p.binary(OpCode::mul, p.load(0, ValueType::f32), p.constant(2, ValueType::f32)));
    const std::string names[] = {"src:s8", "dst:f32"};
    EXPECT_NE(to_string(p, names).find("store dst:f32"), std::string::npos);
}

} // namespace tessera
