// SPDX-License-Identifier: Apache-2.0
// Loads of pieces, the stages of the network, stores of lines; around them three loops over tiles.
#include <algorithm>
#include <bit>
#include <cstddef>

#include <fmt/format.h>

#include "cpu/tiles/transpose/kernel/contract.hpp"
#include "cpu/tiles/transpose/kernel/conversions.hpp"
#include "cpu/tiles/transpose/kernel/network.hpp"
#include "cpu/tiles/transpose/kernel/stages.hpp"
#include "cpu/tiles/transpose/kernel/walker.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

// Bits of the number of registers in flight; of a tile that runs in parts.
constexpr int registers_at_once = 4, registers_in_parts = 6;

class Tile {
public:
    Tile(Code& code, const TransposeSpec& spec)
        : code_(code), spec_(spec), network_(network_of(spec)), bytes_(1 << network_.positions),
          moved_(moved_bytes(spec)), from_(code, spec, false), to_(code, spec, true),
          conversions_(code, spec, network_, from_), stages_(code, network_, moved_) {}

    void emit(Gpr src, Gpr dst, Gpr table) {
        table_ = table;
        if (int(network_.reg_bits.size()) > registers_at_once) return emit_in_parts(src, dst);
        std::vector<Vec> registers = conversions_.on_loads() ? conversions_.load(src) : load(src);
        for (Vec& r : registers) conversions_.clamp(r);
        stages_.apply(registers);
        store(dst, registers);
    }

private:
    // Of what the first part leaves, the allocator keeps in memory what the registers do not hold.
    void emit_in_parts(Gpr src, Gpr dst) {
        const Parts parts = *parts_of(network_, registers_at_once);
        const unsigned count = 1u << network_.reg_bits.size();
        std::vector<Vec> registers(count);
        for (unsigned outer = 0; outer < count; outer = next(outer, parts.outer)) {
            const Stages::Part group{parts.outer, outer};
            load(src, registers, group);
            for (unsigned r = 0; r < count; ++r)
                if (group.has(r)) conversions_.clamp(registers[r]);
            stages_.apply(registers, {0, parts.inner}, group);
            if (outer == parts.outer) break;
        }
        // A few groups at a time, so that neighbouring lines share addresses.
        const unsigned inner = (count - 1) & ~parts.outer;
        constexpr unsigned at_once = 16;
        unsigned kept = inner; // bits that are equal in the lines of a turn
        for (unsigned lines = 1u << std::popcount(parts.outer); kept && lines < at_once; lines *= 2) kept &= kept - 1;
        for (unsigned value = 0; value < count; value = next(value, kept)) {
            const Stages::Part turn{kept, value};
            stages_.apply(registers, {parts.inner, network_.stages.size()}, turn);
            store(dst, registers, turn);
            if (value == kept) break;
        }
    }
    // The next number whose bits are all in `mask`.
    static unsigned next(unsigned value, unsigned mask) { return (value - mask) & mask; }

    std::vector<Vec> load(Gpr src) {
        std::vector<Vec> registers(size_t(1) << network_.reg_bits.size());
        load(src, registers, {});
        return registers;
    }

    // First pieces of all registers, then the second ones and so on: no insert waits for the load before it.
    void load(Gpr src, std::vector<Vec>& registers, Stages::Part part) {
        struct Piece {
            unsigned reg, piece;
            Coordinates c;
        };
        std::vector<Piece> pieces;
        for (unsigned r = 0; r < registers.size(); ++r)
            for (unsigned p = 0; part.has(r) && p < 1u << network_.brought.size(); ++p)
                pieces.push_back({r, p, at(network_.reg_bits, r) + at(network_.brought, p)});
        std::stable_sort(pieces.begin(), pieces.end(), [&](const Piece& x, const Piece& y) {
            return std::pair(x.piece, from_.rank(x.c)) < std::pair(y.piece, from_.rank(y.c));
        });
        const int piece_bytes = moved_ << spec_.piece.size();
        from_.start(src);
        for (const Piece& p : pieces) {
            const int bytes = existing(spec_, spec_.piece, p.c) * moved_;
            if (!bytes) continue;
            const Mem m = from_(p.c);
            Vec& reg = registers[p.reg];
            if (p.piece == 0)
                reg = code_.load(m, bytes);
            else if (bytes == piece_bytes)
                reg = code_.insert(reg, m, piece_bytes, int(p.piece), bytes_);
            else
                reg = code_.insert_reg(reg, code_.load(m, bytes), piece_bytes, int(p.piece), bytes_);
            if (p.piece == 0 && spec_.prefetch_read) code_.prefetch({m.base, m.disp + 256, m.index, m.scale}, 0);
        }
    }

    void store(Gpr dst, const std::vector<Vec>& registers, Stages::Part part = {}) {
        std::vector<std::pair<Coordinates, Vec>> lines;
        for (unsigned r = 0; r < registers.size(); ++r)
            if (part.has(r)) lines.emplace_back(at(network_.stored_bits, r), registers[r]);
        std::stable_sort(lines.begin(), lines.end(),
                         [&](const auto& x, const auto& y) { return to_.rank(x.first) < to_.rank(y.first); });
        to_.start(dst, table_);
        for (const auto& [c, reg] : lines) {
            const int elements = existing(spec_, spec_.line, c);
            if (!elements) continue;
            const Mem m = to_(c);
            if (conversions_.on_stores())
                conversions_.store(m, reg, elements);
            else if (spec_.stream && elements * spec_.element == bytes_)
                code_.stream(m, reg, bytes_);
            else
                code_.store(m, reg, elements * spec_.element);
        }
    }

    Code& code_;
    const TransposeSpec& spec_;
    Network network_;
    int bytes_, moved_; // of a register, of an element in it
    Gpr table_;
    Walker from_, to_;
    Conversions conversions_;
    Stages stages_;
};

// `table` is none where no loop is scattered.
template <typename Body> void over_tiles(Code& c, Gpr src, Gpr dst, Gpr table, int level, const Body& body) {
    if (level < 0) return body();
    const int64_t at = int64_t(offsetof(TransposeArgs, loop)) + level * int64_t(sizeof(TransposeArgs{}.loop[0]));
    using One = std::remove_reference_t<decltype(TransposeArgs{}.loop[0])>;
    auto field = [&](size_t offset) { return Mem{c.args(), at + int64_t(offset)}; };
    const Gpr left = c.gload(field(offsetof(One, count)));
    c.gstore(field(offsetof(One, left)), left);
    c.loop();
    if (level > 0) {
        c.gstore(field(offsetof(One, src)), src);
        c.gstore(field(offsetof(One, dst)), dst);
        if (table.id >= 0) c.gstore(field(offsetof(One, table)), table);
    }
    over_tiles(c, src, dst, table, level - 1, body);
    if (level > 0) {
        c.gload(src, field(offsetof(One, src)));
        c.gload(dst, field(offsetof(One, dst)));
        if (table.id >= 0) c.gload(table, field(offsetof(One, table)));
    }
    c.gadd_mem(src, src, field(offsetof(One, src_step)));
    c.gadd_mem(dst, dst, field(offsetof(One, dst_step)));
    if (table.id >= 0) c.gadd_mem(table, table, field(offsetof(One, table_step)));
    const Gpr rest = c.gload(field(offsetof(One, left)));
    c.gsub(rest, rest, 1);
    c.gstore(field(offsetof(One, left)), rest);
    c.if_less(rest, 2);
    c.gadd_mem(src, src, field(offsetof(One, src_fix)));
    c.gadd_mem(dst, dst, field(offsetof(One, dst_fix)));
    if (table.id >= 0) c.gadd_mem(table, table, field(offsetof(One, table_fix)));
    c.end_if();
    c.end_loop(rest, 0);
}

} // namespace

std::string key(const TransposeSpec& s) {
    std::string loops, bits;
    for (const TileLoop& l : s.loops) loops += fmt::format("{}:{}:{}:{} ", l.bits, l.valid, l.src, l.dst);
    for (const auto* side : {&s.piece, &s.line}) {
        for (TileBit b : *side) bits += fmt::format("{}", char('a' + b.loop * 8 + b.bit));
        bits += ' ';
    }
    std::string program;
    if (!s.program.ops.empty()) {
        std::vector<std::string> names;
        for (size_t o = 0; o < s.types.size(); ++o) names.push_back(fmt::format("{}:{}", o, name(s.types[o])));
        program = to_string(s.program, names) + " ";
    }
    if (s.scattered >= 0) bits += fmt::format("scattered:{} ", s.scattered);
    return fmt::format("transpose {}{}{}B {}{}{}{}", program, s.late ? "late " : "", s.element, loops, bits,
                       s.stream ? s.fence ? "nt" : "nt-open" : "", s.prefetch_read ? "pr" : "");
}

bool converts(const TransposeSpec& s) { return !s.program.ops.empty() && !is_byte_clamp(s.program, s.types); }

int moved_bytes(const TransposeSpec& s) { return s.late ? s.source : s.element; }

Join join_of(const Target& target, const TransposeSpec& s) {
    if (!converts(s) || s.late || s.element > 2) return Join::none;
    int loads = 0;
    for (const Op& op : s.program.ops) loads += op.code == OpCode::load && op.operand == 0;
    if (s.element == 1) return s.types[0] == DataType::bf16 && loads == 1 ? Join::split : Join::bytes;
    const bool conversion = is_conversion(s.program), normal = conversion && is_normal_f32(s.types[0]);
    if (s.types[0] == DataType::f32 && s.types[1] == DataType::bf16 && target.bf16 && conversion) return Join::normal;
    return s.types[1] == DataType::f16 || (s.types[1] == DataType::bf16 && target.bf16 && normal) ? Join::halves
                                                                                                  : Join::words;
}

namespace {

int register_bits(const TransposeSpec& spec) {
    int bits = -int(spec.line.size());
    for (const TileLoop& l : spec.loops) bits += l.bits;
    return bits;
}

} // namespace

bool runs_in_parts(const TransposeSpec& spec) { return register_bits(spec) > registers_at_once; }

bool can_build_transpose(const Target& target, const TransposeSpec& spec) {
    const int moved = moved_bytes(spec), line = moved << spec.line.size(), piece = moved << spec.piece.size();
    if (line < 16 || line > target.vector_bytes || piece < 8 || piece > line) return false;
    if (spec.late) {
        if (line != target.vector_bytes || !converts(spec) || spec.element <= spec.source || spec.element > 4 ||
            !can_emit(spec.program, spec.types))
            return false;
    } else if (converts(spec)) {
        if (line != target.vector_bytes || spec.element == 8 || 4 << spec.piece.size() != target.vector_bytes)
            return false;
        if (!can_emit(spec.program, spec.types)) return false;
        int free = 0; // bits of the line that joins may add
        for (TileBit t : spec.line) free += std::find(spec.piece.begin(), spec.piece.end(), t) == spec.piece.end();
        if (free < (spec.element == 1 ? 2 : spec.element == 2 ? 1 : 0)) return false;
    }
    for (int l = 0; spec.scattered >= 0 && l < int(spec.loops.size()); ++l)
        if ((spec.loops[size_t(l)].dst < 0) != (l == spec.scattered)) return false;
    const int regs = register_bits(spec);
    if (regs < 0 || spec.loops.size() > tile_loops) return false;
    if (regs <= registers_at_once) return true;
    return regs <= registers_in_parts && !converts(spec) && target.vectors == 32 &&
           parts_of(network_of(spec), registers_at_once);
}

Code build_transpose(const Target& target, const TransposeSpec& spec) {
    Code c(target);
    const Gpr src = c.gload({c.args(), int64_t(offsetof(TransposeArgs, src))});
    const Gpr dst = c.gload({c.args(), int64_t(offsetof(TransposeArgs, dst))});
    Tile tile(c, spec);
    const Gpr table = spec.scattered >= 0 ? c.gload({c.args(), int64_t(offsetof(TransposeArgs, table))}) : Gpr();
    over_tiles(c, src, dst, table, 2, [&] { tile.emit(src, dst, table); });
    if (spec.stream && spec.fence) c.fence();
    return c;
}

} // namespace tessera::cpu
