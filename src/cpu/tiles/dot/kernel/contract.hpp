// SPDX-License-Identifier: Apache-2.0
// The dot tile: a block of sums of products. For every i < rows and j < 16 * panels
//
//   C[i][j] = sum over k < steps * q of A[i][k] * B[k][j]      += where `accumulate` is 1, else C is not read
//
// q elements of k, side by side in A, are a step: what one 4-byte element of a vector takes in. A step of B is 16
// columns of q elements, those of a column side by side; 16 columns are a panel.
//
//   kind      q  A         B      C    a sum is
//   f32       1  any       any    f32  fma by fma; any is what jit::Codec loads
//   bf16      2  bf16      bf16   f32  odd, then even products, to nearest, denormals are zeros
//   bf16_fma  2  f32 bf16  bf16   f32  fma by fma, even, then odd; without AVX-512 BF16, and where that is slower
//   u8s8      4  u8 s8     s8     s32  wrapping; A of s8 enters as A + 128: too large by 128 * the sum of B's column,
//                                      of which `corrected` kernels are told and start the sums so much lower
//   s8_exact  4  u8 s8     u8 s8  s32  wrapping; words, for processors without VNNI and for B of u8
//   amx_bf16 32  bf16      bf16   f32  of a step even and odd products apart, to nearest, denormals are zeros
//   amx_f16  32  f16       f16    f32  the same, but denormals of f16 are what they are
//   amx_int8 64  u8 s8     u8 s8  s32  wrapping
//
// Kernels that interleave (bf16, u8s8) take B as rows instead, dense in columns: 2 or 4 of them, `b_row` apart, are a
// step, whose panels follow each other.
//
// A may have any strides between rows and steps; a_dense says that steps are q elements apart. Rows and panels are
// constants of a kernel, all strides and `steps` are not: that costs up to 9 % at 8^3 and nothing from 32^3 on
// (measured). Sums of blocks of fewer than 8 registers are split by k in up to four, for latency.
//
// AMX kinds work on tiles of 16 rows and of a panel. Their steps are 64 bytes of a row of A and of B 16 smaller steps
// one behind the other, 1 KiB, or less of both where tiles are configured for fewer groups of 4 bytes; where K ends
// within a step, A and B have zeros. Rows are 16 or 32: which of them there
// are, and how many columns the last panel has, is set by configuring the tiles, once for many calls.
//
// K may be several loops: `steps` is the innermost, behind which A and B go on where outer[0] says, and so on; the sums
// stay in registers throughout. Of a convolution in place, 3x3 of 64 channels from nhwc: 192 steps (kw and
// channels follow each other), outer[0] {3, bytes of a line of pixels less 768, 0}. At the left border, with two taps
// of three, 128 steps, {3, bytes of a line less 512, bytes of 64 rows of a panel}.
//
// With an epilogue the sums go through a program before the only store: operand `sum` of it is the sum (what C has is
// added first, as ever), the others are in memory, an element a row (column 0) or 16 a panel (column 1). C is not
// written then. Bits are those of the map tile, which the same program makes.
//
//   f32 512^3, 8 rows: {f32, 8, 3}, a_row 2048, a_step 4, b_panel 64, b_step 2048, c_row 2048, c_panel 64, steps 512
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/types/types.hpp"
#include "cpu/jit/vcode.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

inline bool is_byte(DataType t) { return t == DataType::s8 || t == DataType::u8; }

enum class DotKind : uint8_t { f32, bf16, bf16_fma, u8s8, s8_exact, amx_bf16, amx_f16, amx_int8 };
constexpr bool is_amx(DotKind kind) {
    return kind == DotKind::amx_bf16 || kind == DotKind::amx_f16 || kind == DotKind::amx_int8;
}

struct DotSpec {
    DotKind kind = DotKind::f32;
    int rows = 1, panels = 1;
    DataType a = DataType::f32, b = DataType::f32;
    bool a_dense = true;
    bool tail = false;        // the last panel has args.columns columns; nothing behind them is read or written
    int last = 0;             // the same without masks: columns of the last panel, 1..15; 0: 16, or as args say
    bool b_whole = false;     // with `last`: B has 16 nevertheless, which may be read
    bool a_transient = false; // AMX: A need not stay in the first level, where B is (tileloaddt1)
    bool b_transient = false; // AMX: the other way round
    int ahead = 0;            // AMX: lines behind `next`, for every panel, that a step prefetches into the second level
    int loops = 1;            // over k
    bool a_words = false; // s8_exact: a step of A is 4 words instead of 4 bytes, in the order 0 2 1 3 of k (words.hpp)
    // Bytes of A that the last step has less than 4, where args.ends: it reads those before them instead, and shifts
    // them out. Of a dense A that has 4 bytes.
    int a_short = 0;
    bool interleaves = false; // B lies in rows
    int b_short = 0;          // with it, where args.ends: rows of B that the last step has less than the others
    int b_ahead = 0;     // vectors: prefetch distance in every panel of B, in bytes; 0: that of large blocks, 8 steps
    bool b_near = false; // with b_ahead 0: no prefetch of B, which is in L1, or which the hardware prefetches
    bool corrected = false; // u8s8, A is s8 + 128: sums start at -128 times those of B's columns
    // u8s8, s8 by s8: B enters as B + 128 in place of A, because a large block has fewer registers of B. The sums of a
    // row start at the row's number in args.starts: -128 times the sum of A's row.
    bool shifts_b = false;
    std::shared_ptr<const MapSpec> epilogue = {}; // program, types, columns and `normal` of it; none: C is stored
    int sum = -1;                                 // its operand
    bool epilogue_dense = false; // panels of all its operands follow each other: rows are stored by whole vectors
    uint32_t epilogue_rows = 0;  // which of epilogue_operands() vary along rows, by bits; the others' rows are 0 apart
};

// An operand of the epilogue, in the order of epilogue_operands(); bytes between rows, between panels.
struct DotOperand {
    void* base;
    int64_t row, panel;
};
constexpr size_t most_epilogue_operands = 8;

constexpr int most_loops = 6; // images, three dims of pixels or taps, blocks of channels, channels
// A loop around others: how often, and the bytes by which A and B go on between them, behind the last of their steps.
struct DotLoop {
    int64_t count, a, b;
};

struct DotArgs {
    const void* a;
    int64_t a_row, a_step; // bytes between rows, between steps
    const void* b;
    int64_t b_panel, b_step; // bytes between panels, between steps
    int64_t b_row = 0;       // where spec.interleaves: bytes between rows
    void* c;
    int64_t c_row, c_panel = 64;     // bytes between rows, between panels
    const void* next;                // where spec.ahead: what another call will read
    int64_t next_panel;              // bytes from there to what is prefetched for the second panel
    const DotOperand* operands;      // where spec.epilogue
    int64_t steps;                   // positive, as counts are; whole ones, if spec.a_short or b_short
    int64_t ends = 0;                // where spec.a_short or b_short: 1 if a shorter step follows them
    DotLoop outer[most_loops - 1];   // the first spec.loops - 1
    int64_t columns;                 // 1..16; where spec.tail
    const void* sums;                // where spec.corrected: 16 of a panel, behind them those of the next
    const int32_t* starts = nullptr; // where spec.shifts_b: of each row
    int64_t accumulate;
    int64_t scratch[most_loops - 1]; // the kernel's
};

std::string key(const DotSpec& spec);
// Blocks whose sums, a row of B and an element of A fit the vectors: with 32 of them 28x1 14x2 9x3 6x4 of f32, with 16
// 6x1 and 2x2, fewer rows of types whose conversion needs registers; of tiles 1x1 to 1x4, 2x1 and 2x2. Tails need
// masks. Without them `last` columns are loaded and stored in pieces, and 8 or fewer take half a panel's registers.
bool can_build_dot(const jit::Target& target, const DotSpec& spec);
jit::Code build_dot(const jit::Target& target, const DotSpec& spec);

// The numbers of its operands in memory; whether the sums stay in registers with it, behind the loop over k, too.
std::vector<int> epilogue_operands(const MapSpec& epilogue, int sum);
bool epilogue_fits(const jit::Target& target, const DotSpec& spec);

} // namespace tessera::cpu
