// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/vcode.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tessera::cpu::jit {

Code::Code(const Target& target, std::string name, size_t instructions) : target_(target), name_(std::move(name)) {
    insts_.reserve(instructions), classes_.reserve(instructions);
    classes_.push_back(RegClass::gpr); // args()
}

Reg Code::fresh(RegClass c) {
    classes_.push_back(c);
    return Reg(classes_.size() - 1);
}

Inst& Code::add(VOp op, int es, int bytes) {
    Inst i{op};
    i.es = uint8_t(es);
    i.bytes = uint8_t(bytes ? bytes : target_.vector_bytes);
    return insts_.emplace_back(i);
}

Inst& Code::memory(VOp op, Mem m, int es, int bytes) {
    Inst& i = add(op, es, bytes);
    i.base = m.base.id, i.index = m.index.id, i.scale = uint8_t(m.scale), i.disp = int32_t(m.disp);
    return i;
}

Vec Code::load(Mem m, int bytes) {
    const Vec d = vec();
    memory(VOp::load, m, 0, bytes).d = d.id;
    return d;
}
Vec Code::load_masked(Mem m, Mask k, int es, int bytes) {
    const Vec d = vec();
    Inst& i = memory(VOp::load_masked, m, es, bytes);
    i.d = d.id, i.k = k.id;
    return d;
}
Vec Code::broadcast(Mem m, int es, int bytes) {
    const Vec d = vec();
    memory(VOp::broadcast, m, es, bytes).d = d.id;
    return d;
}
Vec Code::insert(Vec a, Mem m, int es, int piece, int bytes) {
    const Vec d = vec();
    Inst& i = memory(VOp::insert, m, es, bytes);
    i.d = d.id, i.a = a.id, i.imm = piece;
    return d;
}
Vec Code::load_widen(Mem m, int from, int to, bool sign, int bytes, Mask k) {
    const Vec d = vec();
    Inst& i = memory(sign ? VOp::load_widen_s : VOp::load_widen_z, m, from, bytes);
    i.d = d.id, i.k = k.id, i.imm = to;
    return d;
}
void Code::store(Mem m, Vec a, int bytes) { memory(VOp::store, m, 0, bytes).a = a.id; }
void Code::store_masked(Mem m, Vec a, Mask k, int es, int bytes) {
    Inst& i = memory(VOp::store_masked, m, es, bytes);
    i.a = a.id, i.k = k.id;
}
void Code::stream(Mem m, Vec a, int bytes) { memory(VOp::stream, m, 0, bytes).a = a.id; }
void Code::prefetch(Mem m, int how) { memory(VOp::prefetch, m, 0, 0).imm = how; }
void Code::fence() { add(VOp::fence); }

Vec Code::constant(std::span<const uint8_t> table) {
    Constant full;
    for (size_t at = 0; at < full.size(); at += table.size())
        std::memcpy(full.data() + at, table.data(), std::min(table.size(), full.size() - at));
    const auto it = std::ranges::find(constants_, full);
    const int64_t index = it - constants_.begin();
    if (it == constants_.end()) constants_.push_back(full);
    const Vec d = vec();
    Inst& i = add(VOp::constant);
    i.d = d.id, i.imm = index;
    return d;
}
Vec Code::constant_u32(uint32_t value) {
    uint8_t table[4];
    std::memcpy(table, &value, 4);
    return constant(table);
}
Vec Code::constant_f32(float value) { return constant_u32(std::bit_cast<uint32_t>(value)); }

Vec Code::zero() {
    const Vec d = vec();
    add(VOp::zero).d = d.id;
    return d;
}
void Code::copy(Vec d, Vec a) {
    Inst& i = add(VOp::copy);
    i.d = d.id, i.a = a.id;
}
Vec Code::insert_reg(Vec a, Vec b, int es, int piece, int bytes) {
    const Vec d = op2(VOp::insert_reg, a, b, es, bytes);
    insts_.back().imm = piece;
    return d;
}
Vec Code::extract(Vec a, int es, int piece) {
    const Vec d = unary(VOp::extract, a);
    insts_.back().es = uint8_t(es), insts_.back().imm = piece;
    return d;
}
Vec Code::unpack(bool high, Vec a, Vec b, int es, int bytes) {
    return op2(high ? VOp::unpack_hi : VOp::unpack_lo, a, b, es, bytes);
}
Vec Code::lanes(Vec a, Vec b, int imm, int bytes) {
    const Vec d = op2(VOp::lanes, a, b, 16, bytes);
    insts_.back().imm = imm;
    return d;
}
Vec Code::shuffle(Vec a, Vec table, int bytes) { return op2(VOp::shuffle, a, table, 1, bytes); }
Vec Code::permute(Vec a, Vec table, int es, int bytes) { return op2(VOp::permute, a, table, es, bytes); }
Vec Code::permute_merge(Vec a, Vec c, Vec table, Mask k, int es, int bytes) {
    const Vec d = op2(VOp::permute_merge, a, table, es, bytes);
    insts_.back().c = c.id, insts_.back().k = k.id;
    return d;
}
void Code::permute_into(Vec d, Vec c, Vec table, Mask k, int es) {
    Inst& i = add(VOp::permute_merge, es);
    i.d = i.a = d.id, i.b = table.id, i.c = c.id, i.k = k.id;
}
Vec Code::permute2(Vec a, Vec c, Vec table, int es, int bytes) {
    const Vec d = op2(VOp::permute2, a, table, es, bytes);
    insts_.back().c = c.id;
    return d;
}
Vec Code::pack(bool to_unsigned, Vec a, Vec b, int es, int bytes) {
    return op2(to_unsigned ? VOp::pack_us : VOp::pack_ss, a, b, es, bytes);
}
Vec Code::widen(Vec a, int from, int to, bool sign, int bytes) {
    const Vec d = unary(sign ? VOp::widen_s : VOp::widen_z, a, bytes);
    insts_.back().es = uint8_t(from), insts_.back().imm = to;
    return d;
}
Vec Code::narrow(Vec a, int from, int to, int bytes) {
    const Vec d = unary(VOp::narrow, a, bytes);
    insts_.back().es = uint8_t(from), insts_.back().imm = to;
    return d;
}

Vec Code::op2(VOp op, Vec a, Vec b, int es, int bytes) {
    const Vec d = vec();
    op2_into(op, d, a, b, es, bytes);
    return d;
}
void Code::op2_into(VOp op, Vec d, Vec a, Vec b, int es, int bytes) {
    Inst& i = add(op, es, bytes);
    i.d = d.id, i.a = a.id, i.b = b.id;
}
Vec Code::shift(VOp op, Vec a, int count, int es, int bytes) {
    const Vec d = vec();
    Inst& i = add(op, es, bytes);
    i.d = d.id, i.a = a.id, i.imm = count;
    return d;
}
Vec Code::fma(Vec a, Vec b, Vec c, int es, int bytes) {
    const Vec d = op2(VOp::fma, a, b, es, bytes);
    insts_.back().c = c.id;
    return d;
}
void Code::fma_into(Vec d, Vec a, Vec b, int es, int bytes) {
    op2_into(VOp::fma, d, a, b, es, bytes);
    insts_.back().c = d.id;
}
void Code::dot_into(VOp op, Vec d, Vec a, Vec b) {
    op2_into(op, d, a, b);
    insts_.back().c = d.id;
}
Vec Code::unary(VOp op, Vec a, int bytes, int es) {
    const Vec d = vec();
    Inst& i = add(op, es, bytes);
    i.d = d.id, i.a = a.id;
    return d;
}
Mask Code::icmp(Vec a, Vec b, int how, int es, int bytes) {
    const Mask d = mask();
    Inst& i = add(VOp::icmp, es, bytes);
    i.d = d.id, i.a = a.id, i.b = b.id, i.imm = how;
    return d;
}
Mask Code::fcmp(Vec a, Vec b, int how, int es, int bytes) {
    const Mask d = icmp(a, b, how, es, bytes);
    insts_.back().op = VOp::fcmp;
    return d;
}
Mask Code::fcmp_and(Mask k, Vec a, Vec b, int how, int bytes) {
    const Mask d = mask();
    fcmp_and_into(d, k, a, b, how, bytes);
    return d;
}
void Code::fcmp_and_into(Mask d, Mask k, Vec a, Vec b, int how, int bytes) {
    Inst& i = add(VOp::fcmp_and, 4, bytes);
    i.d = d.id, i.k = k.id, i.a = a.id, i.b = b.id, i.imm = how;
}
Vec Code::select(Mask k, Vec a, Vec b, int es, int bytes) {
    const Vec d = op2(VOp::select, a, b, es, bytes);
    insts_.back().k = k.id;
    return d;
}

Mask Code::mask_op(VOp op, Mask a, Mask b, int es) {
    const Mask d = mask();
    Inst& i = add(op, es);
    i.d = d.id, i.a = a.id, i.b = b.id;
    return d;
}
Vec Code::mask_vector(Mask k, int es, int bytes) {
    const Vec d = vec();
    Inst& i = add(VOp::mask_vector, es, bytes);
    i.d = d.id, i.k = k.id;
    return d;
}
Mask Code::fdenormal(Vec a, int bytes) {
    const Mask d = mask();
    Inst& i = add(VOp::fdenormal, 4, bytes);
    i.d = d.id, i.a = a.id;
    return d;
}
Mask Code::mask_first(Gpr count) {
    const Mask d = mask();
    Inst& i = add(VOp::mask_first);
    i.d = d.id, i.a = count.id;
    return d;
}
Mask Code::mask_constant(uint64_t bits) {
    const Mask d = mask();
    Inst& i = add(VOp::mask_constant);
    i.d = d.id, i.imm = int64_t(bits);
    return d;
}
Gpr Code::gmask(Mask k, int es) {
    const Gpr d = gpr();
    Inst& i = add(VOp::gmask, es);
    i.d = d.id, i.k = k.id;
    return d;
}
void Code::gload(Gpr d, Mem m) { memory(VOp::gload, m, 8, 8).d = d.id; }
Gpr Code::gload(Mem m) {
    const Gpr d = gpr();
    gload(d, m);
    return d;
}
Gpr Code::gload_s32(Mem m) {
    const Gpr d = gpr();
    memory(VOp::gload_s32, m, 4, 4).d = d.id;
    return d;
}
void Code::gstore(Mem m, Gpr a) { memory(VOp::gstore, m, 8, 8).a = a.id; }
Gpr Code::gset(int64_t value) {
    const Gpr d = gpr();
    Inst& i = add(VOp::gset);
    i.d = d.id, i.imm = value;
    return d;
}
void Code::gcopy(Gpr d, Gpr a) {
    Inst& i = add(VOp::gcopy);
    i.d = d.id, i.a = a.id;
}
Gpr Code::gcopy(Gpr a) {
    const Gpr d = gpr();
    gcopy(d, a);
    return d;
}
void Code::gadd(Gpr d, Gpr a, Gpr b) {
    Inst& i = add(VOp::gadd);
    i.d = d.id, i.a = a.id, i.b = b.id;
}
void Code::gadd(Gpr d, Gpr a, int64_t b) {
    Inst& i = add(VOp::gadd);
    i.d = d.id, i.a = a.id, i.imm = b;
}
void Code::gadd_mem(Gpr d, Gpr a, Mem m) {
    Inst& i = memory(VOp::gadd_mem, m, 8, 8);
    i.d = d.id, i.a = a.id;
}
void Code::gsub(Gpr d, Gpr a, Gpr b) {
    gadd(d, a, b);
    insts_.back().op = VOp::gsub;
}
void Code::gsub(Gpr d, Gpr a, int64_t b) {
    gadd(d, a, b);
    insts_.back().op = VOp::gsub;
}
Gpr Code::gmul(Gpr a, Gpr b) {
    const Gpr d = gpr();
    gadd(d, a, b);
    insts_.back().op = VOp::gmul;
    return d;
}
Gpr Code::gmul(Gpr a, int64_t b) {
    const Gpr d = gpr();
    gadd(d, a, b);
    insts_.back().op = VOp::gmul;
    return d;
}
Gpr Code::gshl(Gpr a, int count) {
    const Gpr d = gpr();
    gadd(d, a, count);
    insts_.back().op = VOp::gshl;
    return d;
}
Gpr Code::gaddress(Mem m) {
    const Gpr d = gpr();
    memory(VOp::gaddress, m, 8, 8).d = d.id;
    return d;
}
Gpr Code::gmin(Gpr a, Gpr b) {
    const Gpr d = gpr();
    gadd(d, a, b);
    insts_.back().op = VOp::gmin;
    return d;
}

void Code::tile_configure(Mem m) { memory(VOp::tile_configure, m, 0, 0); }
void Code::tile_release() { add(VOp::tile_release); }
void Code::tile_zero(Tmm d) { add(VOp::tile_zero).d = d.id; }
void Code::tile_load(Tmm d, Mem m, Gpr row, bool passes) {
    Inst& i = memory(VOp::tile_load, {m.base, m.disp, row, 1}, 0, 0);
    i.d = d.id, i.imm = passes;
}
void Code::tile_store(Mem m, Gpr row, Tmm a) { memory(VOp::tile_store, {m.base, m.disp, row, 1}, 0, 0).a = a.id; }
void Code::tile_dot_bf16(Tmm d, Tmm a, Tmm b) {
    Inst& i = add(VOp::tile_dot_bf16);
    i.d = i.c = d.id, i.a = a.id, i.b = b.id;
}
void Code::tile_dot_f16(Tmm d, Tmm a, Tmm b) {
    tile_dot_bf16(d, a, b);
    insts_.back().op = VOp::tile_dot_f16;
}
void Code::tile_dot_bytes(Tmm d, Tmm a, Tmm b, bool sign_a, bool sign_b) {
    tile_dot_bf16(d, a, b);
    insts_.back().op = VOp::tile_dot_bytes, insts_.back().imm = int(sign_a) | int(sign_b) << 1;
}

void Code::loop() { add(VOp::loop); }
void Code::end_loop(Gpr counter, int64_t step) {
    Inst& i = add(VOp::end_loop);
    i.d = i.a = counter.id, i.imm = step;
}
void Code::if_positive(Gpr a) { add(VOp::if_positive).a = a.id; }
void Code::if_less(Gpr a, int64_t limit) {
    Inst& i = add(VOp::if_less);
    i.a = a.id, i.imm = limit;
}
void Code::end_if() { add(VOp::end_if); }

} // namespace tessera::cpu::jit
