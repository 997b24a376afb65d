#include "cpu/jit/regalloc.hpp"

#include <algorithm>
#include <array>

namespace tessera::cpu::jit {

namespace {

struct Interval {
    Reg reg;
    int first = -1, last = -1, mentions = 0;
    int32_t table = -1; // of a constant
};

template <typename F> void each_mention(const Inst& i, F f) {
    for (Reg r : {i.a, i.b, i.c, i.k, i.base, i.index, i.d})
        if (r >= 0) f(r);
}

struct Body {
    int begin, end;
};

std::vector<Body> loops_of(std::span<const Inst> insts) {
    std::vector<Body> done;
    std::vector<int> open;
    for (size_t i = 0; i < insts.size(); ++i) {
        if (insts[i].op == VOp::loop) open.push_back(int(i));
        if (insts[i].op == VOp::end_loop) done.push_back({open.back(), int(i)}), open.pop_back();
    }
    return done; // inner before outer
}

std::vector<Interval> intervals_of(const Code& code) {
    std::vector<Interval> all(code.classes().size());
    for (size_t r = 0; r < all.size(); ++r) all[r].reg = Reg(r);
    all[0].first = 0; // args
    const auto insts = code.insts();
    const std::vector<Body> bodies = loops_of(insts);
    for (int i = 0; i < int(insts.size()); ++i)
        each_mention(insts[size_t(i)], [&](Reg r) {
            Interval& v = all[size_t(r)];
            if (v.first < 0) v.first = i;
            v.last = i;
            ++v.mentions;
        });
    for (const Inst& i : insts) // written once, and that by `constant`
        if (i.d >= 0) {
            Interval& v = all[size_t(i.d)];
            v.table = i.op == VOp::constant && &i - insts.data() == v.first ? int32_t(i.imm) : -1;
        }
    for (const Body& body : bodies) // inner ones first: a range stretched to the end of an inner loop counts outside
        for (int i = body.begin; i <= body.end; ++i)
            each_mention(insts[size_t(i)], [&](Reg r) {
                Interval& v = all[size_t(r)];
                if (v.first < body.begin) v.last = std::max(v.last, body.end);
            });
    std::erase_if(all, [](const Interval& v) { return v.last < 0; });
    std::sort(all.begin(), all.end(), [](const Interval& x, const Interval& y) { return x.first < y.first; });
    return all;
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

using Pool = std::vector<int8_t>; // free registers, the next one last

// Spill weight: mentions for each instruction of the live range. Spilling anything but a constant costs a store as
// well, and reloads that cannot be memory operands.
double weight(const Interval& v, int here) {
    const int cost = v.table >= 0 ? v.mentions : 2 * v.mentions + 2;
    return double(cost) / double(v.last - here + 1);
}

// Vectors first leave `spare` registers for spilled operands. No result when they are not enough.
std::optional<Allocation> scan(const Code& code, const std::vector<Interval>& intervals, int spare) {
    const Target& t = code.target();
    Allocation out;
    out.reg.assign(code.classes().size(), -1);
    out.slot.assign(code.classes().size(), -1);
    out.table.assign(code.classes().size(), -1);
    const int vectors = t.vectors - (t.masks ? 0 : 1);
    Pool vec, mask, gpr;
    for (int r = vectors - 1; r >= 0; --r) (r >= vectors - spare ? out.scratch : vec).push_back(int8_t(r));
    for (int8_t r = 6; r >= 1; --r) mask.push_back(r);
    for (int8_t r : {15, 14, 13, 12, 5, 3, 10, 9, 8, 6, 2, 1, 0})
        gpr.push_back(r); // caller-saved ones first; r11: scratch
    std::vector<Interval> live;
    auto pool_of = [&](Reg r) -> Pool& {
        const RegClass c = code.classes()[size_t(r)];
        return c == RegClass::gpr ? gpr : c == RegClass::mask && t.masks ? mask : vec;
    };
    bool spills = false;
    auto spill = [&](const Interval& v) {
        spills = true;
        out.reg[size_t(v.reg)] = -1;
        if (v.table >= 0)
            out.table[size_t(v.reg)] = v.table;
        else
            out.slot[size_t(v.reg)] = int16_t(out.slots++);
    };
    for (const Interval& v : intervals) {
        const bool shares = reads_first(code.insts()[size_t(v.first)]);
        std::erase_if(live, [&](const Interval& x) {
            if (x.last > v.first || (x.last == v.first && !shares)) return false;
            if (x.reg != 0) pool_of(x.reg).push_back(out.reg[size_t(x.reg)]);
            return true;
        });
        if (v.reg == 0) {
            out.reg[0] = 7; // rdi
            live.push_back(v);
            continue;
        }
        if (code.classes()[size_t(v.reg)] == RegClass::tile) {
            const auto before = code.classes().begin() + v.reg;
            const auto number = std::count(code.classes().begin(), before, RegClass::tile);
            if (number >= 8) return std::nullopt;
            out.reg[size_t(v.reg)] = int8_t(number);
            continue;
        }
        Pool& pool = pool_of(v.reg);
        if (!pool.empty()) {
            out.reg[size_t(v.reg)] = pool.back();
            pool.pop_back();
            live.push_back(v);
            continue;
        }
        if (&pool != &vec) return std::nullopt;
        Interval* victim = nullptr;
        for (Interval& x : live)
            if (x.reg != 0 && &pool_of(x.reg) == &vec && (!victim || weight(x, v.first) < weight(*victim, v.first)))
                victim = &x;
        if (!victim || weight(v, v.first) <= weight(*victim, v.first)) {
            spill(v);
            continue;
        }
        out.reg[size_t(v.reg)] = out.reg[size_t(victim->reg)];
        spill(*victim);
        *victim = v;
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
    const std::vector<Interval> intervals = intervals_of(code);
    for (int spare = 0; spare <= 5; ++spare) // four operands and a result at most
        if (auto found = scan(code, intervals, spare)) return found;
    return std::nullopt;
}

} // namespace tessera::cpu::jit
