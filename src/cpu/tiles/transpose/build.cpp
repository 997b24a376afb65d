// Loads in pieces, the stages of the network, stores in lines; around them three loops over tiles.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/transpose/contract.hpp"
#include "cpu/tiles/transpose/network.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

using Coordinates = std::array<int, tile_loops>;

int coordinate(Coordinates& c, TileBit t, bool set) { return c[size_t(t.loop)] += set ? 1 << t.bit : 0; }

Coordinates at(const std::vector<TileBit>& bits, unsigned index) {
    Coordinates c{};
    for (size_t k = 0; k < bits.size(); ++k) coordinate(c, bits[k], index >> k & 1);
    return c;
}
Coordinates operator+(Coordinates a, const Coordinates& b) {
    for (size_t k = 0; k < a.size(); ++k) a[k] += b[k];
    return a;
}

// Addresses of tile points on one side: base + constants + strides that are arguments. Quads of the longest loop share
// a base register; asked for in order, each costs one addition every four points.
class Walker {
public:
    Walker(Code& code, const TransposeSpec& spec, bool dst) : code_(code), spec_(spec), dst_(dst) {
        for (int k = 0; k < int(spec.loops.size()); ++k) {
            const TileLoop& loop = spec.loops[size_t(k)];
            if (constant(k) >= 0 || loop.valid == 1) continue;
            if (primary_ < 0 || loop.valid > spec.loops[size_t(primary_)].valid) primary_ = k;
            const auto offset =
                int64_t(dst ? offsetof(TransposeArgs, dst_stride) : offsetof(TransposeArgs, src_stride));
            stride_[size_t(k)] = code.gload({code.args(), offset + 8 * k});
        }
        if (primary_ >= 0 && spec.loops[size_t(primary_)].valid > 3) {
            triple_ = code.gpr();
            code.gadd(triple_, stride_[size_t(primary_)], stride_[size_t(primary_)]);
            code.gadd(triple_, triple_, stride_[size_t(primary_)]);
        }
    }
    void start(Gpr base) { base_ = base, quad_ = -1, last_ = {}, fresh_ = true; }

    // The order in which points are cheap: ascending in the secondary loops, then in the primary one.
    auto rank(const Coordinates& c) const {
        Coordinates r = c;
        if (primary_ >= 0) std::swap(r[size_t(primary_)], r[tile_loops - 1]);
        return r;
    }
    Mem operator()(const Coordinates& c) {
        int64_t disp = 0;
        for (int k = 0; k < int(spec_.loops.size()); ++k)
            if (constant(k) >= 0) disp += c[size_t(k)] * constant(k) * (dst_ ? spec_.element : spec_.source);
        if (primary_ < 0) return {base_, disp};
        const int i = c[size_t(primary_)];
        Coordinates other = c;
        other[size_t(primary_)] = 0;
        for (int k = 0; k < int(spec_.loops.size()); ++k)
            if (constant(k) >= 0) other[size_t(k)] = 0;
        if (fresh_ || other != last_ || i / 4 < quad_) {
            quad_base_ = base_;
            for (int k = 0; k < int(spec_.loops.size()); ++k)
                for (int left = other[size_t(k)]; left;) {
                    const int step = std::min(8, int(std::bit_floor(unsigned(left))));
                    quad_base_ = code_.gaddress({quad_base_, 0, stride_[size_t(k)], step});
                    left -= step;
                }
            quad_ = 0, last_ = other, fresh_ = false;
        }
        while (quad_ < i / 4) {
            const int step = quad_ + 2 <= i / 4 ? 8 : 4;
            quad_base_ = code_.gaddress({quad_base_, 0, stride_[size_t(primary_)], step});
            quad_ += step / 4;
        }
        switch (i % 4) {
        case 0:
            return {quad_base_, disp};
        case 3:
            return {quad_base_, disp, triple_, 1};
        default:
            return {quad_base_, disp, stride_[size_t(primary_)], i % 4};
        }
    }

private:
    int64_t constant(int k) const {
        const TileLoop& loop = spec_.loops[size_t(k)];
        return dst_ ? loop.dst : loop.src;
    }
    Code& code_;
    const TransposeSpec& spec_;
    bool dst_;
    int primary_ = -1, quad_ = -1;
    std::array<Gpr, tile_loops> stride_{};
    Gpr triple_, base_, quad_base_;
    Coordinates last_{};
    bool fresh_ = true;
};

// How many of the elements that `bits` enumerate from `c` on exist: they are a prefix.
int existing(const TransposeSpec& spec, const std::vector<TileBit>& bits, const Coordinates& c) {
    for (size_t k = 0; k < spec.loops.size(); ++k)
        if (c[k] >= spec.loops[k].valid) return 0;
    int product = 1;
    for (size_t k = 0; k < bits.size();) {
        const auto loop = size_t(bits[k].loop);
        int extent = 1;
        for (; k < bits.size() && size_t(bits[k].loop) == loop; ++k) extent *= 2;
        const int left = std::min(extent, spec.loops[loop].valid - c[loop]);
        product *= left;
        if (left < extent) break;
    }
    return product;
}

class Tile {
public:
    Tile(Code& code, const TransposeSpec& spec)
        : code_(code), spec_(spec), network_(network_of(spec)), bytes_(1 << network_.positions), moved_(moved_bytes(spec)),
          from_(code, spec, false), to_(code, spec, true), codec_(code) {
        if (!spec.program.ops.empty() && !converts(spec)) prepare_clamp(codec_, spec.types[1]);
        if (converts(spec)) {
            program_.emplace(code, codec_, spec.program, spec.types);
            table_ = spec.late && is_table(spec.program, spec.types, code.target());
            if (table_) codec_.prepare_table(spec.types[0], spec.types[1]);
            if (spec.join == Join::normal) codec_.prepare_u32(0xffffffff), codec_.prepare_u32(0x00ffffff);
            if (spec.join == Join::split) codec_.prepare_u32(0xffff0000);
            for (const Op& op : spec.program.ops) {
                if (op.code != OpCode::load || op.operand == 0) continue;
                const auto at = int64_t(offsetof(TransposeArgs, broadcast)) + 8 * op.operand;
                const Gpr pointer = code.gload({code.args(), at});
                broadcast_[{op.operand, op.type}] = codec_.same(spec.types[size_t(op.operand)], op.type, {pointer});
            }
        }
        for (const Stage& s : network_.stages)
            if (s.kind == StageKind::permute) tables(s);
    }

    void emit(Gpr src, Gpr dst) {
        if (spec_.join == Join::normal)
            load_mostly_normal(src);
        else if (program_ && !spec_.late)
            load_converted(src);
        else
            load(src);
        if (!spec_.program.ops.empty() && !program_)
            for (Vec& r : regs_)
                if (r.id >= 0) r = clamp_bytes(codec_, code_, spec_.types[1], r, bytes_);
        next_table_ = 0;
        for (const Stage& s : network_.stages) {
            if (s.kind == StageKind::permute)
                permute(s);
            else
                exchange(s);
        }
        store(dst);
    }

private:
    void load(Gpr src) {
        struct Piece {
            unsigned reg, piece;
            Coordinates c;
        };
        const size_t piece_bits = spec_.piece.size();
        const std::vector<TileBit>& inserts = network_.brought;
        std::vector<Piece> pieces;
        for (unsigned r = 0; r < 1u << network_.reg_bits.size(); ++r)
            for (unsigned p = 0; p < 1u << inserts.size(); ++p)
                pieces.push_back({r, p, at(network_.reg_bits, r) + at(inserts, p)});
        std::stable_sort(pieces.begin(), pieces.end(), [&](const Piece& x, const Piece& y) {
            return std::pair(x.piece, from_.rank(x.c)) < std::pair(y.piece, from_.rank(y.c));
        });
        const int piece_bytes = moved_ << piece_bits;
        regs_.assign(size_t(1) << network_.reg_bits.size(), Vec{});
        from_.start(src);
        for (const Piece& p : pieces) {
            const int elements = existing(spec_, spec_.piece, p.c);
            if (!elements) continue;
            const Mem m = from_(p.c);
            Vec& reg = regs_[p.reg];
            const bool whole = elements * moved_ == piece_bytes;
            if (p.piece == 0)
                reg = code_.load(m, elements * moved_);
            else if (whole)
                reg = code_.insert(reg, m, piece_bytes, int(p.piece), bytes_);
            else
                reg = code_.insert_reg(reg, code_.load(m, elements * moved_), piece_bytes, int(p.piece), bytes_);
            if (p.piece == 0 && spec_.prefetch_read) code_.prefetch({m.base, m.disp + 256, m.index, m.scale}, 0);
        }
    }

    struct Value {
        ValueType type{};
        Vec vec;
    };
    // Values of a row; `loaded` gives those of operand 0.
    template <typename F> Value computed(const F& loaded) {
        Value result;
        program_->emit(
            [&](int operand, ValueType type) {
                return operand == 0 ? loaded(type) : broadcast_.at({operand, type});
            },
            [&](int, ValueType type, Vec value) { result = {type, value}; });
        return result;
    }

    // Rows of W/4 elements, converted; for narrow types two or four of them in a register.
    // `into`: the registers that take them; one by one, so that two sets never live at once.
    void load_converted(Gpr src, const std::vector<Vec>& into = {}) {
        std::vector<std::pair<Coordinates, unsigned>> order;
        for (unsigned r = 0; r < 1u << network_.reg_bits.size(); ++r) order.emplace_back(at(network_.reg_bits, r), r);
        std::stable_sort(order.begin(), order.end(),
                         [&](const auto& x, const auto& y) { return from_.rank(x.first) < from_.rank(y.first); });
        if (into.empty()) regs_.assign(order.size(), Vec{});
        from_.start(src);
        for (const auto& [c, r] : order) {
            if (!existing(spec_, spec_.piece, c)) continue;
            const Vec rows = spec_.join == Join::split ? split(c) : joined(c);
            if (into.empty())
                regs_[r] = rows;
            else
                code_.copy(into[r], rows);
        }
    }

    // The instruction takes denormals for zeros, so a tile that has any is converted once more, in integers.
    void load_mostly_normal(Gpr src) {
        codec_.promise_normal_values();
        least_ = code_.op2(VOp::ior, codec_.u32(0x00ffffff), codec_.u32(0x00ffffff));
        load_converted(src);
        const Gpr denormals = code_.gmask(code_.icmp(least_, codec_.u32(0x00ffffff), 1), 4);
        least_ = {};
        code_.if_positive(denormals);
        codec_.promise_normal_values(false);
        load_converted(src, regs_);
        code_.end_if();
    }
    // Of magnitudes in halves of a unit less one: zeros are the largest, what lies below 0x00ffffff is denormal.
    void note_denormals(Vec x) {
        const Vec rank = code_.op2(VOp::iadd, code_.shift(VOp::shl, x, 1), codec_.u32(0xffffffff));
        const Vec least = code_.op2(VOp::umin, least_, rank);
        least_ = least;
    }

    // Rows that do not exist repeat the first one.
    Vec joined(const Coordinates& c) {
        const DataType from = spec_.types[0], to = spec_.types[1];
        Value part[4];
        for (unsigned j = 0; j < 1u << network_.brought.size(); ++j) {
            const Coordinates here = c + at(network_.brought, j);
            const int elements = existing(spec_, spec_.piece, here);
            part[j] = part[0];
            if (elements)
                part[j] = computed([&](ValueType type) {
                    const Vec x = codec_.load(from, type, from_(here), elements);
                    if (least_.id >= 0) note_denormals(x);
                    return x;
                });
        }
        const ValueType type = part[0].type;
        auto code = [&](int j) { return codec_.encode(to, type, part[j].vec); };
        switch (spec_.join) {
        case Join::words: {
            const Vec low = code(0);
            return code_.op2(VOp::ior, low, code_.shift(VOp::shl, code(1), 16));
        }
        case Join::halves:
        case Join::normal:
            return codec_.pair(to, type, part[0].vec, part[1].vec);
        case Join::bytes:
            return codec_.pack_bytes(to, type, part[0].vec, part[1].vec, part[2].vec, part[3].vec);
        default:
            return code(0);
        }
    }

    // Rows 0 and 2, then 1 and 3, as halves of a register of words.
    Vec split(const Coordinates& c) {
        const int half = bytes_ / 2;
        Value part[4];
        for (unsigned pair = 0; pair < 2; ++pair) {
            Vec words{};
            for (unsigned upper = 0; upper < 2; ++upper) {
                const Coordinates here = c + at(network_.brought, pair + 2 * upper);
                const int elements = existing(spec_, spec_.piece, here);
                if (!elements) continue;
                const bool whole = 2 * elements == half;
                const Mem m = from_(here);
                if (!upper)
                    words = code_.load(m, 2 * elements);
                else
                    words = whole ? code_.insert(words, m, half, 1, bytes_)
                                  : code_.insert_reg(words, code_.load(m, 2 * elements), half, 1, bytes_);
            }
            if (words.id < 0) {
                part[2 * pair] = part[0], part[2 * pair + 1] = part[1];
                continue;
            }
            Vec values[2];
            for (unsigned odd = 0; odd < 2; ++odd)
                part[2 * pair + odd] = computed([&](ValueType type) {
                    if (!odd) codec_.load_split(type, words, values[0], values[1]);
                    return values[odd];
                });
        }
        return codec_.pack_bytes(spec_.types[1], part[0].type, part[0].vec, part[1].vec, part[2].vec, part[3].vec);
    }

    void store(Gpr dst) {
        std::vector<std::pair<Coordinates, Vec>> lines;
        for (unsigned r = 0; r < regs_.size(); ++r) lines.emplace_back(at(network_.stored_bits, r), regs_[r]);
        std::stable_sort(lines.begin(), lines.end(),
                         [&](const auto& x, const auto& y) { return to_.rank(x.first) < to_.rank(y.first); });
        to_.start(dst);
        for (const auto& [c, reg] : lines) {
            const int elements = existing(spec_, spec_.line, c);
            if (!elements) continue;
            const Mem m = to_(c);
            if (spec_.late)
                store_converted(m, reg, elements);
            else if (spec_.stream && elements * spec_.element == bytes_)
                code_.stream(m, reg, bytes_);
            else
                code_.store(m, reg, elements * spec_.element);
            if (spec_.prefetch_write) code_.prefetch({m.base, m.disp + 128, m.index, m.scale}, 1);
        }
    }

    void put(Mem m, Vec x) { spec_.stream ? code_.stream(m, x) : code_.store(m, x); }

    // A line of src's type as one, two or four of dst's.
    void store_converted(Mem m, Vec line, int elements) {
        const DataType from = spec_.types[0], to = spec_.types[1];
        const int lanes = codec_.lanes();
        auto place = [&](int element) { return Mem{m.base, m.disp + element * spec_.element, m.index, m.scale}; };
        if (table_ && elements * moved_ == bytes_) {
            for (const auto& [element, x] : codec_.looked_up(line, to)) put(place(element), x);
            return;
        }
        Value values[4];
        for (int k = 0; k * lanes < elements; ++k) {
            const Vec part = k ? code_.extract(line, lanes * moved_, k) : line;
            values[k] = computed([&](ValueType type) { return codec_.decode(from, type, part); });
        }
        const ValueType type = values[0].type;
        for (int k = 0; k * lanes < elements; ++k) {
            const int here = elements - k * lanes;
            if (spec_.element == 2 && k % 2 == 0 && here >= 2 * lanes) {
                put(place(k * lanes), codec_.pair(to, type, values[k].vec, values[k + 1].vec));
                ++k;
            } else {
                codec_.store(to, type, place(k * lanes), values[k].vec, std::min(here, lanes), nullptr,
                             spec_.stream && spec_.element == 4 && here >= lanes);
            }
        }
    }

    void exchange(const Stage& s) {
        const auto bit = 1u << s.reg_bit;
        for (unsigned r = 0; r < regs_.size(); ++r) {
            if (r & bit) continue;
            Vec a = regs_[r], b = regs_[r | bit];
            if (a.id < 0 && b.id < 0) continue;
            if (a.id < 0) a = b; // points that do not exist: whatever is there
            if (b.id < 0) b = a;
            if (s.kind == StageKind::unpack) {
                regs_[r] = code_.unpack(false, a, b, moved_, bytes_);
                regs_[r | bit] = code_.unpack(true, a, b, moved_, bytes_);
            } else {
                const bool four = bytes_ == 64;
                regs_[r] = code_.lanes(a, b, four ? 0x88 : 0, bytes_);
                regs_[r | bit] = code_.lanes(a, b, four ? 0xdd : 3, bytes_);
            }
        }
    }

    // A permutation of bits in up to three steps: bytes in lanes, then elements of any place, then bytes in lanes.
    struct Step {
        int element; // 0: shuffle in lanes
        Vec table;
    };
    using Order = std::array<int8_t, 6>;

    void tables(const Stage& s) {
        std::vector<Step> steps;
        const int n = network_.positions;
        auto fixed = [&](int begin, int end) {
            for (int q = begin; q < end; ++q)
                if (s.from[size_t(q)] != q) return false;
            return true;
        };
        if (n == 4 || fixed(4, n))
            steps.push_back(step(s.from, 0));
        else if (fixed(0, 2))
            steps.push_back(step(s.from, 4));
        else if (fixed(0, 1) && code_.target().masks)
            steps.push_back(step(s.from, 2));
        else if (code_.target().byte_permute)
            steps.push_back(step(s.from, 1));
        else
            three_steps(s.from, n, steps);
        steps_.push_back(std::move(steps));
    }
    void three_steps(const Order& from, int n, std::vector<Step>& steps) {
        // 1. bits that must rise to lanes go to positions 3, 2; 2. lanes in order, fallen bits at 2, 3; 3. the rest.
        Order now{0, 1, 2, 3, 4, 5}, first = now, second = now, third = now;
        int top = 3;
        std::vector<int8_t> rise, stay;
        for (int q = 4; q < n; ++q)
            if (from[size_t(q)] < 4) rise.push_back(from[size_t(q)]);
        for (int8_t q = 0; q < 4; ++q)
            if (std::find(rise.begin(), rise.end(), q) == rise.end()) stay.push_back(q);
        for (int8_t q : rise) first[size_t(top--)] = q;
        std::copy(stay.begin(), stay.end(), first.begin());
        Order held = first; // held[q]: original position of the bit now at q
        std::vector<int8_t> fallen;
        for (int8_t q = 4; q < n; ++q) {
            bool goes_up = false;
            for (int t = 4; t < n; ++t) goes_up |= from[size_t(t)] == q;
            if (!goes_up) fallen.push_back(q);
        }
        for (int q = 4; q < n; ++q)
            second[size_t(q)] = int8_t(std::find(held.begin(), held.end(), from[size_t(q)]) - held.begin());
        int place = 3;
        for (int8_t q : fallen) second[size_t(place--)] = q;
        Order after{};
        for (size_t q = 0; q < 6; ++q) after[q] = held[size_t(second[q])];
        for (int q = 0; q < 4; ++q)
            third[size_t(q)] = int8_t(std::find(after.begin(), after.end(), from[size_t(q)]) - after.begin());
        steps.push_back(step(first, 0));
        steps.push_back(step(second, 4));
        steps.push_back(step(third, 0));
    }
    Step step(const Order& from, int element) {
        auto source = [&](int byte) { // of the byte that goes to `byte`
            int result = 0;
            for (int q = 0; q < network_.positions; ++q)
                if (byte >> q & 1) result |= 1 << from[size_t(q)];
            return result;
        };
        std::vector<uint8_t> table(size_t(bytes_), 0);
        for (int b = 0; b < bytes_; ++b) {
            if (element == 0)
                table[size_t(b)] = uint8_t(source(b) & 15);
            else if (b % element == 0)
                table[size_t(b)] = uint8_t(source(b) / element);
        }
        return {element, code_.constant(table)};
    }
    void permute(const Stage&) {
        for (const Step& s : steps_[next_table_])
            for (Vec& r : regs_)
                if (r.id >= 0)
                    r = s.element ? code_.permute(r, s.table, s.element, bytes_) : code_.shuffle(r, s.table, bytes_);
        ++next_table_;
    }

    Code& code_;
    const TransposeSpec& spec_;
    Network network_;
    int bytes_, moved_;
    Walker from_, to_;
    Codec codec_;
    std::optional<ProgramCode> program_;
    std::map<std::pair<int, ValueType>, Vec> broadcast_;
    std::vector<Vec> regs_;
    Vec least_;
    bool table_ = false;
    std::vector<std::vector<Step>> steps_;
    size_t next_table_ = 0;
};

template <typename Body> void over_tiles(Code& c, Gpr src, Gpr dst, int level, const Body& body) {
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
    }
    over_tiles(c, src, dst, level - 1, body);
    if (level > 0) {
        c.gload(src, field(offsetof(One, src)));
        c.gload(dst, field(offsetof(One, dst)));
    }
    c.gadd_mem(src, src, field(offsetof(One, src_step)));
    c.gadd_mem(dst, dst, field(offsetof(One, dst_step)));
    const Gpr rest = c.gload(field(offsetof(One, left)));
    c.gsub(rest, rest, 1);
    c.gstore(field(offsetof(One, left)), rest);
    c.if_less(rest, 2);
    c.gadd_mem(src, src, field(offsetof(One, src_fix)));
    c.gadd_mem(dst, dst, field(offsetof(One, dst_fix)));
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
    return fmt::format("transpose {}{}{}B {}{}{}{}{}", program, s.late ? "late " : "", s.element, loops, bits, s.stream ? s.fence ? "nt" : "nt-open" : "",
                       s.prefetch_write ? "pw" : "", s.prefetch_read ? "pr" : "");
}

bool converts(const TransposeSpec& s) { return !s.program.ops.empty() && !is_byte_clamp(s.program, s.types); }

int moved_bytes(const TransposeSpec& s) { return s.late ? s.source : s.element; }

Join join_of(const Target& target, const TransposeSpec& s) {
    if (!converts(s) || s.late || s.element > 2) return Join::none;
    int loads = 0;
    for (const Op& op : s.program.ops) loads += op.code == OpCode::load && op.operand == 0;
    if (s.element == 1) return s.types[0] == DataType::bf16 && loads == 1 ? Join::split : Join::bytes;
    const bool conversion = is_conversion(s.program), normal = conversion && normal_values(s.types[0]);
    if (s.types[0] == DataType::f32 && s.types[1] == DataType::bf16 && target.bf16 && conversion) return Join::normal;
    return s.types[1] == DataType::f16 || (s.types[1] == DataType::bf16 && target.bf16 && normal) ? Join::halves
                                                                                                 : Join::words;
}

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
        int free = 0; // bits of the line that joins may bring
        for (TileBit t : spec.line) free += std::find(spec.piece.begin(), spec.piece.end(), t) == spec.piece.end();
        if (free < (spec.element == 1 ? 2 : spec.element == 2 ? 1 : 0)) return false;
    }
    int bits = 0;
    for (const TileLoop& l : spec.loops) bits += l.bits;
    const int regs = bits - int(spec.line.size());
    return regs >= 0 && regs <= 4 && spec.loops.size() <= tile_loops;
}

Code build_transpose(const Target& target, const TransposeSpec& spec) {
    Code c(target, key(spec));
    const Gpr src = c.gload({c.args(), int64_t(offsetof(TransposeArgs, src))});
    const Gpr dst = c.gload({c.args(), int64_t(offsetof(TransposeArgs, dst))});
    Tile tile(c, spec);
    over_tiles(c, src, dst, 2, [&] { tile.emit(src, dst); });
    if (spec.stream && spec.fence) c.fence();
    return c;
}

} // namespace tessera::cpu
