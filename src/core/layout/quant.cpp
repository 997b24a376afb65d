// SPDX-License-Identifier: Apache-2.0
#include "core/layout/quant.hpp"

namespace tessera {

Layout layout_of_mask(int mask, std::span<const int64_t> extents) {
    Layout layout;
    layout.dims.resize(extents.size());
    int64_t stride = 1;
    for (size_t d = extents.size(); d-- > 0;) {
        const bool varies = mask >> d & 1;
        layout.dims[d] = {{extents[d], varies ? stride : 0}};
        if (varies) stride *= extents[d];
    }
    return layout;
}

Layout layout_of(const Quant& q, const MemoryDesc& md) {
    Layout layout;
    layout.dims.resize(size_t(md.ndims));
    int64_t stride = 1;
    for (size_t d = size_t(md.ndims); d-- > 0;) {
        const int64_t extent = md.dims[d];
        const size_t from_last = size_t(md.ndims) - 1 - d;
        const int64_t group = !q.groups.empty() && from_last < 2 ? q.groups[1 - from_last] : 1;
        const bool varies = q.mask >> d & 1;
        if (!varies) {
            layout.dims[d] = {{extent, 0}};
            continue;
        }
        layout.dims[d] = {{extent / group, stride}};
        if (group > 1) layout.dims[d].push_back({group, 0});
        stride *= extent / group;
    }
    return layout;
}

} // namespace tessera
