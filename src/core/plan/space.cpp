#include "core/plan/space.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/division.hpp"
#include "core/sort_few.hpp"

namespace tessera {

namespace {

// Cuts dimension d so that its inner part has `extent` coordinates.
void cut(Space& space, size_t d, int64_t extent) {
    if (extent == space.dims[d] || space.dims[d] % extent != 0) return;
    std::vector<Halves> all;
    for (const Layout& layout : space.layouts) {
        auto halves = halves_of(layout.dims[d], extent);
        if (!halves) return;
        all.push_back(std::move(*halves));
    }
    for (size_t o = 0; o < all.size(); ++o) {
        auto& dims = space.layouts[o].dims;
        dims[d] = std::move(all[o].outer);
        dims.insert(dims.begin() + long(d) + 1, std::move(all[o].inner));
    }
    space.dims[d] /= extent;
    space.dims.insert(space.dims.begin() + long(d) + 1, extent);
    const int below = (1 << d) - 1, here = space.reduce_mask & (1 << d);
    space.reduce_mask = (space.reduce_mask & below) | here | here << 1 | (space.reduce_mask & ~below & ~here) << 1;
}

} // namespace

Space with_all_layouts(Space space) {
    for (Layout& layout : space.layouts)
        if (layout.dims.empty()) layout.dims.assign(space.dims.size(), {{1, 0}});
    return space;
}

Space arranged(Space space, size_t written, size_t read) {
    for (size_t d = 0; d < space.dims.size(); ++d)
        for (const size_t o : {written, read}) {
            const Modes& modes = space.layouts[o].dims[d];
            int64_t inner = 1;
            for (size_t k = 1; k < modes.size(); ++k) inner *= modes[k].extent;
            if (inner > 1) cut(space, d, inner); // the inner part is the next dimension of this loop
        }
    std::vector<size_t> order(space.dims.size());
    std::iota(order.begin(), order.end(), size_t(0));
    const auto stride = [&](size_t d) { // taps of gradients go backwards
        return std::abs(space.layouts[space.reduces(d) ? read : written].dims[d][0].stride);
    };
    sort_few(order.begin(), order.end(), [&](size_t x, size_t y) {
        return space.reduces(x) != space.reduces(y) ? !space.reduces(x) : stride(x) > stride(y);
    });
    Space sorted;
    sorted.bf16_factors = space.bf16_factors;
    for (size_t i = 0; i < order.size(); ++i) {
        sorted.dims.push_back(space.dims[order[i]]);
        sorted.reduce_mask |= int(space.reduces(order[i])) << i;
    }
    for (const Layout& layout : space.layouts) {
        Layout& to = sorted.layouts.emplace_back();
        to.offset = layout.offset;
        for (const size_t d : order) to.dims.push_back(layout.dims[d]);
    }
    return sorted;
}

} // namespace tessera
