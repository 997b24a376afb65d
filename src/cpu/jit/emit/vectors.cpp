// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/emit/frame.hpp"

namespace tessera::cpu::jit {

// Xbyak takes the VEX form where registers and size allow it and the EVEX form otherwise, so these read the same for
// both sets. Both forms leave the rest of d zero.
bool Frame::shared_vector(const Inst& i, const Operands& o) {
    if (i.op == VOp::fma) return fused(i, o);
    const int n = i.bytes, es = i.es;
    const Ymm &d = v(o.d < 0 ? 0 : o.d, n), &a = v(o.a < 0 ? 0 : o.a, n), &in_b = v(o.b < 0 ? 0 : o.b, n);
    const Xbyak::Address memory = home(o);
    const Xbyak::Operand& b = o.from_table == FromTable::b ? static_cast<const Xbyak::Operand&>(memory) : in_b;
    const auto count = uint8_t(i.imm);

// One mnemonic for each size of element; an empty place has none.
#define BY_ES(e1, e2, e4, e8)                                                                                          \
    switch (es) {                                                                                                      \
    case 1:                                                                                                            \
        e1;                                                                                                            \
        return true;                                                                                                   \
    case 2:                                                                                                            \
        e2;                                                                                                            \
        return true;                                                                                                   \
    case 4:                                                                                                            \
        e4;                                                                                                            \
        return true;                                                                                                   \
    case 8:                                                                                                            \
        e8;                                                                                                            \
        return true;                                                                                                   \
    default:                                                                                                           \
        return false;                                                                                                  \
    }
#define NONE return false

    switch (i.op) {
    case VOp::prefetch:
        if (i.imm == 0)
            prefetcht0(mem(i));
        else if (i.imm == 1)
            prefetchw(mem(i));
        else if (i.imm == 3)
            prefetcht1(mem(i));
        else
            prefetchnta(mem(i));
        return true;
    case VOp::fence:
        sfence();
        return true;
    case VOp::constant:
        vmovups(d, constant(i.imm));
        return true;
    case VOp::zero:
        if (o.d < 16)
            vpxor(v(o.d, 16), v(o.d, 16), v(o.d, 16)); // the rest too
        else
            vpxord(d, d, d);
        return true;
    case VOp::copy:
        vmovups(d, a);
        return true;
    case VOp::stream:
        vmovntps(mem(i), a);
        return true;
    case VOp::broadcast:
        if (es == n) {
            vmovups(d, mem(i));
            return true;
        }
        BY_ES(vpbroadcastb(d, mem(i)), vpbroadcastw(d, mem(i)), vbroadcastss(d, mem(i)), vpbroadcastq(d, mem(i)))

    case VOp::unpack_lo:
        BY_ES(vpunpcklbw(d, a, b), vpunpcklwd(d, a, b), vpunpckldq(d, a, b), vpunpcklqdq(d, a, b))
    case VOp::unpack_hi:
        BY_ES(vpunpckhbw(d, a, b), vpunpckhwd(d, a, b), vpunpckhdq(d, a, b), vpunpckhqdq(d, a, b))
    case VOp::shuffle:
        vpshufb(d, a, b);
        return true;
    case VOp::pack_ss:
        BY_ES(NONE, vpacksswb(d, a, b), vpackssdw(d, a, b), NONE)
    case VOp::pack_us:
        BY_ES(NONE, vpackuswb(d, a, b), vpackusdw(d, a, b), NONE)

    case VOp::widen_s:
    case VOp::widen_z:
    case VOp::load_widen_s:
    case VOp::load_widen_z: {
        const bool sign = i.op == VOp::widen_s || i.op == VOp::load_widen_s;
        const Xbyak::Address m = i.base < 0 && i.index < 0 ? ptr[rsp] : mem(i);
        const Ymm low = v(o.a < 0 ? 0 : o.a, int(n * es / i.imm));
        const Xbyak::Operand& from = o.a < 0 ? static_cast<const Xbyak::Operand&>(m) : low;
        if (o.k >= 0 && !target().masks) return false;
        const Ymm masked = o.k < 0 ? d : d | Xbyak::Opmask(o.k) | T_z, &to = o.k < 0 ? d : masked;
        switch (es * 16 + i.imm) {
        case 0x12:
            sign ? vpmovsxbw(to, from) : vpmovzxbw(to, from);
            return true;
        case 0x14:
            sign ? vpmovsxbd(to, from) : vpmovzxbd(to, from);
            return true;
        case 0x18:
            sign ? vpmovsxbq(to, from) : vpmovzxbq(to, from);
            return true;
        case 0x24:
            sign ? vpmovsxwd(to, from) : vpmovzxwd(to, from);
            return true;
        case 0x28:
            sign ? vpmovsxwq(to, from) : vpmovzxwq(to, from);
            return true;
        case 0x48:
            sign ? vpmovsxdq(to, from) : vpmovzxdq(to, from);
            return true;
        default:
            return false;
        }
    }

    case VOp::iadd:
        BY_ES(vpaddb(d, a, b), vpaddw(d, a, b), vpaddd(d, a, b), vpaddq(d, a, b))
    case VOp::isub:
        BY_ES(vpsubb(d, a, b), vpsubw(d, a, b), vpsubd(d, a, b), vpsubq(d, a, b))
    case VOp::imul:
        BY_ES(NONE, vpmullw(d, a, b), vpmulld(d, a, b), NONE)
    case VOp::imul_wide:
        BY_ES(NONE, NONE, NONE, vpmuludq(d, a, b))
    case VOp::imin:
        BY_ES(vpminsb(d, a, b), vpminsw(d, a, b), vpminsd(d, a, b), NONE)
    case VOp::imax:
        BY_ES(vpmaxsb(d, a, b), vpmaxsw(d, a, b), vpmaxsd(d, a, b), NONE)
    case VOp::umin:
        BY_ES(vpminub(d, a, b), vpminuw(d, a, b), vpminud(d, a, b), NONE)
    case VOp::shl:
        BY_ES(NONE, vpsllw(d, a, count), vpslld(d, a, count), vpsllq(d, a, count))
    case VOp::shr:
        BY_ES(NONE, vpsrlw(d, a, count), vpsrld(d, a, count), vpsrlq(d, a, count))
    case VOp::sar:
        BY_ES(NONE, vpsraw(d, a, count), vpsrad(d, a, count), NONE)
    case VOp::shlv:
        BY_ES(NONE, NONE, vpsllvd(d, a, b), vpsllvq(d, a, b))
    case VOp::shrv:
        BY_ES(NONE, NONE, vpsrlvd(d, a, b), vpsrlvq(d, a, b))

    case VOp::fadd:
        BY_ES(NONE, NONE, vaddps(d, a, b), vaddpd(d, a, b))
    case VOp::fsub:
        BY_ES(NONE, NONE, vsubps(d, a, b), vsubpd(d, a, b))
    case VOp::fmul:
        BY_ES(NONE, NONE, vmulps(d, a, b), vmulpd(d, a, b))
    case VOp::fdiv:
        BY_ES(NONE, NONE, vdivps(d, a, b), vdivpd(d, a, b))
    case VOp::fmin:
        BY_ES(NONE, NONE, vminps(d, a, b), vminpd(d, a, b))
    case VOp::fmax:
        BY_ES(NONE, NONE, vmaxps(d, a, b), vmaxpd(d, a, b))
    case VOp::dot_s16:
        vpmaddwd(d, a, b);
        return true;
    case VOp::dot_u8s8:
        if (!target().vnni || o.d != o.c) return false;
        vpdpbusd(d, a, in_b, target().masks ? Xbyak::EvexEncoding : Xbyak::VexEncoding);
        return true;
    case VOp::fsqrt:
        BY_ES(NONE, NONE, vsqrtps(d, a), vsqrtpd(d, a))
    case VOp::fround: // 8: nearest even whatever the current mode, and no exception
        if (n == 64)
            BY_ES(NONE, NONE, vrndscaleps(d, a, 8), vrndscalepd(d, a, 8))
        else if (o.d < 16 && o.a < 16)
            BY_ES(NONE, NONE, vroundps(d, a, 8), vroundpd(d, a, 8))
        else
            BY_ES(NONE, NONE, vrndscaleps(d, a, 8), vrndscalepd(d, a, 8))
    case VOp::f32_to_s32:
        vcvtps2dq(d, a);
        return true;
    case VOp::s32_to_f32:
        vcvtdq2ps(d, a);
        return true;
    case VOp::f32_to_f16:
        vcvtps2ph(v(o.d, n / 2), a, 0);
        return true; // 0: nearest even whatever the current mode
    case VOp::f16_to_f32:
        vcvtph2ps(d, v(o.a, n / 2));
        return true;
    default:
        return false;
    }
#undef NONE
#undef BY_ES
}

// One of the three forms: 213 d = b * d + c, 231 d = a * b + d, 132 d = d * b + c; the last operand may be memory.
bool Frame::fused(const Inst& i, const Operands& o) {
    if (i.es != 4 && i.es != 8) return false;
    const bool single = i.es == 4;
    const int n = i.bytes;
    const Ymm &d = v(o.d, n), &a = v(o.a, n), &in_b = v(o.b < 0 ? 0 : o.b, n), &in_c = v(o.c < 0 ? 0 : o.c, n);
    const Xbyak::Address memory = home(o);
    if (o.from_table == FromTable::b && o.d == o.a) {
        single ? vfmadd132ps(d, in_c, memory) : vfmadd132pd(d, in_c, memory);
        return true;
    }
    const Xbyak::Operand& b = o.from_table == FromTable::b ? static_cast<const Xbyak::Operand&>(memory) : in_b;
    const Xbyak::Operand& c = o.from_table == FromTable::c ? static_cast<const Xbyak::Operand&>(memory) : in_c;
    if (o.d == o.a || o.d == o.b) {
        const Ymm other = o.d == o.a ? in_b : a;
        single ? vfmadd213ps(d, other, c) : vfmadd213pd(d, other, c);
        return true;
    }
    if (o.d != o.c) vmovaps(d, c);
    single ? vfmadd231ps(d, a, b) : vfmadd231pd(d, a, b);
    return true;
}

} // namespace tessera::cpu::jit
