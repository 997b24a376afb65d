// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/choose/cut.hpp"
#include "cpu/products/pack/make.hpp"
#include "cpu/tiles/amx/turned.hpp"

namespace tessera::cpu {

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

namespace {

// The last columns may be fewer than two tiles have rows, the last rows fewer than two panels have columns.
bool make_kernels(const Seen& seen, TurnedJob& job) {
    const DotSpec& spec = job.choice.spec;
    const int64_t height = spec.rows, width = 16 * spec.panels, rows = seen.p.rows, columns = seen.p.columns;
    for (size_t i = 0; i < TileKernels::variants; ++i) {
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
        if (!add_pack(seen, job.pack_a, seen.p.left, {true, seen.a_type, rows, 1, depth, to})) return false;
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
    if (!make_pass(seen, job->v, job->finish)) return nullptr;
    job->prepare(products_of_byte(seen.target, seen.kind));
    return job;
}

} // namespace tessera::cpu
