// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/transpose/kernel/conversions.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::cpu {

using namespace jit;

Conversions::Conversions(Code& code, const TransposeSpec& spec, const Network& network, Walker& from)
    : code_(code), spec_(spec), network_(network), from_(from), bytes_(1 << network.positions), codec_(code) {
    if (spec.program.ops.empty()) return;
    if (!converts(spec)) {
        prepare_clamp(codec_, spec.types[1]);
        return;
    }
    program_.emplace(code, codec_, spec.program, spec.types);
    table_ = spec.late && is_table(spec.program, spec.types, code.target());
    if (table_) codec_.prepare_table(spec.types[0], spec.types[1]);
    if (spec.join == Join::normal) codec_.prepare_denormals();
    if (spec.join == Join::split) codec_.prepare_u32(0xffff0000);
    for (const Op& op : spec.program.ops) {
        if (op.code != OpCode::load || op.operand == 0) continue;
        const auto at = int64_t(offsetof(TransposeArgs, broadcast)) + 8 * op.operand;
        const Gpr pointer = code.gload({code.args(), at});
        broadcast_[{op.operand, op.type}] = codec_.same(spec.types[size_t(op.operand)], op.type, {pointer});
    }
}

// Values of a row; `loaded` gives those of operand 0.
template <typename F> Conversions::Value Conversions::computed(const F& loaded) {
    Value result;
    program_->emit(
        [&](int operand, ValueType type) {
            return operand == 0 ? loaded(type) : broadcast_.at({operand, type});
        },
        [&](int, ValueType type, Vec value) {
            result = {type, value};
        });
    return result;
}

void Conversions::clamp(Vec& r) {
    if (spec_.program.ops.empty() || program_ || r.id < 0) return;
    r = clamp_bytes(codec_, code_, spec_.types[1], r, bytes_);
}

std::vector<Vec> Conversions::load(Gpr src) {
    std::vector<Vec> registers(size_t(1) << network_.reg_bits.size());
    if (spec_.join != Join::normal) {
        load_rows(src, registers, false);
        return registers;
    }
    codec_.promise_normal_values();
    least_ = codec_.no_denormal();
    load_rows(src, registers, false);
    const Gpr denormals = codec_.denormals_noted(least_);
    least_ = {};
    code_.if_positive(denormals);
    codec_.promise_normal_values(false);
    load_rows(src, registers, true);
    code_.end_if();
    return registers;
}

// `into`: the registers are there already and take the rows one by one, so that two sets never live at once.
void Conversions::load_rows(Gpr src, std::vector<Vec>& registers, bool into) {
    std::vector<std::pair<Coordinates, unsigned>> order;
    for (unsigned r = 0; r < registers.size(); ++r) order.emplace_back(at(network_.reg_bits, r), r);
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto& x, const auto& y) { return from_.rank(x.first) < from_.rank(y.first); });
    from_.start(src);
    for (const auto& [c, r] : order) {
        if (!existing(spec_, spec_.piece, c)) continue;
        const Vec rows = spec_.join == Join::split ? split(c) : joined(c);
        if (into)
            code_.copy(registers[r], rows);
        else
            registers[r] = rows;
    }
}

// Rows that do not exist repeat the first one.
Vec Conversions::joined(const Coordinates& c) {
    const DataType from = spec_.types[0], to = spec_.types[1];
    Value part[4];
    for (unsigned j = 0; j < 1u << network_.brought.size(); ++j) {
        const Coordinates here = c + at(network_.brought, j);
        const int elements = existing(spec_, spec_.piece, here);
        part[j] = part[0];
        if (elements)
            part[j] = computed([&](ValueType type) {
                const Vec x = codec_.load(from, type, from_(here), elements);
                if (least_.id >= 0) least_ = codec_.note_denormals(least_, x);
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
Vec Conversions::split(const Coordinates& c) {
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

void Conversions::store(Mem m, Vec line, int elements) {
    const DataType from = spec_.types[0], to = spec_.types[1];
    const int lanes = codec_.lanes(), source = spec_.source;
    auto place = [&](int element) { return Mem{m.base, m.disp + element * spec_.element, m.index, m.scale}; };
    if (table_ && elements * source == bytes_) {
        for (const auto& [element, x] : codec_.looked_up(line, to)) put(place(element), x);
        return;
    }
    Value values[4];
    for (int k = 0; k * lanes < elements; ++k) {
        const Vec part = k ? code_.extract(line, lanes * source, k) : line;
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

} // namespace tessera::cpu
