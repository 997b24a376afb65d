// SPDX-License-Identifier: Apache-2.0
// vcode: straight code over virtual registers with structured loops; what tile builders write and emitters read.
//
// Registers are variables: an op may write one that it reads. There are vectors (W bytes), masks (one bit an element),
// 64-bit general registers, and tiles, which are the processor's: the nth that a code asks for is tile n. The generated
// function is void(Args*): `args()` is the register with its argument.
//
//   Code c(target, "copy");
//   Gpr src = c.gload({c.args(), 0}), dst = c.gload({c.args(), 8}), n = c.gload({c.args(), 16});
//   c.loop();
//   c.store({dst}, c.load({src}));
//   c.gadd(src, src, 64), c.gadd(dst, dst, 64);
//   c.end_loop(n, 1);                       // n -= 1, again while n > 0
//
// Every op is one line of vcode.def; tests execute vcode with an interpreter and compare with the emitted code.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cpu/jit/target.hpp"

namespace tessera::cpu::jit {

enum class VOp : uint8_t {
#define VCODE(name, meaning) name,
#include "cpu/jit/vcode.def"
#undef VCODE
};

enum class RegClass : uint8_t { vec, mask, gpr, tile };

using Reg = int16_t; // index into Code::classes; -1 for none
struct Vec {
    Reg id = -1;
};
struct Mask {
    Reg id = -1;
};
struct Gpr {
    Reg id = -1;
};
struct Tmm {
    Reg id = -1;
};

struct Mem {
    Gpr base = {};
    int64_t disp = 0; // fits 32 bits
    Gpr index = {};
    int scale = 1; // 1 2 4 8
};

struct Inst {
    VOp op;
    uint8_t es = 0, bytes = 0;
    Reg d = -1, a = -1, b = -1, c = -1, k = -1;
    Reg base = -1, index = -1;
    uint8_t scale = 1;
    int32_t disp = 0;
    int64_t imm = 0;
};

class Code {
public:
    // Without a name it gets that of its kernel. Room for so many instructions is there from the start.
    explicit Code(const Target& target, std::string name = {}, size_t instructions = 256);

    const Target& target() const { return target_; }
    const std::string& name() const { return name_; }
    void set_name(std::string name) { name_ = std::move(name); }
    int width() const { return target_.vector_bytes; }
    std::span<const Inst> insts() const { return insts_; }
    const std::vector<RegClass>& classes() const { return classes_; }
    // Tables that `constant` refers to, of which the first W bytes count; equal ones are kept once.
    using Constant = std::array<uint8_t, 64>;
    const std::vector<Constant>& constants() const { return constants_; }
    Gpr args() const { return Gpr{0}; }

    Vec vec() { return Vec{fresh(RegClass::vec)}; }
    Mask mask() { return Mask{fresh(RegClass::mask)}; }
    Gpr gpr() { return Gpr{fresh(RegClass::gpr)}; }
    Tmm tile() { return Tmm{fresh(RegClass::tile)}; } // at most 8

    // bytes 0 = W
    Vec load(Mem m, int bytes = 0);
    Vec load_masked(Mem m, Mask k, int es, int bytes = 0);
    Vec broadcast(Mem m, int es, int bytes = 0);
    Vec insert(Vec a, Mem m, int es, int piece, int bytes = 0);
    Vec load_widen(Mem m, int from, int to, bool sign, int bytes = 0, Mask k = {});
    void store(Mem m, Vec a, int bytes = 0);
    void store_masked(Mem m, Vec a, Mask k, int es, int bytes = 0);
    void stream(Mem m, Vec a, int bytes = 0);
    void prefetch(Mem m, int how);
    void fence();
    Vec constant(std::span<const uint8_t> table); // W bytes, or a divisor of W, repeated
    Vec constant_u32(uint32_t value);             // in every 4 bytes
    Vec constant_f32(float value);

    Vec zero();
    void copy(Vec d, Vec a);
    Vec insert_reg(Vec a, Vec b, int es, int piece, int bytes = 0);
    Vec extract(Vec a, int es, int piece);
    Vec unpack(bool high, Vec a, Vec b, int es, int bytes = 0);
    Vec lanes(Vec a, Vec b, int imm, int bytes = 0);
    Vec shuffle(Vec a, Vec table, int bytes = 0);
    Vec permute(Vec a, Vec table, int es, int bytes = 0);
    Vec permute_merge(Vec a, Vec c, Vec table, Mask k, int es, int bytes = 0);
    void permute_into(Vec d, Vec c, Vec table, Mask k, int es); // permute_merge in place: no copy of d
    Vec permute2(Vec a, Vec c, Vec table, int es, int bytes = 0);
    Vec pack(bool to_unsigned, Vec a, Vec b, int es, int bytes = 0);
    Vec widen(Vec a, int from, int to, bool sign, int bytes = 0);
    Vec narrow(Vec a, int from, int to, int bytes = 0);

    Vec op2(VOp op, Vec a, Vec b, int es = 4, int bytes = 0);              // iadd .. shrv, fadd .. fmax_nan
    void op2_into(VOp op, Vec d, Vec a, Vec b, int es = 4, int bytes = 0); // d may be a or b
    Vec shift(VOp op, Vec a, int count, int es = 4, int bytes = 0);
    Vec fma(Vec a, Vec b, Vec c, int es = 4, int bytes = 0);
    void fma_into(Vec d, Vec a, Vec b, int es = 4, int bytes = 0); // d = a * b + d
    void dot_into(VOp op, Vec d, Vec a, Vec b);                    // dot_bf16, dot_u8s8
    Vec unary(VOp op, Vec a, int bytes = 0, int es = 4);           // conversions, fsqrt, fround
    Mask icmp(Vec a, Vec b, int how, int es = 4, int bytes = 0);
    Mask fcmp(Vec a, Vec b, int how, int es = 4, int bytes = 0);
    Mask fcmp_and(Mask k, Vec a, Vec b, int how, int bytes = 0);
    void fcmp_and_into(Mask d, Mask k, Vec a, Vec b, int how, int bytes = 0); // d may be k
    Vec select(Mask k, Vec a, Vec b, int es = 4, int bytes = 0);

    void tile_configure(Mem m);
    void tile_release();
    void tile_zero(Tmm d);
    void tile_load(Tmm d, Mem m, Gpr row, bool passes = false); // m without index
    void tile_store(Mem m, Gpr row, Tmm a);
    void tile_dot_bf16(Tmm d, Tmm a, Tmm b);
    void tile_dot_f16(Tmm d, Tmm a, Tmm b);
    void tile_dot_bytes(Tmm d, Tmm a, Tmm b, bool sign_a, bool sign_b);

    Mask fdenormal(Vec a, int bytes = 0);
    Mask mask_op(VOp op, Mask a, Mask b, int es = 4); // mask_and .. mask_xor
    Vec mask_vector(Mask k, int es = 4, int bytes = 0);
    Mask mask_first(Gpr count);
    Mask mask_constant(uint64_t bits);
    Gpr gmask(Mask k, int es);
    Gpr gload(Mem m);
    void gload(Gpr d, Mem m);
    Gpr gload_s32(Mem m);
    void gstore(Mem m, Gpr a);
    Gpr gset(int64_t value);
    Gpr gcopy(Gpr a);
    void gcopy(Gpr d, Gpr a);
    void gadd(Gpr d, Gpr a, Gpr b);
    void gadd(Gpr d, Gpr a, int64_t b);
    void gadd_mem(Gpr d, Gpr a, Mem m);
    void gsub(Gpr d, Gpr a, Gpr b);
    void gsub(Gpr d, Gpr a, int64_t b);
    Gpr gmul(Gpr a, Gpr b);
    Gpr gmul(Gpr a, int64_t b);
    Gpr gshl(Gpr a, int count);
    Gpr gaddress(Mem m);
    Gpr gmin(Gpr a, Gpr b);

    void loop();
    void end_loop(Gpr counter, int64_t step);
    void if_positive(Gpr a);
    void if_less(Gpr a, int64_t limit);
    void end_if();

private:
    Reg fresh(RegClass c);
    Inst& add(VOp op, int es = 0, int bytes = 0);
    Inst& memory(VOp op, Mem m, int es, int bytes);

    Target target_;
    std::string name_;
    std::vector<Inst> insts_;
    std::vector<RegClass> classes_;
    std::vector<Constant> constants_;
};

std::string to_string(const Code& code); // one op a line, indented by structure

} // namespace tessera::cpu::jit
