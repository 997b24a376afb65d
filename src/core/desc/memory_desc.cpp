// SPDX-License-Identifier: Apache-2.0
#include "core/desc/memory_desc.hpp"

#include <algorithm>

namespace tessera {

bool MemoryDesc::has_zero_dim() const { return std::ranges::find(dims_span(), 0) != dims_span().end(); }

bool MemoryDesc::has_runtime() const {
    for (size_t d = 0; d < size_t(ndims); ++d)
        if (dims[d] == runtime_dim || (is_blocked() && strides[d] == runtime_dim)) return true;
    return offset0 == runtime_dim;
}

bool MemoryDesc::is_padded() const { return padded_dims != dims; }

int64_t MemoryDesc::nelems(bool with_padding) const {
    if (is_zero() || has_zero_dim()) return 0;
    int64_t count = 1;
    for (size_t d = 0; d < size_t(ndims); ++d) {
        const int64_t extent = with_padding ? padded_dims[d] : dims[d];
        if (extent == runtime_dim) return runtime_dim;
        count *= extent; // fits: verify() multiplied it before
    }
    return count;
}

int64_t MemoryDesc::block_of(int dim) const {
    int64_t block = 1;
    for (size_t j = 0; j < size_t(inner_nblks); ++j)
        if (inner_idxs[j] == dim) block *= inner_blks[j];
    return block;
}

} // namespace tessera
