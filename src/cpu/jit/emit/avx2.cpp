// SPDX-License-Identifier: Apache-2.0
// emit_avx2: the vector ops where AVX2 (with FMA and F16C) differs from AVX-512. Masks are vectors whose elements are
// all ones or zero; the last vector and r11 are free here.
#include "cpu/jit/emit/frame.hpp"

namespace tessera::cpu::jit {

namespace {

class Avx2 final : public Frame {
public:
    using Frame::Frame;

private:
    bool vector(const Inst& i, const Operands& o) override;
    bool pieces(const Inst& i, const Operands& o);
    bool integers(const Inst& i, const Operands& o);
    bool quads(const Inst& i, const Operands& o);
    bool compare(const Inst& i, const Operands& o);
    bool permute(const Inst& i, int d, int a, int b);
    bool narrow(const Inst& i, const Operands& o);
    void load(const Inst& i, int d);
    void load_part(const Inst& i, int offset, int n, int d);
    void store(const Inst& i, int a);
    void store_part(const Inst& i, int offset, int n, int a);

    int last() const { return target().vectors - 1; }
    Ymm free_vector(int bytes) const { return v(last(), bytes); }
};

// Parts of 8, 4, 2 and 1 bytes: nothing outside is read.
void Avx2::load_part(const Inst& i, int offset, int n, int number) {
    const Ymm d = v(number, 16);
    int done = 0;
    if (n >= 8)
        vmovq(d, mem(i, offset)), done = 8;
    else if (n >= 4)
        vmovd(d, mem(i, offset)), done = 4;
    else
        vpxor(d, d, d);
    if (n - done >= 4) vpinsrd(d, d, mem(i, offset + done), uint8_t(done / 4)), done += 4;
    if (n - done >= 2) vpinsrw(d, d, mem(i, offset + done), uint8_t(done / 2)), done += 2;
    if (n - done >= 1) vpinsrb(d, d, mem(i, offset + done), uint8_t(done));
}

void Avx2::load(const Inst& i, int d) {
    const int n = i.bytes;
    if (n == 32)
        vmovups(v(d, 32), mem(i));
    else if (n < 16)
        load_part(i, 0, n, d);
    else {
        vmovups(v(d, 16), mem(i));
        if (n == 16) return;
        load_part(i, 16, n - 16, last());
        vinserti128(v(d, 32), v(d, 32), free_vector(16), 1);
    }
}

void Avx2::store_part(const Inst& i, int offset, int n, int number) {
    const Ymm a = v(number, 16);
    int done = 0;
    if (n >= 8)
        vmovq(mem(i, offset), a), done = 8;
    else if (n >= 4)
        vmovd(mem(i, offset), a), done = 4;
    if (n - done >= 4) vpextrd(mem(i, offset + done), a, uint8_t(done / 4)), done += 4;
    if (n - done >= 2) vpextrw(mem(i, offset + done), a, uint8_t(done / 2)), done += 2;
    if (n - done >= 1) vpextrb(mem(i, offset + done), a, uint8_t(done));
}

void Avx2::store(const Inst& i, int a) {
    const int n = i.bytes;
    if (n == 32)
        vmovups(mem(i), v(a, 32));
    else if (n < 16)
        store_part(i, 0, n, a);
    else {
        vmovups(mem(i), v(a, 16));
        if (n == 16) return;
        vextracti128(free_vector(16), v(a, 32), 1);
        store_part(i, 16, n - 16, last());
    }
}

bool Avx2::pieces(const Inst& i, const Operands& o) {
    const int n = i.bytes, es = i.es;
    if (i.imm < 0 || (i.imm + 1) * es > n || (es != 8 && es != 16 && es != 32)) return false;
    const auto piece = uint8_t(i.imm);
    const Ymm d = v(o.d, n), a = v(o.a, n);
    if (i.op == VOp::extract) {
        const bool high = piece * es >= 16;
        if (high)
            vextracti128(v(o.d, 16), a, 1);
        else if (es != 8)
            vmovups(v(o.d, es), v(o.a, es));
        if (es != 8) return true;
        const Ymm from = v(high ? o.d : o.a, 16);
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
    if (es == n)
        vmovups(d, from);
    else if (es == 16)
        vinserti128(d, a, from, piece);
    else if (n == 16 && from_memory)
        vpinsrq(d, a, m, piece);
    else { // vpinsrq reaches the lower lane alone
        vpbroadcastq(free_vector(n), from);
        vpblendd(d, a, free_vector(n), uint8_t(3 << 2 * piece));
    }
    return true;
}

// Comparisons and minima of 8 bytes, which AVX2 has as "signed greater" alone. vblendvpd reads the top bit of a mask.
bool Avx2::quads(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    const Ymm d = v(o.d, n), a = v(o.a, n), b = v(o.b < 0 ? 0 : o.b, n), t = free_vector(n);
    switch (i.op) {
    case VOp::imin:
        vpcmpgtq(t, a, b);
        break;
    case VOp::imax:
        vpcmpgtq(t, b, a);
        break;
    case VOp::umin: // where the signs differ the unsigned order is the other one
        vpcmpgtq(t, a, b);
        vpxor(t, t, a);
        vpxor(t, t, b);
        break;
    default:
        return false;
    }
    vblendvpd(d, a, b, t);
    return true;
}

bool Avx2::integers(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    const Ymm d = v(o.d, n), a = v(o.a, n), in_b = v(o.b < 0 ? 0 : o.b, n);
    const Xbyak::Address memory = home(o);
    const Xbyak::Operand& b = o.from_table == FromTable::b ? static_cast<const Xbyak::Operand&>(memory) : in_b;
    switch (i.op) {
    case VOp::iand:
        vpand(d, a, b);
        return true;
    case VOp::ior:
        vpor(d, a, b);
        return true;
    case VOp::ixor:
        vpxor(d, a, b);
        return true;
    case VOp::iandn:
        vpandn(d, a, b);
        return true;
    default:
        return false;
    }
}

bool Avx2::compare(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    const Ymm d = v(o.d, n);
    if (i.imm < 0 || i.imm > 7) return false;
    if (i.op == VOp::fcmp) {
        const Ymm in_b = v(o.b < 0 ? 0 : o.b, n);
        const Xbyak::Address memory = home(o);
        const Xbyak::Operand& b = o.from_table == FromTable::b ? static_cast<const Xbyak::Operand&>(memory) : in_b;
        if (i.es == 4)
            vcmpps(d, v(o.a, n), b, uint8_t(i.imm));
        else if (i.es == 8)
            vcmppd(d, v(o.a, n), b, uint8_t(i.imm));
        else
            return false;
        return true;
    }
    const bool equal = (i.imm & 3) == 0; // imm + 4 is the opposite of imm
    if ((i.imm & 3) == 3) return false;
    // 1: a < b is b > a; 2: a <= b is not a > b
    const Ymm a = v(i.imm == 1 || i.imm == 5 ? o.b : o.a, n), b = v(i.imm == 1 || i.imm == 5 ? o.a : o.b, n);
    switch (i.es) {
    case 1:
        equal ? vpcmpeqb(d, a, b) : vpcmpgtb(d, a, b);
        break;
    case 2:
        equal ? vpcmpeqw(d, a, b) : vpcmpgtw(d, a, b);
        break;
    case 4:
        equal ? vpcmpeqd(d, a, b) : vpcmpgtd(d, a, b);
        break;
    case 8:
        equal ? vpcmpeqq(d, a, b) : vpcmpgtq(d, a, b);
        break;
    default:
        return false;
    }
    if (i.imm == 2 || i.imm == 4 || i.imm == 5) {
        vpcmpeqd(free_vector(n), free_vector(n), free_vector(n));
        vpxor(d, d, free_vector(n));
    }
    return true;
}

// Elements of 4 bytes; those of 8 are pairs of them.
bool Avx2::permute(const Inst& i, int d, int a, int b) {
    const int n = i.bytes;
    if (i.es != 4 && i.es != 8) return false;
    if (i.es == 8) {
        std::vector<uint8_t> odd(32, 0);
        for (int k = 4; k < 32; k += 8) odd[size_t(k)] = 1;
        const Ymm t = free_vector(n);
        vpshufd(t, v(b, n), 0xa0); // the low half of each index, twice
        vpaddd(t, t, t);
        vpaddd(t, t, table(std::move(odd)));
        b = last();
    }
    if (n == 16)
        vpermilps(v(d, n), v(a, n), v(b, n)); // reads the low 2 bits of the table
    else
        vpermd(v(d, n), v(b, n), v(a, n));
    return true;
}

// In every lane the kept bytes go down, zeros above them, then the lanes close up.
bool Avx2::narrow(const Inst& i, const Operands& o) {
    const int from = i.es, to = int(i.imm);
    if (from > 8 || to < 1 || from <= to) return false;
    std::vector<uint8_t> kept(32, 0x80);
    for (int lane = 0; lane < 32; lane += 16)
        for (int e = 0; e < 16 / from; ++e)
            for (int byte = 0; byte < to; ++byte) kept[size_t(lane + e * to + byte)] = uint8_t(e * from + byte);
    vpshufb(v(o.d, i.bytes), v(o.a, i.bytes), table(std::move(kept)));
    if (i.bytes == 16) return true;
    const Ymm d = v(o.d, 16), high = free_vector(16);
    if (from / to == 2) {
        vpermq(v(o.d, 32), v(o.d, 32), 0xd8);
        return true;
    }
    vextracti128(high, v(o.d, 32), 1);
    if (from / to == 4)
        vpunpckldq(d, d, high);
    else
        vpunpcklwd(d, d, high);
    return true;
}

bool Avx2::vector(const Inst& i, const Operands& o) {
    const int n = i.bytes;
    if (i.op == VOp::load || i.op == VOp::store) {
        if (n < 1 || n > 32) return false;
        i.op == VOp::load ? load(i, o.d) : store(i, o.a);
        return true;
    }
    if (n != 16 && n != 32) return false;
    switch (i.op) {
    case VOp::load_masked:
    case VOp::store_masked:
    case VOp::mask_first:
    case VOp::mask_constant:
        return false;
    case VOp::broadcast:
        if (i.es != 16 || n == 16) return shared_vector(i, o);
        vbroadcasti128(v(o.d, n), mem(i));
        return true;
    case VOp::insert:
    case VOp::insert_reg:
    case VOp::extract:
        return pieces(i, o);
    case VOp::lanes:
        if (n == 16) return false;
        vperm2i128(v(o.d, n), v(o.a, n), v(o.b, n), uint8_t((i.imm & 1) | ((i.imm >> 1 & 1) | 2) << 4));
        return true;
    case VOp::permute:
        return permute(i, o.d, o.a, o.b);
    case VOp::permute_merge:
        if (!permute(i, last(), o.c, o.b)) return false;
        vpblendvb(v(o.d, n), v(o.a, n), free_vector(n), v(o.k, n));
        return true;
    case VOp::narrow:
        return narrow(i, o);
    case VOp::icmp:
    case VOp::fcmp:
        return compare(i, o);
    case VOp::fcmp_and:
        if (i.es != 4) return false;
        vcmpps(free_vector(n), v(o.a, n), v(o.b, n), uint8_t(i.imm));
        vpand(v(o.d, n), v(o.k, n), free_vector(n));
        return true;
    case VOp::fmin_nan:
    case VOp::fmax_nan: // all bits, as a comparison gives, are a NaN
        if (i.es != 4) return false;
        vcmpunordps(free_vector(n), v(o.a, n), v(o.b, n));
        i.op == VOp::fmin_nan ? vminps(v(o.d, n), v(o.a, n), v(o.b, n)) : vmaxps(v(o.d, n), v(o.a, n), v(o.b, n));
        vorps(v(o.d, n), v(o.d, n), free_vector(n));
        return true;
    case VOp::gmask:
        if (i.es == 1)
            vpmovmskb(g(i.d).cvt32(), v(o.k, n));
        else if (i.es == 4)
            vmovmskps(g(i.d).cvt32(), v(o.k, n));
        else if (i.es == 8)
            vmovmskpd(g(i.d).cvt32(), v(o.k, n));
        else
            return false;
        return true;
    case VOp::select:
        if (o.from_table == FromTable::a)
            vpblendvb(v(o.d, n), v(o.b, n), home(o), v(o.k, n));
        else
            vpblendvb(v(o.d, n), v(o.b, n), v(o.a, n), v(o.k, n));
        return true;
    case VOp::mask_and:
        vpand(v(o.d, n), v(o.a, n), v(o.b, n));
        return true;
    case VOp::mask_or:
        vpor(v(o.d, n), v(o.a, n), v(o.b, n));
        return true;
    case VOp::mask_xor:
        vpxor(v(o.d, n), v(o.a, n), v(o.b, n));
        return true;
    case VOp::mask_vector:
        vmovups(v(o.d, n), v(o.k, n));
        return true;
    case VOp::iand:
    case VOp::ior:
    case VOp::ixor:
    case VOp::iandn:
        return integers(i, o);
    case VOp::imin:
    case VOp::imax:
    case VOp::umin:
        if (i.es == 8) return quads(i, o);
        return shared_vector(i, o);
    default:
        return shared_vector(i, o);
    }
}

} // namespace

std::optional<std::vector<uint8_t>> emit_avx2(const Code& code, const Allocation& allocation, std::span<uint8_t> room) {
    if (code.target().masks || code.target().vector_bytes != 32 || code.target().vectors > 16) return std::nullopt;
    return Avx2(code, allocation, room).run();
}

} // namespace tessera::cpu::jit
