// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/emit/frame.hpp"

namespace tessera::cpu::jit {

// Without AMX or without a row register no op is known, which ends in no result.
bool Frame::tiles(const Inst& i) {
    if (!target().amx) return false;
    const auto tile = [&](Reg r) { return Xbyak::Tmm(r < 0 ? 0 : allocation_.reg[size_t(r)]); };
    switch (i.op) {
    case VOp::tile_configure:
        ldtilecfg(mem(i));
        return true;
    case VOp::tile_release:
        tilerelease();
        return true;
    case VOp::tile_zero:
        tilezero(tile(i.d));
        return true;
    case VOp::tile_load:
        if (i.index < 0) return false;
        i.imm ? tileloaddt1(tile(i.d), mem(i)) : tileloadd(tile(i.d), mem(i));
        return true;
    case VOp::tile_store:
        if (i.index < 0) return false;
        tilestored(mem(i), tile(i.a));
        return true;
    case VOp::tile_dot_bf16:
        if (i.d != i.c) return false;
        tdpbf16ps(tile(i.d), tile(i.a), tile(i.b));
        return true;
    case VOp::tile_dot_f16:
        if (i.d != i.c || !target().amx_f16) return false;
        // tdpfp16ps, which Xbyak has from 6.68 on: VEX.128.F2.0F38.W0 5C, registers in ModRM.reg, ModRM.rm and
        // VEX.vvvv.
        for (const int byte : {0xc4, 0xe2, (~tile(i.b).getIdx() & 0xf) << 3 | 3, 0x5c,
                               0xc0 | tile(i.d).getIdx() << 3 | tile(i.a).getIdx()})
            db(unsigned(byte));
        return true;
    case VOp::tile_dot_bytes:
        if (i.d != i.c) return false;
        switch (i.imm) {
        case 0:
            tdpbuud(tile(i.d), tile(i.a), tile(i.b));
            return true;
        case 1:
            tdpbsud(tile(i.d), tile(i.a), tile(i.b));
            return true;
        case 2:
            tdpbusd(tile(i.d), tile(i.a), tile(i.b));
            return true;
        default:
            tdpbssd(tile(i.d), tile(i.a), tile(i.b));
            return true;
        }
    default:
        return false;
    }
}

} // namespace tessera::cpu::jit
