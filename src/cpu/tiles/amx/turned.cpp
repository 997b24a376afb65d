// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "cpu/products/choose/cut.hpp"
#include "cpu/products/pack/pack.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/tiles/amx/run.hpp"

namespace tessera::cpu {

void TurnedJob::prepare(int64_t products_of_byte) {
    units_ = {{v.rows, v.rows, 1}, {v.columns, choice.spec.rows, choice.column_units}, v.batches, 1};
    units = units_.count(), bytes = bytes_of_products(v, 0, products_of_byte);
    bytes_a_ = ceil_div(v.rows, 16) * panel_bytes(choice.parts.length);
    const int64_t at_once = round_up(std::min(choice.unit_columns, columns_at_once()), int64_t(choice.spec.rows));
    bytes_part_ = at_once * round_up(v.rows, 16) * 4;
    if (!v.direct) bytes_c_ = v.rows * row_of_sums() * 4;
    bytes_rows_ = std::max(pairs.k_dense() ? DotPairs::columns * pairs.row_bytes : 0, a.packs.nibble_bytes());
    if (pairs.kernel) bytes_zeros_ = round_up(choice.unit_columns, cache_line);
}

int64_t TurnedJob::columns_at_once() const {
    constexpr int64_t sums = 8192;
    const int64_t height = choice.spec.rows, blocks = sums / (round_up(v.rows, 16) * height);
    return v.depth > choice.parts.length ? choice.unit_columns : std::max<int64_t>(blocks, 1) * height;
}

void TurnedJob::run(const Bases& bases, int64_t first, int64_t last) const {
    UnitScratch scratch(bytes_a_ + bytes_c_ + bytes_part_ + bytes_rows_ + bytes_zeros_);
    Unit unit{{bases},
              scratch.take(bytes_a_),
              scratch.take(bytes_c_),
              scratch.take(bytes_part_),
              scratch.take(bytes_rows_),
              scratch.take(bytes_zeros_)};
    for (int64_t u = first; u < last; ++u) {
        units_.set(unit, u);
        product(unit);
    }
    tiles.leave(unit.configured);
}

void TurnedJob::product(Unit& unit) const {
    const int64_t at_once = columns_at_once();
    for (int64_t k = 0, end; k < v.depth; k = end) {
        end = choice.parts.end(k, v.depth);
        a.packs.run(unit, {.first = 0, .extent = v.rows, .k = k, .depth = end - k}, unit.a, unit.rows);
        for (int64_t j = 0, wide; j < unit.columns; j += wide) {
            wide = std::min(at_once, unit.columns - j);
            sums(unit, j, wide, {k, end});
            if (end == v.depth) transpose(unit, j, wide);
        }
    }
}

// Sums of a part of k of these columns, a row of all rows' for each.
void TurnedJob::sums(Unit& unit, int64_t first, int64_t wide, KPart k) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels, size = bits(choice.spec.b) / 8,
                  step = step_of(choice.spec.kind);
    DotArgs args{};
    args.a_row = v.b.bytes(v.b.column), args.a_step = cache_line, args.b_step = 16 * cache_line;
    args.b_panel = panel_bytes(k.length()), args.c_row = ceil_div(v.rows, 16) * cache_line;
    for (int64_t j = first; j < first + wide; j += height)
        for (int64_t at = k.first, here; at < k.end; at += here) {
            here = std::min(choice.chunk ? choice.chunk : k.length(), k.end - at);
            args.steps = ceil_div(here, step), args.accumulate = at > 0;
            if (pairs.kernel) {
                const int64_t columns_here = std::min(height, unit.columns - j);
                pairs.to_bf16(unit, unit.column + j, columns_here, {at, at + here}, unit.rows, pairs.row_bytes,
                              unit.zeros);
                args.a = unit.rows, args.a_row = pairs.row_bytes;
            } else {
                args.a = v.b.at(unit.bases, unit.batch, at, unit.column + j);
            }
            for (int64_t i = 0; i < v.rows; i += width) {
                const size_t variant = (unit.columns - j < height ? 2 : 0) + (v.rows - i < width ? 1 : 0);
                args.b = unit.a + i / 16 * args.b_panel + (at - k.first) * 16 * size;
                args.c = unit.part + (j - first) * args.c_row + i * 4;
                tiles.run(unit.configured, variant, args);
            }
        }
}

void TurnedJob::transpose(const Unit& unit, int64_t first, int64_t wide) const {
    char* const to = v.direct ? v.c.at(unit.bases, unit.batch, 0, unit.column + first) : unit.c + first * 4;
    const DotPack& back =
        *std::ranges::find_if(transposes.all, [&](const DotPack& pack) { return pack.extent == wide; });
    void* const pointers[] = {unit.part, to};
    back.run->run(pointers, {});
    if (!v.direct) finish.run(v, unit, 0, v.rows, unit.column + first, wide, to, row_of_sums() * 4);
}

namespace {

// Units of columns, each packs A.
TurnedChoice choose_turned(const DotShape& s, DotKind kind, const Context& context) {
    constexpr int64_t height = 32;
    const int64_t bytes = round_up(s.rows, 16), quarter = context.l2_bytes / 4, step = step_of(kind);
    const int64_t most = std::max(quarter / 4 / bytes / height, int64_t(2)) * height; // columns, whose sums stay in L2
    TurnedChoice c;
    c.spec = {kind, int(height), int(std::min<int64_t>(ceil_div(s.rows, 16), 2)), s.b, s.a};
    c.spec.a_transient = true;
    // A part of A stays in L2, a chunk of B's columns in L1 where more than a block reads it.
    const int64_t size = bits(s.a) / 8, part = std::max(quarter / bytes / size / step * step, step);
    c.parts = s.a_cuts ? fitting_parts(s, even_part(s.depth, part, step), step) : KParts{s.depth};
    const int64_t chunk = chunk_in_l1(context) / size;
    if (s.b_computed || (s.rows > 32 && c.parts.length > chunk)) c.chunk = even_part(c.parts.length, chunk, step);
    const int64_t units = context.threads > 1 ? ceil_div(2 * context.threads, s.batches) : 1;
    c.unit_columns = std::min({s.columns, most, round_up(ceil_div(s.columns, units), height)});
    c.column_units = ceil_div(s.columns, c.unit_columns);
    return c;
}

std::string to_string(const TurnedChoice& c) {
    return fmt::format("rows of tiles are columns, k {}{}, sums transposed; units of {} columns", c.parts.length,
                       c.chunk ? fmt::format(" by {}", c.chunk) : "", c.unit_columns);
}

// The last columns may be fewer than two tiles have rows, the last rows fewer than two panels have columns.
bool make_kernels(Seen& seen, TurnedJob& job) {
    const DotSpec& spec = job.choice.spec;
    const int64_t height = spec.rows, width = 16 * spec.panels, rows = seen.p.rows, columns = seen.p.columns;
    for (size_t i = 0; i < BlockedJob::variants; ++i) {
        const int64_t down = i & 2 ? columns % height : std::min(columns, height);
        const int64_t across = i & 1 ? rows % width : std::min(rows, width);
        if (down == 0 || across == 0) continue;
        DotSpec one = spec;
        one.rows = down <= 16 ? 16 : 32, one.panels = int(ceil_div(across, 16));
        job.tiles.tiles[i] = dot_tiles(one, int(down), int((across - 1) % 16 + 1));
        if (!(job.tiles.kernel[i] = kernel_of(seen, one))) return false;
    }
    return job.tiles.make_configuring(seen.target);
}

// A as panels, and the sums' way back.
bool make_packs(const Seen& seen, TurnedJob& job) {
    const int64_t rows = seen.p.rows, vnni = vnni_factor(seen.kind), panels = ceil_div(rows, 16);
    for (const int64_t depth : lengths_of_parts(seen.p.depth, job.choice.parts)) {
        const int64_t steps = depth / vnni, panel = job.panel_bytes(depth) * 8 / bits(job.choice.spec.b);
        const Layout to{0, {{{1, 0}}, {{panels, panel}, {16, vnni}}, {{steps, 16 * vnni}, {vnni, 1}}}};
        if (!add_pack(seen, job.a.packs, seen.p.left, {true, seen.a_type, rows, 1, depth, to})) return false;
    }
    const EvenParts units{seen.p.columns, job.choice.spec.rows, job.choice.column_units};
    for (const int64_t columns : lengths_in_units(units, job.columns_at_once())) {
        const Layout from{0, {{{columns, 16 * panels}}, {{rows, 1}}}},
            to{0, {{{columns, 1}}, {{rows, job.row_of_sums()}}}};
        if (!add_copy(seen, job.transposes, seen.sum_type(), from, to, columns, rows)) return false;
    }
    return true;
}

} // namespace

std::unique_ptr<Job> make_turned_job(Seen& seen) {
    auto job = std::make_unique<TurnedJob>();
    job->choice = choose_turned(seen.shape, seen.kind, seen.context);
    job->v = seen.views, job->v.b = seen.few_b;
    if (seen.pairs_spec && !make_pairs(seen, job->choice.chunk)) return nullptr;
    job->pairs = std::move(seen.pairs);
    if (!make_kernels(seen, *job) || !make_packs(seen, *job)) return nullptr;
    job->kernel_name = key(job->choice.spec), job->choice_text = to_string(job->choice);
    if (!make_pass(seen, *job)) return nullptr;
    return finished(seen, std::move(job));
}

} // namespace tessera::cpu
