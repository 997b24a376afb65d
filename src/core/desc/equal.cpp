// SPDX-License-Identifier: Apache-2.0
#include "core/desc/memory_desc.hpp"

namespace tessera {

namespace {

// A dimension of one outer block is never stepped along, so its stride has no meaning.
bool same_strides(const MemoryDesc& a, const MemoryDesc& b) {
    for (int d = 0; d < a.ndims; ++d) {
        const size_t k = size_t(d);
        const bool single = a.dims[k] > 0 && a.padded_dims[k] <= a.block_of(d);
        if (!single && a.strides[k] != b.strides[k]) return false;
    }
    return true;
}

} // namespace

bool operator==(const MemoryDesc& a, const MemoryDesc& b) {
    if (a.ndims != b.ndims || a.type != b.type || a.kind != b.kind || a.dims != b.dims) return false;
    switch (a.kind) {
    case FormatKind::blocked:
        return a.padded_dims == b.padded_dims && a.padded_offsets == b.padded_offsets && a.offset0 == b.offset0 &&
               a.inner_nblks == b.inner_nblks && a.inner_blks == b.inner_blks && a.inner_idxs == b.inner_idxs &&
               a.extra == b.extra && same_strides(a, b);
    case FormatKind::sparse:
        return a.encoding == b.encoding && a.nnz == b.nnz && a.indices_type == b.indices_type &&
               a.pointers_type == b.pointers_type;
    default:
        return true;
    }
}

} // namespace tessera
