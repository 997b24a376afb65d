// SPDX-License-Identifier: Apache-2.0
#include "ops/windows/ranges.hpp"

#include <algorithm>

#include "core/division.hpp"

namespace tessera::ops {

namespace {

// The last output with the same first and end tap as `o`; where no tap is inside, the last before one may be.
int64_t last_alike(const Window& w, int64_t o) {
    const int64_t first = w.first_tap(o), end = w.end_tap(o);
    int64_t last = w.outputs - 1;
    // Tap k is behind the left end from ceil((left - k step) / stride) on, and before the right end up to
    // floor((inputs - 1 + left - k step) / stride).
    if (first > 0) last = std::min(last, ceil_of(w.left - (first - 1) * w.step, w.stride) - 1);
    if (end > 0) last = std::min(last, floor_div(w.inputs - 1 + w.left - (end - 1) * w.step, w.stride));
    return std::max(last, o);
}

// Outputs low .. high - 1 have taps inside, if the input is no shorter than the distance of taps.
struct Reach {
    explicit Reach(const Window& w)
        : low(std::clamp<int64_t>(ceil_of(w.left - (w.kernel - 1) * w.step, w.stride), 0, w.outputs)),
          high(std::clamp<int64_t>(floor_div(w.inputs - 1 + w.left, w.stride) + 1, low, w.outputs)) {}
    int64_t low, high;
};

// f(first, last, whether they differ in how many taps are inside) for up to three parts of the reach.
template <typename F> void each_part(const Window& w, const Reach& r, F&& f) {
    const int64_t room = w.inputs - 1 + w.left - (w.kernel - 1) * w.step;
    const int64_t begin = std::clamp(ceil_of(w.left, w.stride), r.low, r.high);
    const int64_t end = std::clamp(floor_div(room, w.stride) + 1, r.low, r.high);
    const auto part = [&](int64_t first, int64_t last, bool differ) {
        if (first < last) f(first, last, differ);
    };
    if (begin >= end) return part(r.low, r.high, true);
    part(r.low, begin, true), part(begin, end, false), part(end, r.high, true);
}

std::vector<float> inside_of(const Window& w, int64_t first, int64_t last) {
    std::vector<float> inside;
    for (int64_t o = first; o < last; ++o) inside.push_back(float(w.end_tap(o) - w.first_tap(o)));
    return inside;
}

// The outputs that have taps inside as one range, or a few, that read a copy.
WindowView copy_of(const Window& w, bool counts) {
    WindowView view;
    view.extent = w.inputs;
    const auto empty = [&](int64_t first, int64_t end) {
        if (first < end) view.ranges.push_back({{first, end - first, 0, 0}, 0});
    };
    const Reach reach(w);
    empty(0, reach.low);
    if (reach.low < reach.high) {
        const int64_t tap = w.first_tap(reach.high - 1), end = w.end_tap(reach.low);
        const int64_t from = reach.low * w.stride + tap * w.step - w.left;
        view.copied = true;
        view.before = std::max<int64_t>(-from, 0);
        view.extent = view.before + std::max(w.inputs, (reach.high - 1) * w.stride + (end - 1) * w.step - w.left + 1);
        const auto add = [&](int64_t first, int64_t last, bool differ) {
            view.ranges.push_back({{first, last - first, tap, end - tap},
                                   view.before + from + (first - reach.low) * w.stride,
                                   differ ? inside_of(w, first, last) : std::vector<float>()});
        };
        if (counts)
            each_part(w, reach, add);
        else
            add(reach.low, reach.high, false);
    }
    empty(reach.high, w.outputs);
    return view;
}

WindowView view_of(const Window& w, const std::vector<OutputRange>& ranges) {
    WindowView view;
    view.extent = w.inputs;
    for (const OutputRange& r : ranges)
        view.ranges.push_back({r, r.taps ? r.first * w.stride + r.tap * w.step - w.left : 0});
    return view;
}

} // namespace

int64_t Window::first_tap(int64_t o) const { return std::clamp<int64_t>(ceil_of(left - o * stride, step), 0, kernel); }

int64_t Window::end_tap(int64_t o) const {
    return std::clamp<int64_t>(floor_div(inputs - 1 + left - o * stride, step) + 1, 0, kernel);
}

std::optional<std::vector<OutputRange>> ranges_of(const Window& w, size_t most) {
    std::vector<OutputRange> ranges;
    for (int64_t o = 0; o < w.outputs;) {
        const int64_t tap = w.first_tap(o), taps = std::max<int64_t>(w.end_tap(o) - tap, 0), last = last_alike(w, o);
        const OutputRange r{o, last - o + 1, taps ? tap : 0, taps};
        if (!taps && !ranges.empty() && !ranges.back().taps)
            ranges.back().count += r.count;
        else
            ranges.push_back(r);
        if (ranges.size() > most) return std::nullopt;
        o = last + 1;
    }
    return ranges;
}

std::vector<WindowRange> counted_ranges(const Window& w) {
    std::vector<WindowRange> ranges;
    each_part(w, Reach(w), [&](int64_t first, int64_t last, bool differ) {
        ranges.push_back({{first, last - first, 0, differ ? 0 : w.kernel},
                          0,
                          differ ? inside_of(w, first, last) : std::vector<float>()});
    });
    return ranges;
}

Result<std::vector<WindowView>> views_of(std::span<const Window> windows, bool counts, size_t most) {
    std::vector<WindowView> views;
    std::vector<bool> may_copy;
    for (const Window& w : windows) {
        const auto ranges = ranges_of(w, most_ranges);
        // With taps farther apart than the input is long a window may have none inside; the copy would make some up.
        may_copy.push_back(w.step <= w.inputs);
        if (!ranges && !may_copy.back())
            return unimplemented("windows of {} taps {} apart over {} elements have more than {} different borders; "
                                 "smaller windows, or padding that the caller adds, work",
                                 w.kernel, w.step, w.inputs, most_ranges);
        if (ranges) {
            views.push_back(view_of(w, *ranges));
        } else {
            views.push_back(copy_of(w, counts));
            may_copy.back() = false;
        }
    }
    for (;;) {
        size_t steps = 1, worst = views.size();
        for (size_t d = 0; d < views.size(); ++d) {
            steps *= views[d].ranges.size();
            if (may_copy[d] && views[d].ranges.size() > 1 &&
                (worst == views.size() || views[d].ranges.size() > views[worst].ranges.size()))
                worst = d;
        }
        if (steps <= most || worst == views.size()) {
            if (steps <= most_ranges) return views;
            return unimplemented("windows over these dims have {} combinations of borders, {} are possible; smaller "
                                 "windows, or padding that the caller adds, work",
                                 steps, most_ranges);
        }
        views[worst] = copy_of(windows[worst], counts);
        may_copy[worst] = false;
    }
}

} // namespace tessera::ops
