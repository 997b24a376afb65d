// SPDX-License-Identifier: Apache-2.0
// Ops of tiles: emitted code against the interpreter, for every shape class and all bits of the operands; what the
// target lacks or the code may not do has no result. covers: MAT-01
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>

#include "cpu/jit/emit/emit.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "vcode_interpreter.hpp"

namespace tessera::cpu::jit {
namespace {

const Target amx{64, 32, true, true, true, true, true, true}, without_f16{64, 32, true, true, true, true, true};

enum class Kind { bf16, f16, bytes };

struct Block {
    uint8_t configuration[64] = {};
    uint8_t c[16][80], a[16][80], b[16][80], out[16][80]; // rows of 80, so that what lies between is seen
};

void fill(Block& m, int rows, int columns, int k, bool floats) {
    static std::mt19937 random(3);
    uint8_t* const first = &m.c[0][0];
    for (size_t at = 0; at < sizeof m - 64; ++at) first[at] = uint8_t(random());
    for (size_t at = 1; floats && at < sizeof m - 64; at += 2) // near one: sums that round, not NaN nearly always
        if (random() % 64) first[at] = uint8_t(random() % 2 * 0x80 + 0x3c + random() % 4);
    const int row_bytes[] = {4 * columns, 4 * k, 4 * columns}, row_count[] = {rows, rows, k};
    m.configuration[0] = 1;
    for (int n = 0; n < 3; ++n)
        m.configuration[16 + 2 * n] = uint8_t(row_bytes[n]), m.configuration[48 + n] = uint8_t(row_count[n]);
}

Code product(Kind kind, int signs, bool passes) {
    Code code(kind == Kind::f16 ? amx : without_f16, "product");
    const Tmm c = code.tile(), a = code.tile(), b = code.tile();
    const Gpr m = code.args(), row = code.gset(80);
    code.tile_configure({m, offsetof(Block, configuration)});
    code.tile_load(c, {m, offsetof(Block, c)}, row);
    code.tile_load(a, {m, offsetof(Block, a)}, row, passes);
    code.tile_load(b, {m, offsetof(Block, b)}, row);
    for (int turn = 0; turn < 2; ++turn)
        kind == Kind::bf16  ? code.tile_dot_bf16(c, a, b)
        : kind == Kind::f16 ? code.tile_dot_f16(c, a, b)
                            : code.tile_dot_bytes(c, a, b, signs & 1, signs & 2);
    code.tile_store({m, offsetof(Block, out)}, row, c);
    code.tile_zero(c);
    code.tile_store({m, offsetof(Block, c)}, row, c);
    code.tile_release();
    return code;
}

// NaN carries whose it was, which the interpreter does not follow.
bool same(const Block& want, const Block& got, bool floats) {
    if (!floats) return std::memcmp(&want, &got, sizeof want) == 0;
    const auto is_nan = [](uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; };
    for (size_t at = 0; at < sizeof want; at += 4) {
        uint32_t x, y;
        std::memcpy(&x, reinterpret_cast<const uint8_t*>(&want) + at, 4);
        std::memcpy(&y, reinterpret_cast<const uint8_t*>(&got) + at, 4);
        if (x != y && !(is_nan(x) && is_nan(y))) return false;
    }
    return true;
}

} // namespace

TEST(EmitTiles, Products) {
    if (!runs_here(without_f16)) GTEST_SKIP() << "no tiles";
    for (const Kind kind : {Kind::bf16, Kind::f16, Kind::bytes}) {
        if (kind == Kind::f16 && !runs_here(amx)) continue;
        const bool floats = kind != Kind::bytes;
        for (int signs = 0; signs < (floats ? 1 : 4); ++signs)
            for (const auto& [rows, columns, k] : {std::tuple{16, 16, 16}, {1, 16, 16}, {16, 3, 16}, {5, 16, 7}})
                for (int round = 0; round < 4; ++round) {
                    const Code code = product(kind, signs, round % 2);
                    const auto bytes = emit(code);
                    ASSERT_TRUE(bytes);
                    Block want;
                    fill(want, rows, columns, k, floats && round);
                    Block got = want;
                    interpret(code, &want);
                    ASSERT_TRUE(run_code(*bytes, &got));
                    EXPECT_TRUE(same(want, got, floats))
                        << int(kind) << " " << signs << " " << rows << " " << columns << " " << k;
                }
    }
}

// No machine of ours runs them: as binutils reads them.
TEST(EmitTiles, products_of_f16) {
    Code code(amx, "product");
    const Tmm sum = code.tile(), a = code.tile(), b = code.tile();
    code.tile_dot_f16(sum, a, b);
    const auto bytes = emit(code);
    ASSERT_TRUE(bytes);
    constexpr uint8_t tdpfp16ps_0_1_2[] = {0xc4, 0xe2, 0x6b, 0x5c, 0xc1};
    EXPECT_NE(std::search(bytes->begin(), bytes->end(), std::begin(tdpfp16ps_0_1_2), std::end(tdpfp16ps_0_1_2)),
              bytes->end());
}

TEST(EmitTiles, Refusals) {
    Target without = without_f16;
    without.amx = false;
    Code lacks(without, "no tiles");
    lacks.tile_zero(lacks.tile());
    EXPECT_FALSE(emit(lacks));
    Code lacks_f16(without_f16, "no products of f16");
    lacks_f16.tile_dot_f16(lacks_f16.tile(), lacks_f16.tile(), lacks_f16.tile());
    EXPECT_FALSE(emit(lacks_f16));
    Code many(amx, "nine tiles");
    for (int n = 0; n < 9; ++n) many.tile_zero(many.tile());
    EXPECT_FALSE(emit(many));
    Code early(amx, "not configured");
    early.tile_zero(early.tile());
    EXPECT_THROW(interpret(early, nullptr), std::logic_error);
}

} // namespace tessera::cpu::jit
