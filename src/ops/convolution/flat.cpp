// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/flat.hpp"

#include <algorithm>
#include <cmath>

#include "ops/windows/loops.hpp"

namespace tessera::ops {

namespace {

// What matrix kernels are like: the least rows of a line that they take as long for as for fewer, and multiples of
// which they take; rows whose products take as long as one more pass over the weights; products as long as a byte that
// is moved. f32 is multiplied by vectors, 32 products a cycle; smaller types by tiles of 16 rows, up to 1024, or by
// vectors, which lose little by that: plans are the same for all machines.
struct Kernels {
    double least_rows, rows, pass, byte;
};
constexpr Kernels of_vectors{4, 1, 8, 4}, of_tiles{16, 16, 16, 16};

const Kernels& kernels_of(const FlatCosts& costs) { return costs.bytes >= 4 ? of_vectors : of_tiles; }
double rows_of(double run, const Kernels& k) { return std::max(k.least_rows, std::ceil(run / k.rows) * k.rows); }

// Costs in products for each pair of channels.
double of_borders(const std::vector<Sweeps>& sweeps, const FlatCosts& costs) {
    const Kernels& kernels = kernels_of(costs);
    double cost = 0;
    each_combination(sweeps, &Sweeps::all, [&](const std::vector<const Sweep*>& choice) {
        int64_t lines = costs.batch, run = 1, terms = 1;
        for (size_t k = choice.size(); k-- > 0;) {
            terms *= choice[k]->terms;
            int64_t& longer = run == 1 ? run : lines;
            longer *= choice[k]->points;
        }
        cost += double(terms) * (double(lines) * rows_of(double(run), kernels) + kernels.pass);
    });
    return cost;
}

double of_flat(const std::vector<Sweeps>& flat, const FlatCosts& costs) {
    const Kernels& kernels = kernels_of(costs);
    // Borders are as wide as paddings, of which a product may be beyond 64 bits.
    double line = double(flat[0].all[0].points), terms = 1, pixels = 1;
    for (const Sweeps& s : flat) terms *= double(s.all[0].terms), pixels *= double(s.border.extent);
    for (size_t k = 1; k < flat.size(); ++k) line *= double(flat[k].border.extent);
    const auto batch = double(costs.batch);
    const double products = terms * (batch * rows_of(line, kernels) + kernels.pass);
    // The image is read and written, and read once more by the product; sums of 4 bytes are written, read and stored.
    const double bytes =
        batch * (pixels * 3 * double(costs.bytes) / double(costs.columns) + line * 12 / double(costs.inputs));
    return products + kernels.byte * bytes;
}

// Cycles for each pixel of the outputs. The gradient of dst is packed for each product, at two elements a cycle; its
// columns are packed at one a cycle, or a third of that where they leave the second level, unless vectors read them in
// place: channels of one tap, or of taps side by side.
double of_taps(const std::vector<Sweeps>& sweeps, std::span<const Window> windows, const FlatCosts& costs) {
    constexpr double panel = 16, of_cache = 1 << 20;
    const bool vectors = costs.bytes >= 4;
    const double products_of_cycle = vectors ? 32 : 512;
    double pixels = double(costs.batch);
    for (const Window& w : windows) pixels *= double(w.outputs);
    double cost = 0;
    each_combination(sweeps, &Sweeps::all, [&](const std::vector<const Sweep*>& choice) {
        auto columns = double(costs.inputs);
        bool in_place = vectors;
        for (size_t k = 0; k < choice.size(); ++k) {
            columns *= double(choice[k]->points);
            if (k + 1 < choice.size() || windows[k].step > 1) in_place = in_place && choice[k]->points == 1;
        }
        const auto rows = double(costs.columns);
        const double of_column = in_place ? 0 : pixels * columns * double(costs.bytes) <= of_cache ? 1 : 3;
        cost += rows * std::ceil(columns / panel) * panel / products_of_cycle + rows / 2 + columns * of_column;
    });
    return cost;
}

} // namespace

std::optional<std::vector<Sweeps>> flat_sweeps(std::span<const Window> windows, SweepOver over,
                                               const std::vector<Sweeps>& sweeps, const FlatCosts& costs) {
    bool some_border = false;
    for (const Sweeps& s : sweeps) some_border |= s.all.size() > 1;
    if (over == SweepOver::taps || !some_border) return std::nullopt;
    for (const Window& w : windows)
        if (w.stride != 1) return std::nullopt;
    auto flat = sweeps_of(windows, over, true, 1);
    if (!flat) return std::nullopt;
    for (const Sweeps& s : *flat)
        if (s.all.size() != 1 || s.all[0].terms == 0) return std::nullopt;
    if (of_flat(*flat, costs) >= of_borders(sweeps, costs)) return std::nullopt;
    return std::move(*flat);
}

std::optional<std::vector<Sweeps>> taps_at_once(std::span<const Window> windows, const std::vector<Sweeps>& sweeps,
                                                const FlatCosts& costs) {
    auto once = sweeps_of(windows, SweepOver::taps, true, 1);
    if (!once || of_taps(*once, windows, costs) >= of_taps(sweeps, windows, costs)) return std::nullopt;
    return std::move(*once);
}

} // namespace tessera::ops
