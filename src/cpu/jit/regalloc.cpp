// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/regalloc.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>

namespace tessera::cpu::jit {

namespace {

struct Interval {
    int first = -1, last = -1, mentions = 0;
    int32_t table = -1; // of a constant
};

struct Body {
    int begin, end;
};

using Memory = std::pmr::memory_resource*;

std::pmr::vector<Body> loops_of(std::span<const Inst> insts, Memory memory) {
    std::pmr::vector<Body> all(memory);
    std::pmr::vector<size_t> open(memory);
    for (size_t i = 0; i < insts.size(); ++i) {
        if (insts[i].op == VOp::loop) open.push_back(all.size()), all.push_back({int(i), 0});
        if (insts[i].op == VOp::end_loop) all[open.back()].end = int(i), open.pop_back();
    }
    return all; // as they begin
}

struct Intervals {
    std::pmr::vector<Interval> of; // by register
    std::pmr::vector<Reg> order;   // as they begin
    // Those that end with an instruction: the first one by instruction, the others behind it by register; -1 for none.
    std::pmr::vector<Reg> ending, next_ending;
};

Intervals intervals_of(const Code& code, Memory memory) {
    Intervals out{std::pmr::vector<Interval>(code.classes().size(), memory), std::pmr::vector<Reg>(memory),
                  std::pmr::vector<Reg>(memory), std::pmr::vector<Reg>(memory)};
    out.order.reserve(code.classes().size());
    out.of[0].first = 0, out.order.push_back(0); // args
    const auto insts = code.insts();
    const auto bodies = loops_of(insts, memory);
    std::pmr::vector<Body> open(memory); // outer before inner
    auto next = bodies.begin();
    int innermost = -1; // where the last of these begins
    // Operands without a register are counted here, so that there is no branch for each. There is one for each operand,
    // because a count waits for the one before it in the same place.
    std::array<Interval, 7> none;
    none.fill({.first = 0});
    for (int i = 0; i < int(insts.size()); ++i) {
        const Inst& inst = insts[size_t(i)];
        if (next != bodies.end() && next->begin == i) open.push_back(*next++), innermost = i;
        const std::array<Reg, 7> named{inst.a, inst.b, inst.d, inst.c, inst.k, inst.base, inst.index};
        const bool short_one = (inst.c & inst.k & inst.base & inst.index) == -1; // so are most
        for (size_t o = 0; o < (short_one ? 3 : named.size()); ++o) {
            const Reg r = named[o];
            Interval& v = r < 0 ? none[o] : out.of[size_t(r)];
            if (v.first < 0) v.first = i, out.order.push_back(r);
            ++v.mentions;
            v.last = std::max(v.last, i);
            if (v.first >= innermost || r < 0) continue;
            // A value defined before a loop and used in it is live to the loop's end.
            const auto around = std::ranges::find_if(open, [&](const Body& body) { return v.first < body.begin; });
            v.last = std::max(v.last, around->end);
        }
        if (inst.d >= 0) { // written once, and that by `constant`
            Interval& v = out.of[size_t(inst.d)];
            v.table = inst.op == VOp::constant && v.first == i ? int32_t(inst.imm) : -1;
        }
        if (inst.op != VOp::end_loop) continue;
        open.pop_back();
        innermost = open.empty() ? -1 : open.back().begin;
    }
    if (out.of[0].last < 0) out.order.erase(out.order.begin());
    out.ending.assign(insts.size(), -1), out.next_ending.assign(out.of.size(), -1);
    for (const Reg r : out.order) {
        Reg& first = out.ending[size_t(out.of[size_t(r)].last)];
        out.next_ending[size_t(r)] = std::exchange(first, r);
    }
    return out;
}

// Ops that are one instruction in every emitter, or a sequence whose first one reads all operands: d may share the
// register of an operand that dies here.
bool reads_first(const Inst& i) {
    switch (i.op) {
    case VOp::copy:
    case VOp::unpack_lo:
    case VOp::unpack_hi:
    case VOp::shuffle:
    case VOp::pack_ss:
    case VOp::pack_us:
    case VOp::iadd:
    case VOp::isub:
    case VOp::imul:
    case VOp::imul_wide:
    case VOp::iand:
    case VOp::ior:
    case VOp::ixor:
    case VOp::iandn:
    case VOp::shl:
    case VOp::shr:
    case VOp::shlv:
    case VOp::shrv:
    case VOp::select:
    case VOp::fadd:
    case VOp::fsub:
    case VOp::fmul:
    case VOp::fdiv:
    case VOp::fmin:
    case VOp::fmax:
    case VOp::fma:
    case VOp::dot_s16:
    case VOp::fsqrt:
    case VOp::fround:
    case VOp::fcmp:
    case VOp::icmp:
    case VOp::f32_to_s32:
    case VOp::s32_to_f32:
    case VOp::f32_to_f16:
    case VOp::f16_to_f32:
    case VOp::widen_s:
    case VOp::widen_z:
    case VOp::mask_and:
    case VOp::mask_or:
    case VOp::mask_xor:
    case VOp::mask_vector:
        return true;
    case VOp::imin:
    case VOp::imax:
    case VOp::umin:
    case VOp::sar:
        return i.es <= 4;
    default:
        return false;
    }
}

bool commutes(VOp op) {
    switch (op) {
    case VOp::iadd:
    case VOp::imul:
    case VOp::imul_wide:
    case VOp::imin:
    case VOp::imax:
    case VOp::umin:
    case VOp::iand:
    case VOp::ior:
    case VOp::ixor:
    case VOp::fadd:
    case VOp::fmul:
    case VOp::fma:
    case VOp::dot_s16:
        return true;
    default:
        return false;
    }
}

bool reads_b_from_memory(const Inst& i, const Target& target) {
    switch (i.op) {
    case VOp::unpack_lo:
    case VOp::unpack_hi:
    case VOp::shuffle:
    case VOp::pack_ss:
    case VOp::pack_us:
    case VOp::iandn:
    case VOp::isub:
    case VOp::shlv:
    case VOp::shrv:
    case VOp::fsub:
    case VOp::fdiv:
    case VOp::fmin:
    case VOp::fmax:
    case VOp::fcmp:
        return true;
    case VOp::icmp:
        return target.masks;
    case VOp::imin:
    case VOp::imax:
    case VOp::umin:
        return i.es <= 4;
    default:
        return commutes(i.op);
    }
}

// How many reserved vectors the instruction needs.
int reserved_for(Inst i, const Allocation& allocation, const Code& code) {
    const FromTable folded = fold(i, allocation, code.target());
    Reg held[5];
    int count = 0;
    auto add = [&](Reg r) {
        if (r < 0 || allocation.reg[size_t(r)] >= 0 || code.classes()[size_t(r)] == RegClass::gpr) return;
        if (std::find(held, held + count, r) == held + count) held[count++] = r;
    };
    if (i.op == VOp::constant && allocation.table[size_t(i.d)] >= 0) return 0;
    if (folded != FromTable::a) add(i.a);
    if (folded != FromTable::b) add(i.b);
    if (folded != FromTable::c) add(i.c);
    add(i.k), add(i.d);
    return count;
}

struct Pool { // free registers, the next one last
    std::array<int8_t, 32> numbers;
    int count = 0;
    void push(int8_t number) { numbers[size_t(count++)] = number; }
    int8_t pop() { return numbers[size_t(--count)]; }
};

// Spill weight: mentions for each instruction of the live range from `here` on. Spilling anything but a constant costs
// a store as well, and reloads that cannot be memory operands.
struct Weight {
    int64_t cost, range;
    Weight(const Interval& v, int here)
        : cost(v.table >= 0 ? v.mentions : 2 * v.mentions + 2), range(v.last - here + 1) {}
    auto operator<=>(const Weight& other) const { return cost * other.range <=> other.cost * range; }
};

// Vectors first leave `spare` registers for spilled operands. No result when they are not enough.
std::optional<Allocation> scan(const Code& code, const Intervals& intervals, int spare, Memory memory) {
    const Target& t = code.target();
    const auto& classes = code.classes();
    Allocation out;
    out.reg.assign(classes.size(), -1);
    out.slot.assign(classes.size(), -1);
    out.table.assign(classes.size(), -1);
    const int vectors = t.vectors - (t.masks ? 0 : 1);
    Pool vec, mask, gpr;
    for (int r = vectors - 1; r >= vectors - spare; --r) out.scratch.push_back(int8_t(r));
    for (int r = vectors - spare - 1; r >= 0; --r) vec.push(int8_t(r));
    for (int8_t r = 6; r >= 1; --r) mask.push(r);
    for (int8_t r : {15, 14, 13, 12, 5, 3, 10, 9, 8, 6, 2, 1, 0}) gpr.push(r); // caller-saved ones first; r11: scratch
    auto pool_of = [&](Reg r) -> Pool& {
        const RegClass c = classes[size_t(r)];
        return c == RegClass::gpr ? gpr : c == RegClass::mask && t.masks ? mask : vec;
    };
    // Registers are given back in the order in which they were taken; one that was taken from a victim has its place.
    std::pmr::vector<int> place(classes.size(), memory);
    int places = 0;
    std::array<Reg, 32> owner; // of vectors
    owner.fill(-1);
    std::pmr::vector<Reg> gone(memory);
    int passed = 0; // instructions whose ends have been seen
    bool spills = false;
    auto spill = [&](Reg r) {
        spills = true;
        out.reg[size_t(r)] = -1;
        if (const int32_t table = intervals.of[size_t(r)].table; table >= 0)
            out.table[size_t(r)] = table;
        else
            out.slot[size_t(r)] = int16_t(out.slots++);
    };
    for (const Reg r : intervals.order) {
        const Interval& v = intervals.of[size_t(r)];
        const int dead = v.first - !reads_first(code.insts()[size_t(v.first)]);
        for (; passed <= dead; ++passed)
            for (Reg e = intervals.ending[size_t(passed)]; e >= 0; e = intervals.next_ending[size_t(e)])
                if (out.reg[size_t(e)] >= 0 && e != 0 && classes[size_t(e)] != RegClass::tile) gone.push_back(e);
        if (gone.size() > 1) std::ranges::sort(gone, {}, [&](Reg e) { return place[size_t(e)]; });
        for (const Reg e : gone) {
            Pool& pool = pool_of(e);
            pool.push(out.reg[size_t(e)]);
            if (&pool == &vec) owner[size_t(out.reg[size_t(e)])] = -1;
        }
        gone.clear();
        if (r == 0) {
            out.reg[0] = 7; // rdi, of no pool
            continue;
        }
        if (classes[size_t(r)] == RegClass::tile) {
            const auto number = std::count(classes.begin(), classes.begin() + r, RegClass::tile);
            if (number >= 8) return std::nullopt;
            out.reg[size_t(r)] = int8_t(number);
            continue;
        }
        Pool& pool = pool_of(r);
        if (pool.count > 0) {
            out.reg[size_t(r)] = pool.pop();
            place[size_t(r)] = places++;
        } else {
            if (&pool != &vec) return std::nullopt;
            Reg victim = -1;
            Weight least(v, v.first);
            for (const Reg x : owner) {
                if (x < 0) continue;
                const Weight weight(intervals.of[size_t(x)], v.first);
                const auto order = weight <=> least;
                if (order < 0 || (order == 0 && victim >= 0 && place[size_t(x)] < place[size_t(victim)]))
                    victim = x, least = weight;
            }
            if (victim < 0) {
                spill(r);
                continue;
            }
            out.reg[size_t(r)] = out.reg[size_t(victim)], place[size_t(r)] = place[size_t(victim)];
            spill(victim);
        }
        if (&pool == &vec) owner[size_t(out.reg[size_t(r)])] = r;
        if (v.last < passed) gone.push_back(r); // it ends where it begins
    }
    for (const Inst& i : code.insts())
        if (spills && reserved_for(i, out, code) > spare) return std::nullopt;
    return out;
}

} // namespace

FromTable fold(Inst& i, const Allocation& allocation, const Target& target) {
    const auto in_table = [&](Reg r) {
        return r >= 0 && allocation.reg[size_t(r)] < 0 && allocation.table[size_t(r)] >= 0;
    };
    if (i.op == VOp::select) return in_table(i.a) ? FromTable::a : FromTable::none;
    if (i.op == VOp::fma && in_table(i.c)) return FromTable::c;
    if (!reads_b_from_memory(i, target)) return FromTable::none;
    if (commutes(i.op) && in_table(i.a) && !in_table(i.b)) std::swap(i.a, i.b);
    return in_table(i.b) ? FromTable::b : FromTable::none;
}

std::optional<Allocation> allocate(const Code& code) {
    std::array<std::byte, 24 << 10> room; // for some 500 registers: a dozen allocations less
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
    const Intervals intervals = intervals_of(code, &memory);
    for (int spare = 0; spare <= 5; ++spare) // four operands and a result at most
        if (auto found = scan(code, intervals, spare, &memory)) return found;
    return std::nullopt;
}

} // namespace tessera::cpu::jit
