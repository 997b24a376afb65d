// SPDX-License-Identifier: Apache-2.0
// Products: what a step of the dot tile's kinds is made of: loads of 4 bytes of A and a vector of B, and how they enter
// a sum. s8_exact and bf16_fma have two phases a step, the even elements and the odd ones; the others have one.
//
//   Products p(code, spec);
//   p.prepare();                                     // constants
//   for (int phase = 0; phase < p.phases(); ++phase)
//       p.add(sum, p.a({a}, phase), p.b({b}, phase, lanes));
#pragma once

#include <algorithm>

#include "cpu/jit/codec.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu {

// Of a panel's columns those that a vector of it has.
inline int columns_in(int vector, int lanes, int columns) { return std::min(lanes, columns - vector * lanes); }

class Products {
public:
    Products(jit::Code& code, const DotSpec& spec) : spec_(spec), c_(code), codec_(code) {}

    static bool supports(const jit::Target& target, const DotSpec& spec);
    // Vectors besides the sums, a row of B and an element of A.
    static int temporaries(const jit::Target& target, const DotSpec& spec);
    static int64_t a_bytes(const DotSpec& spec);                            // of a step
    static bool can_be_short(const DotSpec& spec);                          // steps of 4 bytes of A as they lie
    static int64_t b_bytes(const jit::Target& target, const DotSpec& spec); // of a vector

    void prepare();
    int phases() const { return spec_.kind == DotKind::s8_exact || spec_.kind == DotKind::bf16_fma ? 2 : 1; }
    jit::Vec a(jit::Mem m, int phase, int bytes_short = 0);
    jit::Vec b(jit::Mem m, int phase, int lanes, const jit::Mask* tail = nullptr); // of f32 fewer than all may be read
    void add(jit::Vec sum, jit::Vec a, jit::Vec b);
    void add(jit::Vec sum, jit::Vec more);

    static constexpr uint32_t signs = 0x80808080; // of four bytes: what makes s8 u8 = s8 + 128
    jit::Vec shifted(jit::Vec b) { return spec_.shifts_b ? c_.op2(jit::VOp::ixor, b, flips()) : b; }
    jit::Vec flips() { return codec_.u32(signs); } // where a factor is flipped
    static bool flips_a(const DotSpec& spec) {
        return spec.kind == DotKind::u8s8 && spec.a == DataType::s8 && !spec.shifts_b;
    }

private:
    jit::Vec values(jit::Vec pairs, int phase);
    jit::Vec words(jit::Vec bytes, DataType type, int phase);

    const DotSpec& spec_;
    jit::Code& c_;
    jit::Codec codec_;
};

} // namespace tessera::cpu
