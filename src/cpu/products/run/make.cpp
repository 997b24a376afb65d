// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/run/blocked.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/pack/pack.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/select/copies.hpp"

namespace tessera::cpu {

namespace {

int64_t size_of_a(const DotSpec& spec) { return bits(spec.a) / 8 * (spec.a_words ? 2 : 1); } // of a packed element

// From k to k of what the kernel reads: of memory as it lies, or of packs, which are dense.
void set_loops(const Seen& seen, BlockedJob& job) {
    DotChoice& c = job.choice;
    const int64_t a_size = size_of_a(c.spec), b_size = bits(c.spec.b) / 8, depth = seen.p.depth;
    const Modes a = c.a == DotSource::packed ? Modes{{depth, 1}} : seen.a_k,
                b = c.b == DotSource::packed ? Modes{{depth, 16}} : seen.b_k;
    if (a.size() < 2 && b.size() < 2) return;
    const auto loops = common_loops(a, b); // as seen
    c.spec.loops = int(loops->a.size());
    for (size_t i = 0; i < loops->a.size(); ++i) {
        const int64_t step = i + 1 == loops->a.size() ? c.step : 1;
        job.walk.loops.push_back(
            {loops->a[i].extent / step, loops->a[i].stride * step * a_size, loops->b[i].stride * step * b_size});
    }
}

// The largest part of k, in whole steps of the kernel, that divides a group.
void fit_depth(const Seen& seen, DotChoice& c) {
    const int64_t group = seen.groups.length, step = step_of(seen.kind);
    int64_t parts = ceil_div(group, c.depth);
    while (group < seen.p.depth && (group % parts || group / parts % step)) ++parts;
    c.depth = group < seen.p.depth ? group / parts : c.depth;
    c.unit_batches = 1, c.streams = false, c.chunk = 0;
}

int64_t row_bytes(const Seen& seen, const BlockedJob& job) {
    const int64_t depth = job.a.by_depth ? job.choice.depth : seen.p.depth;
    return odd_lines(padded_depth(depth, seen.p.depth, seen.kind) * size_of_a(job.choice.spec));
}

// Small products of a batch are packed and finished together, as many as stay in L1: calls of their own take longer
// than 4x4 elements.
void join_products(const Seen& seen, BlockedJob& job) {
    DotChoice& c = job.choice;
    const ProductViews& v = job.v;
    if (seen.pairs_spec) c.unit_batches = 1;
    if (std::min(v.run_of_a, v.run_of_c) < v.rows || v.panels_apart) c.unit_batches = 1;
    if (c.unit_batches == 1 || c.block_rows < v.rows || c.depth < v.depth) return;
    if (!seen.is_bytes(seen.p.left.factor.operand) || !seen.is_bytes(seen.p.right.factor.operand)) return;
    const int64_t wide = round_up(v.columns, int64_t(16) * c.spec.panels);
    const int64_t rows = v.rows * row_bytes(seen, job), panels = wide / 16 * job.panel_bytes(v.depth),
                  sums = v.rows * (wide * 4 + 64);
    const auto batch = [](const Flat& f) { return is_strided(f.batch); };
    const bool packs_a = c.a == DotSource::packed, packs_b = c.b == DotSource::packed;
    job.packs_at_once = (packs_a || packs_b) && seen.all_are(seen.p.left, batch) && seen.all_are(seen.p.right, batch);
    job.joint_epilogue =
        !v.direct && !seen.sums.columns && !seen.sums.rows && std::ranges::all_of(seen.outer, [&](const DotView& view) {
            return is_strided(view.batch) && stride_of(view.batch) == v.rows * view.row;
        });
    const int64_t each = (packs_a ? rows : 0) + (packs_b ? panels : 0) + (v.direct ? 0 : sums);
    if (job.packs_at_once || job.joint_epilogue)
        c.unit_batches = std::clamp<int64_t>(seen.context.l1_bytes / each, 1, c.unit_batches);
    if (c.unit_batches == 1) job.packs_at_once = job.joint_epilogue = false;
}

// Where all of k would leave the second level before it is read. Sums of rows and of groups are those of all of k.
bool packs_a_by_depth(const Seen& seen, const BlockedJob& job) {
    const DotChoice& c = job.choice;
    const int64_t bytes = c.block_rows * seen.p.depth * size_of_a(c.spec);
    const bool large = bytes > seen.context.l2_bytes / 2;
    return c.a == DotSource::packed && c.depth < seen.p.depth && large && !job.packs_at_once && !seen.sums.rows &&
           !seen.groups.length && seen.shape.a_cuts;
}

// That are packed at once.
std::vector<int64_t> numbers_of_products(const BlockedJob& job) {
    return job.packs_at_once ? lengths(job.v.batches, job.choice.unit_batches) : std::vector<int64_t>{1};
}

bool pack_rows(const Seen& seen, BlockedJob& job) {
    const DotChoice& c = job.choice;
    const int64_t width = row_bytes(seen, job) * 8 / bits(seen.a_type), rows = seen.p.rows;
    job.a.row_bytes = row_bytes(seen, job);
    const int64_t run = job.v.run_of_a, whole = std::min(c.block_rows, run);
    std::vector<int64_t> extents{whole};
    for (const int64_t unit : run == rows ? lengths(rows_of_units(run, c)) : lengths(run, std::min(c.unit_rows, run)))
        if (unit % whole && std::ranges::find(extents, unit % whole) == extents.end()) extents.push_back(unit % whole);
    const KParts parts = job.a.by_depth ? c.parts() : KParts{seen.p.depth};
    for (const int64_t extent : extents)
        for (const int64_t count : numbers_of_products(job))
            for (const int64_t depth : lengths_of_parts(seen.p.depth, parts)) {
                const Layout to{0, {{{count, extent * width}}, {{extent, width}}, {{depth, 1}}}};
                if (!add_pack(seen, job.a.packs, seen.p.left, {true, c.spec.a, extent, count, depth, to})) return false;
            }
    return true;
}

bool pack_panels(const Seen& seen, BlockedJob& job) {
    const DotChoice& c = job.choice;
    const int64_t vnni = vnni_factor(seen.kind), wide = round_up(c.unit_columns, int64_t(16) * c.spec.panels);
    const KParts parts = c.by_depth ? c.parts() : KParts{seen.p.depth};
    for (const int64_t columns : runs_of_columns(seen, columns_of_units(seen.p.columns, c)))
        for (const int64_t count : numbers_of_products(job))
            for (const int64_t depth : lengths_of_parts(seen.p.depth, parts)) {
                const int64_t panel = job.panel_bytes(depth) * 8 / bits(c.spec.b);
                for (const int64_t some : lengths(depth, c.prefetched_rows ? c.prefetched_rows : depth)) {
                    const Layout to{0,
                                    {{{count, wide / 16 * panel}},
                                     {{ceil_div(columns, 16), panel}, {16, vnni}},
                                     {{ceil_div(some, vnni), 16 * vnni}, {vnni, 1}}}};
                    if (!add_pack(seen, job.b, seen.p.right, {false, seen.b_type, columns, count, some, to}))
                        return false;
                    job.b.all.back().part = depth;
                }
            }
    return true;
}

// Weights that are computed as bf16, as panels: by rows of bf16 where k is dense in them.
bool pack_pairs(Seen& seen, BlockedJob& job) {
    constexpr int64_t size = 2;
    const DotChoice& c = job.choice;
    const KParts parts = c.by_depth ? c.parts() : KParts{seen.p.depth};
    if (!make_pairs(seen, parts.length)) return false;
    DotPairs& pairs = job.pairs = std::move(seen.pairs);
    if (!pairs.k_dense()) return true;
    for (const int64_t columns : lengths_in_units(columns_of_units(seen.p.columns, c), DotPairs::columns))
        for (const int64_t depth : lengths_of_parts(seen.p.depth, parts)) {
            const int64_t panel = job.panel_bytes(depth) / size;
            const Layout from{0, {{{columns, pairs.row_bytes / size}}, {{depth, 1}}}},
                to{0, {{{ceil_div(columns, 16), panel}, {16, 2}}, {{depth / 2, 32}, {2, 1}}}};
            if (!add_copy(seen, pairs.panels, DataType::bf16, from, to, columns, depth)) return false;
        }
    return true;
}

} // namespace

void choose_for(Seen& seen, BlockedJob& job) {
    DotChoice& c = job.choice = choose_dot(seen.shape, seen.kind, seen.target, seen.context);
    ProductViews& v = job.v = seen.views;
    v.run_of_rows = c.run, v.run_of_a = std::min(v.run_of_a, c.run);
    if (v.run_of_c < v.run_of_rows) v.direct = false; // blocks have rows of several runs of dst
    if (c.spec.interleaves) v.b = seen.b_rows, seen.b_k = {{seen.p.depth, seen.b_rows.row}};
    set_loops(seen, job);
    if (seen.groups.length) fit_depth(seen, c);
    join_products(seen, job);
    job.a.by_depth = packs_a_by_depth(seen, job);
}

bool make_packs(Seen& seen, BlockedJob& job) {
    if (job.choice.a == DotSource::packed && !pack_rows(seen, job)) return false;
    if (job.choice.b != DotSource::packed) return true;
    return seen.pairs_spec ? pack_pairs(seen, job) : pack_panels(seen, job);
}

bool make_sums(Seen& seen, BlockedJob& job) {
    const DotSpec& spec = job.choice.spec;
    if (seen.sums.rows && !make_row_sums(seen, job, spec.a, spec.a_dense, spec.loops)) return false;
    if (spec.shifts_b && !(job.sums.starts = kernel_of(seen, {1, DataType::u8, DataType::s8, ValueType::s32}, true)))
        return false;
    if (!seen.sums.columns) return true;
    for (size_t i = 0; i < 2; ++i) {
        const BlockVariant block = block_variant(job, i);
        if (block.rows == 0) continue;
        // B ends where its columns do, if it is not a pack of whole panels.
        const bool ends = i && seen.target.masks && seen.p.columns % 16 != 0;
        DotSpec ones{seen.vector_kind(), 1, int(ceil_div(block.columns, 16)), DataType::u8, spec.b, false, ends};
        ones.loops = spec.loops;
        if (!(job.sums.of_columns[i] = kernel_of(seen, ones))) return false;
    }
    return true;
}

bool finish_groups(Seen& seen, BlockedJob& job) {
    job.choice_text = to_string(job.choice);
    return make_groups(seen, job, job.choice.spec.a, job.choice.a == DotSource::packed || seen.views.a.column == 1);
}

BlockVariant block_variant(const BlockedJob& job, size_t variant) {
    const bool narrow = variant & 1, low = variant & 2;
    const int64_t height = job.choice.spec.rows, width = 16 * job.choice.spec.panels, run = job.v.run_of_rows;
    BlockVariant block{low ? run % height : std::min(height, run), narrow ? job.v.columns % width : width, narrow, low};
    if (block.columns == 0 || (!narrow && job.v.columns < width)) block.rows = 0;
    return block;
}

} // namespace tessera::cpu
