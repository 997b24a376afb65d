// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/amx/run.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/run/blocked.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

void TilesJob::whole_products(Unit& unit, int64_t products) const {
    each_product(unit, products, [&](size_t variant, DotArgs& args) { tiles.run(unit.configured, variant, args); });
}

// Blocks are of few columns: their sums go on while they are in L1.
void TilesJob::blocks(Unit& unit, DotArgs& args, const RowBlock& rows) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels, wide = unit.columns, count = rows.count;
    const char* const next = static_cast<const char*>(args.next);
    char* const c_first = static_cast<char*>(args.c);
    const Places at(*this, unit, args, rows);
    // Each block prefetches a share of what comes next, in the order in which it is read.
    const auto prefetch_ahead = [&](int64_t i, int64_t j) {
        const int64_t share = args.steps * choice.spec.ahead * cache_line;
        if (choice.rows_inside) {
            args.next = (j + width < wide ? at.b(j + width) : next) + i / height * share;
            args.next_panel = args.b_panel;
        } else {
            args.next = at.a(i) + height * args.a_row + j / width * 2 * share, args.next_panel = share;
        }
    };
    const int64_t panel = v.direct ? args.c_panel : keeps_sums() ? cache_line : 0; // bytes of sums from panel to panel
    const auto block = [&](int64_t i, int64_t rows_here, int64_t j) {
        args.a = at.a(i), args.b = at.b(j);
        if (i == 0 && sums_by_blocks()) sum_block(unit, args, j, rows.k);
        if (choice.spec.ahead) prefetch_ahead(i, j);
        char* const to = at.c(i) + j / 16 * panel;
        const int64_t columns_here = std::min(width, wide - j);
        args.c = groups.length ? at.part(i, j) : to;
        tiles.run(unit.configured, variant_of(rows_here, wide - j), args);
        end_group(unit, at, rows, i, rows_here, j, columns_here);
        if (finishes(rows.k)) pass(unit, rows.row + i, rows_here, unit.column + j, columns_here, to);
    };
    const auto rows_from = [&](int64_t i) { return v.rows_at(rows.row + i, std::min(height, count - i)); };
    if (choice.rows_inside)
        for (int64_t j = 0; j < wide; j += width)
            for (int64_t i = 0; i < count; i += rows_from(i)) block(i, rows_from(i), j);
    else
        for (int64_t i = 0; i < count; i += rows_from(i))
            for (int64_t j = 0; j < wide; j += width) block(i, rows_from(i), j);
    args.c = c_first;
}

bool TileKernels::make_configuring(const jit::Target& target) {
    configure = jit::kernel(target, "configure tiles", [=] { return build_configure_tiles(target); });
    release = jit::kernel(target, "release tiles", [=] { return build_release_tiles(target); });
    return configure && release;
}

namespace {

bool make_kernels(Seen& seen, TilesJob& job) {
    const DotChoice& c = job.choice;
    const int groups = int(ceil_div(std::min(c.step, seen.p.depth), vnni_factor(seen.kind)));
    for (size_t i = 0; i < BlockedJob::variants; ++i) {
        const BlockVariant block = block_variant(job, i);
        if (block.rows == 0) continue;
        DotSpec spec = c.spec;
        spec.rows = block.rows <= 16 ? 16 : 32, spec.panels = int(ceil_div(block.columns, 16));
        job.tiles.tiles[i] = dot_tiles(spec, int(block.rows), int((block.columns - 1) % 16 + 1), groups);
        if (job.kernel_name.empty()) job.kernel_name = key(spec);
        if (!(job.tiles.kernel[i] = kernel_of(seen, spec))) return false;
    }
    return job.tiles.make_configuring(seen.target);
}

// Blocks of 32 columns leave the epilogue rows of 2 vectors: a kernel for that length does not count in them.
void shorten_epilogue(Seen& seen, TilesJob& job) {
    MapSpec spec = seen.epilogue;
    spec.fixed = job.v.panels_apart ? 16 : 16 * job.choice.spec.panels;
    job.finish.width = spec.fixed;
    for (auto* kernel : {&job.finish.of_width, &job.finish.streaming}) {
        spec.stream = kernel == &job.finish.streaming;
        if (spec.stream && !job.choice.streams) continue;
        if (can_build_short_rows(seen.target, spec)) *kernel = seen.keep(map_kernel(seen.target, spec));
    }
}

} // namespace

std::unique_ptr<Job> make_amx_job(Seen& seen) {
    if (seen.way == ProductWay::turned) return make_turned_job(seen);
    auto job = std::make_unique<TilesJob>();
    choose_for(seen, *job);
    if (!make_packs(seen, *job) || !make_kernels(seen, *job) || !make_sums(seen, *job)) return nullptr;
    if (job->choice.streams) job->v.direct = false;
    if (!make_pass(seen, *job) || !finish_groups(seen, *job)) return nullptr;
    if (!job->v.direct) shorten_epilogue(seen, *job);
    return finished(seen, std::move(job));
}

} // namespace tessera::cpu
