// SPDX-License-Identifier: Apache-2.0
// The loop over places is the outer one: what the table says of a place stays in registers for all rows.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "cpu/jit/codec.hpp"
#include "cpu/tiles/lerp/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

// Vectors of a pixel. Loads bound this loop: unrolled by 2, 4 or 8 it is as fast (Zen 5, 64 channels).
constexpr int64_t most_unrolled = 8, unroll = 4;

class Builder {
public:
    Builder(const Target& target, const LerpSpec& spec) : spec_(spec), c_(target), codec_(c_), width_(c_.width()) {}

    Code build() {
        codec_.prepare(spec_.type, ValueType::f32, true, false);
        const Gpr table = c_.gload(arg(offsetof(LerpArgs, table))), out = c_.gload(arg(offsetof(LerpArgs, out)));
        const Gpr count = c_.gload(arg(offsetof(LerpArgs, count)));
        c_.loop();
        spec_.columns ? pixel(table, out) : vector(table, out);
        if (spec_.columns)
            c_.gadd(out, out, spec_.columns * 4);
        else
            c_.gadd_mem(out, out, {table, 4 * width_ + 8});
        c_.gadd(table, table, spec_.columns ? int64_t(sizeof(LerpPixel)) : lerp_entry_bytes(width_));
        c_.end_loop(count, 1);
        return std::move(c_);
    }

private:
    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    Gpr from_src(Mem offset) {
        const Gpr at = c_.gload(offset);
        c_.gadd_mem(at, at, arg(offsetof(LerpArgs, src)));
        return at;
    }

    void pixel(Gpr table, Gpr out) {
        const Vec left_weight = c_.broadcast({table, offsetof(LerpPixel, left_weight)}, 4);
        const Vec right_weight = c_.broadcast({table, offsetof(LerpPixel, right_weight)}, 4);
        const Gpr left = from_src({table, offsetof(LerpPixel, left)});
        const Gpr right = from_src({table, offsetof(LerpPixel, right)});
        const Gpr to = c_.gcopy(out), rows = c_.gload(arg(offsetof(LerpArgs, rows)));
        const auto piece = [&](int64_t at, int64_t count, Gpr index) {
            const auto mem = [&](Gpr base, int size) {
                return index.id < 0 ? Mem{base, at * size} : Mem{base, at * size, index, size};
            };
            const auto load = [&](Gpr base) {
                return codec_.load(spec_.type, ValueType::f32, mem(base, bits(spec_.type) / 8), int(count));
            };
            const Vec near = c_.op2(VOp::fmul, left_weight, load(left));
            c_.store(mem(to, 4), c_.fma(right_weight, load(right), near), int(count * 4));
        };
        c_.loop();
        const int64_t lanes = width_ / 4, vectors = spec_.columns / lanes;
        int64_t at = 0;
        if (vectors > most_unrolled) {
            const Gpr index = c_.gset(0), n = c_.gset(vectors / unroll);
            c_.loop();
            for (int64_t u = 0; u < unroll; ++u) piece(u * lanes, lanes, index);
            c_.gadd(index, index, unroll * lanes);
            c_.end_loop(n, 1);
            at = vectors / unroll * unroll * lanes;
        }
        for (; at < spec_.columns; at += lanes) piece(at, std::min(lanes, spec_.columns - at), {});
        c_.gadd_mem(left, left, arg(offsetof(LerpArgs, src_row)));
        c_.gadd_mem(right, right, arg(offsetof(LerpArgs, src_row)));
        c_.gadd_mem(to, to, arg(offsetof(LerpArgs, out_row)));
        c_.end_loop(rows, 1);
    }

    void vector(Gpr table, Gpr out) {
        const Vec left = c_.load({table, 0}), right = c_.load({table, width_});
        const Vec left_weight = c_.load({table, 2 * width_}), right_weight = c_.load({table, 3 * width_});
        Mask left_second, right_second;
        if (spec_.two) {
            const Vec last = c_.constant_u32(uint32_t(width_ / 4 - 1));
            constexpr int greater = 6;
            left_second = c_.icmp(left, last, greater), right_second = c_.icmp(right, last, greater);
        }
        const Gpr from = from_src({table, 4 * width_});
        const Gpr to = c_.gcopy(out), rows = c_.gload(arg(offsetof(LerpArgs, rows)));
        c_.loop();
        const int lanes = width_ / 4;
        const Vec first = codec_.load(spec_.type, ValueType::f32, {from}, lanes);
        Vec x = c_.permute(first, left, 4), y = c_.permute(first, right, 4);
        if (spec_.two) {
            const Mem behind{from, lanes * bits(spec_.type) / 8};
            const Vec second = codec_.load(spec_.type, ValueType::f32, behind, lanes);
            x = c_.permute_merge(x, second, left, left_second, 4);
            y = c_.permute_merge(y, second, right, right_second, 4);
        }
        c_.store({to}, c_.fma(right_weight, y, c_.op2(VOp::fmul, left_weight, x)));
        c_.gadd_mem(from, from, arg(offsetof(LerpArgs, src_row)));
        c_.gadd_mem(to, to, arg(offsetof(LerpArgs, out_row)));
        c_.end_loop(rows, 1);
    }

    const LerpSpec& spec_;
    Code c_;
    Codec codec_;
    const int width_;
};

} // namespace

std::string key(const LerpSpec& spec) {
    return spec.columns
               ? fmt::format("lerp of {} columns of {}", spec.columns, name(spec.type))
               : fmt::format("lerp of {} lanes in {}", name(spec.type), spec.two ? "two vectors" : "one vector");
}

bool can_build_lerp(const LerpSpec& spec) { return Codec::supports(spec.type, ValueType::f32); }

Code build_lerp(const Target& target, const LerpSpec& spec) { return Builder(target, spec).build(); }

} // namespace tessera::cpu
