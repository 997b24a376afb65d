// SPDX-License-Identifier: Apache-2.0
// Windows: units one after the other, each a kernel call. A row of 14 results takes the kernel 25 ns, so the way to the
// next unit has no divisions, and strides are written once for all units of one size.
#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "core/stack_array.hpp"
#include "cpu/tiles/reduce/run.hpp"

namespace tessera::cpu {

namespace {

constexpr size_t few_loops = 8;

// A loop around the calls, and where it is; blocks of lanes and rows are `step` iterations of theirs.
struct Place {
    const Loop* loop = nullptr;
    int64_t count = 1, step = 1, i = 0;
};

} // namespace

void ReduceJob::run_windows(const Bases& bases, int64_t first, int64_t last) const {
    StackArray<Place, few_loops> places(outer.size() + 2); // from inner to outer
    size_t count = 0;
    const auto add = [&](const Loop& loop, int64_t step) -> Place& {
        return places[count++] = {&loop, ceil_div(loop.extent, step), step};
    };
    const Place& column = add(lanes, block_lanes);
    for (size_t k = outer.size(); k-- > outer.size() - inside;) add(outer[k], 1);
    const Place& row = add(rows, block_rows);
    for (size_t k = outer.size() - inside; k-- > 0;) add(outer[k], 1);

    std::array<int64_t, reduce_operands> at;
    UnitIndex index(first);
    for (size_t o = 0; o < size.size(); ++o) at[o] = base[o];
    for (size_t k = 0; k < count; ++k) {
        Place& p = places[k];
        p.i = index.next(p.count);
        for (size_t o = 0; o < size.size(); ++o) at[o] += p.loop->offset(int(o), p.i * p.step);
    }
    const auto advance = [&] {
        for (size_t k = 0; k < count; ++k) {
            Place& p = places[k];
            const int64_t from = p.i;
            p.i = from + 1 < p.count ? from + 1 : 0;
            for (size_t o = 0; p.count > 1 && o < size.size(); ++o)
                at[o] += p.loop->offset(int(o), p.i * p.step) - p.loop->offset(int(o), from * p.step);
            if (p.i) return;
        }
    };

    ReduceArgs args;
    args.results = args.columns = 0;
    for (int64_t u = first; u < last; ++u, advance()) {
        const int64_t results = std::min(block_rows, rows.extent - row.i * block_rows);
        const int64_t columns = std::min(block_lanes, lanes.extent - column.i * block_lanes);
        if (results != args.results || columns != args.columns) {
            args.results = results, args.columns = columns;
            args.planes = planes.extent, args.turns = turns.extent, args.points = points.extent;
            const auto set = [&](size_t o, int64_t point, int64_t turn, int64_t plane) {
                args.set(o, nullptr, point * size[o], turn * size[o], rows.stride[o] * size[o],
                         lanes.stride[o] * size[o], plane * size[o]);
            };
            for (const int o : of_outer) set(size_t(o), 0, 0, 0);
            for (const int o : of_point)
                set(size_t(o), points.stride[size_t(o)], turns.stride[size_t(o)], planes.stride[size_t(o)]);
        }
        for (const int o : of_outer) args.base[o] = bases[size_t(o)] + at[size_t(o)] * size[size_t(o)];
        for (const int o : of_point) args.base[o] = bases[size_t(o)] + at[size_t(o)] * size[size_t(o)];
        (*whole)(&args);
    }
}

} // namespace tessera::cpu
