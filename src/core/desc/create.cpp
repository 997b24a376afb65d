// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "core/desc/checked.hpp"
#include "core/desc/memory_desc.hpp"
#include "core/desc/verify.hpp"

namespace tessera {

namespace {

Result<MemoryDesc> verified(MemoryDesc md) {
    if (auto ok = verify(md); !ok) return tl::unexpected(ok.error());
    return md;
}

Result<MemoryDesc> make_sparse(std::span<const int64_t> dims, DataType type, SparseEncoding encoding, int64_t nnz,
                               DataType indices, DataType pointers) {
    auto md = shape_of(dims, type);
    if (!md || md->is_zero()) return md;
    md->kind = FormatKind::sparse;
    md->encoding = encoding;
    md->nnz = nnz;
    md->indices_type = indices;
    md->pointers_type = pointers;
    return verified(*md);
}

} // namespace

Result<MemoryDesc> make_desc_with_strides(std::span<const int64_t> dims, DataType type,
                                          std::span<const int64_t> strides) {
    auto md = shape_of(dims, type);
    if (!md || md->is_zero()) return md;
    if (strides.size() != dims.size())
        return invalid("{:stride} for {:dimension}; give one each", counted(strides.size()), counted(dims.size()));
    md->kind = FormatKind::blocked;
    std::ranges::copy(strides, md->strides.begin());
    if (auto ok = verify(*md); !ok) return tl::unexpected(ok.error());
    if (!md->has_zero_dim())
        if (auto ok = verify_no_overlap(*md); !ok) return tl::unexpected(ok.error());
    if (auto ok = verify_nibbles(*md); !ok) return tl::unexpected(ok.error());
    return md;
}

Result<MemoryDesc> make_desc_any(std::span<const int64_t> dims, DataType type) {
    auto md = shape_of(dims, type);
    if (!md || md->is_zero()) return md;
    md->kind = FormatKind::any;
    return verified(*md);
}

// Dims without a layout are useless: the result is the zero descriptor.
Result<MemoryDesc> make_desc_undef(std::span<const int64_t> dims, DataType) {
    if (dims.size() > size_t(max_ndims))
        return invalid("{} dimensions; a tensor has at most {}", dims.size(), max_ndims);
    return MemoryDesc();
}

Result<MemoryDesc> make_host_scalar_desc(DataType type) {
    const int64_t one = 1;
    auto md = shape_of({&one, 1}, type);
    if (md) md->kind = FormatKind::host_scalar;
    return md;
}

Result<MemoryDesc> make_csr_desc(std::span<const int64_t> dims, DataType type, int64_t nnz, DataType indices,
                                 DataType pointers) {
    if (dims.size() > 2)
        return unimplemented("csr with {:dimension}; matrices (2) are implemented, coo takes any number",
                             counted(dims.size()));
    return make_sparse(dims, type, SparseEncoding::csr, nnz, indices, pointers);
}

Result<MemoryDesc> make_coo_desc(std::span<const int64_t> dims, DataType type, int64_t nnz, DataType indices) {
    return make_sparse(dims, type, SparseEncoding::coo, nnz, indices, DataType::undef);
}

Result<MemoryDesc> make_packed_desc(std::span<const int64_t> dims, DataType type, int64_t nnz) {
    return make_sparse(dims, type, SparseEncoding::packed, nnz, DataType::undef, DataType::undef);
}

Result<MemoryDesc> with_extra(const MemoryDesc& md, const Extra& extra) {
    if (!md.is_blocked()) return invalid("compensation goes with blocked s8 weights, not with {}", to_token(md));
    MemoryDesc result = md;
    result.extra = extra;
    return verified(result);
}

} // namespace tessera
