#include "ops/convolution/flat.hpp"

#include <algorithm>
#include <cmath>

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
    std::vector<const std::vector<Sweep>*> all;
    for (const Sweeps& s : sweeps) all.push_back(&s.all);
    double cost = 0;
    each_combination(all, [&](const std::vector<const Sweep*>& choice) {
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

} // namespace tessera::ops
