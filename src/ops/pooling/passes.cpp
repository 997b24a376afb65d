// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/passes.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "core/plan/moves.hpp"

namespace tessera::ops {

namespace {

constexpr size_t few_ranges = 5;           // more: a copy with a border, which is one step
constexpr int64_t longest = 1 << 16;       // dim that windows cross
constexpr int64_t longest_counted = 1024;  // where each output has a divisor of its own: in a table, which plans copy
constexpr int64_t most = int64_t(1) << 56; // temporary values: sizes in bytes stay in 64 bits

class Finder {
public:
    Finder(const Pooling& p, const MemoryDesc& from) : p_(p), from_(from), layout_(layout_of(from)) {}

    std::optional<Passes> passes() {
        if (!find_windows()) return std::nullopt;
        order_windows();
        if (!pays()) return std::nullopt;
        return std::move(passes_);
    }

private:
    size_t taps() const { return size_t(p_.src.ndims); }
    int64_t stride(size_t d) const { return order_stride(layout_, d); }

    // Those that do anything. False where there are not two of them, or they are none of one stride backward.
    bool find_windows() {
        for (size_t k = p_.windows.size(); k-- > 0;) {
            Window w = p_.windows[k];
            if (w.kernel == 1 && w.stride == 1 && w.left == 0 && w.inputs == w.outputs) continue;
            if (p_.backward() && (w.stride != 1 || w.outputs == 1)) return false; // of one output nothing overlaps
            if (p_.is_max() && some_are_empty(w)) return false; // which are no maxima of what the border has
            if (p_.backward()) w = {w.outputs, w.inputs, w.kernel, 1, w.step, (w.kernel - 1) * w.step - w.left};
            Pass a{k + 2, w};
            a.before = std::max<int64_t>(w.left, 0);
            const double reach = double(w.outputs - 1) * double(w.stride) + double(w.kernel - 1) * double(w.step);
            if (std::max(reach, double(a.before)) > double(longest)) return false;
            a.extent = a.before + std::max(w.inputs, int64_t(reach) - w.left + 1);
            passes_.windows.push_back(a);
        }
        return passes_.windows.size() >= 2 && fits();
    }

    static bool some_are_empty(const Window& w) {
        if (w.outputs > longest) return true;
        for (int64_t o = 0; o < w.outputs; ++o)
            if (w.end_tap(o) <= w.first_tap(o)) return true;
        return false;
    }

    bool fits() const {
        int64_t elements = 1;
        for (size_t d = 0; d < taps(); ++d) {
            const auto a = std::ranges::find(passes_.windows, d, &Pass::dim);
            int64_t extent = std::max(p_.src.dims[d], p_.dst.dims[d]);
            if (a != passes_.windows.end()) extent = std::max(extent, a->extent);
            const int64_t longest_here = p_.excludes() ? longest_counted : longest;
            if ((a != passes_.windows.end() && extent > longest_here) || extent > most / elements) return false;
            elements *= extent;
        }
        return true;
    }

    // A copy has the border of the first one.
    void order_windows() {
        order_passes(passes_.windows, layout_);
        const auto ranges = ranges_of(passes_.windows[0].window, few_ranges);
        passes_.copies = !ranges;
        if (ranges) passes_.ranges = *ranges;
        if (passes_.copies && passes_.windows.back().window.stride == 1 && stride(passes_.windows.back().dim) == 1)
            std::ranges::reverse(passes_.windows);
    }

    // Whether vectors take fewer instructions than with all taps of a window at once: a load a tap, one more where its
    // type is another than that of the sums, for elements s apart s of them; two more for the number of the tap, four
    // where it is not known that numbers grow. Rows along windows leave lanes of their last vector empty, and all taps
    // at once cut them at the borders. Sums of many taps at once are 16 partial results, in memory where rows go along
    // windows or these have three dims, else mostly in registers.
    bool pays() const {
        constexpr double cut = 1.25, partial_results = 3, in_registers = 1.2, clear = 0.9;
        const double load = bits(from_.type) == 32 ? 1 : 2, number = p_.workspace ? 2 : 0;
        double values = 1, at_once = 1, loads_at_once = load, kernel = 1;
        bool one_loop = true, in_memory = passes_.windows.size() > 2;
        for (const Pass& a : passes_.windows) {
            const Window& w = a.window;
            in_memory = in_memory || stride(a.dim) == 1;
            values *= double(w.inputs), kernel *= double(w.kernel);
            at_once *= inside(w) * double(w.outputs), loads_at_once *= strided(a);
            one_loop = one_loop && w.outputs == 1;
            if (stride(a.dim) == 1) at_once *= (a.extent > w.inputs ? cut : 1) / filled(w.outputs);
        }
        if (one_loop) return false;
        at_once *= loads_at_once + number;
        if (!p_.is_max() && kernel > few_points) at_once *= in_memory ? partial_results : in_registers;

        double passes = passes_.copies ? values * (load + 1) : 0;
        for (size_t i = 0; i < passes_.windows.size(); ++i) {
            const Pass& a = passes_.windows[i];
            const bool last = i + 1 == passes_.windows.size();
            values *= double(a.window.outputs) / double(a.window.inputs);
            const double loads = i == 0 ? (passes_.copies ? 1 : load) : p_.workspace ? 2 : 1;
            const double stores = last ? 0 : p_.workspace ? 4 : 2; // and loads of the next pass
            passes += values / (last && passes_.copies ? 1 : filled(row_behind(i))) *
                      (double(a.window.kernel) * (loads * strided(a) + (i ? 2 : 1) * number) + stores);
        }
        return passes < clear * at_once;
    }
    // Of a window, on average: taps inside.
    static double inside(const Window& w) {
        constexpr int64_t many = 4096;
        if (w.outputs > many) return double(w.kernel);
        int64_t all = 0;
        for (int64_t o = 0; o < w.outputs; ++o) all += std::max<int64_t>(w.end_tap(o) - w.first_tap(o), 0);
        return double(all) / double(w.outputs);
    }
    double strided(const Pass& a) const { return stride(a.dim) == 1 ? double(a.window.stride) : 1; }
    // Elements that lie side by side along a window behind pass `i`; 0: other dims lie there.
    int64_t row_behind(size_t i) const {
        for (size_t k = 0; k < passes_.windows.size(); ++k)
            if (stride(passes_.windows[k].dim) == 1)
                return k <= i ? passes_.windows[k].window.outputs : passes_.windows[k].window.inputs;
        return 0;
    }
    // How many of the lanes of the vectors that a row takes have elements.
    static double filled(int64_t row) {
        constexpr int64_t vector = 16;
        return row ? double(row) / double(round_up(row, vector)) : 1;
    }

    const Pooling& p_;
    const MemoryDesc& from_;
    const Layout layout_;
    Passes passes_;
};

} // namespace

std::optional<Passes> passes_of(const Pooling& p, const MemoryDesc& from) { return Finder(p, from).passes(); }

} // namespace tessera::ops
