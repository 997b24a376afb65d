// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/desc/memory_desc.hpp"
#include "core/division.hpp"

namespace tessera {

namespace {

// MEM-13: the largest extent x stride over the dimensions, at least one block; offset0 does not count. A dimension of
// one outer block counts as that block, whatever its stride.
int64_t elements_of(const MemoryDesc& md) {
    int64_t count = 1;
    for (int j = 0; j < md.inner_nblks; ++j) count *= md.inner_blks[size_t(j)];
    for (int d = 0; d < md.ndims; ++d) {
        const int64_t extent = ceil_div(md.padded_dims[size_t(d)], md.block_of(d));
        if (extent > 1) count = std::max(count, extent * md.strides[size_t(d)]);
    }
    return count;
}

// End of the elements that padded coordinates address, counted from the start of the buffer. verify() has checked that
// it fits in 64 bits.
int64_t end_of(const MemoryDesc& md) {
    int64_t end = 1;
    for (int j = 0; j < md.inner_nblks; ++j) end *= md.inner_blks[size_t(j)];
    for (int d = 0; d < md.ndims; ++d) {
        const int64_t block = md.block_of(d), padded = md.padded_dims[size_t(d)];
        const int64_t extent = ceil_div(padded, block);
        if (extent > 1) end += (extent - 1) * md.strides[size_t(d)];
    }
    return md.offset0 + end;
}

size_t sparse_size(const MemoryDesc& md, int index) {
    const bool csr = md.encoding == SparseEncoding::csr;
    if (md.encoding == SparseEncoding::packed) return 0; // no buffer before a primitive has packed it (SPA-03)
    if (index == 0) return size_t(bytes_of(md.type, md.nnz));
    if (csr && index == 2) return size_t(bytes_of(md.pointers_type, md.dims[0] + 1));
    return size_t(bytes_of(md.indices_type, md.nnz));
}

bool has_compensation(const MemoryDesc& md) {
    return (md.extra.flags & (Extra::s8s8 | Extra::rnn_u8s8 | Extra::asymmetric_src)) != 0;
}

} // namespace

int handle_count(const MemoryDesc& md) {
    if (md.kind != FormatKind::sparse || md.encoding == SparseEncoding::packed) return 1;
    return md.encoding == SparseEncoding::csr ? 3 : md.ndims + 1;
}

int64_t compensation_count(const MemoryDesc& md, Extra::Flag which) {
    if (!(md.extra.flags & which) || which == Extra::scale_adjust || md.has_zero_dim()) return 0;
    const int mask =
        which == Extra::asymmetric_src ? md.extra.asymmetric_compensation_mask : md.extra.compensation_mask;
    int64_t count = 1;
    for (int d = 0; d < md.ndims; ++d)
        if (mask >> d & 1) count *= md.padded_dims[size_t(d)];
    return count;
}

// The arrays follow the elements at the next multiple of 4 bytes: first s8s8 or rnn_u8s8, then asymmetric_src.
size_t compensation_offset(const MemoryDesc& md, Extra::Flag which) {
    const size_t weights = size_t(round_up(bytes_of(md.type, elements_of(md)), 4));
    const int64_t first = compensation_count(md, Extra::s8s8) + compensation_count(md, Extra::rnn_u8s8);
    return which == Extra::asymmetric_src ? weights + 4 * size_t(first) : weights;
}

size_t size_of(const MemoryDesc& md, int index) {
    if (index < 0 || index >= handle_count(md) || md.is_zero()) return 0;
    if (md.kind == FormatKind::host_scalar) return size_t(bytes_of(md.type, 1));
    if (md.kind != FormatKind::blocked && md.kind != FormatKind::sparse) return 0;
    if (md.has_zero_dim()) return 0;
    if (md.has_runtime()) return runtime_size;
    if (md.kind == FormatKind::sparse) return sparse_size(md, index);
    if (!has_compensation(md)) return size_t(bytes_of(md.type, elements_of(md)));
    return compensation_offset(md, Extra::asymmetric_src) + 4 * size_t(compensation_count(md, Extra::asymmetric_src));
}

size_t reach_of(const MemoryDesc& md, int index) {
    const size_t size = size_of(md, index);
    if (!md.is_blocked() || size == 0 || size == runtime_size) return size;
    const size_t end = size_t(bytes_of(md.type, end_of(md)));
    return has_compensation(md) ? std::max(end, size) : end;
}

} // namespace tessera
