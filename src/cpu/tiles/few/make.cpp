// SPDX-License-Identifier: Apache-2.0

#include "cpu/products/pack/make.hpp"
#include "cpu/products/jobs.hpp"
#include "cpu/tiles/few/run.hpp"

namespace tessera::cpu {

namespace {

// A by parts of k, rows an odd number of lines apart, so that they do not share sets of L1.
bool pack_rows(const Seen& seen, FewRowsJob& job) {
    const int64_t size = bits(seen.a_type) / 8, rows = seen.p.rows, depth = seen.p.depth;
    job.a.row_bytes = odd_lines(padded_depth(job.choice.depth, depth, seen.kind) * size);
    const int64_t width = job.a.row_bytes / size;
    for (const int64_t part : lengths_of_parts(depth, {job.choice.depth})) {
        const Layout to{0, {{{1, rows * width}}, {{rows, width}}, {{part, 1}}}};
        if (!add_pack(seen, job.a.packs, seen.p.left, {true, seen.a_type, rows, 1, part, to})) return false;
    }
    return true;
}

std::unique_ptr<Job> make_few_rows_job(Seen& seen) {
    auto job = std::make_unique<FewRowsJob>();
    const bool dots = seen.way == ProductWay::dots;
    FewChoice& choice = job->choice = choose_few(seen.shape, dots, seen.target, seen.context);
    const auto spec_of = [&](int64_t rows) { return few_rows_spec(seen, rows, dots, choice.prefetches); };
    const FewRowsSpec spec = spec_of(choice.rows);
    job->v = seen.views, job->v.a = seen.few_a, job->v.b = seen.few_b;
    job->shifts_b = spec.shifts_b;
    // Fours load and store sums so often that lines of dst at the ends of ranges would go from thread to thread.
    if (spec.fours && spec.rows > 2) job->v.direct = false;
    const int64_t rest = seen.p.rows % choice.rows;
    job->kernel = kernel_of(seen, spec, dots);
    if (rest) job->rest = kernel_of(seen, spec_of(rest), dots);
    if (!job->kernel || (rest && !job->rest) || !make_pass(seen, job->v, job->finish)) return nullptr;
    if (!make_groups(seen, seen.type_of(seen.p.left.operand), seen.few_a.column == 1)) return nullptr;
    job->groups = std::move(seen.groups);
    if (choice.a == DotSource::packed && !pack_rows(seen, *job)) return nullptr;
    job->prepare(products_of_byte(seen.target, seen.kind));
    return job;
}

std::unique_ptr<Job> make_tall_job(Seen& seen) {
    auto job = std::make_unique<TallJob>();
    job->choice = choose_tall(seen.shape, seen.kind, seen.target, seen.context);
    job->v = seen.views, job->v.a = seen.few_a, job->v.b = seen.few_b;
    job->kernel = kernel_of(seen, tall_spec(seen), true);
    if (!job->kernel || !make_pass(seen, job->v, job->finish)) return nullptr;
    job->prepare(products_of_byte(seen.target, seen.kind));
    return job;
}

} // namespace

std::unique_ptr<Job> make_few_job(Seen& seen) {
    return seen.way == ProductWay::tall ? make_tall_job(seen) : make_few_rows_job(seen);
}

} // namespace tessera::cpu
