// SPDX-License-Identifier: Apache-2.0
// Blocks of AMX tiles against products from tile registers, and with the loads of a block (bench/kernels).
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "cpu/tiles/amx/contract.hpp"
#include "kernels/measure.hpp"

namespace tessera::cpu::bench {

namespace {

using jit::Gpr;

// Four products a turn, of tiles from registers or loaded each turn from the same places.
Code tile_peak_code(const Target& target, bool fed) {
    Code c(target, "peak of tiles");
    std::vector<jit::Tmm> tiles;
    for (int n = 0; n < 8; ++n) tiles.push_back(c.tile());
    for (const jit::Tmm& t : tiles) c.tile_zero(t);
    const Gpr turns = c.gload({c.args(), offsetof(PeakArgs, turns)}),
              data = c.gload({c.args(), offsetof(PeakArgs, data)});
    const Gpr row = c.gset(64);
    // Zeros would draw less power than elements do, and run up to twice as fast.
    const auto load = [&] {
        for (size_t n = 0; n < 4; ++n) c.tile_load(tiles[4 + n], {data, int64_t(1024 * n)}, row);
    };
    load();
    c.loop();
    if (fed) load();
    for (size_t n = 0; n < 4; ++n) c.tile_dot_bf16(tiles[n], tiles[4 + n / 2], tiles[6 + n % 2]);
    c.end_loop(turns, 1);
    return c;
}

struct Tiles { // configured for whole blocks
    DotTiles whole = dot_tiles({DotKind::amx_bf16, 32, 2, DataType::bf16, DataType::bf16}, 32, 16);
    KernelPtr configure, release;
    explicit Tiles(const Target& t)
        : configure(made(t, "configure tiles", [&] { return build_configure_tiles(t); })),
          release(made(t, "release tiles", [&] { return build_release_tiles(t); })) {}
    Work around(Work work) const {
        work.before = [tiles = *this]() mutable { (*tiles.configure)(&tiles.whole); };
        work.after = [tiles = *this] { (*tiles.release)(nullptr); };
        return work;
    }
};

// Tiles that overlap by 15 of 16 rows: as many loads of as many lines, all in the first level for any number of steps.
Work tiles_of_l1(const Target& target, const DotSpec& spec, const Buffer& memory) {
    constexpr int64_t steps = 200;
    const KernelPtr kernel = made(target, spec);
    DotArgs args{};
    args.a = memory.data(), args.a_row = args.a_step = 64, args.b = memory.data(16 << 10), args.b_step = 64;
    args.c = memory.data(256 << 10), args.c_row = 64 * spec.panels, args.steps = steps;
    const double amount = 2.0 * spec.rows * 16 * spec.panels * steps * (spec.kind == DotKind::amx_bf16 ? 32 : 64);
    return {amount, [=]() mutable { (*kernel)(&args); }};
}

// Blocks of rows of A pass, B stays.
Work tiles_of_l2(const Target& target, const DotSpec& spec, int64_t steps, const Buffer& memory) {
    const KernelPtr kernel = made(target, spec);
    const int64_t blocks = (1 << 20) / (spec.rows * steps * 64), panel = steps * 1024;
    DotArgs args{};
    args.a_row = steps * 64, args.a_step = 64, args.b = memory.data(), args.b_panel = panel, args.b_step = 1024;
    args.c = memory.data(256 << 10), args.c_row = 64 * spec.panels, args.steps = steps;
    const double amount =
        2.0 * spec.rows * 16 * spec.panels * double(steps * blocks) * (spec.kind == DotKind::amx_bf16 ? 32 : 64);
    return {amount, [=, a = memory.data(size_t(512) << 10)]() mutable {
                for (int64_t i = 0; i < blocks; ++i) {
                    args.a = a + i * spec.rows * args.a_row;
                    (*kernel)(&args);
                }
            }};
}

} // namespace

void measure_tiles(const Options& o, const Target& target, const Buffer& memory) {
    const Tiles tiles(target);
    constexpr int64_t turns = 2000;
    const auto peak_of = [&](bool fed, DotKind kind) {
        const KernelPtr kernel =
            made(target, fmt::format("peak of tiles {}", fed), [&] { return tile_peak_code(target, fed); });
        return Work{2.0 * turns * 4 * 16 * 16 * (kind == DotKind::amx_bf16 ? 32 : 64), [=, data = memory.data()] {
                        PeakArgs args{turns, data};
                        (*kernel)(&args);
                    }};
    };
    for (DotKind kind : {DotKind::amx_bf16, DotKind::amx_int8}) {
        const bool floats = kind == DotKind::amx_bf16;
        const DataType type = floats ? DataType::bf16 : DataType::s8;
        const std::string name = floats ? "amx bf16 " : "amx s8 ";
        const auto peaks = [&] { return std::vector<Work>{peak_of(false, kind), peak_of(true, kind)}; };
        for (const auto& [rows, panels] : {std::pair{32, 2}, {32, 1}, {16, 2}, {16, 1}, {16, 4}}) {
            DotSpec spec{kind, rows, panels, type, type};
            const auto size = fmt::format("{}x{}", rows / 16, panels);
            measure(
                o, name + size + " L1", [&] { return tiles.around(tiles_of_l1(target, spec, memory)); }, peaks);
            for (int64_t steps : {8, 12, 16})
                for (bool passes : {false, true}) {
                    if (rows * panels < 64) continue;
                    spec.a_transient = passes;
                    measure(
                        o, fmt::format("{}{} L2, {} steps{}", name, size, steps, passes ? ", A passes" : ""),
                        [&] { return tiles.around(tiles_of_l2(target, spec, steps, memory)); }, peaks);
                }
        }
    }
}

} // namespace tessera::cpu::bench
