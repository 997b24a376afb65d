// SPDX-License-Identifier: Apache-2.0
// The reference of sum: SUM-01 element by element; padding zero (SUM-08).
#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/sum/sum.hpp"

namespace tessera::ops {

void ref_sum(const Problem& p, const Buffers& buffers) {
    const MemoryDesc& dst = p.md(arg::dst);
    if (dst.has_zero_dim()) return;
    const Layout to = layout_of(dst);
    void* d = buffers.at(arg::dst);
    zero_padding(dst, d);
    const int sources = source_count(p);
    std::vector<Layout> from;
    for (int i = 0; i < sources; ++i) from.push_back(layout_of(p.tensors[size_t(i)].md));
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        float sum = 0;
        for (int i = 0; i < sources; ++i) {
            const Tensor& src = p.tensors[size_t(i)];
            const float term = scale_of(p, i) * read<float>(src.md.type, buffers.at(src.arg), from[size_t(i)].at(at));
            sum = i ? sum + term : term;
        }
        write<float>(dst.type, d, to.at(at), sum);
    });
}

} // namespace tessera::ops
