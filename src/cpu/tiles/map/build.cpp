// SPDX-License-Identifier: Apache-2.0
// A row is: elements peeled until dst is aligned (non-temporal stores only), a loop unrolled to several vectors, single
// vectors, a tail. One index counts elements (bytes in copies) for all operands, so that an operand costs one general
// register; where there are more operands than registers, the addresses of the last ones are read from the arguments at
// every use.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

// Five of 13 general registers are index, counters and scratch. With more operands than these eight, one register
// serves for all addresses that are read from the arguments.
constexpr size_t most_registers = 8;

constexpr int64_t at_base = offsetof(MapArgs, base), at_row = offsetof(MapArgs, row), at_rows = offsetof(MapArgs, rows),
                  at_columns = offsetof(MapArgs, columns), at_scratch = offsetof(MapArgs, scratch);

class Builder {
public:
    Builder(const Target& target, const MapSpec& spec)
        : spec_(spec), clamp_(clamps_bytes(spec)), copy_(clamp_ || is_copy(spec.program)), c_(target), codec_(c_),
          lanes_(copy_ ? c_.width() : c_.width() / 4) {}

    Code build() {
        for (const Op& op : spec_.program.ops)
            if (op.code == OpCode::store) dst_ = op.operand, ++stores_;
        load_bases();
        if (clamp_) prepare_clamp(codec_, spec_.types[size_t(dst_)]);
        prepare_numbers();
        if (!copy_) program_.emplace(c_, codec_, spec_.program, spec_.types);
        prepare_quads();
        codec_.promise_normal_values(spec_.normal);
        splits_ = !copy_ && splits();
        if (splits_) codec_.prepare_split(spec_.types[size_t(dst_)]);
        table_ = !copy_ && first() >= 0 && is_table(spec_.program, spec_.types, c_.target());
        if (table_) codec_.prepare_table(spec_.types[size_t(first())], spec_.types[size_t(dst_)]);
        if (!spec_.stream || stores_ != 1 || quads_of_ >= 0) { // bound by random numbers, not by memory
            rows(false);
            return std::move(c_);
        }
        codec_.prepare_u32(0);
        rows(true);
        c_.fence();
        return std::move(c_);
    }

private:
    // Registers go to dst first, then to operands that advance along a row, then to those read once a row.
    void load_bases() {
        used_.push_back(dst_);
        for (bool moving : {true, false})
            for (const Op& op : spec_.program.ops)
                if (op.operand >= 0 && bool(spec_.column[size_t(op.operand)]) == moving &&
                    std::find(used_.begin(), used_.end(), op.operand) == used_.end())
                    used_.push_back(op.operand);
        const size_t registers = used_.size() > most_registers ? most_registers - 1 : used_.size();
        for (size_t i = 0; i < registers; ++i) base_[used_[i]] = c_.gload(slot(at_base, used_[i]));
    }
    Mem slot(int64_t array, int operand) const { return {c_.args(), array + 8 * operand}; }
    Gpr base(int operand) { return base_[operand].id >= 0 ? base_[operand] : c_.gload(slot(at_base, operand)); }

    int size(int operand) const { return copy_ ? 1 : bits(spec_.types[size_t(operand)]) / 8; }
    int size_shift(int operand) const { return std::countr_zero(unsigned(size(operand))); }
    Mem at(int operand, int64_t element = 0) { return {base(operand), element * size(operand), index_, size(operand)}; }

    // How far the address of an operand is from multiples of powers of two: bits of its negative. Taken from a vector,
    // since general registers do not shift right here; the forwarded store costs less than a mispredicted branch.
    Vec missing(int operand) {
        const Mem scratch{c_.args(), at_scratch};
        c_.gstore(scratch, base(operand));
        return c_.op2(VOp::isub, codec_.u32(0), c_.broadcast(scratch, 8), 8);
    }
    Vec bits_of(Vec v, int left, int right) { return c_.shift(VOp::shr, c_.shift(VOp::shl, v, left, 8), right, 8); }
    Gpr general(Vec v) {
        const Mem scratch{c_.args(), at_scratch};
        c_.store(scratch, v, 8);
        return c_.gload(scratch);
    }
    // Of dst to the next vector's boundary. If no element lies at one, this is more than any row has: then none is
    // streamed. Such addresses hardly occur and get no code of their own.
    Gpr elements_to_boundary() {
        const int left = 64 - std::countr_zero(unsigned(c_.width())), shift = size_shift(dst_);
        const Vec bytes = missing(dst_);
        Vec elements = bits_of(bytes, left, left + shift);
        if (shift) elements = c_.op2(VOp::ior, elements, bits_of(bytes, 64 - shift, 1), 8);
        return general(elements);
    }
    // n elements from index_ on; n is used up. With masks the last vector is one like the others.
    void peel(Gpr n) {
        if (!c_.target().masks) return run(n, false, false);
        c_.if_positive(n);
        c_.loop();
        const Mask some = c_.mask_first(n);
        vector(lanes_, &some);
        c_.gadd(index_, index_, lanes_);
        c_.end_loop(n, lanes_);
        c_.gadd(index_, index_, n);
        c_.end_if();
    }

    Gpr columns() {
        const Gpr n = c_.gload({c_.args(), at_columns});
        const int size = bits(spec_.types[size_t(dst_)]) / 8;
        return copy_ && size > 1 ? c_.gshl(n, std::countr_zero(unsigned(size))) : n;
    }

    void rows(bool stream) {
        const Gpr count = c_.gload({c_.args(), at_rows});
        c_.loop();
        index_ = c_.gset(0);
        load_same();
        if (stream) {
            peel(c_.gmin(elements_to_boundary(), columns()));
            const Gpr rest = columns();
            c_.gsub(rest, rest, index_);
            run(rest, true, true);
        } else {
            if (quads_of_ >= 0) start_quads();
            const Gpr rest = columns();
            if (quads_of_ >= 0) c_.gsub(rest, rest, index_);
            run(rest, true, false);
        }
        for (int o : used_) {
            const Gpr b = base(o);
            if (std::ranges::find(spec_.stepped, o) == spec_.stepped.end()) {
                c_.gadd_mem(b, b, slot(at_row, o));
            } else {
                const Gpr steps = c_.gload(slot(at_row, o));
                c_.gadd_mem(b, b, {steps});
                c_.gadd(steps, steps, 8);
                c_.gstore(slot(at_row, o), steps);
            }
            if (base_[o].id < 0) c_.gstore(slot(at_base, o), b);
        }
        c_.end_loop(count, 1);
    }

    // Operands that are constant along a row are converted once a row; of counted ones the iota of the first vector is
    // made.
    void load_same() {
        same_.clear();
        first_numbers_.clear();
        for (const Op& op : spec_.program.ops) {
            if (op.code == OpCode::index && !first_numbers_.count(op.operand))
                first_numbers_[op.operand] = first_numbers(op.operand, spec_.column[size_t(op.operand)]);
            if (op.code == OpCode::load && !spec_.column[size_t(op.operand)]) {
                const Vec v = codec_.same(spec_.types[size_t(op.operand)], op.type, {base(op.operand)});
                same_.insert({{op.operand, op.type}, v});
            }
        }
    }

    // Where one counted operand advances by 1 along the row, the unrolled loop covers whole quads of it.
    void prepare_quads() {
        int operand = -1;
        for (const Op& op : spec_.program.ops) {
            if (op.code != OpCode::index || op.operand == operand) continue;
            if (operand >= 0 || spec_.column[size_t(op.operand)] != 1) return;
            operand = op.operand;
        }
        if (operand < 0) return;
        program_->find_quads([&](int o) { return spec_.column[size_t(o)] == 0; });
        if (!program_->has_quads()) return;
        quads_of_ = operand;
        codec_.prepare_u32(0);
        for (int u = 0; u < 4; ++u) quads_of_vector_[u] = table([&](int lane) { return (u * lanes_ + lane) / 4; });
    }
    // Elements up to the first number that is a multiple of 4.
    void start_quads() {
        const Gpr n = c_.gmin(general(bits_of(missing(quads_of_), 62, 62)), columns());
        if (!c_.target().masks) return repeat(n, 1, [&] { vector(1, nullptr); });
        c_.if_positive(n);
        const Mask head = c_.mask_first(n);
        vector(lanes_, &head);
        c_.gadd(index_, index_, n);
        c_.end_if();
    }
    std::vector<Vec> expanded(const std::vector<Vec>& quads, int vector) {
        std::vector<Vec> values = quads;
        for (size_t i = 0; i < values.size(); ++i)
            if (values[i].id >= 0 && program_->is_quad(i))
                values[i] = c_.permute(values[i], quads_of_vector_[vector], 4);
        return values;
    }

    Vec broadcast_low(Gpr value) {
        const Mem scratch{c_.args(), at_scratch};
        c_.gstore(scratch, value);
        return c_.broadcast(scratch, 4);
    }
    template <typename F> Vec table(F value_of_lane) {
        std::vector<uint8_t> bytes(size_t(c_.width()));
        for (int lane = 0; lane < lanes_; ++lane) {
            const auto value = uint32_t(value_of_lane(lane));
            std::memcpy(&bytes[size_t(lane) * 4], &value, 4);
        }
        return c_.constant(bytes);
    }
    Vec first_numbers(int operand, int64_t step) {
        const Vec first = broadcast_low(base(operand));
        return c_.op2(VOp::iadd, first, table([=](int lane) { return lane * step; }));
    }
    Vec numbers(int operand, int64_t element) {
        const auto stride = uint32_t(spec_.column[size_t(operand)]);
        Vec moved = broadcast_low(index_);
        if (stride != 1) moved = c_.op2(VOp::imul, moved, codec_.u32(stride));
        moved = c_.op2(VOp::iadd, moved, first_numbers_.at(operand));
        return element ? c_.op2(VOp::iadd, moved, codec_.u32(uint32_t(element) * stride)) : moved;
    }
    void prepare_numbers() {
        for (const Op& op : spec_.program.ops) {
            if (op.code != OpCode::index) continue;
            const auto stride = uint32_t(spec_.column[size_t(op.operand)]);
            for (uint32_t vector = 0; vector < 4; ++vector) codec_.prepare_u32(vector * uint32_t(lanes_) * stride);
            codec_.prepare_u32(stride);
        }
    }

    // n elements from index_ on; n and index_ are used up.
    void run(Gpr n, bool turns, bool stream) {
        const int unroll = copy_ && c_.width() == 32 ? 8 : 4; // 128 or 256 bytes of results an iteration
        if (turns) {
            repeat(n, unroll * lanes_, [&] { turn(unroll, stream); });
        }
        repeat(n, lanes_, [&] { vector(lanes_, nullptr); });
        if (c_.target().masks) {
            c_.if_positive(n);
            const Mask tail = c_.mask_first(n);
            vector(lanes_, &tail);
            c_.gadd(index_, index_, n);
            c_.end_if();
            return;
        }
        for (int part = lanes_ / 2; part > 1; part /= 2) {
            if (!copy_ && part < lanes_ / 2) break; // at most three single elements are left
            c_.gadd(n, n, 1 - part);
            c_.if_positive(n);
            vector(part, nullptr);
            c_.gadd(index_, index_, part), c_.gadd(n, n, -part);
            c_.end_if();
            c_.gadd(n, n, part - 1);
        }
        repeat(n, 1, [&] { vector(1, nullptr); });
    }

    // body while n >= step; the loop counts with n lowered by step - 1, because it ends where its counter is not
    // positive
    template <typename F> void repeat(Gpr n, int step, F body) {
        if (step > 1) c_.gadd(n, n, 1 - step);
        c_.if_positive(n);
        c_.loop();
        body();
        c_.gadd(index_, index_, step);
        c_.end_loop(n, step);
        c_.end_if();
        if (step > 1) c_.gadd(n, n, step - 1);
    }

    Vec load(int operand, ValueType type, int64_t element, int count, const Mask* tail) {
        if (first_numbers_.count(operand)) return numbers(operand, element);
        if (auto known = same_.find({operand, type}); known != same_.end()) return known->second;
        return codec_.load(spec_.types[size_t(operand)], type, at(operand, element), count, tail);
    }

    Vec clamped(Vec x) { return clamp_ ? clamp_bytes(codec_, c_, spec_.types[size_t(dst_)], x) : x; }

    void vector(int count, const Mask* tail) {
        if (copy_) {
            const Mem src = at(spec_.program.ops[0].operand), dst = at(dst_);
            if (tail)
                c_.store_masked(dst, clamped(c_.load_masked(src, *tail, 1)), *tail, 1);
            else
                c_.store(dst, clamped(c_.load(src, count)), count);
            return;
        }
        program_->emit([&](int operand, ValueType type) { return load(operand, type, 0, count, tail); },
                       [&](int operand, ValueType type, Vec value) {
                           codec_.store(spec_.types[size_t(operand)], type, at(operand), value, count, tail);
                       });
    }

    // Four vectors of stored bf16, even and odd elements apart; the program reads nothing else that advances along a
    // row.
    bool splits() const {
        int moving = 0;
        for (const Op& op : spec_.program.ops) {
            if (op.code == OpCode::index) return false; // an iota is in order
            moving += op.code == OpCode::load && spec_.column[size_t(op.operand)];
        }
        return moving == 1 && stores_ == 1 && size(dst_) == 1 && spec_.types[size_t(first())] == DataType::bf16;
    }
    int first() const { // loaded operand that advances along a row; -1: none
        for (const Op& op : spec_.program.ops)
            if (op.code == OpCode::load && spec_.column[size_t(op.operand)]) return op.operand;
        return -1;
    }

    void split_turn(bool stream) {
        Vec values[4];
        ValueType type{};
        for (int half = 0; half < 2; ++half) {
            const Vec words = c_.load(at(first(), half * 2 * lanes_));
            Vec even, odd;
            for (int u = 0; u < 2; ++u)
                program_->emit(
                    [&](int operand, ValueType t) {
                        if (operand != first()) return load(operand, t, 0, lanes_, nullptr);
                        if (!u) codec_.load_split(t, words, even, odd);
                        return u ? odd : even;
                    },
                    [&](int, ValueType t, Vec value) { values[2 * half + u] = value, type = t; });
        }
        codec_.store_split(spec_.types[size_t(dst_)], type, at(dst_), values, stream);
    }

    void table_turn(bool stream) {
        for (const auto& [index, x] : codec_.looked_up(c_.load(at(first())), spec_.types[size_t(dst_)])) {
            const Mem m = at(dst_, index);
            stream ? c_.stream(m, x) : c_.store(m, x);
        }
    }

    void turn(int unroll, bool stream) {
        if (splits_) return split_turn(stream);
        if (table_) return table_turn(stream);
        if (copy_) {
            std::vector<Vec> v;
            for (int u = 0; u < unroll; ++u)
                v.push_back(clamped(c_.load(at(spec_.program.ops[0].operand, u * lanes_))));
            for (int u = 0; u < unroll; ++u) {
                const Mem m = at(dst_, u * lanes_);
                stream ? c_.stream(m, v[size_t(u)]) : c_.store(m, v[size_t(u)]);
            }
            return;
        }
        struct Stored {
            int operand;
            ValueType type;
            Vec values[4];
        };
        std::vector<Stored> stored;
        std::vector<Vec> quads; // f32 dropout: 0.10 -> 0.30 of memcpy
        if (quads_of_ >= 0)
            quads = program_->emit_quads([&](int operand, ValueType type) {
                if (operand != quads_of_) return load(operand, type, 0, lanes_, nullptr);
                const Vec first = first_numbers(operand, 4);
                return c_.op2(VOp::iadd, first, broadcast_low(index_));
            });
        for (int u = 0; u < 4; ++u) {
            size_t next = 0;
            const auto load_part = [&](int operand, ValueType type) {
                return load(operand, type, u * lanes_, lanes_, nullptr);
            };
            const auto store_part = [&](int operand, ValueType type, Vec value) {
                if (!u) stored.push_back({operand, type, {}});
                stored[next++].values[u] = value;
            };
            if (quads_of_ >= 0)
                program_->emit_behind_quads(expanded(quads, u), load_part, store_part);
            else
                program_->emit(load_part, store_part);
        }
        for (const Stored& s : stored)
            codec_.store4(spec_.types[size_t(s.operand)], s.type, at(s.operand), s.values, stream);
    }

    const MapSpec& spec_;
    const bool clamp_, copy_;
    Code c_;
    Codec codec_;
    const int lanes_; // elements (bytes in copies) of a vector
    std::optional<ProgramCode> program_;
    std::vector<int> used_;
    Gpr base_[map_operands]; // none where the address stays in the arguments
    Gpr index_;
    int dst_ = 0, stores_ = 0;
    bool splits_ = false, table_ = false;
    int quads_of_ = -1; // the counted operand whose quads turns compute once
    Vec quads_of_vector_[4];
    std::map<std::pair<int, ValueType>, Vec> same_;
    std::map<int, Vec> first_numbers_; // of counted operands, by operand
};

} // namespace

std::string key(const MapSpec& spec) {
    const std::vector<std::string> names = names_in_key(spec.types, spec.column);
    std::string held;
    for (const int o : spec.held) held += fmt::format("{}{}", held.empty() ? " of " : ",", o);
    if (!held.empty()) held = fmt::format(", {}{} held", spec.period, held);
    if (spec.live) held += fmt::format(", {} of {} live", spec.live, spec.period);
    for (const int o : spec.stepped) held += fmt::format(", {} by steps", o);
    return fmt::format("map {}{}{}{}{}", to_string(spec.program, names), spec.stream ? " stream" : "",
                       spec.normal ? " normal" : "", spec.fixed ? fmt::format(" {} columns", spec.fixed) : "", held);
}

bool clamps_bytes(const MapSpec& spec) {
    if (!is_byte_clamp(spec.program, spec.types)) return false;
    const int src = spec.program.ops[0].operand;
    return spec.column[size_t(src)] == 1 && std::ranges::find(spec.held, src) == spec.held.end();
}

bool can_build_map(const MapSpec& spec) {
    if (spec.types.size() > map_operands) return false;
    bool stored = false;
    for (const Op& op : spec.program.ops) {
        if (op.code == OpCode::store && !spec.column[size_t(op.operand)]) return false;
        if (op.code == OpCode::load && stored) return false;
        stored = stored || op.code == OpCode::store;
    }
    if (!is_copy(spec.program) && !clamps_bytes(spec)) return stored && can_emit(spec.program, spec.types);
    const Op &load = spec.program.ops[0], &store = spec.program.ops[1];
    const int src = bits(spec.types[size_t(load.operand)]), dst = bits(spec.types[size_t(store.operand)]);
    return src == dst && src % 8 == 0 && spec.column[size_t(load.operand)] == 1;
}

Code build_map(const Target& target, const MapSpec& spec) {
    return spec.fixed ? build_short_rows(target, spec) : Builder(target, spec).build();
}

} // namespace tessera::cpu
