// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/emit/frame.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tessera::cpu::jit {

namespace {

// The longest op is a 31-byte store without masks: 10 instructions of at most 11 bytes.
constexpr size_t most_bytes_of_an_op = 160, most_bytes_around = 8192;

constexpr size_t distance_bytes = 4; // of a near jump

bool is_int32(int64_t x) { return x == int32_t(x); }

// From the heap, whose pages stay: a mapping for each kernel was a tenth of its time.
struct Heap final : Xbyak::Allocator {
    uint8_t* alloc(size_t size) override { return static_cast<uint8_t*>(Xbyak::AlignedMalloc(size, 64)); }
    bool useProtect() const override { return false; }
};
Heap heap;

struct Registers {
    std::array<Xbyak::Ymm, 32> vectors[3]; // of 16, 32, 64 bytes
    std::array<Xbyak::Reg64, 16> general;
    Registers() {
        using Xbyak::Operand;
        for (int n = 0; n < 32; ++n) {
            vectors[0][size_t(n)] = Xbyak::Ymm(n, Operand::XMM, 128), vectors[1][size_t(n)] = Xbyak::Ymm(n);
            vectors[2][size_t(n)] = Xbyak::Ymm(n, Operand::ZMM, 512);
        }
        for (int n = 0; n < 16; ++n) general[size_t(n)] = Xbyak::Reg64(n);
    }
};
const Registers registers;

// Xbyak's sum looks at all parts of both sides.
Xbyak::RegExp moved(const Xbyak::RegExp& address, int64_t by) { return address - size_t(-by); }

Xbyak::Address sized(Xbyak::Address memory, int bits) {
    memory.setBit(bits);
    return memory;
}

} // namespace

Frame::Frame(const Code& code, const Allocation& allocation, std::span<uint8_t> room)
    : CodeGenerator(!room.empty()
                        ? room.size()
                        : code.insts().size() * most_bytes_of_an_op + code.constants().size() * 64 + most_bytes_around,
                    !room.empty() ? room.data() : Xbyak::DontSetProtectRWE, &heap),
      code_(code), allocation_(allocation) {
    for (const auto& bytes : code.constants()) tables_.emplace_back().bytes = {bytes.data(), size_t(code.width())};
}

const Frame::Ymm& Frame::v(int number, int bytes) {
    return registers.vectors[bytes > 32 ? 2 : bytes > 16].at(size_t(number));
}

const Xbyak::Reg64& Frame::g(Reg r) const { return registers.general.at(size_t(allocation_.reg[size_t(r)])); }

Xbyak::Address Frame::mem(const Inst& i, int offset) {
    const int64_t disp = int64_t(i.disp) + offset;
    if (i.index < 0) return ptr[moved(i.base < 0 ? Xbyak::RegExp() : Xbyak::RegExp(g(i.base)), disp)];
    const Xbyak::RegExp index(g(i.index), i.scale);
    return ptr[moved(i.base < 0 ? index : Xbyak::RegExp(g(i.base)) + index, disp)];
}

Xbyak::Address Frame::constant(int64_t index) { return ptr[rip + tables_.at(size_t(index)).label]; }

Xbyak::Address Frame::table(std::vector<uint8_t> bytes) {
    const auto it = std::ranges::find_if(tables_, [&](const Table& t) { return std::ranges::equal(t.bytes, bytes); });
    if (it != tables_.end()) return ptr[rip + it->label];
    Table& made = tables_.emplace_back();
    made.own = std::move(bytes), made.bytes = made.own;
    return ptr[rip + made.label];
}

Xbyak::Address Frame::slot(Reg r) { return ptr[rsp + allocation_.slot[size_t(r)] * target().vector_bytes]; }

std::optional<std::vector<uint8_t>> Frame::run() {
    prologue();
    for (const Inst& i : code_.insts())
        if (!structure(i) && !general(i) && !tiles(i) && !with_spills(i)) return std::nullopt;
    if (!open_.empty()) return std::nullopt;
    epilogue();
    tables();
    return std::vector<uint8_t>(getCode(), getCode() + getSize());
}

void Frame::prologue() {
    uint32_t used = 0; // general registers
    for (size_t r = 0; r < code_.classes().size(); ++r)
        if (code_.classes()[r] == RegClass::gpr && allocation_.reg[r] >= 0) used |= 1u << allocation_.reg[r];
    for (int number : {3, 5, 12, 13, 14, 15}) // rbx rbp r12-r15
        if (used >> number & 1) saved_.push_back(number);
    for (int number : saved_) push(Xbyak::Reg64(number));
    if (!allocation_.slots) return;
    const int bytes = allocation_.slots * target().vector_bytes;
    mov(r11, rsp);
    sub(rsp, bytes + 8);
    and_(rsp, -64);
    mov(ptr[rsp + bytes], r11);
}

void Frame::epilogue() {
    if (allocation_.slots) mov(rsp, ptr[rsp + allocation_.slots * target().vector_bytes]);
    for (size_t n = saved_.size(); n--;) pop(Xbyak::Reg64(saved_[n]));
    vzeroupper();
    ret();
}

void Frame::tables() {
    if (!tables_.empty()) align(64, false);
    for (Table& t : tables_) {
        L(t.label);
        uint8_t* const at = top_ + getSize();
        setSize(getSize() + t.bytes.size());
        std::ranges::copy(t.bytes, at);
    }
}

// Spilled operands pass through the reserved vectors, one for each variable that the instruction names, but a constant
// where the instruction reads memory.
bool Frame::with_spills(Inst i) {
    if (i.op == VOp::constant && allocation_.table[size_t(i.d)] >= 0) return true; // read where it lies
    Operands o;
    o.from_table = fold(i, allocation_, target());
    const auto folded = [&](FromTable position) { return o.from_table == position; };
    if (!folded(FromTable::none))
        o.table = allocation_.table[size_t(folded(FromTable::a) ? i.a : folded(FromTable::b) ? i.b : i.c)];
    Reg held[5];
    int count = 0;
    auto number = [&](Reg r, bool read) {
        if (r < 0) return -1;
        if (allocation_.reg[size_t(r)] >= 0) return int(allocation_.reg[size_t(r)]);
        if (code_.classes()[size_t(r)] == RegClass::gpr) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
        for (int n = 0; n < count; ++n)
            if (held[n] == r) return int(allocation_.scratch[size_t(n)]);
        const int s = allocation_.scratch.at(size_t(count));
        held[count++] = r;
        const int32_t table = allocation_.table[size_t(r)];
        if (read) vmovups(v(s, target().vector_bytes), table >= 0 ? constant(table) : slot(r));
        return s;
    };
    if (!folded(FromTable::a)) o.a = number(i.a, true);
    if (!folded(FromTable::b)) o.b = number(i.b, true);
    if (!folded(FromTable::c)) o.c = number(i.c, true);
    o.k = number(i.k, true), o.d = number(i.d, false);
    if (!vector(i, o)) return false;
    if (i.d >= 0 && allocation_.reg[size_t(i.d)] < 0) vmovups(slot(i.d), v(o.d, target().vector_bytes));
    return true;
}

bool Frame::structure(const Inst& i) {
    switch (i.op) {
    case VOp::loop:
        align(16);
        open_.push_back(getSize());
        return true;
    case VOp::end_loop:
        if (open_.empty()) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
        if (is_int32(i.imm))
            sub(g(i.d), uint32_t(i.imm));
        else
            mov(r11, i.imm), sub(g(i.d), r11);
        jg(static_cast<const void*>(getCode() + open_.back()));
        open_.pop_back();
        return true;
    case VOp::if_positive:
        test(g(i.a), g(i.a));
        jump_to_end(0x8e); // jle
        return true;
    case VOp::if_less:
        compare(i.a, i.imm);
        jump_to_end(0x8d); // jge
        return true;
    case VOp::end_if:
        if (open_.empty()) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
        rewrite(open_.back(), getSize() - open_.back() - distance_bytes, distance_bytes);
        open_.pop_back();
        return true;
    default:
        return false;
    }
}

// Not by labels, which allocate at each of their uses.
void Frame::jump_to_end(uint8_t condition) {
    db(0x0f), db(condition);
    open_.push_back(getSize());
    dd(0);
}

void Frame::compare(Reg a, int64_t limit) {
    if (is_int32(limit))
        cmp(g(a), uint32_t(limit));
    else
        mov(r11, limit), cmp(g(a), r11);
}

bool Frame::general(const Inst& i) {
    switch (i.op) {
    case VOp::gload:
        mov(g(i.d), mem(i));
        return true;
    case VOp::gload_s32:
        movsxd(g(i.d), sized(mem(i), 32));
        return true;
    case VOp::gstore:
        mov(mem(i), g(i.a));
        return true;
    case VOp::gset:
        if (i.imm == 0)
            xor_(g(i.d).cvt32(), g(i.d).cvt32());
        else
            mov(g(i.d), i.imm);
        return true;
    case VOp::gcopy:
        if (g(i.d) != g(i.a)) mov(g(i.d), g(i.a));
        return true;
    case VOp::gadd:
        sum(i);
        return true;
    case VOp::gadd_mem:
        sum_mem(i);
        return true;
    case VOp::gsub:
        difference(i);
        return true;
    case VOp::gmul:
        product(i);
        return true;
    case VOp::gshl:
        if (g(i.d) != g(i.a)) mov(g(i.d), g(i.a));
        shl(g(i.d), int(i.imm));
        return true;
    case VOp::gaddress:
        lea(g(i.d), mem(i));
        return true;
    case VOp::gmin:
        minimum(i);
        return true;
    default:
        return false;
    }
}

void Frame::sum(const Inst& i) {
    const Xbyak::Reg64 d = g(i.d), a = g(i.a);
    if (i.b < 0 && !is_int32(i.imm)) {
        mov(r11, i.imm);
        lea(d, ptr[a + r11]);
    } else if (d == a) {
        if (i.b >= 0)
            add(d, g(i.b));
        else
            add(d, uint32_t(i.imm));
    } else {
        if (i.b >= 0)
            lea(d, ptr[a + g(i.b)]);
        else
            lea(d, ptr[a + int(i.imm)]);
    }
}

void Frame::sum_mem(const Inst& i) {
    const Xbyak::Reg64 d = g(i.d), a = g(i.a);
    if (d == a) {
        add(d, mem(i));
    } else { // d may be a part of the address
        mov(r11, mem(i));
        lea(d, ptr[a + r11]);
    }
}

void Frame::difference(const Inst& i) {
    const Xbyak::Reg64 d = g(i.d), a = g(i.a);
    if (i.b < 0) {
        Inst negative = i;
        negative.imm = int64_t(-uint64_t(i.imm));
        sum(negative);
    } else if (d == a) {
        sub(d, g(i.b));
    } else { // d may be b
        mov(r11, a);
        sub(r11, g(i.b));
        mov(d, r11);
    }
}

void Frame::product(const Inst& i) {
    if (i.b >= 0) {
        const Xbyak::Reg64 d = g(i.d), a = g(i.a), b = g(i.b);
        if (d != a && d != b) mov(d, a);
        imul(d, d == b ? a : b);
    } else if (is_int32(i.imm)) {
        imul(g(i.d), g(i.a), int(i.imm));
    } else {
        mov(r11, i.imm);
        imul(r11, g(i.a));
        mov(g(i.d), r11);
    }
}

void Frame::minimum(const Inst& i) {
    const Xbyak::Reg64 d = g(i.d), a = g(i.a), b = g(i.b);
    cmp(a, b);
    if (d == b)
        cmovl(d, a);
    else {
        if (d != a) mov(d, a); // leaves the flags alone
        cmovg(d, b);
    }
}

} // namespace tessera::cpu::jit
