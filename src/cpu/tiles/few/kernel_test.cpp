// SPDX-License-Identifier: Apache-2.0
// Products of few rows against their definition: rows, types, tails of columns and of k; through the emitted code on
// the targets of this processor and through the interpreter for all. Floats are small integers, so that sums are exact
// in any order; bytes are any. Operands end at a page that nobody may touch. covers: MAT-01
#include <cstring>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "cpu/jit/emit/emit.hpp"
#include "cpu/tiles/few/contract.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "vcode_interpreter.hpp"

namespace tessera::cpu {

namespace {

using jit::Target;

const Target avx2{32, 16, false, false}, avx512{64, 32, true, false};
const Target avx2_vnni{32, 16, false, false, false, true}, avx512_vnni{64, 32, true, false, false, true};

struct Shape {
    int64_t columns, k;
    bool accumulate = false;
};

class Problem {
public:
    Problem(bool dots, const FewRowsSpec& spec, const Shape& shape) : dots_(dots), spec_(spec), shape_(shape) {
        const int64_t rows = spec.rows, n = shape.columns, k = shape.k;
        a_step_ = size(spec.a) * (dots || spec.a_dense ? 1 : 2), a_row_ = a_step_ * (k + 3);
        b_long_ = ((dots ? k : n) + 6) * bits(spec.b) / 8, c_row_ = 4 * (n + 7);
        a_at_ = a_.place(size_t((rows - 1) * a_row_ + (k - 1) * a_step_ + size(spec.a)), true);
        const int64_t lines = dots ? n : k, in_line = dots ? k : n;
        b_at_ = b_.place(size_t((lines - 1) * b_long_ + in_line * bits(spec.b) / 8), true);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t p = 0; p < k; ++p) write<double>(spec.a, a(i, p), 0, value(spec.a));
        for (int64_t p = 0; p < k; ++p)
            for (int64_t j = 0; j < n; ++j) write<double>(spec.b, b(p, j), b_in_byte(p, j), value(spec.b));
    }

    void check(const std::function<void(void*)>& run) {
        const int64_t rows = spec_.rows, n = shape_.columns, k = shape_.k;
        const DataType type = spec_.sum == ValueType::s32 ? DataType::s32 : DataType::f32;
        std::memset(c_.begin(), 0xff, c_.size());
        uint8_t* c = c_.place(size_t((rows - 1) * c_row_ + 4 * n), true);
        for (int64_t i = 0; shape_.accumulate && i < rows; ++i)
            for (int64_t j = 0; j < n; ++j) write<double>(type, c + i * c_row_ + 4 * j, 0, double(i - j));
        DotsArgs dots{a_at_, a_row_, b_at_, b_long_, c, c_row_, n, k, shape_.accumulate};
        auto* const start = reinterpret_cast<int32_t*>(start_.place(size_t(rows) * sizeof(int32_t), true));
        for (int64_t i = 0; i < rows; ++i) {
            start[i] = 0;
            for (int64_t p = 0; p < k && spec_.shifts_b; ++p)
                start[i] -= 128 * int32_t(read<double>(spec_.a, a(i, p), 0));
        }
        dots.start = spec_.shifts_b ? start : nullptr;
        AxpyArgs axpy{a_at_, a_row_, a_step_, b_at_, b_long_, c, c_row_, n, k, shape_.accumulate};
        run(dots_ ? static_cast<void*>(&dots) : &axpy);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < n; ++j) {
                double want = shape_.accumulate ? double(i - j) : 0;
                for (int64_t p = 0; p < k; ++p)
                    want += read<double>(spec_.a, a(i, p), 0) * read<double>(spec_.b, b(p, j), b_in_byte(p, j));
                uint8_t* at = c + i * c_row_ + 4 * j;
                ASSERT_EQ(read<double>(type, at, 0), want) << i << ", " << j << " of " << n << ", k " << k;
                std::memset(at, 0xff, 4);
            }
        for (const uint8_t* p = c_.begin(); p < c_.end(); ++p) ASSERT_EQ(*p, 0xff) << "at " << p - c << " of C";
    }

private:
    static int64_t size(DataType t) { return bits(t) / 8; }
    double value(DataType t) {
        if (spec_.sum == ValueType::s32) return double(int(random_() % 256)) - (t == DataType::u8 ? 0 : 128);
        if (t == DataType::f4_e3m0) return double(1 << random_() % 4);
        return double(int(random_() % 7)) - (t == DataType::u8 || t == DataType::u4 ? 0 : 3);
    }
    uint8_t* a(int64_t i, int64_t p) const { return a_at_ + i * a_row_ + p * a_step_; }
    uint8_t* b(int64_t p, int64_t j) const {
        return b_at_ + (dots_ ? j : p) * b_long_ + (dots_ ? p : j) * bits(spec_.b) / 8;
    }
    int64_t b_in_byte(int64_t p, int64_t j) const { return bits(spec_.b) == 4 ? (dots_ ? p : j) % 2 : 0; }

    bool dots_;
    FewRowsSpec spec_;
    Shape shape_;
    int64_t a_row_, a_step_, b_long_, c_row_; // b_long: between columns of dots, rows of axpy
    std::minstd_rand random_{9};
    GuardedPages a_{256 << 10}, b_{256 << 10}, c_, start_;
    uint8_t *a_at_, *b_at_;
};

void check(const Target& target, bool dots, const FewRowsSpec& spec, const std::vector<Shape>& shapes) {
    ASSERT_TRUE(can_build_few_rows(spec, dots));
    const jit::Code code = dots ? build_dots(target, spec) : build_axpy(target, spec);
    SCOPED_TRACE(jit::name_of(target) + " " + code.name());
    const auto allocation = jit::allocate(code);
    ASSERT_TRUE(allocation);
    // Of seven and eight rows of one sign some corrections, which a row of sums adds once.
    EXPECT_LE(allocation->slots, spec.fours && spec.rows > 6 && spec.a == spec.b ? 4 : 0);
    const auto bytes = jit::emit(code);
    ASSERT_TRUE(bytes);
    for (const Shape& shape : shapes) {
        Problem problem(dots, spec, shape);
        ASSERT_NO_FATAL_FAILURE(problem.check([&](void* args) { jit::interpret(code, args); }));
        if (!jit::runs_here(target)) continue;
        ASSERT_NO_FATAL_FAILURE(problem.check([&](void* args) { EXPECT_TRUE(jit::run_code(*bytes, args)); }));
    }
}

const std::vector<Shape> shapes{{1, 1}, {9, 37, true}, {37, 9, true}, {64, 64}, {33, 67}, {63, 11}, {15, 100}};

} // namespace

class FewRows : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kernels, FewRows, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "dots" : "axpy"; });

TEST_P(FewRows, floats) {
    for (const Target& target : {avx2, avx512})
        for (int rows = 1; rows <= 4; ++rows)
            for (const auto& [a, b] : {std::pair{DataType::f32, DataType::f32},
                                       {DataType::bf16, DataType::bf16},
                                       {DataType::f32, DataType::bf16},
                                       {DataType::f16, DataType::f16},
                                       {DataType::f32, DataType::s8}})
                ASSERT_NO_FATAL_FAILURE(check(target, GetParam(), {rows, a, b}, shapes));
}

// What is prefetched behind the last rows and columns is never read.
TEST_P(FewRows, asks_for_what_comes_next) {
    for (const Target& target : {avx2, avx512})
        for (int rows = 1; rows <= 4; ++rows) {
            ASSERT_NO_FATAL_FAILURE(check(target, GetParam(), {.rows = rows, .prefetches = true}, shapes));
            const FewRowsSpec bytes{rows, DataType::u8, DataType::s8, ValueType::s32, true};
            ASSERT_NO_FATAL_FAILURE(check(target, GetParam(), bytes, shapes));
        }
}

// Groups of rows of bf16 in pairs and of bytes, with as many sums as registers hold.
TEST(DotsOfManyRows, pairs_and_bytes) {
    const Target bf16{64, 32, true, false, true}, vnni{64, 32, true, false, false, true};
    const std::vector<Shape> shapes{{1, 1}, {9, 37, true}, {37, 9, true}, {8, 64}, {3, 131}, {13, 256, true}};
    for (int rows = 1; rows <= 6; ++rows) {
        ASSERT_NO_FATAL_FAILURE(
            check(bf16, true, {.rows = rows, .a = DataType::bf16, .b = DataType::bf16, .pairs = true}, shapes));
        for (const auto& [a, b] :
             {std::pair{DataType::u8, DataType::s8}, {DataType::s8, DataType::u8}, {DataType::s8, DataType::s8}}) {
            const FewRowsSpec spec{.rows = rows, .a = a, .b = b, .sum = ValueType::s32, .shifts_b = a == b};
            ASSERT_NO_FATAL_FAILURE(check(vnni, true, spec, shapes));
        }
    }
}

TEST(FewRowsOfFloats, up_to_six_under_dots) {
    for (const Target& target : {avx2, avx512})
        for (int rows : {5, 6}) ASSERT_NO_FATAL_FAILURE(check(target, true, {rows}, shapes));
}

TEST_P(FewRows, elements_of_4_bits) {
    const std::vector<Shape> whole{{16, 16}, {32, 48, true}, {64, 64}, {80, 16}, {16, 112}};
    for (const Target& target : {avx2, avx512})
        for (int rows = 1; rows <= 4; ++rows)
            for (DataType a : {DataType::f32, DataType::bf16})
                for (DataType b : {DataType::s4, DataType::u4, DataType::f4_e2m1, DataType::f4_e3m0})
                    ASSERT_NO_FATAL_FAILURE(check(target, GetParam(), {rows, a, b}, whole));
}

TEST_P(FewRows, bytes) {
    const std::vector<Shape> shapes{{1, 1},   {9, 37, true}, {37, 9, true},  {64, 64},
                                    {33, 67}, {5, 131},      {15, 200, true}};
    for (const Target& target : {avx2, avx512, avx2_vnni, avx512_vnni})
        for (int rows = 1; rows <= 4; ++rows)
            for (DataType a : {DataType::u8, DataType::s8})
                for (DataType b : {DataType::u8, DataType::s8})
                    ASSERT_NO_FATAL_FAILURE(check(target, GetParam(), {rows, a, b, ValueType::s32}, shapes));
}

// Rows of B in fours, of A dense or not; with what is prefetched, as many general registers as there are.
TEST(AxpyOfFours, bytes) {
    const std::vector<Shape> shapes{{1, 1},   {9, 37, true}, {37, 9, true},  {64, 64},
                                    {33, 67}, {5, 131},      {15, 200, true}};
    for (int rows = 1; rows <= most_rows_of_fours; ++rows)
        for (DataType a : {DataType::u8, DataType::s8})
            for (DataType b : {DataType::u8, DataType::s8})
                for (const bool prefetches : {false, true}) {
                    const FewRowsSpec spec{
                        .rows = rows, .a = a, .b = b, .sum = ValueType::s32, .prefetches = prefetches, .fours = true};
                    ASSERT_NO_FATAL_FAILURE(check(avx512_vnni, false, spec, shapes));
                }
    for (int rows : {1, most_rows_of_fours}) {
        const FewRowsSpec spec{.rows = rows,
                               .a = DataType::s8,
                               .b = DataType::s8,
                               .sum = ValueType::s32,
                               .prefetches = true,
                               .fours = true,
                               .a_dense = true};
        ASSERT_NO_FATAL_FAILURE(check(avx512_vnni, false, spec, shapes));
    }
    const FewRowsSpec nine{.rows = 9, .a = DataType::u8, .b = DataType::s8, .sum = ValueType::s32, .fours = true};
    EXPECT_FALSE(can_build_few_rows(nine, false));
    EXPECT_FALSE(can_build_few_rows({.fours = true}, false));
    EXPECT_FALSE(
        can_build_few_rows({.a = DataType::u8, .b = DataType::s8, .sum = ValueType::s32, .fours = true}, true));
}

TEST(FewRowsRefusals, values) {
    EXPECT_FALSE(can_build_few_rows({7}, true));
    EXPECT_FALSE(can_build_few_rows({5}, false));
    EXPECT_FALSE(can_build_few_rows({5, DataType::bf16, DataType::bf16}, true));
    EXPECT_FALSE(can_build_few_rows({0}, true));
    EXPECT_FALSE(can_build_few_rows({1, DataType::s4, DataType::f32}, true));
    EXPECT_FALSE(can_build_few_rows({1, DataType::u8, DataType::s4, ValueType::s32}, true));
    EXPECT_FALSE(can_build_few_rows({1, DataType::f4_e2m1, DataType::f32}, true));
    EXPECT_FALSE(can_build_few_rows({1, DataType::f32, DataType::s8, ValueType::s32}, true));
    EXPECT_FALSE(can_build_few_rows({.sum = ValueType::f64}, true));
    EXPECT_FALSE(can_build_few_rows({.pairs = true}, true));
    EXPECT_FALSE(can_build_few_rows({.shifts_b = true}, true));
    EXPECT_FALSE(
        can_build_few_rows({.a = DataType::u8, .b = DataType::s8, .sum = ValueType::s32, .shifts_b = true}, true));
    EXPECT_FALSE(can_build_few_rows({.a = DataType::bf16, .b = DataType::bf16, .pairs = true}, false));
    EXPECT_FALSE(can_build_few_rows({5, DataType::s8, DataType::s8, ValueType::s32}, true));
}

} // namespace tessera::cpu
