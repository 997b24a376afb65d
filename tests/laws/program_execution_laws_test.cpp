// SPDX-License-Identifier: Apache-2.0
// Programs run the same everywhere: eval() says what each operation means; the portable lanes and generated code of
// every target that the host has must leave the same bits, in every rounding mode. NaN equals NaN: which payload an
// addition keeps is open, so bits are taken (`as`) of numbers alone.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/lanes/lanes.hpp"
#include "cpu/tiles/map/contract.hpp"
#include "machines.hpp"
#include "run_code.hpp"

namespace tessera::cpu {

namespace {

using Random = std::mt19937;
constexpr int operands = 8; // f32 f32 s32 and one f32 for all; stored: f32, s32, any type; numbers without memory
constexpr int stored[] = {4, 5, 6}, counted = 7;
constexpr int64_t number_row = 1000003, first_number = 0xfffffff0; // some rows wrap

// Values of one type so far; those that are comparisons too.
struct Values {
    std::vector<int> floats, integers, conditions;
};

double random_constant(Random& r, bool integer) {
    constexpr double floats[] = {0, -0., 1, -1, 0.5, 2.5, 1e-3, -127.5, 8388608, 1e20, 3e38, INFINITY, 1e-40};
    constexpr double integers[] = {0, 1, -1, 127, 0x7fffff, 0x7fffffff, -2147483648., 23, 0x3f800000, 0x800000};
    return integer ? integers[r() % std::size(integers)] : floats[r() % std::size(floats)];
}

void add_operation(Program& p, Values& v, Random& r) {
    auto f = [&] { return v.floats[r() % v.floats.size()]; };
    auto s = [&] { return v.integers[r() % v.integers.size()]; };
    constexpr OpCode arithmetic[] = {OpCode::add, OpCode::sub, OpCode::mul, OpCode::min, OpCode::max};
    constexpr OpCode bits[] = {OpCode::bit_and, OpCode::bit_or, OpCode::bit_xor};
    constexpr OpCode comparisons[] = {OpCode::lt, OpCode::le, OpCode::eq};
    switch (r() % 15) {
    case 0:
        v.floats.push_back(p.constant(random_constant(r, false), ValueType::f32));
        break;
    case 1:
        v.integers.push_back(p.constant(random_constant(r, true), ValueType::s32));
        break;
    case 2:
    case 3:
        v.floats.push_back(p.binary(r() % 6 ? arithmetic[r() % 5] : OpCode::div, f(), f()));
        break;
    case 4:
        v.integers.push_back(p.binary(r() % 2 ? arithmetic[r() % 5] : bits[r() % 3], s(), s()));
        break;
    case 5:
    case 6:
        v.floats.push_back(p.ternary(OpCode::fma, f(), f(), f()));
        break;
    case 7:
        v.floats.push_back(p.unary(r() % 2 ? OpCode::sqrt : OpCode::round, f()));
        break;
    case 8:
        v.conditions.push_back(r() % 2 ? p.binary(comparisons[r() % 3], f(), f())
                                       : p.binary(comparisons[r() % 3], s(), s()));
        if (r() % 3 == 0) v.integers.push_back(v.conditions.back());
        break;
    case 9:
        if (v.conditions.empty()) break;
        v.conditions.push_back(
            p.binary(bits[r() % 3], v.conditions[r() % v.conditions.size()], v.conditions[r() % v.conditions.size()]));
        break;
    case 10: {
        const int k = v.conditions.empty() || r() % 8 == 0 ? s() : v.conditions[r() % v.conditions.size()];
        if (r() % 3)
            v.floats.push_back(p.ternary(OpCode::select, k, f(), f()));
        else
            v.integers.push_back(p.ternary(OpCode::select, k, s(), s()));
        break;
    }
    case 11:
        if (r() % 2)
            v.floats.push_back(p.unary(OpCode::as, s()));
        else // the second of a minimum where the first is NaN
            v.integers.push_back(p.unary(OpCode::as, p.binary(OpCode::min, f(), p.constant(3e38, ValueType::f32))));
        break;
    case 12:
        v.integers.push_back(p.binary(r() % 2 ? OpCode::shl : OpCode::shr, s(), p.constant(r() % 32, ValueType::s32)));
        break;
    case 13:
        v.integers.push_back(p.binary(OpCode::mulhi, s(), r() % 2 ? s() : p.constant(0x9e3779b9, ValueType::s32)));
        break;
    default:
        if (r() % 2)
            v.floats.push_back(p.cvt(s(), ValueType::f32));
        else
            v.integers.push_back(p.cvt(f(), ValueType::s32));
    }
}

Program random_program(Random& r, size_t length) {
    Program p;
    Values v;
    v.floats = {p.load(0, ValueType::f32), p.load(1, ValueType::f32), p.load(3, ValueType::f32)};
    v.integers = {p.load(2, ValueType::s32), p.index(counted)};
    // Numbers of quads, which generated code computes with once for four lanes.
    v.integers.push_back(p.binary(OpCode::bit_and, v.integers[1], p.constant(-4, ValueType::s32)));
    while (p.ops.size() < length) add_operation(p, v, r);
    p.store(stored[0], v.floats.back());
    if (r() % 2) p.store(stored[1], v.integers.back());
    if (r() % 2) p.store(stored[2], v.floats[r() % v.floats.size()]);
    return p;
}

// Operand memory with room for rows of columns.
struct Arena {
    static constexpr int64_t rows = 3, columns = 150;
    std::vector<uint32_t> memory[operands];
    std::vector<DataType> types{DataType::f32, DataType::f32, DataType::s32, DataType::f32,
                                DataType::f32, DataType::s32, DataType::f32, DataType::u8};
};

void fill(Arena& a, Random& r) {
    constexpr uint32_t specials[] = {0,          0x80000000, 1,          0x80000001, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7f7fffff, 0x00800000, 0x4b000000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000,
                                     0x4afffffd, 0x4f000000, 0xcf000000, 0x3effffff, 0xbeffffff, 0x7f812345};
    for (auto& operand : a.memory) {
        operand.resize(size_t(a.rows * a.columns));
        for (uint32_t& x : operand) {
            const auto noise = uint32_t(r());
            x = noise % 4 == 0   ? specials[noise / 4 % std::size(specials)]
                : noise % 4 == 1 ? uint32_t(r())
                                 : std::bit_cast<uint32_t>(float(int32_t(r())) / float(1 << (noise / 4 % 31)));
        }
    }
}

std::string difference(const Arena& want, const Arena& got) {
    for (int o : stored)
        for (size_t i = 0; i < want.memory[o].size(); ++i) {
            if (want.memory[o][i] == got.memory[o][i]) continue;
            const DataType type = want.types[size_t(o)];
            if (!is_integer(type)) {
                bool nans = true;
                for (int64_t k = 0; k < 32 / bits(type); ++k) {
                    const int64_t e = int64_t(i) * 32 / bits(type) + k;
                    const auto x = read_bits(type, want.memory[o].data(), e),
                               y = read_bits(type, got.memory[o].data(), e);
                    nans &= x == y || (std::isnan(read<float>(type, want.memory[o].data(), e)) &&
                                       std::isnan(read<float>(type, got.memory[o].data(), e)));
                }
                if (nans) continue;
            }
            char text[100];
            std::snprintf(text, sizeof text, "operand %d, word %zu: want %08x, got %08x", o, i, want.memory[o][i],
                          got.memory[o][i]);
            return text;
        }
    return {};
}

std::string text_of(const Program& p) {
    std::vector<std::string> names;
    for (int o = 0; o < operands; ++o) names.push_back("o" + std::to_string(o));
    return to_string(p, names);
}

// Rows of columns with a gap of one element between them; operand 3 is one element a row.
void check(const Program& p, Random& r) {
    Arena before;
    constexpr DataType any[] = {DataType::f32, DataType::bf16, DataType::f16,
                                DataType::s8,  DataType::u8,   DataType::s32};
    before.types[stored[2]] = any[r() % std::size(any)];
    fill(before, r);
    const int64_t rows = 1 + r() % Arena::rows, columns = 1 + r() % (Arena::columns - 1), step = columns + 1;
    constexpr int64_t strides[] = {0, 1, 1, 1, 4, 49, 3000000000, -2};
    const int64_t number_column = strides[r() % std::size(strides)];
    const auto row_of = [&](int o) { return o == counted ? number_row : o == 3 ? 1 : step; };
    const auto column_of = [&](int o) { return o == counted ? number_column : int64_t(o != 3); };
    const auto first_of = [&](int o) { return o == counted ? first_number : 0; };
    ASSERT_TRUE(verify(p, operands)) << text_of(p);

    Arena want = before;
    std::vector<void*> pointers;
    for (auto& operand : want.memory) pointers.push_back(operand.data());
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            std::vector<int64_t> elements;
            for (int o = 0; o < operands; ++o) elements.push_back(first_of(o) + i * row_of(o) + j * column_of(o));
            eval(p, want.types, pointers, elements);
        }

    Arena lanes = before;
    Access access[operands];
    for (int o = 0; o < operands; ++o)
        access[o] = {lanes.memory[o].data(), first_of(o), row_of(o), column_of(o), nullptr};
    run_lanes(p, lanes.types, access, access, rows, columns);
    ASSERT_EQ(difference(want, lanes), "") << "lanes\n" << text_of(p);

    MapSpec spec{p, before.types, {}, false};
    for (int o = 0; o < operands; ++o) spec.column[size_t(o)] = column_of(o);
    ASSERT_TRUE(can_build_map(spec)) << key(spec);
    for (const jit::Target& target : jit::vector_targets()) {
        const auto kernel = jit::kernel(target, key(spec), [&] { return build_map(target, spec); });
        ASSERT_TRUE(kernel) << key(spec);
        Arena generated = before;
        MapArgs args{};
        args.rows = rows, args.columns = columns;
        for (int o = 0; o < operands; ++o) {
            args.base[o] =
                o == counted ? base_of_numbers + first_number : static_cast<void*>(generated.memory[o].data());
            args.row[o] = row_of(o) * bits(generated.types[size_t(o)]) / 8;
        }
        (*kernel)(&args);
        ASSERT_EQ(difference(want, generated), "") << kernel->name() << " W " << target.vector_bytes << "\n"
                                                   << text_of(p);
    }
}

} // namespace

TEST(ProgramExecution, lanes_and_generated_code_do_what_eval_says) {
    Random r(3);
    for (int i = 0; i < 1000 && !testing::Test::HasFatalFailure(); ++i) check(random_program(r, 8 + r() % 50), r);
}

TEST(ProgramExecution, long_programs_too) {
    Random r(4);
    for (size_t length : {64, 65, 100, 200, 300}) check(random_program(r, length), r);
}

TEST(ProgramExecution, in_every_rounding_mode) {
    Random r(5);
    for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        for (int i = 0; i < 100 && !testing::Test::HasFatalFailure(); ++i) check(random_program(r, 8 + r() % 40), r);
        std::fesetround(FE_TONEAREST);
    }
}

// A dozen comparisons that are all needed at the end, in selects and as numbers: more than there are mask registers.
TEST(ProgramExecution, more_conditions_than_registers) {
    Random r(6);
    Program p;
    const int x = p.load(0, ValueType::f32), y = p.load(1, ValueType::f32);
    std::vector<int> conditions;
    for (int k = 0; k < 12; ++k) {
        const int bound = p.constant(k * 0.25 - 1, ValueType::f32);
        conditions.push_back(p.binary(k % 2 ? OpCode::lt : OpCode::le, k % 3 ? x : y, bound));
    }
    int sum = x, all = conditions[0];
    for (int k : conditions) {
        sum = p.binary(OpCode::add, sum, p.ternary(OpCode::select, k, y, sum));
        all = p.binary(OpCode::bit_xor, all, k);
    }
    p.store(stored[0], p.ternary(OpCode::select, all, sum, y));
    p.store(stored[1], all);
    for (int i = 0; i < 20; ++i) check(p, r);
}

// Division of integers is not generated, and the portable lanes have its two special cases.
TEST(ProgramExecution, integer_division) {
    Program p;
    p.store(2, p.binary(OpCode::div, p.load(0, ValueType::s32), p.load(1, ValueType::s32)));
    int32_t a[] = {7, -7, 5, INT32_MIN, INT32_MIN, 0}, b[] = {2, 2, 0, -1, 0, -1}, got[6], want[6];
    const DataType types[] = {DataType::s32, DataType::s32, DataType::s32};
    const Access access[] = {{a, 0, 0, 1}, {b, 0, 0, 1}, {got, 0, 0, 1}};
    run_lanes(p, types, access, access, 1, 6);
    void* pointers[] = {a, b, want};
    for (int64_t i = 0; i < 6; ++i) eval(p, types, pointers, std::vector<int64_t>{i, i, i});
    EXPECT_EQ(std::memcmp(got, want, sizeof got), 0);
}

} // namespace tessera::cpu
