// SPDX-License-Identifier: Apache-2.0
// Blocks of vectors against products from registers, and with the loads of a good block (bench/kernels).
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "kernels/measure.hpp"

namespace tessera::cpu::bench {

namespace {

using jit::Gpr;
using jit::Vec;
using jit::VOp;

void product(Code& c, DotKind kind, Vec sum, Vec a, Vec b) {
    if (kind == DotKind::f32 || kind == DotKind::bf16_fma) return c.fma_into(sum, a, b);
    if (kind != DotKind::s8_exact) return c.dot_into(kind == DotKind::bf16 ? VOp::dot_bf16 : VOp::dot_u8s8, sum, a, b);
    c.op2_into(VOp::iadd, sum, sum, c.op2(VOp::dot_s16, a, b));
}

// As many sums as a good block has, 8x48 or 6x16; with its loads or without.
Code peak_code(const Target& target, DotKind kind, bool fed) {
    const bool wide = target.vectors == 32;
    const int rows = wide ? 8 : 5, vectors = wide ? 3 : 2;
    Code c(target, fmt::format("peak {} {}", int(kind), fed));
    const Gpr turns = c.gload({c.args(), offsetof(PeakArgs, turns)}),
              data = c.gload({c.args(), offsetof(PeakArgs, data)});
    std::vector<Vec> sums, b;
    for (int n = 0; n < rows * vectors; ++n) sums.push_back(c.zero());
    const auto load_b = [&](int v) { return c.load({data, v * c.width()}); };
    Vec a = c.broadcast({data}, 4);
    for (int v = 0; v < vectors; ++v) b.push_back(load_b(v));
    c.loop();
    for (int v = 0; fed && v < vectors; ++v) b[size_t(v)] = load_b(v);
    for (int r = 0; r < rows; ++r) {
        if (fed) a = c.broadcast({data, 1024 + 4 * r}, 4);
        for (int v = 0; v < vectors; ++v) product(c, kind, sums[size_t(r * vectors + v)], a, b[size_t(v)]);
    }
    c.end_loop(turns, 1);
    for (const Vec& sum : sums) c.store({data, 2048}, sum);
    return c;
}

double products_of(DotKind kind) { // a 4-byte element
    return kind == DotKind::f32 ? 1 : kind == DotKind::bf16 || kind == DotKind::bf16_fma ? 2 : 4;
}

Work peak(const Target& target, DotKind kind, bool fed, const Buffer& memory) {
    constexpr int64_t turns = 4000;
    const bool wide = target.vectors == 32;
    const bool two_phases = kind == DotKind::s8_exact || kind == DotKind::bf16_fma; // half the elements a product
    const KernelPtr kernel =
        made(target, fmt::format("peak {} {}", int(kind), fed), [&] { return peak_code(target, kind, fed); });
    const double amount = 2.0 * turns * (wide ? 24 * 16 : 10 * 8) * products_of(kind) / (two_phases ? 2 : 1);
    return {amount, [kernel, data = memory.data()] {
                PeakArgs args{turns, data};
                (*kernel)(&args);
            }};
}

// Where B lies: in the first level as panels that overlap by all but a step, which are as many loads; as slivers of
// panels, one behind the other, in the second; or in place there, in rows of 4096 bytes.
enum class Place { l1, l2, rows };

Work block(const Target& target, const DotSpec& spec, Place place, const Buffer& memory) {
    const KernelPtr kernel = made(target, spec);
    const bool f32 = spec.kind == DotKind::f32;
    const int64_t a_size = f32 || spec.kind == DotKind::bf16_fma ? bits(spec.a) / 8 * (f32 ? 1 : 2)
                           : spec.a_words                        ? 8
                                                                 : 4,
                  step = 16 * (f32 ? bits(spec.b) / 8 : 4);
    const int64_t steps = place == Place::l2 ? 512 : 256, slivers = place == Place::l1 ? 1 : 8;
    DotArgs args{};
    args.a = memory.data(), args.a_row = steps * a_size, args.a_step = a_size;
    args.b_panel = place == Place::l2 ? step * steps : step, args.b_step = place == Place::rows ? 4096 : step;
    args.c = memory.data((256 << 10) + 1024), args.c_row = 64 * spec.panels; // lines of no other's low 12 bits
    args.steps = steps, args.accumulate = slivers > 1;
    const uint8_t* b = memory.data((512 << 10) + 2048);
    const int64_t sliver = spec.panels * args.b_panel;
    const double amount = 2.0 * spec.rows * 16 * spec.panels * double(steps * slivers) * products_of(spec.kind);
    return {amount, [=]() mutable {
                for (int64_t s = 0; s < slivers; ++s) {
                    args.b = b + s * sliver;
                    (*kernel)(&args);
                }
            }};
}

} // namespace

void measure_blocks(const Options& o, const Target& target, const Buffer& memory) {
    const std::string width = fmt::format("W{} ", target.vector_bytes);
    const auto peaks = [&](DotKind kind) {
        return std::vector<Work>{peak(target, kind, false, memory), peak(target, kind, true, memory)};
    };
    const auto blocks = target.vectors == 32
                            ? std::vector<std::pair<int, int>>{{8, 3}, {6, 4}, {14, 2}, {28, 1}, {1, 4}, {1, 1}}
                            : std::vector<std::pair<int, int>>{{6, 1}, {1, 1}};
    const auto one = [&](const std::string& name, const DotSpec& spec, Place place) {
        if (!can_build_dot(target, spec)) return;
        constexpr const char* places[] = {"L1", "L2", "L2 in place"};
        measure(
            o, fmt::format("{}{} {}", width, name, places[int(place)]),
            [&] { return block(target, spec, place, memory); }, [&] { return peaks(spec.kind); });
    };
    for (const auto& [rows, panels] : blocks) {
        const auto size = fmt::format("{}x{}", rows, 16 * panels);
        const DotSpec f32{.rows = rows, .panels = panels}, strided{.rows = rows, .panels = panels, .a_dense = false};
        for (Place place : {Place::l1, Place::l2, Place::rows}) one("f32 " + size, f32, place);
        one("f32 any step of A " + size, strided, Place::l1);
    }
    for (const auto& [rows, panels] : blocks) {
        if (rows * panels < 6) continue;
        const int fewer = target.vectors == 32 ? rows : rows - 1;
        const auto size = fmt::format("{}x{}", rows, 16 * panels),
                   fewer_size = fmt::format("{}x{}", fewer, 16 * panels);
        for (Place place : {Place::l1, Place::l2}) {
            one("bf16 widened " + size, {.rows = rows, .panels = panels, .b = DataType::bf16}, place);
            one("bf16 by fma " + size, {DotKind::bf16_fma, rows, panels, DataType::f32, DataType::bf16}, place);
            one("bf16 pairs " + size, {DotKind::bf16, rows, panels, DataType::bf16, DataType::bf16}, place);
            one("u8s8 " + size, {DotKind::u8s8, rows, panels, DataType::u8, DataType::s8}, place);
            DotSpec exact{DotKind::s8_exact, fewer, panels, DataType::s8, DataType::s8};
            one("s8 exact " + fewer_size, exact, place);
            exact.a_words = true;
            one("s8 exact, A of words " + fewer_size, exact, place);
        }
    }
}

} // namespace tessera::cpu::bench
