// SPDX-License-Identifier: Apache-2.0
// Avx512: the vector ops where AVX-512 (F BW DQ VL, perhaps VBMI) differs from AVX2. k7 and r11 are free here.
//
// The members answer false for what the target does not have. emit_avx512.cpp and emit_avx512_permute.cpp alone see
// this class; others call emit_avx512() of emit.hpp.
#pragma once

#include "cpu/jit/emit/frame.hpp"

namespace tessera::cpu::jit {

class Avx512 final : public Frame {
public:
    using Frame::Frame;

private:
    using Opmask = Xbyak::Opmask;

    bool vector(const Inst& i, const Operands& o) override;
    bool memory(const Inst& i, const Operands& o);
    void load(const Inst& i, int d);
    void store(const Inst& i, int a);
    bool pieces(const Inst& i, const Operands& o);
    void insert_quad(const Inst& i, const Operands& o);
    bool integers(const Inst& i, const Operands& o);
    bool narrow(const Inst& i, const Operands& o);
    bool with_nan(const Inst& i, const Operands& o);
    Ymm masked(int number, int bytes, const Opmask& k) { return v(number, bytes) | k; }

    // emit_avx512_permute.cpp
    void set_mask(const Opmask& k, uint64_t bits);
    void first_elements(const Opmask& k, Reg count);
    bool masks(const Inst& i, const Operands& o);
    bool spread(const Ymm& d, const Opmask& k, int es);
    bool blend(const Ymm& d, const Opmask& k, const Xbyak::Operand& a, const Ymm& b, int es);
    bool permute(const Ymm& d, const Ymm& a, const Ymm& b, int es);
    bool permute2(const Ymm& d, const Ymm& a, const Ymm& b, const Ymm& c, int es);
    bool permute_merge(const Inst& i, const Operands& o);
};

} // namespace tessera::cpu::jit
