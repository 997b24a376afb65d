// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layout.hpp"

#include <fmt/format.h>

#include "core/division.hpp"

namespace tessera {

int64_t extent_of(const Modes& modes) {
    int64_t extent = 1;
    for (const Mode& m : modes) extent *= m.extent;
    return extent;
}

int64_t offset_in(const Modes& modes, int64_t coordinate) {
    int64_t offset = 0;
    for (size_t k = modes.size(); k-- > 1;) {
        offset += coordinate % modes[k].extent * modes[k].stride;
        coordinate /= modes[k].extent;
    }
    return modes.empty() ? offset : offset + coordinate * modes[0].stride;
}

int64_t Layout::at(std::span<const int64_t> coordinates) const {
    int64_t result = offset;
    for (size_t d = 0; d < dims.size(); ++d) {
        const Modes& modes = dims[d]; // mostly a single one
        result += modes.size() == 1 ? coordinates[d] * modes[0].stride : offset_in(modes, coordinates[d]);
    }
    return result;
}

Layout layout_of(const MemoryDesc& md) {
    Layout layout;
    layout.offset = md.offset0;
    layout.dims.resize(size_t(md.ndims));
    for (int d = 0; d < md.ndims; ++d)
        layout.dims[size_t(d)] = {{md.padded_dims[size_t(d)] / md.block_of(d), md.strides[size_t(d)]}};
    // Inner blocks lie densely: the stride of each is the product of those after it.
    int64_t stride = 1;
    for (int j = 0; j < md.inner_nblks; ++j) stride *= md.inner_blks[size_t(j)];
    for (int j = 0; j < md.inner_nblks; ++j) {
        stride /= md.inner_blks[size_t(j)];
        layout.dims[size_t(md.inner_idxs[size_t(j)])].push_back({md.inner_blks[size_t(j)], stride});
    }
    return layout;
}

std::optional<Halves> halves_of(const Modes& modes, int64_t extent) {
    Halves halves{modes, {}};
    for (int64_t left = extent; left > 1;) {
        Mode& mode = halves.outer.back();
        const bool outermost = halves.outer.size() == 1;
        if (!outermost && left % mode.extent == 0) {
            left /= mode.extent;
            halves.inner.insert(halves.inner.begin(), mode);
            halves.outer.pop_back();
            continue;
        }
        if (!outermost && mode.extent % left != 0) return std::nullopt;
        halves.inner.insert(halves.inner.begin(), {left, mode.stride});
        mode = {ceil_div(mode.extent, left), mode.stride * left};
        left = 1;
    }
    return halves;
}

int64_t run_from(const Modes& modes, int64_t first, int64_t most) {
    int64_t inside = 1;
    for (size_t i = modes.size(); i-- > 1; inside *= modes[i].extent) {
        const int64_t all = inside * modes[i].extent, left = all - first % all;
        if (left < all || most <= all) return std::min(most, left);
    }
    return most;
}

Modes modes_of_run(const Modes& modes, int64_t count) {
    Modes run;
    int64_t left = count;
    for (size_t i = modes.size(); i-- > 0;) {
        const bool last = i == 0 || left <= modes[i].extent;
        run.insert(run.begin(), {last ? left : modes[i].extent, modes[i].stride});
        if (last) break;
        left = ceil_div(left, modes[i].extent);
    }
    return run.empty() ? Modes{{count, 0}} : run;
}

std::string to_string(const Modes& modes) {
    std::string text;
    for (const Mode& m : modes) text += fmt::format("{}{}:{}", text.empty() ? "" : " ", m.extent, m.stride);
    return modes.size() == 1 ? text : "[" + text + "]";
}

std::string to_string(const Layout& layout) {
    std::string text = layout.offset ? fmt::format("{}+(", layout.offset) : "(";
    for (size_t d = 0; d < layout.dims.size(); ++d) text += (d ? " " : "") + to_string(layout.dims[d]);
    return text + ")";
}

} // namespace tessera
