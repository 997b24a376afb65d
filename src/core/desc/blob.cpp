// SPDX-License-Identifier: Apache-2.0
// The byte image of a descriptor: a mark, every field as eight little-endian bytes in one fixed order, a checksum.
//
// Reading refuses images with another mark or checksum, then verifies the descriptor like any new one: bytes from
// outside can describe a useless tensor, but none that breaks a reader.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "core/desc/memory_desc.hpp"
#include "core/desc/verify.hpp"

namespace tessera {

namespace {

constexpr uint64_t mark = 0x3130'4d44'5353'4554; // "TESSDM01"; a change of the fields counts it up

// Calls visit(field) for every field, read and written in the same order.
template <typename Md, typename Visit> void for_each_field(Md& md, Visit visit) {
    visit(md.ndims);
    visit(md.type);
    visit(md.kind);
    for (auto* dims : {&md.dims, &md.padded_dims, &md.padded_offsets, &md.strides, &md.inner_blks, &md.inner_idxs})
        for (auto& value : *dims) visit(value);
    visit(md.offset0);
    visit(md.inner_nblks);
    visit(md.extra.flags);
    visit(md.extra.compensation_mask);
    visit(md.extra.asymmetric_compensation_mask);
    visit(md.extra.scale_adjust_factor);
    visit(md.encoding);
    visit(md.nnz);
    visit(md.indices_type);
    visit(md.pointers_type);
}

void put(std::vector<uint8_t>& bytes, uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(uint8_t(value >> shift));
}

uint64_t get(const uint8_t* bytes) {
    uint64_t value = 0;
    for (int k = 8; k-- > 0;) value = value << 8 | bytes[k];
    return value;
}

// FNV-1a detects accidents; verify() protects against crafted images.
uint64_t checksum(const uint8_t* bytes, size_t count) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t k = 0; k < count; ++k) hash = (hash ^ bytes[k]) * 0x100000001b3;
    return hash;
}

// Keeps the fields that a descriptor of this kind has; the others are ignored.
MemoryDesc fields_of_kind(const MemoryDesc& image) {
    if (image.ndims <= 0 || image.ndims > max_ndims) return image;
    MemoryDesc md = image;
    const MemoryDesc none;
    const bool blocked = md.is_blocked(), sparse = md.kind == FormatKind::sparse;
    if (!blocked) {
        md.strides = none.strides, md.offset0 = none.offset0, md.extra = none.extra;
        md.inner_nblks = none.inner_nblks;
    }
    if (!sparse) {
        md.encoding = none.encoding, md.nnz = none.nnz;
        md.indices_type = none.indices_type, md.pointers_type = none.pointers_type;
    }
    for (size_t d = size_t(md.ndims); d < size_t(max_ndims); ++d) md.strides[d] = 0;
    for (size_t j = size_t(std::max(md.inner_nblks, 0)); j < size_t(max_ndims); ++j)
        md.inner_blks[j] = md.inner_idxs[j] = 0;
    return md;
}

} // namespace

std::vector<uint8_t> to_blob(const MemoryDesc& md) {
    std::vector<uint8_t> bytes;
    put(bytes, mark);
    for_each_field(md, [&](const auto& field) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, float>)
            put(bytes, std::bit_cast<uint32_t>(field));
        else
            put(bytes, uint64_t(field));
    });
    put(bytes, checksum(bytes.data(), bytes.size()));
    return bytes;
}

size_t blob_size() {
    static constinit std::atomic<size_t> size{0}; // not measured yet
    if (size == 0) size = to_blob(MemoryDesc()).size();
    return size;
}

Result<MemoryDesc> from_blob(const uint8_t* blob) {
    const size_t content = blob_size() - 8;
    if (get(blob) != mark)
        return invalid("the blob does not start with a memory descriptor's mark of this library; "
                       "dnnl_memory_desc_get_blob writes blobs that do");
    if (get(blob + content) != checksum(blob, content))
        return invalid("the blob is damaged, its checksum does not match; dnnl_memory_desc_get_blob writes it anew");
    MemoryDesc md;
    size_t at = 8;
    bool fits = true;
    for_each_field(md, [&](auto& field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        const uint64_t value = get(blob + at);
        at += 8;
        if constexpr (std::is_same_v<Field, float>)
            field = std::bit_cast<float>(uint32_t(value));
        else {
            field = Field(value);
            fits = fits && uint64_t(field) == value;
        }
    });
    if (!fits) return invalid("the blob holds a number that is out of range; dnnl_memory_desc_get_blob writes it anew");
    md = md.ndims == 0 ? MemoryDesc() : fields_of_kind(md);
    for (const auto& check : {verify, verify_no_overlap, verify_nibbles}) {
        if (check != verify && (!md.is_blocked() || md.has_zero_dim())) continue;
        if (auto ok = check(md); !ok) return invalid("the blob describes no tensor: {}", ok.error().reason);
    }
    return md;
}

} // namespace tessera
