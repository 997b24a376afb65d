// SPDX-License-Identifier: Apache-2.0
#include "data.hpp"

#include <algorithm>
#include <cmath>

#include "../problems/pattern.hpp"

namespace differential {
namespace {

constexpr size_t guard = 8192; // more than a whole block: the overrun of a padded tail must hit canaries, not the heap
constexpr uint8_t canary = 0xc7;

enum class Range { small, quarters, edges, patterns, smooth };

// With attributes the values stay small, so that sums and products are exact in f32 in any order.
Range range_of(const Problem& p) {
    if (multiplies(p)) { // sums that stay finite
        static constexpr Range ranges[] = {Range::small, Range::quarters, Range::smooth};
        return ranges[(p.seed >> 1) % std::size(ranges)];
    }
    if (has_formula(p)) {
        static constexpr Range ranges[] = {Range::small,  Range::quarters, Range::smooth,  Range::smooth,
                                           Range::smooth, Range::edges,    Range::patterns};
        return ranges[(p.seed >> 1) % std::size(ranges)];
    }
    const bool arithmetic = !p.scales.empty() || !p.zero_points.empty() || !p.post_ops.empty();
    return Range((p.seed >> 1) % (arithmetic ? 2 : 4));
}

uint64_t edge(const Type& t, uint64_t r) {
    static constexpr double values[] = {
        127,          127.5,         128,  -128, -128.5, -129, 255,  255.5, 256,   -1,    .5,       1.5,
        2.5,          -.5,           -1.5, 7.5,  8,      -8.5, 15.5, 448,   57344, 65504, 16777216, -16777215,
        2147483520.0, -2147483648.0, 6,    5,    0,      1,    .25,  .75,   1e-3,  3e9};
    const double value = values[r % std::size(values)];
    const int integer_bits = t.kind == Kind::signed_integer ? t.bits - 1 : t.bits;
    if (t.kind == Kind::floating || t.kind == Kind::exponent) {
        const uint64_t code = encode(t, std::min(std::fabs(value), std::ldexp(1.0, t.exponent_bits < 5 ? 2 : 15)));
        return t.bits >= 16 && t.exponent_bits == 8 ? encode(t, value) : code;
    }
    const double top = std::ldexp(1.0, integer_bits) - 1, bottom = t.kind == Kind::signed_integer ? -top - 1 : 0;
    return encode(t, std::clamp(value, bottom, top));
}

// Any bits, but no NaN, inf, -0 or f32/bf16 denormal: those are for --special alone.
uint64_t pattern(const Type& t, uint64_t r) {
    const uint64_t code = t.bits == 64 ? r : r & ((uint64_t(1) << t.bits) - 1);
    if (t.kind == Kind::signed_integer || t.kind == Kind::unsigned_integer) return code;
    if (!is_finite(t, code) || decode(t, code) == 0) return small(t, r >> 32);
    if (t.exponent_bits == 8 && std::fabs(decode(t, code)) < 1.2e-38) return small(t, r >> 32);
    return code;
}

uint64_t special(const Type& t, uint64_t r) {
    if (t.kind != Kind::floating) return pattern(t, r);
    const uint64_t sign = (r & 1) << (t.bits - 1), top = (uint64_t(1) << t.exponent_bits) - 1;
    switch (r >> 1 & 3) {
    case 0:
        return sign; // +-0
    case 1:
        return sign | (top << t.mantissa_bits); // inf, or the largest of a type without
    case 2:
        return sign | (top << t.mantissa_bits) | (r >> 8 & ((uint64_t(1) << t.mantissa_bits) - 1)); // NaN
    default:
        return sign | (r >> 8 & ((uint64_t(1) << t.mantissa_bits) - 1)); // denormal
    }
}

uint64_t value(const Type& t, const Problem& p, int64_t index) {
    const uint64_t r = mix(mix(p.seed) + uint64_t(index));
    if (p.special && r % 4 == 0) return special(t, r >> 8);
    switch (range_of(p)) {
    case Range::small:
        return small(t, r);
    case Range::quarters:
        if (t.kind == Kind::floating && t.bits >= 16) return encode(t, (double(r % 2401) - 1200) / 4);
        return t.bits >= 16 ? encode(t, double(r % 601) - 300) : pattern(t, r);
    case Range::smooth: // every size from 2^-14 to 2^5, both signs: where the functions bend
        if (t.kind != Kind::floating || t.bits < 16) return pattern(t, r);
        return encode(t, std::ldexp(r & 1 ? -1 : 1, int(r >> 1) % 20 - 15) * (1 + double(r >> 40) / (1 << 24)));
    case Range::edges:
        return edge(t, r);
    default:
        return pattern(t, r);
    }
}

double factor(uint64_t r, bool rough) { return rough ? double(r % 40 + 1) / 8 : std::ldexp(1.0, int(r % 5) - 2); }

} // namespace

Buffer::Buffer(size_t bytes) : storage_(bytes + 2 * guard + 64, canary), size_(bytes) {
    start_ = guard + (64 - reinterpret_cast<uintptr_t>(storage_.data() + guard) % 64) % 64;
}

bool Buffer::canaries_intact() const {
    const auto clean = [](uint8_t byte) { return byte == canary; };
    return std::all_of(storage_.begin(), storage_.begin() + long(start_), clean) &&
           std::all_of(storage_.begin() + long(start_ + size_), storage_.end(), clean);
}

void fill_source(Buffer& buffer, const Problem& p, const_dnnl_memory_desc_t md, const Type& t) {
    for (size_t i = 0; i < buffer.size(); ++i) buffer.data()[i] = uint8_t(mix(p.seed + 77 + i));
    each_element(md, true, [&](int64_t, int64_t offset) { store(buffer.data(), t, offset, 0); });
    each_element(md, false, [&](int64_t i, int64_t offset) { store(buffer.data(), t, offset, value(t, p, i)); });
}

void fill_fractions(Buffer& buffer, uint64_t seed, const_dnnl_memory_desc_t md, const Type& t) {
    for (size_t i = 0; i < buffer.size(); ++i) buffer.data()[i] = 0;
    each_element(md, false, [&](int64_t i, int64_t offset) {
        store(buffer.data(), t, offset, encode(t, (double(mix(seed + uint64_t(i)) % 257) - 128) / 256));
    });
}

void fill_condition(Buffer& buffer, uint64_t seed) {
    for (size_t i = 0; i < buffer.size(); ++i) buffer.data()[i] = uint8_t(int(mix(seed + i) % 3) - 1);
}

void fill_variance(Buffer& buffer, uint64_t seed) {
    const Type& t = *type("f32");
    for (int64_t i = 0; i < int64_t(buffer.size() / 4); ++i)
        store(buffer.data(), t, i, encode(t, double(mix(seed + uint64_t(i)) % 64 + 1) / 16));
}

void fill_destination(Buffer& buffer, const Type& t) {
    const auto elements = int64_t(buffer.size() * 8) / t.bits;
    for (int64_t i = 0; i < elements; ++i) store(buffer.data(), t, i, old_value(t, i));
}

void fill_destination(Buffer& buffer, const Type& t, const_dnnl_memory_desc_t md) {
    fill_destination(buffer, t);
    each_element(md, false, [&](int64_t i, int64_t offset) { store(buffer.data(), t, offset, old_value(t, i)); });
}

void fill_scales(Buffer& buffer, const Type& t, int64_t count, uint64_t seed, uint64_t salt) {
    for (int64_t i = 0; i < count; ++i)
        store(buffer.data(), t, i, encode(t, factor(mix(seed + salt * 1000003 + uint64_t(i)), seed & 1)));
}

void fill_zero_points(Buffer& buffer, const Type& t, int64_t count, uint64_t seed, uint64_t salt) {
    for (int64_t i = 0; i < count; ++i) {
        const auto r = int64_t(mix(seed + salt * 7777777 + uint64_t(i)) % 8);
        store(buffer.data(), t, i, encode(t, double(t.kind == Kind::unsigned_integer ? r : r - 4)));
    }
}

} // namespace differential
