// SPDX-License-Identifier: Apache-2.0
// emit_frame: what the emitters of both instruction sets share: prologue and epilogue, general registers, loops and
// conditions, spilled vectors, constants, and the vector ops that one mnemonic encodes for either set.
//
// An emitter derives from Frame and implements vector() for the rest; false means "not on this target", which ends in
// no result. In vector() d may be a, b or c only where vcode names one variable twice, so a sequence must not write d
// before its last read of an operand. Free to use there: r11, with masks k7, without masks the last vector.
//
// Constants without a register are memory operands of the ops that regalloc.hpp names, else they are loaded to a
// reserved vector; they have no slot.
//
// Frame: [rsp, rsp + slots * W) spilled vectors, aligned to 64; above them the rsp to return to.
// After the code: constants and tables, aligned to 64 of the code's start, which callers therefore place at 64.
#pragma once

#ifndef XBYAK_NO_OP_NAMES
#define XBYAK_NO_OP_NAMES // and_() instead of and(): the latter needs -fno-operator-names
#endif
#include <xbyak/xbyak.h>

#include <deque>
#include <span>
#include <vector>

#include "cpu/jit/emit/emit.hpp"

namespace tessera::cpu::jit {

// Physical numbers of an instruction's registers; -1 for none. One vector may lie in memory instead: constant `table`.
struct Operands {
    int d = -1, a = -1, b = -1, c = -1, k = -1;
    FromTable from_table = FromTable::none;
    int64_t table = -1;
};

class Frame : protected Xbyak::CodeGenerator {
public:
    // Code is written to `room`, or, where it is empty, to as many bytes as there may be.
    Frame(const Code& code, const Allocation& allocation, std::span<uint8_t> room);
    virtual ~Frame() = default;
    std::optional<std::vector<uint8_t>> run();

protected:
    using Ymm = Xbyak::Ymm;

    virtual bool vector(const Inst& i, const Operands& o) = 0;
    bool shared_vector(const Inst& i, const Operands& o); // emit_vectors.cpp
    bool fused(const Inst& i, const Operands& o);
    bool tiles(const Inst& i); // emit_tiles.cpp: true when it was an op of tiles

    // Vector register of 16, 32 or 64 bytes, the smallest that holds `bytes`: Ymm is but the type that every mnemonic
    // takes, the kind inside says the size. From a table: Xbyak's registers are bit fields, whose making stalls.
    static const Ymm& v(int number, int bytes);
    Xbyak::Address mem(const Inst& i, int offset = 0);
    Xbyak::Address constant(int64_t index);
    // The operand in memory, or an address that nobody uses.
    Xbyak::Address home(const Operands& o) { return o.from_table == FromTable::none ? nobody_ : constant(o.table); }
    Xbyak::Address table(std::vector<uint8_t> bytes); // kept once, W bytes at most
    const Xbyak::Reg64& g(Reg r) const;
    const Target& target() const { return code_.target(); }

private:
    struct Table {
        std::span<const uint8_t> bytes;
        std::vector<uint8_t> own; // of the emitter's
        Xbyak::Label label;
    };

    void prologue();
    void epilogue();
    void tables();
    bool general(const Inst& i);   // true when it was an op of general registers
    bool structure(const Inst& i); // true when it was a loop or a condition
    void sum(const Inst& i);
    void sum_mem(const Inst& i);
    void difference(const Inst& i);
    void product(const Inst& i);
    void minimum(const Inst& i);
    void compare(Reg a, int64_t limit);
    void jump_to_end(uint8_t condition); // of the condition that begins
    bool with_spills(Inst i);
    Xbyak::Address slot(Reg r);

    const Code& code_;
    const Allocation& allocation_;
    const Xbyak::Address nobody_ = ptr[rsp];
    std::vector<int> saved_;   // callee-saved registers in use
    std::vector<size_t> open_; // offsets: starts of loops, distances of conditions to fill in
    std::deque<Table> tables_; // the code's constants first; labels stay where they are
};

} // namespace tessera::cpu::jit
