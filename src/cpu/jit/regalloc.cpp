#include "cpu/jit/regalloc.hpp"

#include <algorithm>
#include <array>

namespace tessera::cpu::jit {

namespace {

struct Interval {
    Reg reg;
    int first = -1, last = -1;
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
        });
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

using Pool = std::vector<int8_t>; // free registers, the next one last

// Vectors first leave `spare` registers for spilled operands; without spills none are needed.
std::optional<Allocation> scan(const Code& code, const std::vector<Interval>& intervals, int spare) {
    const Target& t = code.target();
    Allocation out;
    out.reg.assign(code.classes().size(), -1);
    out.slot.assign(code.classes().size(), -1);
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
    for (const Interval& v : intervals) {
        // A register read for the last time at the instruction that writes v may be v's, but not when v is written
        // before other operands are read: keep them apart unless the range ended earlier.
        std::erase_if(live, [&](const Interval& x) {
            if (x.last >= v.first) return false;
            if (x.reg != 0) pool_of(x.reg).push_back(out.reg[size_t(x.reg)]);
            return true;
        });
        if (v.reg == 0) {
            out.reg[0] = 7; // rdi
            live.push_back(v);
            continue;
        }
        Pool& pool = pool_of(v.reg);
        if (pool.empty()) {
            if (&pool != &vec || !spare) return std::nullopt;
            // The longest-living vector goes to the frame.
            Interval* victim = nullptr;
            for (Interval& x : live)
                if (x.reg != 0 && &pool_of(x.reg) == &vec && code.classes()[size_t(x.reg)] == RegClass::vec &&
                    (!victim || x.last > victim->last))
                    victim = &x;
            if (!victim || victim->last <= v.last) {
                if (code.classes()[size_t(v.reg)] != RegClass::vec) return std::nullopt;
                out.slot[size_t(v.reg)] = int16_t(out.slots++);
                continue;
            }
            out.slot[size_t(victim->reg)] = int16_t(out.slots++);
            out.reg[size_t(v.reg)] = out.reg[size_t(victim->reg)];
            out.reg[size_t(victim->reg)] = -1;
            *victim = v;
            continue;
        }
        out.reg[size_t(v.reg)] = pool.back();
        pool.pop_back();
        live.push_back(v);
    }
    return out;
}

} // namespace

std::optional<Allocation> allocate(const Code& code) {
    const std::vector<Interval> intervals = intervals_of(code);
    if (auto without = scan(code, intervals, 0)) return without;
    return scan(code, intervals, 4); // three operands and a result
}

} // namespace tessera::cpu::jit
