// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>

#include <fmt/format.h>

#include "cpu/tiles/fill/contract.hpp"

namespace tessera::cpu {

using namespace jit;

std::string fill_key(int bytes) { return fmt::format("fill {}", bytes); }

bool can_build_fill(const Target& target, int64_t bytes) { return bytes > 0 && bytes <= 2 * target.vector_bytes; }

Code build_fill(const Target& target, int bytes) {
    Code c(target);
    const Gpr dst = c.gload({c.args(), offsetof(FillArgs, dst)}), row = c.gload({c.args(), offsetof(FillArgs, row)}),
              rows = c.gload({c.args(), offsetof(FillArgs, rows)});
    const Vec zero = c.constant_u32(0);
    const int piece = std::min(int(std::bit_floor(unsigned(bytes))), c.width());
    c.loop();
    c.store({dst}, zero, piece);
    if (piece < bytes) c.store({dst, bytes - piece}, zero, piece);
    c.gadd(dst, dst, row);
    c.end_loop(rows, 1);
    return c;
}

} // namespace tessera::cpu
