// SPDX-License-Identifier: Apache-2.0
// shuffle -> plan: the axis is split into two dimensions (u, v) whose order differs between src and dst; or, if a block
// boundary falls inside of a group, it becomes loops around an indexed one.
#include "ops/shuffle/shuffle.hpp"

#include <numeric>

#include <fmt/format.h>

#include "core/layout/split.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

// Enough entries of a table to make the loops around it cheap: a table of 32 KiB moves at most as many bytes as L1
// holds.
constexpr int64_t enough_entries = 4096;

// Layouts are periodic in blocks: `by` coordinates further, a multiple of the block, the address is by / block
// outermost strides further. For a view within a block the outermost extent is 0, so nothing is divided by it.
int64_t block_of(const Modes& modes) { return extent_of({modes.begin() + 1, modes.end()}); }

Loop strided(int64_t extent, int64_t from, int64_t to) {
    Loop loop;
    loop.extent = extent;
    loop.stride.set(0, from);
    loop.stride.set(1, to);
    return loop;
}

// The permutation as loops over an offset table, if no split has strides. dst has coordinate j * rows + i, src
// i * group + j. Advancing i by `p`, or j by `q`, moves both by whole blocks, so a table of q x p entries is enough (or
// of the whole axis, if that is smaller). Remainders of p and q make up to four steps.
std::vector<std::vector<Loop>> indexed(const ShuffleView& view, const Modes& from, const Modes& to) {
    const int64_t rows = view.channels / view.group, group = view.group;
    const int64_t a = block_of(from), b = block_of(to);
    // i -> i + p: src by p * group, dst by p. j -> j + q: src by q, dst by q * rows.
    int64_t p = std::lcm(a / std::gcd(a, group), b), q = std::lcm(a, b / std::gcd(b, rows));
    q = std::min(q, group);
    p = std::min(p * std::max<int64_t>(1, enough_entries / (p * q)), rows);
    if (rows * group <= enough_entries) p = rows, q = group; // a single step

    const auto table = [&](int64_t first_j, int64_t end_j, int64_t first_i, int64_t end_i) {
        std::vector<int64_t> source, target;
        for (int64_t j = first_j; j < end_j; ++j)
            for (int64_t i = first_i; i < end_i; ++i) {
                source.push_back(offset_in(from, i * group + j));
                target.push_back(offset_in(to, j * rows + i));
            }
        Loop loop;
        loop.extent = int64_t(source.size());
        loop.table.set(0, std::move(source));
        loop.table.set(1, std::move(target));
        return loop;
    };
    std::vector<std::vector<Loop>> parts;
    const int64_t whole_j = group / q * q, whole_i = rows / p * p;
    const auto add = [&](int64_t first_j, int64_t first_i) {
        const int64_t end_j = first_j < whole_j ? q : group, end_i = first_i < whole_i ? p : rows;
        if (first_j == group || first_i == rows) return;
        std::vector<Loop>& loops = parts.emplace_back();
        if (end_j == q && group / q > 1)
            loops.push_back(strided(group / q, q / a * from[0].stride, q * rows / b * to[0].stride));
        if (end_i == p && rows / p > 1)
            loops.push_back(strided(rows / p, p * group / a * from[0].stride, p / b * to[0].stride));
        loops.push_back(table(first_j, end_j, first_i, end_i));
    };
    for (const int64_t first_j : {int64_t(0), whole_j})
        for (const int64_t first_i : {int64_t(0), whole_i}) add(first_j, first_i);
    return parts;
}

} // namespace

Result<Plan> lower_shuffle(const Problem& p) {
    const ShuffleView view = view_of_shuffle(p);
    const MemoryDesc &src = p.md(view.from), &dst = p.md(view.to);
    Plan plan;
    plan.title = fmt::format("shuffle {} -> {}, {}, axis {} group {}", to_token(src), to_token(dst), p.shape(),
                             view.axis, view.group);
    plan.operands = {{arg_name(view.from), src.type, view.from}, {arg_name(view.to), dst.type, view.to}};
    if (dst.has_zero_dim()) return plan;
    Program copy;
    copy.store(1, copy.load(0, ValueType::bits));
    plan.programs.push_back(copy);
    add_padding(dst, 1, plan);

    std::vector<Layout> layouts{layout_of(src), layout_of(dst)};
    std::vector<int64_t> dims(src.dims_span().begin(), src.dims_span().end());
    const int64_t rows = view.channels / view.group;
    // src has coordinate u * G + v, dst u + v * (C/G).
    const Modes from = layouts[0].dims[view.axis], to = layouts[1].dims[view.axis];
    const auto of_src = split(from, view.group), of_dst = split(to, rows);
    if (of_src && of_dst) {
        layouts[0].dims[view.axis] = of_src->first;
        layouts[1].dims[view.axis] = of_dst->second;
        layouts[0].dims.push_back(of_src->second);
        layouts[1].dims.push_back(of_dst->first);
        dims[view.axis] = rows;
        dims.push_back(view.group);
        add_moves({.layouts = layouts, .dims = dims, .program = 0}, plan);
    } else {
        for (Layout& layout : layouts) layout.dims[view.axis] = {{1, 0}};
        dims[view.axis] = 1;
        for (std::vector<Loop>& loops : indexed(view, from, to))
            add_moves({.layouts = layouts, .dims = dims, .program = 0, .more = std::move(loops)}, plan);
    }
    return plan;
}

} // namespace tessera::ops
