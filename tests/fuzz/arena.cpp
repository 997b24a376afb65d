// SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "primitives/row.hpp"

namespace tessera::fuzz {

namespace {

void fill(Bytes& v, DataType type, Random& r) {
    for (size_t i = 0; i < v.size(); i += 8) {
        const uint64_t bytes = r();
        std::memcpy(v.data() + i, &bytes, std::min<size_t>(8, v.size() - i));
    }
    if (type != DataType::f32 && type != DataType::f64 && type != DataType::s32) return;
    // Mostly values that narrower types can hold; random bits are mostly huge.
    for (size_t i = 0; i < v.size() / size_t(bits(type) / 8); ++i)
        if (chance(r, 80)) write<double>(type, v.data(), int64_t(i), double(below(r, 4000)) / 8 - 250);
}

// Sums of many elements: values whose partial sums stay finite, wherever an element may lie.
void fill_summands(Bytes& v, DataType type, Random& r, Summands summands) {
    const double divisor = summands == Summands::exact ? 8 : 7;
    for (int64_t i = 0; i < int64_t(v.size()) * 8 / bits(type); ++i)
        write<double>(type, v.data(), i,
                      summands == Summands::whole ? double(below(r, 7) - 3) : double(below(r, 4000)) / divisor - 250);
}

// What keeps gates of recurrent cells from the ends of their functions.
void fill_fractions(Bytes& v, DataType type, Random& r) {
    if (is_integer(type)) return;
    for (int64_t i = 0; i < int64_t(v.size()) * 8 / bits(type); ++i)
        write<double>(type, v.data(), i, double(below(r, 257) - 128) / 256);
}

// What a backward reads of its forward.
void run_forward(const Problem& p, Arena& a) {
    const auto forward_of = ops::row(p.kind).forward_of;
    if (!forward_of || p.prop != PropKind::backward) return;
    const Problem forward = forward_of(p);
    const auto plan = ops::row(p.kind).lower(forward);
    if (!plan) return; // nor has the backward one
    for (const Tensor& t : forward.tensors)
        if (t.output) std::fill(a.bytes.at(t.arg).begin(), a.bytes.at(t.arg).end(), uint8_t(0));
    interpret(*plan, pointers(*plan, a, true).all);
}

} // namespace

ops::Buffers Arena::buffers() {
    ops::Buffers b;
    for (auto& [id, v] : bytes) b[id] = v.data();
    return b;
}

bool Arena::intact() const {
    return std::all_of(bytes.begin(), bytes.end(), [](const auto& b) { return b.second.intact(); });
}

Arena make_arena(const Problem& p, uint64_t seed, Random& r, Summands summands) {
    const primitives::Row& row = primitives::row(p.kind);
    Arena a;
    auto add = [&, at_end = seed % 2 == 0](int id, size_t bytes) mutable -> Bytes& {
        at_end = !at_end;
        using Placement = GuardedBuffer::Placement;
        return a.bytes[id] = Bytes(bytes, at_end ? Placement::end_at_guard : Placement::start_at_guard);
    };
    for (const Tensor& t : p.tensors) {
        Bytes& bytes = add(t.arg, reach_of(t.md));
        fill(bytes, t.md.type, r);
        // Sums of all bytes are exact as integers, but not with fractions as scales.
        const bool any_bytes = row.multiplies && is_integer(t.md.type) && summands != Summands::whole;
        if (row.adds && !any_bytes) fill_summands(bytes, t.md.type, r, summands);
        if (row.values && row.values(p, t.md.type) == Values::fractions) fill_fractions(bytes, t.md.type, r);
        if (t.arg == row.positive)
            for (int64_t i = 0; i < int64_t(bytes.size()) * 8 / bits(t.md.type); ++i)
                write<double>(t.md.type, bytes.data(), i, double(1 + below(r, 4000)) / 8);
        // The padding of an input is zero: kernels may multiply by it.
        if (row.multiplies && !t.output) ops::zero_padding(t.md, bytes.data());
    }
    for (const QuantArg& q : quant_args(p)) {
        Bytes& v = add(q.id, size_t(bytes_of(q.quant.type, q.count)));
        for (int64_t i = 0; i < q.count; ++i)
            write<float>(q.quant.type, v.data(), i,
                         q.quant.type == DataType::s32 ? float(below(r, 9) - 4) : float(1 + below(r, 16)) / 4);
    }
    run_forward(p, a);
    return a;
}

Pointers pointers(const Plan& plan, Arena& a, bool with_bytes) {
    Pointers result;
    for (const int64_t bytes : plan.scratch) result.scratch.emplace_back(size_t(bytes));
    for (const Operand& o : plan.operands) {
        void* pointer = nullptr;
        if (o.constant >= 0)
            pointer = const_cast<float*>(plan.constants[size_t(o.constant)].data());
        else if (o.scratch >= 0)
            pointer = result.scratch[size_t(o.scratch)].data() + (with_bytes ? o.bytes : 0);
        else if (!o.counted)
            pointer = a.bytes.at(o.arg).data() + (with_bytes ? o.bytes : 0);
        result.all.push_back(pointer);
    }
    return result;
}

std::string difference(DataType type, const Bytes& want, const Bytes& got) {
    if (want == got) return "";
    const int64_t elements = int64_t(want.size()) * 8 / bits(type);
    for (int64_t i = 0; i < elements; ++i) {
        if (read_bits(type, want.data(), i) == read_bits(type, got.data(), i)) continue;
        const double x = read<double>(type, want.data(), i), y = read<double>(type, got.data(), i);
        if (x != x && y != y) continue;
        return fmt::format("element {}: {} expected, {} found", i, x, y);
    }
    return "";
}

} // namespace tessera::fuzz
