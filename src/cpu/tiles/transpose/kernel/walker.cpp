// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/transpose/kernel/walker.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tessera::cpu {

using namespace jit;

Coordinates at(const std::vector<TileBit>& bits, unsigned index) {
    Coordinates c{};
    for (size_t k = 0; k < bits.size(); ++k) c[size_t(bits[k].loop)] += int(index >> k & 1) << bits[k].bit;
    return c;
}

Coordinates operator+(Coordinates a, const Coordinates& b) {
    for (size_t k = 0; k < a.size(); ++k) a[k] += b[k];
    return a;
}

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

Walker::Walker(Code& code, const TransposeSpec& spec, bool dst) : code_(code), spec_(spec), dst_(dst) {
    for (int k = 0; k < int(spec.loops.size()); ++k) {
        const TileLoop& loop = spec.loops[size_t(k)];
        if (constant(k) >= 0 || loop.valid == 1 || scattered(k)) continue;
        if (primary_ < 0 || loop.valid > spec.loops[size_t(primary_)].valid) primary_ = k;
        const auto offset = int64_t(dst ? offsetof(TransposeArgs, dst_stride) : offsetof(TransposeArgs, src_stride));
        stride_[size_t(k)] = code.gload({code.args(), offset + 8 * k});
    }
    if (primary_ >= 0 && spec.loops[size_t(primary_)].valid > 3) {
        triple_ = code.gpr();
        code.gadd(triple_, stride_[size_t(primary_)], stride_[size_t(primary_)]);
        code.gadd(triple_, triple_, stride_[size_t(primary_)]);
    }
}

void Walker::start(Gpr base, Gpr table) { base_ = base, table_ = table, quad_ = -1, last_ = {}, fresh_ = true; }

int64_t Walker::constant(int loop) const {
    const TileLoop& l = spec_.loops[size_t(loop)];
    return dst_ ? l.dst : l.src;
}

Coordinates Walker::rank(const Coordinates& c) const {
    Coordinates r = c;
    if (primary_ >= 0) std::swap(r[size_t(primary_)], r[tile_loops - 1]);
    return r;
}

void Walker::start_quads(const Coordinates& secondary) {
    quad_base_ = base_;
    for (int k = 0; k < int(spec_.loops.size()); ++k)
        for (int left = secondary[size_t(k)]; left;) {
            const int step = std::min(8, int(std::bit_floor(unsigned(left))));
            quad_base_ = code_.gaddress({quad_base_, 0, stride_[size_t(k)], step});
            left -= step;
        }
    quad_ = 0, last_ = secondary, fresh_ = false;
}

Mem Walker::operator()(const Coordinates& c) {
    int64_t disp = 0;
    Coordinates secondary = c;
    for (int k = 0; k < int(spec_.loops.size()); ++k) {
        if (constant(k) < 0) continue;
        disp += c[size_t(k)] * constant(k) * (dst_ ? spec_.element : spec_.source);
        secondary[size_t(k)] = 0;
    }
    if (dst_ && spec_.scattered >= 0) // no other loop has a stride that is an argument
        return {base_, disp, code_.gload({table_, 8 * int64_t(c[size_t(spec_.scattered)])}), spec_.element};
    if (primary_ < 0) return {base_, disp};
    const int i = c[size_t(primary_)];
    secondary[size_t(primary_)] = 0;
    if (fresh_ || secondary != last_ || i / 4 < quad_) start_quads(secondary);
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

} // namespace tessera::cpu
