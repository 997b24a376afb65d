// SPDX-License-Identifier: Apache-2.0
// transpose: moves a tile of elements between two layouts through registers, whole lines on both sides.
//
//   for every tile t, for every coordinate (i0, i1, i2) below the loops' `valid`:
//     dst[t.dst + sum i_k * dst_stride_k] = src[t.src + sum i_k * src_stride_k]
//
// A tile loop has 2^bits points, of which the first `valid` exist. The coordinate bits of the loops are the unit of
// everything here: `piece` lists those that are contiguous in src (lowest first), `line` those contiguous in dst.
//
//   nchw -> nhwc, bytes, 64-byte vectors:  rows = channels (6 bits), columns = pixels (4 bits)
//     piece = columns 0..3 (16 bytes a load), line = rows 0..5 (64 bytes a store)
//   nchw -> nChw16c, bytes: rows = 16 channels (4 bits), columns = 64 pixels (6 bits)
//     piece = columns 0..3, line = rows 0..3 then columns 0..1
//
// With a program the narrower type is transposed. Programs that narrow convert the pieces when they are loaded, W/4
// elements at a time; codes of 1 and 2 bytes of 4 or 2 rows join in one register. Programs that widen convert the lines
// before they are stored (`late`), which saves half to three quarters of the shuffles: s8 -> f32 0.59 -> 0.9 of memcpy.
// The program loads operand 0 and operands of one element (`broadcast`), and stores operand 1.
//
// Where the contiguous run of src is a chain of short loops (oihw with 3 x 3 taps: 16 x 9), one tile loop goes through
// all of it, and its places in dst come from a table: sum i_k * dst_stride_k is table[i] for this loop.
//
// Nothing outside of the valid elements is read or written. Strides are constants of the kernel where both sides of a
// chain fix them (in elements), else arguments (in bytes).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/program/program.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

inline constexpr int tile_loops = 3, broadcast_operands = 96;

struct TileBit {
    int8_t loop = -1, bit = 0;
    bool operator==(const TileBit&) const = default;
};

struct TileLoop {
    int bits = 0, valid = 1;
    int64_t src = -1, dst = -1; // constant stride in elements, or -1: an argument
    bool operator==(const TileLoop&) const = default;
};

// How converted rows of W/4 elements, codes of 1 or 2 bytes, share a register.
enum class Join : uint8_t {
    none,   // no program, or codes of 4 bytes
    words,  // two rows, halves of every dword
    halves, // two rows, halves of the register
    normal, // the same, f32 to bf16 by an instruction that is right but for denormals
    bytes,  // four rows, by packs
    split   // the same; of a bf16 src even and odd elements apart, which needs no shuffle
};

struct TransposeSpec {
    int element = 4; // bytes of dst: 1 2 4 8
    int source = 4;  // bytes of src; the same without a program
    Program program; // no ops: a copy
    std::vector<DataType> types;
    std::vector<TileLoop> loops;
    std::vector<TileBit> piece, line; // lowest first
    int scattered = -1;               // the loop whose places in dst are in the table, or none; others lie in the line
    Join join = Join::none;           // join_of(target, spec)
    bool late = false;                // the program runs on the lines, so that it is src's type that is transposed
    bool stream = false;              // non-temporal stores: whole lines, aligned to the line
    bool fence = true;                // after them; else the caller's task
    bool prefetch_read = false;
    bool operator==(const TransposeSpec&) const = default;
};

struct TransposeArgs {
    const void* src;
    void* dst;
    int64_t src_stride[tile_loops], dst_stride[tile_loops]; // bytes, of one point of the tile loops
    const int64_t* table = nullptr; // elements of dst, of the first tile's points of the scattered loop on
    struct {
        int64_t count = 1, src_step = 0, dst_step = 0; // bytes; [0] is the innermost
        int64_t src_fix = 0, dst_fix = 0;              // added before the last turn: the last tile may overlap
        int64_t left = 0;
        int64_t table_step = 0, table_fix = 0; // bytes of the table
        const void* src = nullptr;             // the kernel's own
        void* dst = nullptr;
        const void* table = nullptr;
    } loop[3];
    const void* broadcast[broadcast_operands]; // operands from 2 on
};

// The program changes the width of values or computes; what else it may be is a clamp of bytes, done like a copy.
bool converts(const TransposeSpec& spec);
// Bytes of an element on its way through the network.
int moved_bytes(const TransposeSpec& spec);
Join join_of(const jit::Target& target, const TransposeSpec& spec);

std::string key(const TransposeSpec& spec);
// The tile has more registers than a processor and runs in two parts (network.hpp).
bool runs_in_parts(const TransposeSpec& spec);
// False when pieces are shorter than 8 bytes or the tile does not fit the registers.
bool can_build_transpose(const jit::Target& target, const TransposeSpec& spec);
jit::Code build_transpose(const jit::Target& target, const TransposeSpec& spec);

} // namespace tessera::cpu
