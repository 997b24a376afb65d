// SPDX-License-Identifier: Apache-2.0
// The reference of shuffle: SHU-01, SHU-02, element by element; padding zero (SHU-14).
#include "ops/shuffle/shuffle.hpp"

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"

namespace tessera::ops {

void ref_shuffle(const Problem& p, const Buffers& buffers) {
    const ShuffleView view = view_of_shuffle(p);
    const MemoryDesc &src = p.md(view.from), &dst = p.md(view.to);
    const Layout from = layout_of(src), to = layout_of(dst);
    void* d = buffers.at(view.to);
    if (dst.has_zero_dim()) return;
    zero_padding(dst, d);
    const int64_t rows = view.channels / view.group;
    std::vector<int64_t> moved(size_t(dst.ndims));
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        const int64_t u = at[view.axis] / view.group, v = at[view.axis] % view.group;
        std::copy(at.begin(), at.end(), moved.begin());
        moved[view.axis] = u + v * rows;
        write_bits(dst.type, d, to.at(moved), read_bits(src.type, buffers.at(view.from), from.at(at)));
    });
}

} // namespace tessera::ops
