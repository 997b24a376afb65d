// SPDX-License-Identifier: Apache-2.0
// The layout of a tensor of scales or zero points, broadcast over the dimensions of the tensor they belong to.
//
// A dimension outside of the mask has stride 0; groups repeat a value: mask 0b11, groups 32x1 over 64x100 gives
// ([2:100 32:0] 100:1). The values lie row-major in dimension order (SCL-03, SCL-04).
#pragma once

#include "core/attr/attr.hpp"
#include "core/layout/layout.hpp"

namespace tessera {

Layout layout_of(const Quant& q, const MemoryDesc& md);

// Row-major over the masked dimensions with the given extents, stride 0 elsewhere.
Layout layout_of_mask(int mask, std::span<const int64_t> extents);

} // namespace tessera
