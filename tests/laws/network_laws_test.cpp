// SPDX-License-Identifier: Apache-2.0
// network: the stages run on registers that hold the coordinates of their own elements must end with dst's lines, for
// every pair of power-of-two tiles, piece and register width.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "cpu/tiles/transpose/kernel/network.hpp"

namespace tessera::cpu {
namespace {

using Register = std::vector<unsigned>; // per byte: the tile's bits as a number, loop 0 above, times 16 + the byte

unsigned number(const std::vector<TileBit>& bits, unsigned index) {
    unsigned n = 0;
    for (size_t k = 0; k < bits.size(); ++k)
        if (index >> k & 1) n |= 1u << (bits[k].loop * 8 + bits[k].bit);
    return n;
}

// What a register holds whose bits, by position from the element on, are `bits`, and whose number adds `rest`.
Register holding(const std::vector<TileBit>& bits, int element, unsigned rest) {
    Register r(size_t(1) << (bits.size() + size_t(element)));
    for (unsigned b = 0; b < r.size(); ++b)
        r[b] = (number(bits, b >> element) | rest) * 16 + (b & ((1u << element) - 1));
    return r;
}

Register permuted(const Register& in, const Stage& s, int positions) {
    Register out(in.size());
    for (unsigned b = 0; b < in.size(); ++b) {
        unsigned from = 0;
        for (int q = 0; q < positions; ++q)
            if (b >> q & 1) from |= 1u << s.from[size_t(q)];
        out[b] = in[from];
    }
    return out;
}

// As the instructions do it, lane by lane.
void unpack(Register& a, Register& b, unsigned element) {
    Register low(a.size()), high(a.size());
    for (unsigned lane = 0; lane < a.size(); lane += 16)
        for (unsigned i = 0; i < 16; ++i) {
            const unsigned pair = i / (2 * element), second = i / element % 2, byte = i % element;
            low[lane + i] = (second ? b : a)[lane + pair * element + byte];
            high[lane + i] = (second ? b : a)[lane + 8 + pair * element + byte];
        }
    a = low, b = high;
}

void lanes(Register& a, Register& b) {
    const size_t n = a.size() / 16;
    Register even, odd;
    for (const Register* r : {&a, &b})
        for (size_t lane = 0; lane < n; ++lane)
            (lane % 2 ? odd : even)
                .insert((lane % 2 ? odd : even).end(), r->begin() + long(16 * lane), r->begin() + long(16 * lane + 16));
    a = even, b = odd;
}

std::vector<Register> loaded(const Network& n) {
    std::vector<Register> regs;
    for (unsigned r = 0; r < 1u << n.reg_bits.size(); ++r)
        regs.push_back(holding(n.loaded, n.element, number(n.reg_bits, r)));
    return regs;
}

// A stage on the registers whose number has `value` in the bits `mask`, and no other.
void run(const Network& n, const Stage& s, std::vector<Register>& regs, unsigned mask = 0, unsigned value = 0) {
    for (unsigned r = 0; r < regs.size(); ++r) {
        if ((r & mask) != value) continue;
        if (s.kind == StageKind::permute) {
            regs[r] = permuted(regs[r], s, n.positions);
        } else if (!(r >> s.reg_bit & 1)) {
            Register& b = regs[r | 1u << s.reg_bit];
            s.kind == StageKind::unpack ? unpack(regs[r], b, 1u << n.element) : lanes(regs[r], b);
        }
    }
}

void expect_lines(const TransposeSpec& spec, const Network& n, const std::vector<Register>& regs) {
    for (unsigned r = 0; r < regs.size(); ++r)
        ASSERT_EQ(regs[r], holding(spec.line, n.element, number(n.stored_bits, r))) << key(spec) << " register " << r;
}

void check(const TransposeSpec& spec) {
    const Network n = network_of(spec);
    std::vector<Register> regs = loaded(n);
    for (const Stage& s : n.stages) run(n, s, regs);
    expect_lines(spec, n, regs);
}

// The same in two parts, group by group; false where the stages cannot be split.
bool check_parts(const TransposeSpec& spec, int group_bits) {
    const Network n = network_of(spec);
    const auto parts = parts_of(n, group_bits);
    if (!parts) return false;
    const unsigned all = (1u << n.reg_bits.size()) - 1, outer = parts->outer, inner = all & ~outer;
    EXPECT_LE(std::popcount(outer), group_bits);
    EXPECT_LE(std::popcount(inner), group_bits);
    std::vector<Register> regs = loaded(n);
    for (unsigned group = 0; group <= all; ++group)
        for (size_t s = 0; s < parts->inner && !(group & inner); ++s) run(n, n.stages[s], regs, outer, group);
    for (unsigned group = 0; group <= all; ++group)
        for (size_t s = parts->inner; s < n.stages.size() && !(group & outer); ++s)
            run(n, n.stages[s], regs, inner, group);
    expect_lines(spec, n, regs);
    return true;
}

} // namespace

TEST(NetworkLaws, lines_are_in_order) {
    int tiles = 0;
    for (int element : {1, 2, 4, 8})
        for (int width : {16, 32, 64})
            for (int piece_bytes = 8; piece_bytes <= width; piece_bytes *= 2)
                for (int shared = 0; shared < 4; ++shared) { // bits of the piece that lie in the line too
                    const int line = std::countr_zero(unsigned(width / element));
                    const int piece = std::countr_zero(unsigned(piece_bytes)) - std::countr_zero(unsigned(element));
                    if (piece < 0 || shared > piece || shared > line) continue;
                    for (bool first : {false, true}) { // the shared bits come first in the line, or last
                        TransposeSpec spec;
                        spec.element = spec.source = element;
                        spec.loops = {{line - shared, 1 << (line - shared), -1, -1}, {piece, 1 << piece, -1, -1}};
                        for (int b = 0; b < piece; ++b) spec.piece.push_back({1, int8_t(b)});
                        if (first)
                            for (int b = 0; b < shared; ++b) spec.line.push_back({1, int8_t(b)});
                        for (int b = 0; b < line - shared; ++b) spec.line.push_back({0, int8_t(b)});
                        if (!first)
                            for (int b = 0; b < shared; ++b) spec.line.push_back({1, int8_t(b)});
                        check(spec);
                        ++tiles;
                    }
                }
    EXPECT_GT(tiles, 200);
}

TEST(NetworkLaws, in_two_parts) {
    for (int element : {1, 2}) {
        TransposeSpec spec;
        spec.element = spec.source = element;
        const int bits = element == 1 ? 6 : 5;
        spec.loops = {{bits, 1 << bits, -1, -1}, {bits, 1 << bits, -1, -1}};
        for (int8_t b = 0; b < bits; ++b) spec.line.push_back({0, b}), spec.piece.push_back({1, b});
        EXPECT_TRUE(check_parts(spec, 4));
        EXPECT_TRUE(check_parts(spec, 6));
        EXPECT_FALSE(check_parts(spec, 1));
    }
}

// bytes 64 x 16 need four unpacks and nothing else: what makes them worth loading by 16 bytes.
TEST(NetworkLaws, bytes_by_sixteen_need_only_unpacks) {
    TransposeSpec spec;
    spec.element = spec.source = 1;
    spec.loops = {{6, 64, -1, -1}, {4, 16, -1, -1}};
    for (int8_t b = 0; b < 6; ++b) spec.line.push_back({0, b});
    for (int8_t b = 0; b < 4; ++b) spec.piece.push_back({1, b});
    const Network n = network_of(spec);
    ASSERT_EQ(n.stages.size(), 4u);
    for (const Stage& s : n.stages) EXPECT_EQ(int(s.kind), int(StageKind::unpack));
}

} // namespace tessera::cpu
