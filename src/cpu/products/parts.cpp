// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/parts.hpp"

#include "core/division.hpp"

namespace tessera::cpu {

int vnni_factor(DotKind kind) {
    switch (kind) {
    case DotKind::f32:
        return 1;
    case DotKind::bf16:
    case DotKind::bf16_fma:
    case DotKind::amx_bf16:
    case DotKind::amx_f16:
        return 2;
    default:
        return 4;
    }
}
int step_of(DotKind kind) { return is_amx(kind) ? 16 * vnni_factor(kind) : vnni_factor(kind); }

int64_t padded_depth(int64_t part, int64_t depth, DotKind kind) {
    return round_up(part, depth < step_of(kind) ? vnni_factor(kind) : step_of(kind));
}

// In odd lines, if these are many: panels are written side by side.
int64_t packed_panel(int64_t part, int64_t depth, DotKind kind, int bits) {
    constexpr int64_t many = 32;
    const int64_t bytes = 16 * padded_depth(part, depth, kind) * bits / 8;
    return bytes < many * cache_line ? bytes : odd_lines(bytes);
}

} // namespace tessera::cpu
