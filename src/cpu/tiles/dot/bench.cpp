// SPDX-License-Identifier: Apache-2.0
// dot_tiles: the kernels of the dot tile, one thread, against peaks measured in turns with them.
//
//   dot_tiles                          every kernel that this processor runs
//   dot_tiles --filter amx --turns 15
//
// peak=1 is products from registers alone; fed=1 the same products with the loads of an 8x48 block, from the first
// level: power limits the clock, and loads draw some. Few rows are measured against reading their weights. Columns are
// the medians of fractions; L1: operands in the first level, L2: B there (AMX: A), one operand stays in the first.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include <sys/mman.h>

#include <fmt/format.h>

#include "arguments.hpp"
#include "cpu/engine.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/amx/contract.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"
#include "cpu/tiles/dot/kernel/row_addresses.hpp"
#include "cpu/tiles/few/contract.hpp"

namespace {

using namespace tessera;
using namespace tessera::cpu;
using jit::Code;
using jit::Gpr;
using jit::Target;
using jit::Vec;
using jit::VOp;
using KernelPtr = std::shared_ptr<const jit::Kernel>;

// Large pages where there are, touched: 2 MiB of small ones miss the TLB as much as the caches.
class Buffer {
public:
    explicit Buffer(size_t bytes) : bytes_((bytes + (2 << 20)) >> 21 << 21) {
        data_ = std::aligned_alloc(2 << 20, bytes_);
        if (!data_) throw std::runtime_error(fmt::format("no {} bytes", bytes_));
        madvise(data_, bytes_, MADV_HUGEPAGE);
        std::fill_n(static_cast<uint8_t*>(data_), bytes_, uint8_t(0));
    }
    ~Buffer() { std::free(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    uint8_t* data(size_t at = 0) const { return static_cast<uint8_t*>(data_) + at; }

private:
    size_t bytes_;
    void* data_;
};

struct Work {
    double amount; // products twice, or bytes of weights
    std::function<void()> run;
    std::function<void()> before = [] {}, after = [] {}; // of many runs
};

KernelPtr made(const Target& target, const std::string& key, const std::function<Code()>& build) {
    const KernelPtr kernel = jit::kernel(target, key, build);
    if (!kernel) throw std::runtime_error("no kernel: " + key);
    return kernel;
}
KernelPtr made(const Target& target, const DotSpec& spec) {
    if (!can_build_dot(target, spec)) throw std::runtime_error("cannot build: " + key(spec));
    return made(target, key(spec), [&] { return build_dot(target, spec); });
}

struct PeakArgs {
    int64_t turns;
    const void* data;
};

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

// Four streams: one waits for the prefetcher more than the kernels do, which have up to eight.
Code read_code(const Target& target) {
    Code c(target, "read");
    const Gpr turns = c.gload({c.args(), offsetof(PeakArgs, turns)}),
              data = c.gload({c.args(), offsetof(PeakArgs, data)});
    const Gpr quarter = c.gmul(turns, 2 * c.width());
    const RowAddresses streams(c, data, quarter, 4);
    std::vector<Vec> all;
    for (int n = 0; n < 8; ++n) all.push_back(c.zero());
    c.loop();
    for (int n = 0; n < 8; ++n)
        c.op2_into(VOp::ior, all[size_t(n)], all[size_t(n)], c.load(streams.at(n / 2, n % 2 * c.width())));
    streams.advance(2 * c.width());
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

constexpr int64_t columns_of_weights = 4096;

Work few_rows(const Target& target, bool dots, const FewRowsSpec& spec, int64_t bytes, const Buffer& memory) {
    const KernelPtr kernel = dots ? made(target, dots_key(spec), [&] { return build_dots(target, spec); })
                                  : made(target, axpy_key(spec), [&] { return build_axpy(target, spec); });
    const int64_t size = bits(spec.b) / 8, line = std::min(columns_of_weights, bytes / size / 256);
    const int64_t lines = bytes / size / line;
    const uint8_t* weights = memory.data(size_t(1) << 20);
    uint8_t *a = memory.data(), *c = memory.data(512 << 10);
    const int64_t a_size = bits(spec.a) / 8;
    if (dots)
        return {double(bytes), [=] {
                    DotsArgs args{a, line * a_size, weights, line * size, c, lines * 4, lines, line, 0};
                    (*kernel)(&args);
                }};
    return {double(bytes), [=] {
                AxpyArgs args{a, lines * a_size, a_size, weights, line * size, c, line * 4, line, lines, 0};
                (*kernel)(&args);
            }};
}

Work reading(const Target& target, int64_t bytes, const Buffer& memory) {
    const KernelPtr kernel = made(target, "read", [&] { return read_code(target); });
    return {double(bytes), [=, data = memory.data(size_t(1) << 20)] {
                PeakArgs args{bytes / (8 * target.vector_bytes), data};
                (*kernel)(&args);
            }};
}

double rate_of(const Work& work, int64_t repeats) {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t n = 0; n < repeats; ++n) work.run();
    return work.amount * double(repeats) /
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> all) {
    std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(all.size() / 2), all.end());
    return all[all.size() / 2];
}

struct Options {
    std::string filter;
    int turns = 9;
};

// In turns with the peaks: name, rate, fraction of each.
void measure(const Options& o, const std::string& name, const std::function<Work()>& make,
             const std::function<std::vector<Work>()>& make_peaks) {
    if (name.find(o.filter) == std::string::npos) return;
    const Work work = make();
    const std::vector<Work> peaks = make_peaks();
    constexpr double seconds = 0.002;
    const auto repeats = [&](const Work& w) {
        return std::max<int64_t>(1, int64_t(seconds * rate_of(w, 3) / w.amount));
    };
    work.before();
    std::vector<int64_t> counts{repeats(work)};
    for (const Work& p : peaks) counts.push_back(repeats(p));
    std::vector<double> rates;
    std::vector<std::vector<double>> fractions(peaks.size());
    for (int turn = 0; turn < o.turns; ++turn) {
        rates.push_back(rate_of(work, counts[0]));
        for (size_t p = 0; p < peaks.size(); ++p)
            fractions[p].push_back(rates.back() / rate_of(peaks[p], counts[p + 1]));
    }
    work.after();
    fmt::print("{:44} {:8.1f}", name, median(rates) / 1e9);
    for (const auto& f : fractions) fmt::print(" {:6.2f}", median(f));
    fmt::print("\n");
    std::fflush(stdout);
}

void vector_blocks(const Options& o, const Target& target, const Buffer& memory) {
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

void tile_blocks(const Options& o, const Target& target, const Buffer& memory) {
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

void weights(const Options& o, const Target& target, const Buffer& memory) {
    for (const auto& [bytes, place] : {std::pair{int64_t(1) << 20, "L2"}, {int64_t(64) << 20, "64 MiB"}})
        for (bool dots : {true, false})
            for (int rows : {1, 2, 4})
                for (const auto& [type, sum] : {std::pair{DataType::f32, ValueType::f32},
                                                {DataType::bf16, ValueType::f32},
                                                {DataType::s8, ValueType::s32}})
                    measure(
                        o,
                        fmt::format("W{} {} {} rows {} {}", target.vector_bytes, dots ? "dots" : "axpy", rows,
                                    std::string(tessera::name(type)), place),
                        [&] {
                            return few_rows(target, dots, {rows, type, type, sum}, bytes, memory);
                        },
                        [&] { return std::vector<Work>{reading(target, bytes, memory)}; });
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    CommandLine program("Kernels of the dot tile against their peaks, in turns", "dot_tiles");
    program.option("--filter", o.filter, "Only kernels whose name contains this");
    program.option("--turns", o.turns, "Turns of kernel and peaks").range(1, 1000).shows_default();
    if (const auto code = program.parse(argc, argv)) return *code;
    const Machine& machine = this_machine();
    if (!jit::has_target(machine)) throw std::runtime_error("no generated code for this processor");
    const Target best = jit::target_of(machine);
    const Target narrow{32, 16, false, false, false, (machine.isa & 0xf) == 0xf};
    const Buffer memory(size_t(66) << 20);
    fmt::print("{:44} {:>8} {:>6} {:>6}\n", "kernel", "Gop/s", "peak", "fed");
    if (best.vector_bytes == 64) vector_blocks(o, best, memory);
    if (best.amx) tile_blocks(o, best, memory);
    vector_blocks(o, narrow, memory);
    if (best.vector_bytes == 64) weights(o, best, memory);
    weights(o, narrow, memory);
    return 0;
} catch (const std::exception& e) {
    fmt::print(stderr, "dot_tiles: {}\n", e.what());
    return 1;
}
