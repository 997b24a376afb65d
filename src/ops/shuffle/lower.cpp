// shuffle -> plan: the axis becomes two dimensions (u, v) whose order differs on the two sides; or, where a block
// boundary falls inside of a group, one indexed loop.
#include "ops/shuffle/shuffle.hpp"

#include <fmt/format.h>

#include "core/layout/split.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

// The permutation as offset tables, in the order in which dst lies.
Loop table_of(const ShuffleView& view, const Modes& from, const Modes& to) {
    const int64_t rows = view.channels / view.group;
    std::vector<int64_t> source, target;
    for (int64_t c = 0; c < view.channels; ++c) {
        source.push_back(offset_in(from, c % rows * view.group + c / rows));
        target.push_back(offset_in(to, c));
    }
    Loop loop;
    loop.extent = view.channels;
    loop.table.set(0, std::move(source));
    loop.table.set(1, std::move(target));
    return loop;
}

} // namespace

Result<Plan> lower_shuffle(const Problem& p, const Machine&) {
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
    // src counts u * G + v, dst u + v * (C/G).
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
        add_moves({.layouts = layouts, .dims = dims, .program = 0, .more = {table_of(view, from, to)}}, plan);
    }
    return plan;
}

} // namespace tessera::ops
