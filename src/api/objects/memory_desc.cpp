// SPDX-License-Identifier: Apache-2.0
// The C calls of memory descriptors: they check pointers and counts; src/core/desc makes the descriptors and checks
// them.
#include <cstring>

#include "api/guard.hpp"
#include "api/log/named.hpp"
#include "api/objects/handles.hpp"
#include "core/desc/tags.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"

using namespace tessera;

namespace {

// A caller may pass any bits as an enumerator. Reading a value outside of the enumeration is undefined behaviour,
// reading an int is not.
template <typename Enumerator> int number(const Enumerator& e) {
    int result;
    std::memcpy(&result, &e, sizeof result);
    return result;
}
DataType type_of(const dnnl_data_type_t& type) { return static_cast<DataType>(number(type)); }

// Hands a new descriptor to the caller, or leaves the caller's pointer alone on a refusal.
Result<void> give(dnnl_memory_desc_t* out, const Result<MemoryDesc>& md) {
    if (!md) return tl::unexpected(md.error());
    *out = new dnnl_memory_desc{*md};
    return {};
}

// A list from a caller: the count is checked before anything is read.
Result<std::span<const int64_t>> list(const char* name, const int64_t* values, int count) {
    if (count < 0 || count > max_ndims) return invalid("{} dimensions; a tensor has 0 to {}", count, max_ndims);
    if (count > 0 && values == nullptr) return invalid("{} is null for {:dimension}", name, counted(count));
    return std::span<const int64_t>(values, size_t(count));
}

// Creation from dims: `make` gets the checked dims.
template <typename Make>
dnnl_status_t create(const char* function, dnnl_memory_desc_t* out, int ndims, const dnnl_dim_t* dims, Make make) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need(out, "memory_desc"); !ok) return ok;
        const auto checked = list("dims", dims, ndims);
        if (!checked) return tl::unexpected(checked.error());
        return give(out, make(*checked));
    });
}

template <typename Value> Result<void> answer(void* result, Value value) {
    std::memcpy(result, &value, sizeof value);
    return {};
}

Result<void> query_blocked(const MemoryDesc& md, int what, void* result) {
    if (!md.is_blocked())
        return invalid("query {} asks for strides or blocks, which {} does not have", named_query(what), to_token(md));
    switch (what) {
    case dnnl_query_inner_nblks_s32:
        return answer(result, md.inner_nblks);
    case dnnl_query_inner_blks:
        return answer(result, md.inner_blks.data());
    case dnnl_query_inner_idxs:
        return answer(result, md.inner_idxs.data());
    default:
        return answer(result, md.strides.data());
    }
}

Result<void> query_type(const MemoryDesc& md, int index, void* result) {
    const bool sparse = md.kind == FormatKind::sparse && index > 0;
    if (!sparse) return answer(result, int(md.type));
    const bool pointers = md.encoding == SparseEncoding::csr && index == 2;
    return answer(result, int(pointers ? md.pointers_type : md.indices_type));
}

Result<void> query(const MemoryDesc& md, int what, int index, void* result) {
    const int buffers = what == dnnl_query_data_type ? handle_count(md) : 1;
    if (index < 0 || index >= buffers)
        return invalid("query {} of {}: index {} is outside of 0..{}", named_query(what), to_token(md), index,
                       buffers - 1);
    switch (what) {
    case dnnl_query_ndims_s32:
        return answer(result, md.ndims);
    case dnnl_query_dims:
        return answer(result, md.dims.data());
    case dnnl_query_data_type:
        return query_type(md, index, result);
    case dnnl_query_submemory_offset_s64:
        return answer(result, md.offset0);
    case dnnl_query_padded_dims:
        return answer(result, md.padded_dims.data());
    case dnnl_query_padded_offsets:
        return answer(result, md.padded_offsets.data());
    case dnnl_query_format_kind:
        return answer(result, int(md.kind));
    case dnnl_query_num_handles_s32:
        return answer(result, handle_count(md));
    case dnnl_query_inner_nblks_s32:
    case dnnl_query_inner_blks:
    case dnnl_query_inner_idxs:
    case dnnl_query_strides:
        return query_blocked(md, what, result);
    case dnnl_query_sparse_encoding:
    case dnnl_query_nnz_s64:
        if (md.kind != FormatKind::sparse)
            return invalid("query {} of {}, which is not sparse", named_query(what), to_token(md));
        return what == dnnl_query_nnz_s64 ? answer(result, md.nnz) : answer(result, int(md.encoding));
    default:
        return unimplemented("query {} is none of memory descriptors: ndims_s32 to num_handles_s32 and strides are",
                             named_query(what));
    }
}

dnnl_status_t query_guarded(const char* function, const_dnnl_memory_desc_t desc, int what, int index, void* result) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need("memory_desc", desc, "result", result); !ok) return ok;
        return query(desc->md, what, index, result);
    });
}

} // namespace

dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc) {
    delete memory_desc; // null is nothing to destroy
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_clone(dnnl_memory_desc_t* memory_desc, const_dnnl_memory_desc_t existing) {
    return guarded("dnnl_memory_desc_clone", [&]() -> Result<void> {
        if (auto ok = need("memory_desc", memory_desc, "existing_memory_desc", existing); !ok) return ok;
        return give(memory_desc, existing->md);
    });
}

dnnl_status_t dnnl_memory_desc_get_blob(uint8_t* blob, size_t* size, const_dnnl_memory_desc_t memory_desc) {
    return guarded("dnnl_memory_desc_get_blob", [&]() -> Result<void> {
        if (auto ok = need("size", size, "memory_desc", memory_desc); !ok) return ok;
        const size_t needed = blob_size();
        if (blob == nullptr) {
            *size = needed;
            return {};
        }
        if (*size < needed)
            return invalid("the blob has room for {:byte}, {} are needed; a null blob asks for the number",
                           counted(*size), needed);
        const auto bytes = to_blob(memory_desc->md);
        std::memcpy(blob, bytes.data(), bytes.size());
        return {};
    });
}

dnnl_status_t dnnl_memory_desc_create_with_blob(dnnl_memory_desc_t* memory_desc, const uint8_t* blob) {
    return guarded("dnnl_memory_desc_create_with_blob", [&]() -> Result<void> {
        if (auto ok = need("memory_desc", memory_desc, "blob", blob); !ok) return ok;
        return give(memory_desc, from_blob(blob));
    });
}

dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t* memory_desc, int ndims, const dnnl_dims_t dims,
                                                   dnnl_data_type_t data_type, const dnnl_dims_t strides) {
    return create("dnnl_memory_desc_create_with_strides", memory_desc, ndims, dims,
                  [&](auto shape) -> Result<MemoryDesc> {
                      if (shape.empty()) return MemoryDesc(); // without dimensions there is no layout
                      constexpr std::string_view row_major = "abcdefghijkl";
                      if (strides == nullptr)
                          return make_desc_with_tag(shape, type_of(data_type), row_major.substr(0, shape.size()));
                      return make_desc_with_strides(shape, type_of(data_type), {strides, shape.size()});
                  });
}

dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t* memory_desc, int ndims, const dnnl_dims_t dims,
                                               dnnl_data_type_t data_type, dnnl_format_tag_t tag) {
    return create("dnnl_memory_desc_create_with_tag", memory_desc, ndims, dims, [&](auto shape) -> Result<MemoryDesc> {
        const std::string_view spelling = spelling_of_tag(number(tag));
        if (spelling.empty())
            return invalid("format tag {} is none; they are numbered 0 to {}", number(tag),
                           int(dnnl_format_tag_last) - 1);
        return shape.empty() ? MemoryDesc() : make_desc_with_tag(shape, type_of(data_type), spelling);
    });
}

dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t* md, int ndims, const dnnl_dims_t dims,
                                                      dnnl_data_type_t dt, const char* tag) {
    return create("dnnl_memory_desc_create_with_string_tag", md, ndims, dims, [&](auto shape) -> Result<MemoryDesc> {
        if (tag == nullptr) return invalid("tag is null");
        if (shape.empty()) return MemoryDesc();
        return make_desc_with_tag(shape, type_of(dt), tag);
    });
}

dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                        const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                        dnnl_dim_t nnz, dnnl_data_type_t indices_dt,
                                                        dnnl_data_type_t pointers_dt) {
    return create("dnnl_memory_desc_create_with_csr_encoding", memory_desc, ndims, dims, [&](auto shape) {
        return make_csr_desc(shape, type_of(data_type), nnz, type_of(indices_dt), type_of(pointers_dt));
    });
}

dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                        const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                        dnnl_dim_t nnz, dnnl_data_type_t indices_dt) {
    return create("dnnl_memory_desc_create_with_coo_encoding", memory_desc, ndims, dims,
                  [&](auto shape) { return make_coo_desc(shape, type_of(data_type), nnz, type_of(indices_dt)); });
}

dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t* memory_desc, int ndims,
                                                           const dnnl_dims_t dims, dnnl_data_type_t data_type,
                                                           dnnl_dim_t nnz) {
    return create("dnnl_memory_desc_create_with_packed_encoding", memory_desc, ndims, dims,
                  [&](auto shape) { return make_packed_desc(shape, type_of(data_type), nnz); });
}

dnnl_status_t dnnl_memory_desc_create_host_scalar(dnnl_memory_desc_t* memory_desc, dnnl_data_type_t data_type) {
    return guarded("dnnl_memory_desc_create_host_scalar", [&]() -> Result<void> {
        if (auto ok = need(memory_desc, "memory_desc"); !ok) return ok;
        return give(memory_desc, make_host_scalar_desc(type_of(data_type)));
    });
}

dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t* memory_desc, const_dnnl_memory_desc_t parent,
                                                const dnnl_dims_t dims, const dnnl_dims_t offsets) {
    return guarded("dnnl_memory_desc_create_submemory", [&]() -> Result<void> {
        if (auto ok = need("memory_desc", memory_desc, "parent_memory_desc", parent, "dims", dims, "offsets", offsets);
            !ok)
            return ok;
        const size_t count = size_t(parent->md.ndims);
        return give(memory_desc, submemory(parent->md, {dims, count}, {offsets, count}));
    });
}

dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t* out, const_dnnl_memory_desc_t in, int ndims,
                                       const dnnl_dims_t dims) {
    return guarded("dnnl_memory_desc_reshape", [&]() -> Result<void> {
        if (auto ok = need("out_memory_desc", out, "in_memory_desc", in, "dims", dims); !ok) return ok;
        const auto checked = list("dims", dims, ndims);
        if (!checked) return tl::unexpected(checked.error());
        return give(out, reshape(in->md, *checked));
    });
}

dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t* out, const_dnnl_memory_desc_t in,
                                            const int* permutation) {
    return guarded("dnnl_memory_desc_permute_axes", [&]() -> Result<void> {
        if (auto ok = need("out_memory_desc", out, "in_memory_desc", in, "permutation", permutation); !ok) return ok;
        return give(out, permute_axes(in->md, {permutation, size_t(in->md.ndims)}));
    });
}

dnnl_status_t dnnl_memory_desc_query(const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void* result) {
    return query_guarded("dnnl_memory_desc_query", memory_desc, number(what), 0, result);
}

dnnl_status_t dnnl_memory_desc_query_v2(const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index,
                                        void* result) {
    return query_guarded("dnnl_memory_desc_query_v2", memory_desc, number(what), index, result);
}

int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs) {
    return lhs == rhs || (lhs != nullptr && rhs != nullptr && lhs->md == rhs->md);
}

size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc) {
    return memory_desc ? size_of(memory_desc->md) : 0;
}

size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index) {
    return memory_desc ? size_of(memory_desc->md, index) : 0;
}

size_t dnnl_data_type_size(dnnl_data_type_t data_type) { return size_t(bytes_of(type_of(data_type), 1)); }
