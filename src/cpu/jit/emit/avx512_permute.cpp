// SPDX-License-Identifier: Apache-2.0
// Masks, what is chosen by them, and permutations.
#include "cpu/jit/emit/avx512.hpp"

namespace tessera::cpu::jit {

void Avx512::set_mask(const Opmask& k, uint64_t bits) {
    if (bits >> 32)
        mov(r11, bits);
    else
        mov(r11d, uint32_t(bits));
    kmovq(k, r11);
}

// bzhi reads 8 bits of its count, so the count is held between 0 and 64 first.
void Avx512::first_elements(const Opmask& k, Reg count) {
    mov(r11d, 64);
    cmp(g(count), r11);
    cmovl(r11, g(count));
    test(r11, r11);
    cmovs(r11, table(std::vector<uint8_t>(8, 0)));
    bzhi(r11, table(std::vector<uint8_t>(8, 0xff)), r11);
    kmovq(k, r11);
}

bool Avx512::spread(const Ymm& d, const Opmask& k, int es) {
    switch (es) {
    case 1:
        vpmovm2b(d, k);
        return true;
    case 2:
        vpmovm2w(d, k);
        return true;
    case 4:
        vpmovm2d(d, k);
        return true;
    case 8:
        vpmovm2q(d, k);
        return true;
    default:
        return false;
    }
}

bool Avx512::masks(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    switch (i.op) {
    case VOp::fdenormal:
        vfpclassps(Opmask(o.d), v(o.a, n), 0x20);
        return true;
    case VOp::mask_first:
        first_elements(Opmask(o.d), i.a);
        return true;
    case VOp::mask_constant:
        set_mask(Opmask(o.d), uint64_t(i.imm));
        return true;
    case VOp::gmask:
        kmovq(g(i.d), Opmask(o.k));
        return true;
    case VOp::mask_and:
        kandq(Opmask(o.d), Opmask(o.a), Opmask(o.b));
        return true;
    case VOp::mask_or:
        korq(Opmask(o.d), Opmask(o.a), Opmask(o.b));
        return true;
    case VOp::mask_xor:
        kxorq(Opmask(o.d), Opmask(o.a), Opmask(o.b));
        return true;
    case VOp::mask_vector:
        return spread(v(o.d, n), Opmask(o.k), i.es);
    default:
        break;
    }
    const Xbyak::Address memory = home(o);
    const Ymm a = v(o.a < 0 ? 0 : o.a, n), in_b = v(o.b < 0 ? 0 : o.b, n);
    if (i.op == VOp::select) {
        const Xbyak::Operand& chosen = o.from_table == FromTable::a ? static_cast<const Xbyak::Operand&>(memory) : a;
        return blend(v(o.d, n), Opmask(o.k), chosen, in_b, i.es);
    }
    const Xbyak::Operand& b = o.from_table == FromTable::b ? static_cast<const Xbyak::Operand&>(memory) : in_b;
    if (i.imm < 0 || i.imm > 7) return false;
    const Opmask d(o.d);
    const auto how = uint8_t(i.imm);
    if (i.op == VOp::fcmp) {
        if (i.es == 4)
            vcmpps(d, a, b, how);
        else if (i.es == 8)
            vcmppd(d, a, b, how);
        else
            return false;
        return true;
    }
    if (how == 3 || how == 7) return false;
    switch (i.es) {
    case 1:
        vpcmpb(d, a, b, how);
        return true;
    case 2:
        vpcmpw(d, a, b, how);
        return true;
    case 4:
        vpcmpd(d, a, b, how);
        return true;
    case 8:
        vpcmpq(d, a, b, how);
        return true;
    default:
        return false;
    }
}

// d = elements b of a; d may carry a mask. Words and bytes cross lanes at any size; 16 bytes of larger elements
// have no vpermd, but vpermilps reads the low 2 bits of its table just so.
bool Avx512::permute(const Ymm& d, const Ymm& a, const Ymm& b, int es) {
    const bool one_lane = d.isXMM(), masked = d.getOpmaskIdx() != 0;
    switch (es) {
    case 1:
        if (!target().byte_permute) return false;
        vpermb(d, b, a);
        return true;
    case 2:
        vpermw(d, b, a);
        return true;
    case 4:
        if (one_lane)
            vpermilps(d, a, b);
        else
            vpermd(d, b, a);
        return true;
    case 8:
        // Xbyak 6.68 writes vpermd for a vpermq of 32 bytes in its VEX form, hence two equal tables there.
        if (d.isZMM() || (masked && !one_lane))
            vpermq(d, b, a);
        else if (masked)
            return false; // the table would need a second register
        else if (d.getIdx() == b.getIdx() && d.getIdx() != a.getIdx())
            vpermi2q(d, a, a);
        else {
            if (d.getIdx() != a.getIdx()) vmovups(d, a);
            vpermt2q(d, b, a);
        }
        return true;
    default:
        return false;
    }
}

bool Avx512::permute2(const Ymm& d, const Ymm& a, const Ymm& b, const Ymm& c, int es) {
    if ((es == 1 && !target().byte_permute) || (es == 8 && d.getBit() == 128)) return false;
    if (d.getIdx() == c.getIdx() && d.getIdx() != a.getIdx()) { // those from a over those from c
        std::vector<uint8_t> of_c(64, 0);                       // the bit of an index that says so
        for (size_t i = 0; i < of_c.size(); i += size_t(es)) of_c[i] = uint8_t(d.getBit() / 8 / es);
        switch (es) {
        case 1:
            vptestnmb(k7, b, table(of_c));
            break;
        case 2:
            vptestnmw(k7, b, table(of_c));
            break;
        case 4:
            vptestnmd(k7, b, table(of_c));
            break;
        case 8:
            vptestnmq(k7, b, table(of_c));
            break;
        default:
            return false;
        }
        return permute(d, c, b, es) && permute(d | k7, a, b, es);
    }
    const bool over_a = d.getIdx() == a.getIdx();
    if (!over_a && d.getIdx() != b.getIdx()) vmovups(d, b);
    switch (es) {
    case 1:
        over_a ? vpermt2b(d, b, c) : vpermi2b(d, a, c);
        break;
    case 2:
        over_a ? vpermt2w(d, b, c) : vpermi2w(d, a, c);
        break;
    case 4:
        over_a ? vpermt2d(d, b, c) : vpermi2d(d, a, c);
        break;
    case 8:
        over_a ? vpermt2q(d, b, c) : vpermi2q(d, a, c);
        break;
    default:
        return false;
    }
    return true;
}

bool Avx512::permute_merge(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    const Ymm d = v(o.d, n), a = v(o.a, n), b = v(o.b, n), c = v(o.c, n);
    const Opmask k(o.k);
    if (o.d != o.a && (o.d == o.b || o.d == o.c || (i.es == 8 && n == 16)))
        return permute(d, c, b, i.es) && blend(d, k, d, a, i.es);
    if (o.d != o.a) vmovups(d, a);
    return permute(d | k, c, b, i.es);
}

bool Avx512::blend(const Ymm& d, const Opmask& k, const Xbyak::Operand& a, const Ymm& b, int es) {
    switch (es) {
    case 1:
        vpblendmb(d | k, b, a);
        return true;
    case 2:
        vpblendmw(d | k, b, a);
        return true;
    case 4:
        vpblendmd(d | k, b, a);
        return true;
    case 8:
        vpblendmq(d | k, b, a);
        return true;
    default:
        return false;
    }
}

} // namespace tessera::cpu::jit
