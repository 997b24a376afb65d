// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/sweeps.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "ops/windows/readers.hpp"

namespace tessera::ops {

namespace {

Sweeps of_outputs(const Window& w, const WindowView& view) {
    Sweeps sweeps{{}, view.copied, {view.before, view.extent}};
    for (const WindowRange& r : view.ranges)
        sweeps.all.push_back({r.count, r.taps, {r.start, w.stride, w.step}, {r.first, 1, 0}, {r.tap, 0, 1}});
    return sweeps;
}

Sweeps of_inputs(const Window& w, const Readers& readers) {
    Sweeps sweeps{{}, readers.copied, readers.outputs};
    for (const InputRange& r : readers.ranges)
        sweeps.all.push_back({r.blocks,
                              r.taps,
                              {r.input, w.stride, 0},
                              {r.output, 1, -readers.output_step},
                              {r.tap, 0, readers.tap_step}});
    return sweeps;
}

// Taps that equal outputs read through: first .. first + count - 1 of them.
Sweeps of_taps(const Window& w) {
    Sweeps sweeps{{}, false, {0, w.inputs}};
    for (int64_t k = 0; k < w.kernel; ++k) {
        const int64_t place = k * w.step - w.left; // of output 0
        const int64_t first = std::clamp<int64_t>(ceil_of(-place, w.stride), 0, w.outputs);
        const int64_t end = std::clamp<int64_t>(floor_div(w.inputs - 1 - place, w.stride) + 1, first, w.outputs);
        if (!sweeps.all.empty()) {
            Sweep& last = sweeps.all.back();
            if (last.terms == end - first && (last.terms == 0 || last.outputs.first == first)) {
                ++last.points;
                continue;
            }
        }
        sweeps.all.push_back({1, end - first, {first * w.stride + place, w.step, w.stride}, {first, 0, 1}, {k, 1, 0}});
    }
    return sweeps;
}

// All taps with all outputs, which read a copy with a border.
Sweeps of_bordered_taps(const Window& w) {
    const int64_t reach = (w.outputs - 1) * w.stride + (w.kernel - 1) * w.step + 1;
    return {{{w.kernel, w.outputs, {0, w.step, w.stride}, {0, 0, 1}, {0, 1, 0}}},
            true,
            {w.left, std::max(reach, w.left + w.inputs)}};
}

Result<std::vector<Sweeps>> of_taps(std::span<const Window> windows, size_t most) {
    std::vector<Sweeps> sweeps;
    for (const Window& w : windows) sweeps.push_back(of_taps(w));
    for (;;) {
        size_t steps = 1, worst = sweeps.size();
        for (size_t k = 0; k < sweeps.size(); ++k) {
            const size_t here = sweeps[k].all.size();
            steps = std::min(steps * here, size_t(1) << 32);
            if (!sweeps[k].copied && here > 1 && (worst == sweeps.size() || here > sweeps[worst].all.size())) worst = k;
        }
        if (steps <= most || worst == sweeps.size()) return sweeps;
        sweeps[worst] = of_bordered_taps(windows[worst]);
    }
}

} // namespace

Result<std::vector<Sweeps>> sweeps_of(std::span<const Window> windows, SweepOver over, bool copies, size_t most) {
    if (!copies) most = most_ranges;
    if (over == SweepOver::taps) return of_taps(windows, most);
    std::vector<Sweeps> sweeps;
    if (over == SweepOver::outputs) {
        const auto views = views_of(windows, false, most);
        if (!views) return Refusal(views.error());
        for (size_t k = 0; k < windows.size(); ++k) sweeps.push_back(of_outputs(windows[k], (*views)[k]));
    } else {
        const auto readers = readers_of(windows, false, false, most);
        if (!readers) return Refusal(readers.error());
        for (size_t k = 0; k < windows.size(); ++k) sweeps.push_back(of_inputs(windows[k], (*readers)[k]));
    }
    for (size_t k = 0; k < windows.size(); ++k)
        if (sweeps[k].copied && !copies)
            return unimplemented("windows of {} taps {} apart over {} elements have more than {} different borders, "
                                 "which zero points do not allow; smaller windows work",
                                 windows[k].kernel, windows[k].step, windows[k].inputs, most_ranges);
    return sweeps;
}

} // namespace tessera::ops
