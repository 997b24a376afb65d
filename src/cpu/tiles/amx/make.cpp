// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/jobs.hpp"
#include "cpu/products/run/make.hpp"
#include "cpu/tiles/amx/run.hpp"
#include "cpu/tiles/amx/turned.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

bool TileKernels::make_configuring(const jit::Target& target) {
    configure = jit::kernel(target, "configure tiles", [=] { return build_configure_tiles(target); });
    release = jit::kernel(target, "release tiles", [=] { return build_release_tiles(target); });
    return configure && release;
}

namespace {

bool make_kernels(const Seen& seen, TilesJob& job) {
    const DotChoice& c = job.choice;
    const int groups = int(ceil_div(std::min(c.step, seen.p.depth), vnni_factor(seen.kind)));
    for (size_t i = 0; i < BlockedJob::variants; ++i) {
        const BlockVariant block = block_variant(job, i);
        if (block.rows == 0) continue;
        DotSpec spec = c.spec;
        spec.rows = block.rows <= 16 ? 16 : 32, spec.panels = int(ceil_div(block.columns, 16));
        job.tiles.tiles[i] = dot_tiles(spec, int(block.rows), int((block.columns - 1) % 16 + 1), groups);
        if (job.blocks_name.empty()) job.blocks_name = key(spec);
        if (!(job.tiles.kernel[i] = kernel_of(seen, spec))) return false;
    }
    return job.tiles.make_configuring(seen.target);
}

// Blocks of 32 columns leave the epilogue rows of 2 vectors: a kernel for that length does not count in them.
void shorten_epilogue(const Seen& seen, TilesJob& job) {
    MapSpec spec = seen.epilogue;
    spec.fixed = job.v.panels_apart ? 16 : 16 * job.choice.spec.panels;
    job.finish.width = spec.fixed;
    for (auto* kernel : {&job.finish.of_width, &job.finish.streaming}) {
        spec.stream = kernel == &job.finish.streaming;
        if (spec.stream && !job.choice.streams) continue;
        if (can_build_short_rows(seen.target, spec))
            *kernel = jit::kernel(seen.target, key(spec), [spec, t = seen.target] { return build_map(t, spec); });
    }
}

} // namespace

std::unique_ptr<Job> make_amx_job(Seen& seen) {
    if (seen.way == ProductWay::turned) return make_turned_job(seen);
    auto job = std::make_unique<TilesJob>();
    choose_for(seen, *job);
    if (!make_packs(seen, *job) || !make_kernels(seen, *job) || !make_sums(seen, *job)) return nullptr;
    if (job->choice.streams) job->v.direct = false;
    if (!make_pass(seen, job->v, job->finish) || !finish_groups(seen, *job)) return nullptr;
    if (!job->v.direct) shorten_epilogue(seen, *job);
    job->prepare(products_of_byte(seen.target, seen.kind));
    return job;
}

} // namespace tessera::cpu
