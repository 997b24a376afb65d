// SPDX-License-Identifier: Apache-2.0
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

// Whether dims d and d + 1, of `extent`, are one to the operand. (A mode alone may say another extent.)
bool is_one(const Layout& layout, size_t d, int64_t extent) {
    const Modes &outer = layout.dims[d], &inner = layout.dims[d + 1];
    return outer.size() == 1 && inner.size() == 1 && outer[0].stride == extent * inner[0].stride;
}

void drop(Space& space, size_t d) {
    space.dims.erase(space.dims.begin() + long(d));
    for (Layout& layout : space.layouts)
        if (!layout.dims.empty()) layout.dims.erase(layout.dims.begin() + long(d));
    const int below = (1 << d) - 1;
    space.reduce_mask = (space.reduce_mask & below) | (space.reduce_mask >> 1 & ~below);
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
    sorted.fpmath = space.fpmath;
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

Space joined(Space space) {
    // A sum stays one, of one term.
    const auto is_only_sum = [&](size_t d) { return space.reduce_mask == 1 << d; };
    for (size_t d = space.dims.size(); d-- > 0;)
        if (space.dims[d] == 1 && space.dims.size() > 1 && !is_only_sum(d)) drop(space, d);
    for (size_t d = space.dims.size(); d-- > 1;) {
        const size_t outer = d - 1;
        const auto fits = [&](const Layout& layout) {
            return layout.dims.empty() || is_one(layout, outer, space.dims[d]);
        };
        if (space.reduces(outer) != space.reduces(d) || !std::ranges::all_of(space.layouts, fits)) continue;
        for (Layout& layout : space.layouts)
            if (!layout.dims.empty())
                layout.dims[outer] = {{space.dims[outer] * space.dims[d], layout.dims[d][0].stride}};
        space.dims[outer] *= space.dims[d];
        drop(space, d);
    }
    return space;
}

} // namespace tessera
