// SPDX-License-Identifier: Apache-2.0
#include "ops/coordinates.hpp"

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"

namespace tessera::ops {

void zero_padding(const MemoryDesc& md, void* buffer) {
    if (md.has_zero_dim() || !md.is_padded()) return;
    const Layout layout = layout_of(md);
    for_each_coordinate(std::span<const int64_t>(md.padded_dims.data(), size_t(md.ndims)), [&](auto at) {
        if (is_padding(at, md.dims_span())) write_bits(md.type, buffer, layout.at(at), 0);
    });
}

} // namespace tessera::ops
