// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include <fmt/format.h>

#include "cpu/tiles/pick/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

bool shuffles(const PickSpec& spec) { return spec.way == PickWay::shuffle || spec.way == PickWay::shuffle2; }

} // namespace

int pick_table_bytes(const Target& target, const PickSpec& spec) {
    return shuffles(spec) ? 16 * spec.windows() : target.vector_bytes;
}

std::string key(const PickSpec& spec) {
    constexpr const char* ways[] = {"permute", "permute2", "shuffle", "shuffle2"};
    return fmt::format("pick {} of {}, {} from {}, {} a turn{}", ways[int(spec.way)], spec.element, spec.piece,
                       spec.window, spec.turn, spec.stepped ? ", by steps" : "");
}

Code build_pick(const Target& target, const PickSpec& spec) {
    Code c(target);
    const auto arg = [&](size_t at) { return Mem{c.args(), int64_t(at)}; };
    const Gpr src = c.gload(arg(offsetof(PickArgs, src))), dst = c.gload(arg(offsetof(PickArgs, dst)));
    const Gpr rows = c.gload(arg(offsetof(PickArgs, rows)));
    Gpr src_steps, dst_steps;
    if (spec.stepped)
        src_steps = c.gload(arg(offsetof(PickArgs, src_row))), dst_steps = c.gload(arg(offsetof(PickArgs, dst_row)));
    const int table_bytes = pick_table_bytes(target, spec), bytes = shuffles(spec) ? 16 : 0;
    c.loop();
    const Gpr pieces = c.gload(arg(offsetof(PickArgs, pieces))), tables = c.gload(arg(offsetof(PickArgs, tables)));
    const Gpr turns = c.gload(arg(offsetof(PickArgs, turns)));
    c.loop();
    for (int u = 0; u < spec.turn; ++u) {
        const auto of_piece = [&](size_t at) {
            return c.gload({pieces, u * int64_t(sizeof(PickPiece)) + int64_t(at)});
        };
        const auto window = [&](size_t w) {
            return c.load({src, 0, of_piece(offsetof(PickPiece, src) + 8 * w), 1}, spec.window);
        };
        const auto table = [&](int64_t at) { return c.load({tables, u * int64_t(table_bytes) + at}, bytes); };
        Vec x = window(0);
        switch (spec.way) {
        case PickWay::permute:
            x = c.permute(x, table(0), spec.element);
            break;
        case PickWay::permute2:
            x = c.permute2(x, window(1), table(0), spec.element);
            break;
        case PickWay::shuffle:
            x = c.shuffle(x, table(0), 16);
            break;
        case PickWay::shuffle2:
            x = c.op2(VOp::ior, c.shuffle(x, table(0), 16), c.shuffle(window(1), table(16), 16), 4, 16);
            break;
        }
        c.store({dst, 0, of_piece(offsetof(PickPiece, dst)), 1}, x, spec.piece);
    }
    c.gadd(pieces, pieces, spec.turn * int64_t(sizeof(PickPiece)));
    c.gadd(tables, tables, spec.turn * int64_t(table_bytes));
    c.end_loop(turns, 1);
    if (spec.stepped) {
        c.gadd_mem(src, src, {src_steps}), c.gadd_mem(dst, dst, {dst_steps});
        c.gadd(src_steps, src_steps, 8), c.gadd(dst_steps, dst_steps, 8);
    } else {
        c.gadd_mem(src, src, arg(offsetof(PickArgs, src_row)));
        c.gadd_mem(dst, dst, arg(offsetof(PickArgs, dst_row)));
    }
    c.end_loop(rows, 1);
    return c;
}

} // namespace tessera::cpu
