// SPDX-License-Identifier: Apache-2.0
// Maps on GPUs whose operands are read where they lie. The work-items of a group have places along several loops, a few
// beside each other along each, and go along one of them together, so that a step adds one stride an operand:
//
//   shuffle of nhwc, loops(802816:64,64 . 4:1,16 . 16:4,1): 16 columns x 4 x 4 pixels, 16 steps of 4 pixels
//
// Loops in which what is read is nearly dense get their work-items first, so that a group reads whole cache lines.
#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "gpu/maps/batches.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t line_bytes = 128;

struct Axis {
    Loop loop;         // of columns: as many as there are accesses
    int64_t lanes = 1; // beside each other
    int64_t run = 1;   // of a group
    int64_t steps(int64_t most) const { return std::min(most, ceil_div(loop.extent, lanes)); }
    int64_t units() const { return ceil_div(loop.extent, run); }
};

struct Shape {
    std::vector<Axis> axes; // from the columns outwards
    size_t stepped = 0;     // the axis that work-items go along
    int64_t steps = 1;
};

// Work-items along a loop whose bytes of some operand there are a cache line; 1: all operands are far from dense.
int64_t lanes_of_line(const MapView& view, const Loop& loop) {
    int64_t lanes = 1;
    for (size_t o = 0; o < view.operands(); ++o) {
        const bool counts = view.loadings[o] != Loading::inside || int(o) == view.stored;
        if (!counts || loop.table[o] || loop.stride[o] == 0) continue;
        const int64_t bytes = std::max<int64_t>(std::abs(loop.stride[o]) * view.width_bits(o) / 8, 1);
        lanes = std::max(lanes, std::min(loop.extent, line_bytes / bytes));
    }
    return lanes;
}

// `lanes` of `extent`, so that groups begin at whole sectors where many work-items are beside each other.
int64_t rounded(int64_t lanes, int64_t extent) {
    if (lanes >= extent) return extent;
    return lanes > 8 ? lanes / 8 * 8 : lanes;
}

Shape shape_of(const MapView& view) {
    Shape s;
    const auto& loops = view.nest.loops;
    s.axes.push_back({loops[view.columns]});
    s.axes[0].loop.extent /= view.width;
    for (size_t k = loops.size(); k-- > 0;)
        if (k != view.columns) s.axes.push_back({loops[k]});

    std::vector<int64_t> wanted;
    for (const Axis& axis : s.axes)
        wanted.push_back(&axis == s.axes.data() ? axis.loop.extent : lanes_of_line(view, axis.loop));
    std::vector<size_t> by_size(s.axes.size());
    std::iota(by_size.begin(), by_size.end(), 0);
    std::ranges::stable_sort(by_size, {}, [&](size_t i) { return wanted[i]; });
    int64_t lanes = 1;
    for (const size_t i : by_size) {
        s.axes[i].lanes = rounded(std::min(wanted[i], view.row.lanes / lanes), s.axes[i].loop.extent);
        lanes *= s.axes[i].lanes;
    }
    for (Axis& axis : s.axes) {
        lanes /= axis.lanes;
        axis.lanes =
            std::max(axis.lanes, rounded(std::min(axis.loop.extent, view.row.lanes / lanes), axis.loop.extent));
        lanes *= axis.lanes;
    }

    const int64_t most = std::max<int64_t>(view.points() / view.width, 1);
    // A quarter of the steps is enough along a loop that makes whole cache lines.
    const auto worth = [&](size_t i) { return s.axes[i].steps(most) * (wanted[i] > 1 ? 4 : 1); };
    for (size_t i = 0; i < s.axes.size(); ++i)
        if (worth(i) > worth(s.stepped)) s.stepped = i;
    s.steps = int64_t(std::bit_ceil(uint64_t(s.axes[s.stepped].steps(most)))); // the kernel's text says how many
    Axis& columns = s.axes[0];
    if (s.stepped != 0) columns.lanes = ceil_div(columns.loop.extent, ceil_div(columns.loop.extent, columns.lanes));
    for (size_t i = 0; i < s.axes.size(); ++i) s.axes[i].run = s.axes[i].lanes * (i == s.stepped ? s.steps : 1);
    return s;
}

// " + i1 * stride_axis1_0": the way of operand o along an axis.
std::string along_axis(const Axis& axis, size_t i, std::string_view number, size_t o) {
    return along(axis.loop, fmt::format("axis{}_", i), number, o);
}

} // namespace

Launch launch_of_points(const MapView& view) {
    const Shape s = shape_of(view);
    const size_t operands = view.operands();
    Launch launch;
    launch.wide = needs_wide_places(view.row, view.plan, view.nest), launch.lanes = view.row.lanes, launch.groups = 1;
    Header h(view.plan);
    for (size_t o = 0; o < operands; ++o) h.add(fmt::format("base{}", o), view.nest.base[o]);
    h.add_loop("column", view.column_loop(), operands);
    for (size_t i = 0; i < s.axes.size(); ++i) {
        const Axis& axis = s.axes[i];
        launch.groups *= axis.units();
        h.add(fmt::format("all{}", i), axis.loop.extent), h.add(fmt::format("run{}", i), axis.run);
        h.add_divisor(fmt::format("units{}", i), axis.units());
        h.add_divisor(fmt::format("lanes{}", i), axis.lanes);
        if (i > 0) h.add_loop(fmt::format("axis{}_", i), axis.loop, operands);
    }

    std::string places = "    place unit = group, next;\n    int rest = lane, above;\n";
    std::string inside;
    for (size_t i = 0; i < s.axes.size(); ++i) {
        const bool last = i + 1 == s.axes.size(), beside = s.axes[i].lanes > 1;
        const std::string units = fmt::format("units{}", i), lanes = fmt::format("lanes{}", i);
        places += last ? "    next = 0;\n" : fmt::format("    next = {};\n", divided("unit", units, launch.wide));
        if (beside) places += fmt::format("    above = (int){};\n", divided("rest", lanes, false));
        places += fmt::format("    const place i{0} = (unit - next * {1}) * run{0}{2};\n    unit = next;\n", i, units,
                              beside ? fmt::format(" + (rest - above * (int){})", lanes) : "");
        if (beside) places += "    rest = above;\n";
        if (i != s.stepped) inside += fmt::format(" && i{0} < all{0}", i);
    }
    places += fmt::format("    const place left = rest == 0{} ? all{} - i{} : 0;\n", inside, s.stepped, s.stepped);
    places += "    if (left <= 0) return; // it would look into tables behind their ends\n";

    const std::string moved = fmt::format("i{} + n", s.stepped);
    const std::string number = fmt::format("(first + k) * lanes{}", s.stepped);
    Steps steps{s.steps,
                "",
                fmt::format("    const place n = {};\n", number),
                "n < left",
                fmt::format("    const place n = min({}, left - 1);\n", number),
                {},
                {}};
    steps.rows = fmt::format("    const place c = {}{};\n", s.stepped == 0 ? "(i0 + n)" : "i0",
                             view.width > 1 ? fmt::format(" * {}", view.width) : "");
    for (size_t o = 0; o < operands; ++o) {
        std::string start = fmt::format("base{}", o), step;
        const Axis& stepped = s.axes[s.stepped];
        for (size_t i = 1; i < s.axes.size(); ++i) {
            if (i == s.stepped && stepped.loop.table[o])
                step = along_axis(stepped, i, moved, o);
            else
                start += along_axis(s.axes[i], i, fmt::format("i{}", i), o);
        }
        if (s.stepped > 0 && !stepped.loop.table[o]) step = along_axis(stepped, s.stepped, "n", o);
        places += fmt::format("    const place start{} = {};\n", o, start);
        steps.rows += fmt::format("    const place row{0} = start{0}{1};\n", o, step);
        steps.held.push_back(s.stepped == 0 ? !view.column_loop().table[o] && view.column_loop().stride[o] == 0
                                            : step.empty());
    }

    launch.source = source_in_front_of_map(view, launch.wide);
    launch.source +=
        fmt::format("\n__attribute__((reqd_work_group_size({}, 1, 1)))\nkernel void tessera_step({}) {{\n{}"
                    "    const int lane = (int)get_local_id(0);\n{}{}{}}}\n",
                    view.row.lanes, source_of_arguments(view.plan, "constant"), h.text(), source_of_alignments(view),
                    places, source_of_batches(view, steps));
    launch.nest = std::move(h.numbers), launch.tables = std::move(h.tables);
    return launch;
}

} // namespace tessera::gpu
