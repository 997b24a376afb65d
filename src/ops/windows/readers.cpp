// SPDX-License-Identifier: Apache-2.0
// Which outputs read an input: o * stride + k * step = input + left. Inputs with one residue of input + left by the
// stride share the smallest tap k0; their further taps are stride / gcd apart, of outputs step / gcd apart.
#include "ops/windows/readers.hpp"

#include <algorithm>
#include <numeric>

#include "core/division.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t most_residues = 4096; // and ranges: steps of a plan at the very most

class Finder {
public:
    Finder(const Window& w, bool merges, bool bordered) : w_(w), bordered_(bordered) {
        const int64_t common = std::gcd(w.stride, w.step);
        readers_.tap_step = w.stride / common, readers_.output_step = w.step / common;
        readers_.outputs.extent = w.outputs;
        if (merges && w.step == 1 && w.kernel % w.stride == 0) {
            add_in_order(common);
            if (bordered) border();
            return;
        }
        // Residues with as many taps and blocks, if step is 1: there the smallest tap is the residue itself.
        std::vector<int64_t> cuts{0, w.stride};
        if (merges && w.step == 1)
            for (const int64_t cut : {w.kernel, w.kernel % w.stride, w.left % w.stride, (w.left + w.inputs) % w.stride})
                cuts.push_back(std::min(cut, w.stride));
        else
            for (int64_t r = 1; r < w.stride; ++r) cuts.push_back(r);
        std::ranges::sort(cuts);
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        for (size_t c = 0; c + 1 < cuts.size() && readers_.ranges.size() <= size_t(most_residues); ++c)
            add(cuts[c], cuts[c + 1] - cuts[c], common, ceil_of(w.left - cuts[c], w.stride),
                ceil_of(w.left + w.inputs - cuts[c], w.stride));
        if (bordered) border();
    }
    Readers readers() { return std::move(readers_); }

private:
    // All residues have as many taps: whole blocks, and parts of one before and behind them. Inputs of a range follow
    // each other.
    void add_in_order(int64_t common) {
        const int64_t s = w_.stride, first = w_.left, last = w_.left + w_.inputs;
        const int64_t begin = std::min(ceil_div(first, s) * s, last), end = std::max(last / s * s, begin);
        if (first < begin) add(first % s, begin - first, common, first / s, first / s + 1);
        if (begin < end) add(0, s, common, begin / s, end / s);
        if (end < last) add(0, last - end, common, end / s, end / s + 1);
    }
    // Blocks begin .. end - 1 of these residues.
    void add(int64_t residue, int64_t residues, int64_t common, int64_t begin, int64_t end) {
        int64_t first_tap = residue;
        if (w_.step != 1) {
            first_tap = 0;
            while (residue % common == 0 && first_tap * w_.step % w_.stride != residue) ++first_tap;
        }
        const bool any = residue % common == 0 && first_tap < w_.kernel;
        const int64_t most = any ? (w_.kernel - 1 - first_tap) / readers_.tap_step + 1 : 0; // taps
        const int64_t shift = any ? (residue - first_tap * w_.step) / w_.stride : 0;
        const int64_t q = readers_.output_step;
        for (int64_t b = begin; b < end;) {
            // Terms t with 0 <= shift + b - q t < outputs.
            int64_t low = 0, high = most - 1, last = end - 1;
            if (!bordered_ && any) {
                low = std::max<int64_t>(ceil_of(shift + b - w_.outputs + 1, q), 0);
                high = std::min(floor_div(shift + b, q), most - 1);
                last = std::min(last, low * q + w_.outputs - 1 - shift);
                if (high < most - 1) last = std::min(last, (high + 1) * q - 1 - shift);
                if (low >= most) last = end - 1;
            }
            last = std::max(last, b);
            const int64_t taps = any ? std::max<int64_t>(high - low + 1, 0) : 0;
            const int64_t input = residue + b * w_.stride - w_.left;
            if (taps)
                readers_.ranges.push_back(
                    {input, residues, last - b + 1, shift + b - q * low, first_tap + low * readers_.tap_step, taps});
            else
                readers_.ranges.push_back({input, residues, last - b + 1, 0, 0, 0});
            if (readers_.ranges.size() > size_t(most_residues)) return;
            b = last + 1;
        }
    }

    // Outputs that do not exist are read as zeros.
    void border() {
        int64_t first = 0, last = w_.outputs - 1;
        for (const InputRange& r : readers_.ranges) {
            if (!r.taps) continue;
            first = std::min(first, r.output - (r.taps - 1) * readers_.output_step);
            last = std::max(last, r.output + r.blocks - 1);
        }
        readers_.outputs = {-first, last - first + 1};
        for (InputRange& r : readers_.ranges)
            if (r.taps) r.output -= first;
        readers_.copied = first < 0 || last >= w_.outputs;
    }

    const Window& w_;
    const bool bordered_;
    Readers readers_;
};

} // namespace

Result<std::vector<Readers>> readers_of(std::span<const Window> windows, bool merges, bool bordered, size_t most) {
    std::vector<Readers> all;
    std::vector<bool> may_copy(windows.size(), !bordered);
    for (const Window& w : windows) {
        if (w.stride > most_residues && !(merges && w.step == 1))
            return unimplemented("the gradient of windows with stride {}; up to {} is possible with this layout and "
                                 "dilation",
                                 w.stride, most_residues);
        all.push_back(Finder(w, merges, bordered).readers());
    }
    for (;;) {
        size_t steps = 1, worst = all.size();
        for (size_t d = 0; d < all.size(); ++d) {
            steps = std::min(steps * all[d].ranges.size(), size_t(1) << 32);
            if (may_copy[d] && all[d].ranges.size() > 1 &&
                (worst == all.size() || all[d].ranges.size() > all[worst].ranges.size()))
                worst = d;
        }
        if (steps <= most || worst == all.size()) {
            if (steps <= size_t(most_residues)) return all;
            return unimplemented("the gradient of these windows has {} kinds of inputs, {} are possible; smaller "
                                 "strides and dilations work",
                                 steps, most_residues);
        }
        Readers bordered = Finder(windows[worst], merges, true).readers();
        may_copy[worst] = false;
        if (bordered.ranges.size() < all[worst].ranges.size()) all[worst] = std::move(bordered);
    }
}

} // namespace tessera::ops
