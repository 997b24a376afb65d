// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/desc/checked.hpp"
#include "core/desc/memory_desc.hpp"
#include "core/desc/verify.hpp"

namespace tessera {

namespace {

// Padded extent of a region along a dimension: it includes the parent's padding if both end together; elsewhere it is
// whole blocks or a part of one block, so that zeroing the padding never touches a neighbour (DER-02).
Result<int64_t> padded_extent(const MemoryDesc& parent, size_t d, int64_t extent, int64_t offset) {
    const int64_t block = parent.block_of(int(d));
    if (offset % block != 0)
        return unimplemented("region at {} of dimension {}, which has blocks of {}: an offset that is a multiple of {} "
                             "works, or a reorder to a plain layout first",
                             offset, d, block, block);
    if (offset + extent == parent.dims[d]) return parent.padded_dims[d] - offset;
    if (extent > block && extent % block != 0)
        return unimplemented("region of {} at {} of dimension {}, which has blocks of {}: a multiple of {}, less than "
                             "one block, or an end at {} works",
                             extent, offset, d, block, block, parent.dims[d]);
    return extent;
}

} // namespace

Result<MemoryDesc> submemory(const MemoryDesc& parent, std::span<const int64_t> dims,
                             std::span<const int64_t> offsets) {
    if (!parent.is_blocked())
        return unimplemented("a region of {}: only layouts given by strides or a tag have regions", to_token(parent));
    if (parent.has_runtime())
        return unimplemented("a region of dims {}: regions need known dims and strides", to_string(parent.dims_span()));
    if (parent.extra.flags)
        return unimplemented("a region of {}: compensated layouts have no regions", to_token(parent));
    if (dims.size() != size_t(parent.ndims) || offsets.size() != size_t(parent.ndims))
        return invalid("a region with {:dim} and {:offset} of a tensor with {:dimension}", counted(dims.size()),
                       counted(offsets.size()), counted(parent.ndims));
    if (std::ranges::count(dims, runtime_dim) || std::ranges::count(offsets, runtime_dim))
        return unimplemented("a region with run-time dims or offsets: regions need known numbers");

    for (size_t d = 0; d < dims.size(); ++d)
        if (dims[d] < 0 || offsets[d] < 0 || offsets[d] > parent.dims[d] || dims[d] > parent.dims[d] - offsets[d])
            return invalid("region {} at {} is outside of {}; offset and extent are not negative and reach its end at "
                           "most",
                           to_string(dims), to_string(offsets), to_string(parent.dims_span()));

    MemoryDesc md = parent;
    for (size_t d = 0; d < dims.size(); ++d) {
        const auto padded = padded_extent(parent, d, dims[d], offsets[d]);
        if (!padded) return tl::unexpected(padded.error());
        int64_t step = offsets[d] / parent.block_of(int(d));
        if (!checked_mul(step, parent.strides[d]) || !checked_add(md.offset0, step))
            return invalid("region {} at {}: the offset does not fit in 64 bits", to_string(dims), to_string(offsets));
        md.dims[d] = dims[d];
        md.padded_dims[d] = *padded;
    }
    if (auto ok = verify(md); !ok) return tl::unexpected(ok.error());
    return md;
}

Result<MemoryDesc> permute_axes(const MemoryDesc& md, std::span<const int> permutation) {
    if (md.kind != FormatKind::any && !md.is_blocked())
        return invalid("permutation of {}: only any and layouts given by strides or a tag have axes to permute",
                       to_token(md));
    if (md.has_runtime())
        return invalid("permutation of dims {}: known dims are needed; give the dims in the new order",
                       to_string(md.dims_span()));
    if (md.extra.flags) return invalid("permutation of {}: compensated layouts keep their axes", to_token(md));
    if (permutation.size() != size_t(md.ndims))
        return invalid("{:axis|axes} for a tensor with {:dimension}; each axis is given once",
                       counted(permutation.size()), counted(md.ndims));
    unsigned seen = 0;
    for (int axis : permutation) {
        if (axis < 0 || axis >= md.ndims || seen >> axis & 1)
            return invalid("not a permutation of 0..{}: axis {} is {}", md.ndims - 1, axis,
                           axis < 0 || axis >= md.ndims ? "outside" : "given twice");
        seen |= 1u << axis;
    }
    MemoryDesc result = md;
    for (size_t d = 0; d < size_t(md.ndims); ++d) {
        const size_t to = size_t(permutation[d]);
        result.dims[to] = md.dims[d];
        result.padded_dims[to] = md.padded_dims[d];
        result.padded_offsets[to] = md.padded_offsets[d];
        result.strides[to] = md.strides[d];
    }
    for (size_t j = 0; j < size_t(md.inner_nblks); ++j) result.inner_idxs[j] = permutation[size_t(md.inner_idxs[j])];
    return result;
}

} // namespace tessera
