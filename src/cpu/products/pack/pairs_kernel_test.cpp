// SPDX-License-Identifier: Apache-2.0
// B to bf16 against its definition: types, zeros and scales, tails of columns, panels and rows; through the emitted
// code where this processor has the instructions, and through the interpreter. Operands end at a page that nobody may
// touch, and what lies behind the results must stay as it was. covers: MAT-21 MAT-23
#include <cstring>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "core/types/codecs.hpp"
#include "core/types/convert.hpp"
#include "cpu/jit/emit/emit.hpp"
#include "cpu/products/pack/pairs_kernel.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "vcode_interpreter.hpp"

namespace tessera::cpu {

namespace {

using jit::Target;

const Target with_bf16{64, 32, true, true, true};

int64_t bytes(DataType type, int64_t elements) { return (elements * bits(type) + 7) / 8; }

class Problem {
public:
    Problem(const PairsSpec& spec, int64_t columns, int64_t depth) : spec_(spec), columns_(columns), depth_(depth) {
        const int64_t lines = spec.k_dense ? columns : depth, in_line = spec.k_dense ? depth : columns;
        line_ = bytes(spec.b, in_line + 6);
        b_at_ = b_.place(size_t((lines - 1) * line_ + bytes(spec.b, in_line)), true);
        for (int64_t j = 0; j < columns; ++j)
            for (int64_t k = 0; k < depth; ++k) put(spec.b, element(j, k), in_byte(j, k));
        zero_at_ = quantum(spec.zero, zero_);
        scale_at_ = quantum(spec.scale, scale_);
    }

    void check(const std::function<void(void*)>& run) {
        const int64_t panels = (columns_ + 15) / 16;
        const int64_t size = spec_.k_dense ? 2 * depth_ : 32 * depth_, panel = size + 64;
        const int64_t count = spec_.k_dense ? columns_ : panels;
        std::memset(to_.begin(), 0xff, to_.size());
        uint8_t* const to = to_.place(size_t((count - 1) * panel + size), true);
        PairsArgs args{b_at_, line_, zero_at_, scale_at_, to, panel, columns_, depth_ / (spec_.k_dense ? 32 : 2)};
        run(&args);
        for (int64_t j = 0; j < columns_; ++j)
            for (int64_t k = 0; k < depth_; ++k) {
                const uint8_t* at =
                    to + (spec_.k_dense ? j * panel + 2 * k : j / 16 * panel + k / 2 * 64 + j % 16 * 4 + k % 2 * 2);
                uint16_t got;
                std::memcpy(&got, at, 2);
                ASSERT_EQ(got, tessera::f32_to_bf16(want(j, k))) << j << " of " << columns_ << ", k " << k;
            }
        for (const uint8_t* p = to_.begin(); p < to; ++p) ASSERT_EQ(*p, 0xff);
        for (int64_t i = 0; i + 1 < count; ++i)
            for (int64_t n = size; n < panel; ++n) ASSERT_EQ(to[i * panel + n], 0xff);
    }

private:
    void put(DataType type, uint8_t* at, int64_t i) {
        const bool sign = type != DataType::u8 && type != DataType::u4;
        const int range = bits(type) == 4 ? 16 : 200;
        write<double>(type, at, i, double(int(random_() % range) - (sign ? range / 2 : 0)));
    }
    uint8_t* quantum(const PairsSpec::Quantum& q, GuardedPages& pages) {
        if (q.type == DataType::undef) return nullptr;
        const int64_t count = q.same ? 1 : columns_;
        uint8_t* const at = pages.place(size_t(bytes(q.type, count)), true);
        for (int64_t j = 0; j < count; ++j) put(q.type, at, j);
        return at;
    }
    int64_t index(int64_t j, int64_t k) const { return spec_.k_dense ? k : j; }
    uint8_t* element(int64_t j, int64_t k) const {
        return b_at_ + (spec_.k_dense ? j : k) * line_ + index(j, k) * bits(spec_.b) / 8;
    }
    int64_t in_byte(int64_t j, int64_t k) const { return bits(spec_.b) == 4 ? index(j, k) % 2 : 0; }
    float want(int64_t j, int64_t k) const {
        float x = read<float>(spec_.b, element(j, k), in_byte(j, k));
        if (zero_at_) x -= read<float>(spec_.zero.type, zero_at_, spec_.zero.same ? 0 : j);
        if (scale_at_) x *= read<float>(spec_.scale.type, scale_at_, spec_.scale.same ? 0 : j);
        return x;
    }

    PairsSpec spec_;
    int64_t columns_, depth_, line_ = 0;
    std::minstd_rand random_{7};
    GuardedPages b_{256 << 10}, zero_, scale_, to_{512 << 10};
    uint8_t *b_at_ = nullptr, *zero_at_ = nullptr, *scale_at_ = nullptr;
};

void check(const PairsSpec& spec) {
    ASSERT_TRUE(can_build_pairs(with_bf16, spec));
    const jit::Code code = build_pairs(with_bf16, spec);
    SCOPED_TRACE(key(spec));
    const auto allocation = jit::allocate(code);
    ASSERT_TRUE(allocation);
    EXPECT_EQ(allocation->slots, 0);
    const auto emitted = jit::emit(code);
    ASSERT_TRUE(emitted);
    const bool of_nibbles = bits(spec.b) == 4;
    for (const int64_t columns : {16, 48, 64, 144, 1, 15, 17, 63, 81})
        for (const int64_t depth : {32, 96}) {
            if (of_nibbles && !spec.k_dense && columns % 16) continue;
            Problem problem(spec, columns, depth);
            ASSERT_NO_FATAL_FAILURE(problem.check([&](void* args) { jit::interpret(code, args); }));
            if (!jit::runs_here(with_bf16)) continue;
            ASSERT_NO_FATAL_FAILURE(problem.check([&](void* args) { EXPECT_TRUE(jit::run_code(*emitted, args)); }));
        }
}

using enum DataType;

} // namespace

class Pairs : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Pairs, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "rows" : "panels"; });

TEST_P(Pairs, elements) {
    for (const DataType b : {s8, u8, s4, u4, f4_e2m1, f4_e3m0, f32, f8_e4m3, f8_e5m2})
        ASSERT_NO_FATAL_FAILURE(check({b, {}, {}, GetParam()}));
}

TEST_P(Pairs, zeros_and_scales) {
    for (const bool same : {false, true})
        for (const DataType zero : {s8, u8, s32})
            for (const DataType scale : {f32, bf16, f16})
                ASSERT_NO_FATAL_FAILURE(check({s8, {zero, same}, {scale, !same}, GetParam()}));
    ASSERT_NO_FATAL_FAILURE(check({u4, {}, {f32, false}, GetParam()}));
    ASSERT_NO_FATAL_FAILURE(check({u4, {s8, false}, {}, GetParam()}));
}

TEST(PairsRefusals, values) {
    Target none = with_bf16;
    none.bf16 = false;
    EXPECT_FALSE(can_build_pairs(none, {}));
    EXPECT_FALSE(can_build_pairs(with_bf16, {f64, {}, {}, false}));
    EXPECT_FALSE(can_build_pairs(with_bf16, {u4, {u4, false}, {}, true}));
}

} // namespace tessera::cpu
