// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/pack/pairs.hpp"

#include <algorithm>

#include "cpu/products/pack/pairs_kernel.hpp"

namespace tessera::cpu {

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
