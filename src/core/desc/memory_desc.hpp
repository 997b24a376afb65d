// SPDX-License-Identifier: Apache-2.0
// MemoryDesc: shape, data type and memory layout of a tensor (MEM, TAG, DER, QRY rows).
//
// A value without resources. `blocked` is the one layout family: dimension d has padded_dims[d] elements, of which
// the last ones may be padding (always zero); strides[d] is the distance between its *outer* blocks; the inner
// blocks are listed outermost first and lie densely, the last one with stride 1. All strides count elements.
//
//   aBcd16b of 2x17x5x5: dims 2,17,5,5  padded 2,32,5,5  strides 800,400,80,16  inner {16 of dim 1}
//
// Descriptors come only from the functions below, which check everything (functions of one kind in one file);
// the fields are read freely. Sizes are checked so that offsets and byte sizes fit in int64_t.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"
#include "core/types/types.hpp"

namespace tessera {

inline constexpr int max_ndims = 12;
inline constexpr int64_t runtime_dim = std::numeric_limits<int64_t>::min(); // DNNL_RUNTIME_DIM_VAL
inline constexpr size_t runtime_size = size_t(1) << 63;                     // DNNL_RUNTIME_SIZE_VAL
using Dims = std::array<int64_t, max_ndims>;                                // entries from ndims on are zero

enum class FormatKind : int { undef = 0, any = 1, blocked = 2, opaque = 3, sparse = 4, host_scalar = 5 };
enum class SparseEncoding : int { undef = 0, csr = 1, packed = 2, coo = 3 };

// Compensation that a weights layout stores after its elements (OPQ rows). Flags are numbered as in v2's public enum.
struct Extra {
    // rnn_u8s8: weights of recurrent cells; the sums of their columns, by which the shift of the data is taken out.
    enum Flag : uint32_t { none = 0, s8s8 = 1, scale_adjust = 2, rnn_u8s8 = 4, asymmetric_src = 8 };
    uint32_t flags = none;
    int compensation_mask =
        0; // dims along which the s8s8 compensation varies: bit 0 oc; bits 0, 1 g, oc; or rnn_u8s8's
    int asymmetric_compensation_mask = 0; // the same of the asymmetric-source compensation
    float scale_adjust_factor = 1.f;      // 0.5 on machines without VNNI
    bool operator==(const Extra&) const = default;
};

struct MemoryDesc {
    int ndims = 0;
    DataType type = DataType::undef;
    FormatKind kind = FormatKind::undef;
    Dims dims{}, padded_dims{}, padded_offsets{};
    int64_t offset0 = 0;

    // kind == blocked
    Dims strides{};
    int inner_nblks = 0;
    Dims inner_blks{}, inner_idxs{};
    Extra extra;

    // kind == sparse
    SparseEncoding encoding = SparseEncoding::undef;
    int64_t nnz = 0;
    DataType indices_type = DataType::undef, pointers_type = DataType::undef;

    bool is_zero() const { return ndims == 0; }
    bool has_zero_dim() const; // a dim of extent 0: no elements, the handle is never read
    bool has_runtime() const;  // a wildcard in dims, strides or offset
    bool is_blocked() const { return kind == FormatKind::blocked; }
    bool is_plain() const { return is_blocked() && inner_nblks == 0; }
    bool is_padded() const;                          // padded_dims differ from dims
    int64_t nelems(bool with_padding = false) const; // 0 for a zero descriptor; runtime_dim if unknown
    int64_t block_of(int dim) const;                 // product of the inner blocks of `dim`, 1 if none
    std::span<const int64_t> dims_span() const { return {dims.data(), size_t(ndims)}; }
};

// ---- create.cpp
Result<MemoryDesc> make_desc_with_strides(std::span<const int64_t> dims, DataType type,
                                          std::span<const int64_t> strides);
Result<MemoryDesc> make_desc_any(std::span<const int64_t> dims, DataType type);
Result<MemoryDesc> make_desc_undef(std::span<const int64_t> dims, DataType type); // tag undef: no layout (MEM-17)
Result<MemoryDesc> make_host_scalar_desc(DataType type);
Result<MemoryDesc> make_csr_desc(std::span<const int64_t> dims, DataType type, int64_t nnz, DataType indices,
                                 DataType pointers);
Result<MemoryDesc> make_coo_desc(std::span<const int64_t> dims, DataType type, int64_t nnz, DataType indices);
Result<MemoryDesc> make_packed_desc(std::span<const int64_t> dims, DataType type, int64_t nnz);
// Adds compensation to an s8 blocked descriptor (OPQ-01); the size grows by one s32 per masked element and flag.
Result<MemoryDesc> with_extra(const MemoryDesc& md, const Extra& extra);

// ---- tag: in tags.cpp; see tags.hpp for the tag language
Result<MemoryDesc> make_desc_with_tag(std::span<const int64_t> dims, DataType type, std::string_view tag);
// The canonical tag that spells this layout (letters a..l, inner blocks), or "" if no tag does: strides with gaps,
// other kinds. Extents of 1 make several tags right; the one with the logical order kept wins.
std::string tag_of(const MemoryDesc& md);
bool matches_tag(const MemoryDesc& md, std::string_view tag);

// ---- derive.cpp, reshape.cpp
Result<MemoryDesc> submemory(const MemoryDesc& parent, std::span<const int64_t> dims, std::span<const int64_t> offsets);
Result<MemoryDesc> reshape(const MemoryDesc& md, std::span<const int64_t> dims);
Result<MemoryDesc> permute_axes(const MemoryDesc& md, std::span<const int> permutation);

// ---- size.cpp
size_t size_of(const MemoryDesc& md, int index = 0); // bytes of buffer `index`; runtime_size if unknown (MEM-13)
// Bytes from the start of buffer `index` to the end of what a primitive may touch: offset0, padding and compensation
// count, the gap behind the last element does not. A view's buffer is that of its tensor, so size_of() bytes behind
// offset0 may lie outside of it; these do not.
size_t reach_of(const MemoryDesc& md, int index = 0);
size_t compensation_offset(const MemoryDesc& md, Extra::Flag which); // bytes from the start of the buffer
int64_t compensation_count(const MemoryDesc& md, Extra::Flag which); // s32 elements, 0 if the flag is not set
int handle_count(const MemoryDesc& md); // buffers of a memory object: 1; csr 3; coo ndims+1

// ---- equal.cpp: structural; strides of extent-1 dims do not count (MEM-15)
bool operator==(const MemoryDesc& a, const MemoryDesc& b);

// ---- blob.cpp: byte image for storage within one build of the library (DER-06)
std::vector<uint8_t> to_blob(const MemoryDesc& md);
size_t blob_size();                                // the same for all descriptors
Result<MemoryDesc> from_blob(const uint8_t* blob); // blob_size() bytes; damaged images are refused

// ---- print.cpp
std::string to_string(std::span<const int64_t> dims); // "2x17x5x5"; wildcards as "*"
// "f32::blocked:acdb::f0": type:props:kind:tag:strides:flags, the tensor token of verbose lines after its name
// (VRB-04): props a = was any (told by the caller), p = padded, 0 = has offset; strides only if not dense.
std::string to_token(const MemoryDesc& md, bool was_any = false);

} // namespace tessera
