// SPDX-License-Identifier: Apache-2.0
// The invariants of a memory descriptor, checked once when it is made; its readers rely on them.
//
//   0 <= ndims <= 12; dims and strides >= 0 or wildcards; padded_dims >= dims; inner blocks >= 1 of existing dims;
//   padded_dims are multiples of the blocks or lie within one; strides are 0 or step over all inner blocks;
//   the number of elements, the largest offset and the size in bytes fit in int64_t.
#pragma once

#include "core/desc/memory_desc.hpp"

namespace tessera {

Result<void> verify(const MemoryDesc& md);

// A row of a 4-bit tensor starts at a byte (MEM-16): outside of the dense dimension strides are even.
Result<void> verify_nibbles(const MemoryDesc& md);

// A descriptor of the given dims and type without a layout, from which all creating functions start; zero for no dims.
Result<MemoryDesc> shape_of(std::span<const int64_t> dims, DataType type);

// MEM-14: no two elements of a blocked layout share an address, except along dimensions of stride 0. Checked for
// strides and blobs from outside; other layouts are derived from checked ones.
Result<void> verify_no_overlap(const MemoryDesc& md);

} // namespace tessera
