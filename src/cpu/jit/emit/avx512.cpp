// SPDX-License-Identifier: Apache-2.0
// Memory, pieces of registers and integers; the switch over vector ops.
#include "cpu/jit/emit/avx512.hpp"

namespace tessera::cpu::jit {

// Any number of bytes: one instruction where there is one of that size, else bytes under a mask, which neither reads
// nor writes outside.
void Avx512::load(const Inst& i, int d) {
    const int n = i.bytes;
    if (n == 64 || n == 32 || n == 16)
        vmovups(v(d, n), mem(i));
    else if (n == 8)
        vmovq(v(d, 16), mem(i));
    else if (n == 4)
        vmovd(v(d, 16), mem(i));
    else {
        set_mask(k7, ~uint64_t(0) >> (64 - n));
        vmovdqu8(v(d, n) | k7 | T_z, mem(i));
    }
}

void Avx512::store(const Inst& i, int a) {
    const int n = i.bytes;
    if (n == 64 || n == 32 || n == 16)
        vmovups(mem(i), v(a, n));
    else if (n == 8)
        vmovq(mem(i), v(a, 16));
    else if (n == 4)
        vmovd(mem(i), v(a, 16));
    else {
        set_mask(k7, ~uint64_t(0) >> (64 - n));
        vmovdqu8(mem(i) | k7, v(a, n));
    }
}

bool Avx512::memory(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    switch (i.op) {
    case VOp::load_masked: {
        const Ymm d = v(o.d, n) | Opmask(o.k) | T_z;
        switch (i.es) {
        case 1:
            vmovdqu8(d, mem(i));
            return true;
        case 2:
            vmovdqu16(d, mem(i));
            return true;
        case 4:
            vmovdqu32(d, mem(i));
            return true;
        case 8:
            vmovdqu64(d, mem(i));
            return true;
        default:
            return false;
        }
    }
    case VOp::store_masked: {
        const Xbyak::Address m = mem(i) | Opmask(o.k);
        switch (i.es) {
        case 1:
            vmovdqu8(m, v(o.a, n));
            return true;
        case 2:
            vmovdqu16(m, v(o.a, n));
            return true;
        case 4:
            vmovdqu32(m, v(o.a, n));
            return true;
        case 8:
            vmovdqu64(m, v(o.a, n));
            return true;
        default:
            return false;
        }
    }
    case VOp::broadcast:
        if (i.es < n && i.es == 16)
            vbroadcasti32x4(v(o.d, n), mem(i));
        else if (i.es < n && i.es == 32)
            vbroadcasti64x4(Xbyak::Zmm(o.d), mem(i));
        else
            return shared_vector(i, o);
        return true;
    default:
        return false;
    }
}

// Piece imm of 8 bytes. Broadcast under a mask of that piece is the one way to reach every lane.
void Avx512::insert_quad(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    set_mask(k7, uint64_t(1) << i.imm);
    if (o.b < 0 || o.d == o.a) {
        if (o.d != o.a) vmovups(v(o.d, n), v(o.a, n));
        if (o.b < 0)
            vpbroadcastq(masked(o.d, n, k7), mem(i));
        else
            vpbroadcastq(masked(o.d, n, k7), v(o.b, 16));
        return;
    }
    vpbroadcastq(v(o.d, n), v(o.b, 16));
    vpblendmq(masked(o.d, n, k7), v(o.a, n), v(o.d, n));
}

bool Avx512::pieces(const Inst& i, const Operands& o) {
    const int n = i.bytes, es = i.es;
    if (i.imm < 0 || (i.imm + 1) * es > n) return false;
    const auto piece = uint8_t(i.imm);
    if (i.op == VOp::extract) {
        const int lane = piece * es / 16;
        if (es == 32 && piece)
            vextracti64x4(v(o.d, 32), Xbyak::Zmm(o.a), piece);
        else if (es == 32)
            vmovups(v(o.d, 32), v(o.a, 32));
        else if (es != 8 && es != 16)
            return false;
        else if (lane)
            vextracti32x4(v(o.d, 16), v(o.a, n), uint8_t(lane));
        else if (es == 16)
            vmovups(v(o.d, 16), v(o.a, 16));
        if (es != 8) return true;
        const Ymm from = v(lane ? o.d : o.a, 16);
        if (piece & 1)
            vpsrldq(v(o.d, 16), from, 8);
        else
            vmovq(v(o.d, 16), from);
        return true;
    }
    const bool from_memory = i.op == VOp::insert;
    const Xbyak::Address m = from_memory ? mem(i) : ptr[rsp];
    const Ymm low = v(from_memory ? 0 : o.b, es);
    const Xbyak::Operand& from = from_memory ? static_cast<const Xbyak::Operand&>(m) : low;
    const Ymm d = v(o.d, n), a = v(o.a, n);
    if (es == 8) {
        if (from_memory && n == 16)
            vpinsrq(d, a, mem(i), piece);
        else
            insert_quad(i, o);
        return true;
    }
    if (es != 16 && es != 32) return false;
    if (es == n)
        vmovups(d, from);
    else if (es == 16)
        vinserti32x4(d, a, from, piece);
    else
        vinserti64x4(Xbyak::Zmm(o.d), Xbyak::Zmm(o.a), from, piece);
    return true;
}

bool Avx512::integers(const Inst& i, const Operands& o) {
    const Ymm d = v(o.d, i.bytes), a = v(o.a, i.bytes), in_b = v(o.b < 0 ? 0 : o.b, i.bytes);
    const Xbyak::Address memory = home(o);
    const Xbyak::Operand& b = o.from_table == FromTable::b ? static_cast<const Xbyak::Operand&>(memory) : in_b;
    switch (i.op) {
    case VOp::iand:
        vpandd(d, a, b);
        return true;
    case VOp::ior:
        vpord(d, a, b);
        return true;
    case VOp::ixor:
        vpxord(d, a, b);
        return true;
    case VOp::iandn:
        vpandnd(d, a, b);
        return true;
    case VOp::imin:
        vpminsq(d, a, b);
        return true;
    case VOp::imax:
        vpmaxsq(d, a, b);
        return true;
    case VOp::umin:
        vpminuq(d, a, b);
        return true;
    case VOp::sar:
        vpsraq(d, a, uint8_t(i.imm));
        return true;
    default:
        return false;
    }
}

bool Avx512::narrow(const Inst& i, const Operands& o) {
    const Ymm a = v(o.a, i.bytes), d = v(o.d, int(i.bytes * i.imm / i.es));
    switch (i.es * 16 + i.imm) {
    case 0x21:
        vpmovwb(d, a);
        return true;
    case 0x41:
        vpmovdb(d, a);
        return true;
    case 0x42:
        vpmovdw(d, a);
        return true;
    case 0x81:
        vpmovqb(d, a);
        return true;
    case 0x82:
        vpmovqw(d, a);
        return true;
    case 0x84:
        vpmovqd(d, a);
        return true;
    default:
        return false;
    }
}

// The processor's minimum is b where either operand is NaN, so that a NaN in a is what is left to keep.
bool Avx512::with_nan(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    const Ymm &d = v(o.d, n), &a = v(o.a, n), &b = v(o.b, n);
    if (i.es != 4) return false;
    const bool in_place = o.d == o.a;
    in_place ? vcmpordps(k7, a, a) : vcmpunordps(k7, a, a);
    const Ymm to = in_place ? d | k7 : d;
    i.op == VOp::fmin_nan ? vminps(to, a, b) : vmaxps(to, a, b);
    if (!in_place) vmovaps(d | k7, a);
    return true;
}

bool Avx512::vector(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    if (i.op == VOp::load || i.op == VOp::store) {
        if (n < 1 || n > 64) return false;
        i.op == VOp::load ? load(i, o.d) : store(i, o.a);
        return true;
    }
    if (n != 16 && n != 32 && n != 64) return false;
    switch (i.op) {
    case VOp::load_masked:
    case VOp::store_masked:
    case VOp::broadcast:
        return memory(i, o);
    case VOp::insert:
    case VOp::insert_reg:
    case VOp::extract:
        return pieces(i, o);
    case VOp::lanes:
        if (n == 16) return false;
        vshufi32x4(v(o.d, n), v(o.a, n), v(o.b, n), uint8_t(i.imm));
        return true;
    case VOp::permute:
        return permute(v(o.d, n), v(o.a, n), v(o.b, n), i.es);
    case VOp::permute_merge:
        return permute_merge(i, o);
    case VOp::permute2:
        return permute2(v(o.d, n), v(o.a, n), v(o.b, n), v(o.c, n), i.es);
    case VOp::dot_bf16:
        if (!target().bf16 || o.d != o.c) return false;
        vdpbf16ps(v(o.d, n), v(o.a, n), v(o.b, n));
        return true;
    case VOp::f32_to_bf16:
        if (!target().bf16) return false;
        vcvtne2ps2bf16(v(o.d, n), v(o.b, n), v(o.a, n));
        return true;
    case VOp::narrow:
        return narrow(i, o);
    case VOp::fcmp_and:
        if (i.es != 4) return false;
        vcmpps(Opmask(o.d) | Opmask(o.k), v(o.a, n), v(o.b, n), uint8_t(i.imm));
        return true;
    case VOp::fmin_nan:
    case VOp::fmax_nan:
        return with_nan(i, o);
    case VOp::icmp:
    case VOp::fcmp:
    case VOp::select:
    case VOp::fdenormal:
    case VOp::mask_first:
    case VOp::mask_constant:
    case VOp::mask_and:
    case VOp::mask_or:
    case VOp::mask_xor:
    case VOp::mask_vector:
    case VOp::gmask:
        return masks(i, o);
    case VOp::iand:
    case VOp::ior:
    case VOp::ixor:
    case VOp::iandn:
        return integers(i, o);
    case VOp::imin:
    case VOp::imax:
    case VOp::umin:
    case VOp::sar:
        if (i.es == 8) return integers(i, o);
        return shared_vector(i, o);
    default:
        return shared_vector(i, o);
    }
}

std::optional<std::vector<uint8_t>> emit_avx512(const Code& code, const Allocation& allocation,
                                                std::span<uint8_t> room) {
    if (!code.target().masks || code.target().vector_bytes != 64) return std::nullopt;
    return Avx512(code, allocation, room).run();
}

} // namespace tessera::cpu::jit
