// SPDX-License-Identifier: Apache-2.0
#include "core/layout/refine.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {

namespace {

// A view during the recursion: the modes from `level` inwards still need loops, from coordinate `start` on.
struct View {
    const Modes* modes;
    size_t level;
    int64_t start;
    int64_t base;

    Mode outermost() const { return (*modes)[level]; }
    // Coordinates that one step of the outermost mode covers.
    int64_t unit() const {
        int64_t unit = 1;
        for (size_t k = level + 1; k < modes->size(); ++k) unit *= (*modes)[k].extent;
        return unit;
    }
    // Descend into the block of the outermost mode that contains `start`.
    void enter() {
        const int64_t u = unit();
        base += start / u * outermost().stride;
        start %= u;
        ++level;
    }
};

using Views = std::vector<View>;

struct Cutter {
    size_t most;
    std::vector<Nest> pieces;
    bool failed = false;

    void advance(Views& views, int64_t by) {
        for (View& v : views) v.start += by;
    }

    void emit(const Views& views, std::vector<Loop> loops, int64_t length) {
        Nest nest;
        Loop last;
        last.extent = length;
        for (size_t k = 0; k < views.size(); ++k) {
            nest.base.set(k, views[k].base + views[k].start * views[k].outermost().stride);
            last.stride.set(k, views[k].outermost().stride);
        }
        loops.push_back(last);
        nest.loops = std::move(loops);
        pieces.push_back(std::move(nest));
        failed = failed || pieces.size() > most;
    }

    // One range, cut at the block boundaries of the views with the largest unit.
    void cut(Views views, const std::vector<Loop>& loops, int64_t length, int64_t widest) {
        while (length > 0 && !failed) {
            int64_t step = length;
            for (const View& v : views)
                if (v.unit() == widest) step = std::min(step, widest - v.start % widest);
            Views inside = views;
            for (View& v : inside)
                if (v.unit() == widest) v.enter();
            walk(inside, loops, step);
            advance(views, step);
            length -= step;
        }
    }

    // First up to a coordinate at which all views start a block or, if there is none, the one with the largest unit.
    // What follows is periodic from any start; from this one it has the fewest pieces.
    static int64_t way_to_boundary(const Views& views, int64_t widest, int64_t most) {
        int64_t first = 0;
        for (const View& v : views)
            if (v.unit() == widest) first = (widest - v.start % widest) % widest;
        for (int64_t x = first; x < most; x += widest)
            if (std::ranges::all_of(views, [&](const View& v) { return (v.start + x) % v.unit() == 0; })) return x;
        return first;
    }

    void walk(Views views, std::vector<Loop> loops, int64_t length) {
        if (failed || length == 0) return;
        int64_t widest = 1, period = 1;
        for (const View& v : views) {
            const int64_t unit = v.unit();
            widest = std::max(widest, unit);
            if (period <= length) period = std::lcm(period, unit); // units are block sizes: small
        }
        if (widest == 1) return emit(views, std::move(loops), length);
        if (const int64_t way = way_to_boundary(views, widest, std::min(period, length)); way && way < length) {
            cut(views, loops, way, widest);
            advance(views, way);
            length -= way;
        }
        if (period < length) {
            Loop loop;
            loop.extent = length / period;
            for (size_t k = 0; k < views.size(); ++k)
                loop.stride.set(k, period / views[k].unit() * views[k].outermost().stride);
            std::vector<Loop> under = loops;
            if (loop.extent > 1) under.push_back(loop);
            cut(views, under, period, widest);
            advance(views, loop.extent * period);
            length -= loop.extent * period;
        }
        cut(views, loops, length, widest);
    }
};

} // namespace

std::optional<std::vector<Nest>> refine(std::span<const Modes> views, int64_t begin, int64_t end, size_t most,
                                        std::span<const int64_t> shift) {
    Cutter cutter{most, {}};
    Views start;
    for (size_t v = 0; v < views.size(); ++v)
        start.push_back({&views[v], 0, begin + (shift.empty() ? 0 : shift[v]), 0});
    cutter.walk(std::move(start), {}, end - begin);
    if (cutter.failed) return std::nullopt;
    return std::move(cutter.pieces);
}

} // namespace tessera
