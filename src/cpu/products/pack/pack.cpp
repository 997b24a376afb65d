// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/pack/pack.hpp"

#include <algorithm>

#include "core/stack_array.hpp"
#include "cpu/lanes/nibbles.hpp"
#include "cpu/products/pack/pairs_kernel.hpp"

namespace tessera::cpu {

void DotPacks::run(const ProductUnit& unit, const Block& block, char* to, char* nibbles) const {
    const DotPack& p = *std::ranges::find_if(all, [&](const DotPack& pack) {
        return pack.extent == block.extent && pack.products == block.products && pack.depth == block.depth &&
               pack.part == block.part;
    });
    StackArray<void*, 8> pointers(p.places.size() + 1);
    for (size_t v = 0; v < p.places.size(); ++v) {
        const DotView& view = p.places[v].view;
        pointers[v] =
            unit.bases[size_t(view.operand)] + view.bytes(p.places[v].element(unit.batch, block.first, block.k));
    }
    if (p.nibbles >= 0) {
        const DotPlace& place = p.places[size_t(p.nibbles)];
        const char* const base = unit.bases[size_t(place.view.operand)];
        const int64_t at = place.element(unit.batch, block.first, block.k),
                      apart = p.along_k ? place.view.row : place.view.column;
        for (int64_t i = 0; i < p.lines(); ++i)
            unpack_nibbles(nibble_at(base, at + i * apart), nibbles + i * p.line_bytes(),
                           p.along_k ? p.depth : p.extent, p.unpacked_from);
        pointers[size_t(p.nibbles)] = nibbles;
    }
    pointers[p.places.size()] = to;
    p.run->run(pointers, {});
}

int64_t DotPacks::nibble_bytes() const {
    int64_t most = 0;
    for (const DotPack& p : all)
        if (p.nibbles >= 0) most = std::max(most, round_up(p.lines() * p.line_bytes(), cache_line));
    return most;
}

const char* elements_of_columns(const ProductUnit& unit, const DotPlace& place, int64_t column, int64_t wide, int64_t k,
                                char* unpacked) {
    const DotView& view = place.view;
    const int64_t at = place.element(unit.batch, column, k);
    const char* const base = unit.bases[size_t(view.operand)];
    if (view.bits != 4) return base + view.bytes(at);
    unpack_nibbles(nibble_at(base, at), unpacked, view.column ? wide : 1, place.unpacked_from);
    return unpacked;
}

void DotPairs::to_bf16(const ProductUnit& unit, int64_t column, int64_t count, KPart k, char* to, int64_t apart,
                       char* unpacked) const {
    constexpr int64_t size = 2;
    PairsArgs args{};
    args.b_row = b.bytes(k_dense() ? b.column : b.row), args.panel = apart, args.columns = count;
    for (int64_t at = k.first, here; at < k.end; at += here) {
        here = std::min(group - at % group, k.end - at);
        args.b = b.at(unit.bases, unit.batch, at, column);
        if (zero) args.zero = elements_of_columns(unit, *zero, column, count, at, unpacked);
        if (scale) args.scale = elements_of_columns(unit, *scale, column, count, at, unpacked);
        args.to = to + (at - k.first) * size * (k_dense() ? 1 : 16), args.steps = here / (k_dense() ? 32 : 2);
        (*kernel)(&args);
    }
}

void DotPairs::pack(const ProductUnit& unit, KPart k, char* to, int64_t panel, char* rows, char* unpacked) const {
    if (!k_dense()) return to_bf16(unit, unit.column, unit.columns, k, to, panel, unpacked);
    for (int64_t j = 0; j < unit.columns; j += columns) {
        const int64_t wide = std::min(columns, unit.columns - j);
        to_bf16(unit, unit.column + j, wide, k, rows, row_bytes, unpacked);
        const DotPack& p = *std::ranges::find_if(
            panels.all, [&](const DotPack& pack) { return pack.extent == wide && pack.depth == k.length(); });
        void* const pointers[] = {rows, to + j / 16 * panel};
        p.run->run(pointers, {});
    }
}

} // namespace tessera::cpu
