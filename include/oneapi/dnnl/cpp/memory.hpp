// SPDX-License-Identifier: Apache-2.0
// dnnl::memory and dnnl::memory::desc: tensors and their descriptions.
//
// A descriptor is pure metadata: up to 12 extents, a data type, and the function from coordinates to
// memory (a tag, strides, or `any` = let the primitive decide). A memory object adds an engine and a
// buffer. Sizes are in bytes, extents and strides in elements.
//
//     memory::desc md({2, 16, 7, 7}, memory::data_type::f32, memory::format_tag::nchw);
//     memory m(md, eng, pointer_to_md_get_size_bytes);

#ifndef ONEAPI_DNNL_CPP_MEMORY_HPP
#define ONEAPI_DNNL_CPP_MEMORY_HPP

#include "oneapi/dnnl/cpp/enums.hpp"

#ifdef DNNL_WITH_SYCL
#include "oneapi/dnnl/cpp/sycl_include.hpp"
#endif

namespace dnnl {

template <> struct handle_traits<dnnl_memory_desc_t> {
    static dnnl_status_t destructor(dnnl_memory_desc_t p) { return dnnl_memory_desc_destroy(p); }
};
template <> struct handle_traits<dnnl_memory_t> {
    static dnnl_status_t destructor(dnnl_memory_t p) { return dnnl_memory_destroy(p); }
};

/// Fails with invalid_arguments and `error_message` unless min_size <= v.size() <= max_size;
/// a negative max_size means no upper bound.
/// @param v List to check.
/// @param error_message Text of the error.
/// @param min_size Least number of values.
/// @param max_size Largest number of values; negative: any.
/// @throws dnnl::error with dnnl_invalid_arguments if it has fewer or more.
template <typename T>
void validate_container_size(const T& v, const char* error_message, int min_size = 1, int max_size = -1) {
    const size_t size = v.size();
    if ((min_size > 0 && size < static_cast<size_t>(min_size)) ||
        (max_size >= 0 && size > static_cast<size_t>(max_size)))
        DNNL_THROW_ERROR(dnnl_invalid_arguments, error_message);
}

/// A tensor: a descriptor, an engine, and a buffer on it. Copies share the tensor.
struct memory : public handle<dnnl_memory_t> {
    using handle::handle;

    /// Extent, coordinate or stride; signed, 64 bits.
    using dim = dnnl_dim_t;
    /// One value per dimension; at most DNNL_MAX_NDIMS (12).
    using dims = std::vector<dim>;

    /// Fails with invalid_arguments unless `v` has min_size to 12 values.
    /// @param v List to check.
    /// @param min_size Least number of values.
    /// @throws dnnl::error with dnnl_invalid_arguments if it has fewer or more.
    template <typename T> static void validate_dims(const std::vector<T>& v, int min_size = 0) {
        if (fits_dims(v.size(), min_size)) return;
        DNNL_THROW_ERROR(dnnl_invalid_arguments, dims_complaint(v.size(), min_size).c_str());
    }

    /// Types of elements.
    enum class data_type : int {
        // enumerators: memory::data_type
        undef = dnnl_data_type_undef, ///< None: what empty descriptors have.
        f4_e3m0 = dnnl_f4_e3m0,       ///< 4 bits: sign, 3 exponent.
        f4_e2m1 = dnnl_f4_e2m1,       ///< 4 bits: sign, 2 exponent, 1 mantissa; largest 6.
        e8m0 = dnnl_e8m0,             ///< 8 bits: a power of two, 2^(b - 127); 255 is NaN.
        f8_e5m2 = dnnl_f8_e5m2,       ///< 8 bits: sign, 5 exponent, 2 mantissa; largest 57344.
        f8_e4m3 = dnnl_f8_e4m3,       ///< 8 bits: sign, 4 exponent, 3 mantissa; largest 448, no infinity.
        f16 = dnnl_f16,               ///< IEEE half precision.
        bf16 = dnnl_bf16,             ///< The upper half of an f32.
        f32 = dnnl_f32,               ///< IEEE single precision.
        f64 = dnnl_f64,               ///< IEEE double precision.
        s64 = dnnl_s64,               ///< Signed, 64 bits.
        s32 = dnnl_s32,               ///< Signed, 32 bits.
        s8 = dnnl_s8,                 ///< Signed, 8 bits.
        u8 = dnnl_u8,                 ///< Unsigned, 8 bits.
        s4 = dnnl_s4,                 ///< Signed, 4 bits; two per byte, the even one in the low half.
        u4 = dnnl_u4,                 ///< Unsigned, 4 bits; packed as s4.
        // end of enumerators
    };

    /// @param adata_type Type of the elements.
    /// @returns Bytes of one element; 1 for the 4-bit types, of which two share a byte.
    static size_t data_type_size(data_type adata_type) { return dnnl_data_type_size(convert_to_c(adata_type)); }

    /// Kinds of descriptors.
    enum class format_kind : int {
        // enumerators: memory::format_kind
        undef = dnnl_format_kind_undef,             ///< No layout.
        any = dnnl_format_kind_any,                 ///< The primitive decides.
        blocked = dnnl_blocked,                     ///< Strides between outer blocks, then inner blocks.
        sparse = dnnl_format_kind_sparse,           ///< Several buffers; see sparse_encoding.
        host_scalar = dnnl_format_kind_host_scalar, ///< One value in host memory.
        opaque = dnnl_format_kind_opaque,           ///< Known to the library alone.
        // end of enumerators
        wino = dnnl_format_kind_opaque,   ///< v2 name; Winograd weights are opaque.
        packed = dnnl_format_kind_opaque, ///< v2 name; packed RNN weights are opaque.
    };

    /// How a sparse tensor is stored.
    enum class sparse_encoding : int {
        // enumerators: memory::sparse_encoding
        undef = dnnl_sparse_encoding_undef, ///< Not sparse.
        csr = dnnl_csr,                     ///< Buffers: values, column indices, row pointers.
        packed = dnnl_packed,               ///< Encoded by the library; acts like `any`.
        coo = dnnl_coo,                     ///< Buffers: values, then one index array per dimension; sorted by rows.
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        grouped = dnnl_grouped, ///< Buffers: rows of all groups, cumulative end offsets.
#endif
        // end of enumerators
    };

    /// Names of layouts; see the head of the included list for how to read them.
    enum class format_tag : int {
#include "oneapi/dnnl/cpp/format_tags.inc"
    };

    /// Description of a tensor. Immutable: copies share it, and operations return a new one.
    struct desc : public handle<dnnl_memory_desc_t> {
        using handle<dnnl_memory_desc_t>::handle;

        /// The empty (zero) descriptor: no dimensions, no type, 0 bytes. Stands for an absent tensor.
        desc() { reset(zero()); }

        /// A tensor laid out by a tag, densely. The tag must have adims.size() letters. Extents may be 0
        /// (an empty tensor) or DNNL_RUNTIME_DIM_VAL (known at execution).
        /// With `allow_empty` a refused request gives the empty descriptor instead of an error.
        /// @param adims Extents in elements, one value per dimension, at most 12; each >= 0 or DNNL_RUNTIME_DIM_VAL.
        /// @param adata_type Type of the elements.
        /// @param aformat_tag Layout, with as many letters as there are dimensions; `any`: a primitive descriptor
        ///     decides.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_memory_desc_create_with_tag() if that refuses, unless
        ///     allow_empty.
        desc(const memory::dims& adims, memory::data_type adata_type, memory::format_tag aformat_tag,
             bool allow_empty = false) {
            if (!take_dims(adims, 0, allow_empty)) return;
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_tag(
                &md, static_cast<int>(adims.size()), adims.data(), convert_to_c(adata_type), convert_to_c(aformat_tag));
            take(status, md, allow_empty, "could not create a memory descriptor by a tag");
        }

        /// A tensor with explicit strides, in elements, one per dimension (none at all: dense, row-major).
        /// Elements must not overlap, but for stride 0, which repeats values. `allow_empty` as above.
        /// @param adims Extents in elements, one value per dimension, at most 12; each >= 0 or DNNL_RUNTIME_DIM_VAL.
        /// @param adata_type Type of the elements.
        /// @param strides Elements between neighbours along each dimension, >= 0; none at all: dense, row-major. 0
        ///     repeats values.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_memory_desc_create_with_strides() if that refuses, unless
        ///     allow_empty.
        desc(const memory::dims& adims, memory::data_type adata_type, const memory::dims& strides,
             bool allow_empty = false) {
            if (!take_dims(adims, 0, allow_empty)) return;
            if (!strides.empty() && !take_dims(strides, static_cast<int>(adims.size()), allow_empty)) return;
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_strides(
                &md, static_cast<int>(adims.size()), adims.data(), convert_to_c(adata_type),
                strides.empty() ? nullptr : strides.data());
            take(status, md, allow_empty, "could not create a memory descriptor by strides");
        }

        /// A sparse matrix of `nnz` stored values: values[nnz], column indices[nnz] of `index_dt`, row
        /// pointers[rows + 1] of `pointer_dt`.
        /// @param adims Extents in elements, one value per dimension, at most 12; each >= 0 or DNNL_RUNTIME_DIM_VAL.
        /// @param adata_type Type of the elements.
        /// @param nnz Number of stored values, >= 0.
        /// @param index_dt Type of the indices: s32 or s64.
        /// @param pointer_dt Type of the row pointers: s32 or s64.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @returns The descriptor.
        /// @throws dnnl::error with the status of dnnl_memory_desc_create_with_csr_encoding() if that refuses, unless
        ///     allow_empty.
        static desc csr(const memory::dims& adims, memory::data_type adata_type, memory::dim nnz,
                        memory::data_type index_dt, memory::data_type pointer_dt, bool allow_empty = false) {
            desc result(nullptr);
            if (!result.take_dims(adims, 0, allow_empty)) return result;
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_csr_encoding(
                &md, static_cast<int>(adims.size()), adims.data(), convert_to_c(adata_type), nnz,
                convert_to_c(index_dt), convert_to_c(pointer_dt));
            result.take(status, md, allow_empty, "could not create a memory descriptor of a CSR matrix");
            return result;
        }

        /// A sparse tensor of `nnz` stored values: values[nnz], then per dimension indices[nnz] of `index_dt`.
        /// @param adims Extents in elements, one value per dimension, at most 12; each >= 0 or DNNL_RUNTIME_DIM_VAL.
        /// @param adata_type Type of the elements.
        /// @param nnz Number of stored values, >= 0.
        /// @param index_dt Type of the indices: s32 or s64.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @returns The descriptor.
        /// @throws dnnl::error with the status of dnnl_memory_desc_create_with_coo_encoding() if that refuses, unless
        ///     allow_empty.
        static desc coo(const memory::dims& adims, memory::data_type adata_type, memory::dim nnz,
                        memory::data_type index_dt, bool allow_empty = false) {
            desc result(nullptr);
            if (!result.take_dims(adims, 0, allow_empty)) return result;
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                dnnl_memory_desc_create_with_coo_encoding(&md, static_cast<int>(adims.size()), adims.data(),
                                                          convert_to_c(adata_type), nnz, convert_to_c(index_dt));
            result.take(status, md, allow_empty, "could not create a memory descriptor of a COO tensor");
            return result;
        }

        /// Sparse weights in the library's own encoding; a placeholder like `any`, with size 0.
        /// @param adims Extents in elements, one value per dimension, at most 12; each >= 0 or DNNL_RUNTIME_DIM_VAL.
        /// @param adata_type Type of the elements.
        /// @param nnz Number of stored values, >= 0.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @returns The descriptor.
        /// @throws dnnl::error with the status of dnnl_memory_desc_create_with_packed_encoding() if that refuses,
        ///     unless allow_empty.
        static desc packed(const memory::dims& adims, memory::data_type adata_type, memory::dim nnz,
                           bool allow_empty = false) {
            desc result(nullptr);
            if (!result.take_dims(adims, 0, allow_empty)) return result;
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_packed_encoding(
                &md, static_cast<int>(adims.size()), adims.data(), convert_to_c(adata_type), nnz);
            result.take(status, md, allow_empty, "could not create a memory descriptor of a packed tensor");
            return result;
        }

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        /// `group_count` matrices with different extents in `variable_dim_idx`, one after the other; buffer 1
        /// holds their cumulative end offsets of type `offsets_dt`.
        /// @param adims Extents in elements, one value per dimension, at most 12; each >= 0 or DNNL_RUNTIME_DIM_VAL.
        /// @param adata_type Type of the elements.
        /// @param variable_dim_idx Dimension whose extent differs: 0.
        /// @param group_count Number of matrices, >= 1.
        /// @param offsets_dt Type of the end offsets.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @returns The descriptor.
        /// @throws dnnl::error with dnnl_unimplemented, unless allow_empty: this version has no grouped memory.
        static desc grouped(const memory::dims& adims, memory::data_type adata_type, int variable_dim_idx,
                            memory::dim group_count, memory::data_type offsets_dt = memory::data_type::s32,
                            bool allow_empty = false) {
            desc result(nullptr);
            if (!result.take_dims(adims, 0, allow_empty)) return result;
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_grouped_encoding(
                &md, static_cast<int>(adims.size()), adims.data(), convert_to_c(adata_type), variable_dim_idx,
                group_count, convert_to_c(offsets_dt));
            result.take(status, md, allow_empty, "could not create a memory descriptor of grouped matrices");
            return result;
        }
#endif

        /// One value that lives in host memory.
        /// @param adata_type Type of the elements.
        /// @returns The descriptor.
        /// @throws dnnl::error with the status of dnnl_memory_desc_create_host_scalar() if that refuses.
        static desc host_scalar(memory::data_type adata_type) {
            dnnl_memory_desc_t md = nullptr;
            error::wrap_c_api(dnnl_memory_desc_create_host_scalar(&md, convert_to_c(adata_type)),
                              "could not create a memory descriptor of a host scalar");
            return desc(md);
        }

        /// Takes over a C descriptor.
        /// @param md C descriptor; the new object destroys it.
        desc(dnnl_memory_desc_t md) : handle<dnnl_memory_desc_t>(md) {}

        /// The descriptor that get_blob() of the same library build wrote.
        /// @param blob Bytes from get_blob().
        /// @throws dnnl::error with the status of dnnl_memory_desc_create_with_blob() if that refuses.
        desc(const std::vector<uint8_t>& blob) {
            dnnl_memory_desc_t md = nullptr;
            error::wrap_c_api(dnnl_memory_desc_create_with_blob(&md, blob.data()),
                              "could not create a memory descriptor from a blob");
            reset(md);
        }

        /// A view of the box [offsets, offsets + adims) of this tensor; it keeps the strides and blocks.
        /// Fails if the box leaves the tensor, or starts inside a block.
        /// @param adims Extents of the box in elements, one value per dimension.
        /// @param offsets Index of the first element of the box, one value per dimension.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @returns The descriptor.
        /// @throws dnnl::error with the status of dnnl_memory_desc_create_submemory() if that refuses, unless
        ///     allow_empty.
        desc submemory_desc(const memory::dims& adims, const memory::dims& offsets, bool allow_empty = false) const {
            desc result(nullptr);
            if (!result.take_dims(adims, get_ndims(), allow_empty)) return result;
            if (!result.take_dims(offsets, get_ndims(), allow_empty)) return result;
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_submemory(&md, get(), adims.data(), offsets.data());
            result.take(status, md, allow_empty, "could not create a descriptor of a part of a tensor");
            return result;
        }

        /// The same memory with other extents and the same number of elements. Dimensions of extent 1 come
        /// and go; a dimension may split; neighbours may join if they are dense, in order and unblocked.
        /// @param adims Extents in elements, one value per dimension, at most 12; each >= 0 or DNNL_RUNTIME_DIM_VAL.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @returns The descriptor.
        /// @throws dnnl::error with the status of dnnl_memory_desc_reshape() if that refuses, unless allow_empty.
        desc reshape(const memory::dims& adims, bool allow_empty = false) const {
            desc result(nullptr);
            if (!result.take_dims(adims, 1, allow_empty)) return result;
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                dnnl_memory_desc_reshape(&md, get(), static_cast<int>(adims.size()), adims.data());
            result.take(status, md, allow_empty, "could not reshape a memory descriptor");
            return result;
        }

        /// The same memory with renamed dimensions: result.get_dims()[permutation[i]] == get_dims()[i].
        /// @param permutation The numbers 0 to get_ndims() - 1, each once.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @returns The descriptor.
        /// @throws dnnl::error with the status of dnnl_memory_desc_permute_axes() if that refuses, unless allow_empty.
        desc permute_axes(const std::vector<int>& permutation, bool allow_empty = false) const {
            desc result(nullptr);
            if (!result.take_dims(permutation, get_ndims(), allow_empty)) return result;
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_permute_axes(&md, get(), permutation.data());
            result.take(status, md, allow_empty, "could not permute the axes of a memory descriptor");
            return result;
        }

        /// @returns Number of dimensions, 0 to 12.
        int get_ndims() const { return query_value<int>(query::ndims_s32, 0); }
        /// @returns Extents rounded up to whole blocks.
        memory::dims get_padded_dims() const { return query_dims(query::padded_dims, get_ndims()); }
        /// @returns Where the tensor starts within its padding; zeros.
        memory::dims get_padded_offsets() const { return query_dims(query::padded_offsets, get_ndims()); }
        /// @returns Elements between the start of the buffer and element 0; not 0 only for parts of tensors.
        memory::dim get_submemory_offset() const { return query_value<dnnl_dim_t>(query::submemory_offset_s64, 0); }
        /// @returns Distances between neighbours (blocked dimensions: between outer blocks), in elements.
        memory::dims get_strides() const { return query_dims(query::strides, get_ndims()); }
        /// @returns Number of inner blocks; 0 for plain layouts.
        int get_inner_nblks() const { return query_value<int>(query::inner_nblks_s32, 0); }
        /// @returns Sizes of the inner blocks, outermost first.
        memory::dims get_inner_blks() const { return query_dims(query::inner_blks, get_inner_nblks()); }
        /// @returns Which dimension each inner block splits.
        memory::dims get_inner_idxs() const { return query_dims(query::inner_idxs, get_inner_nblks()); }
        /// @returns Number of buffers: 1, or more for sparse tensors.
        int get_num_handles() const { return query_value<int>(query::num_handles_s32, 0); }
        /// @returns Number of stored values of a sparse tensor, else 0.
        memory::dim get_nnz() const { return query_value<dnnl_dim_t>(query::nnz_s64, 0); }
        /// @returns Encoding of a sparse tensor, else undef.
        memory::sparse_encoding get_sparse_encoding() const {
            return static_cast<memory::sparse_encoding>(
                query_value<dnnl_sparse_encoding_t>(query::sparse_encoding, dnnl_sparse_encoding_undef));
        }
        /// @param index Number of the buffer; 0 for dense tensors.
        /// @returns Type of the elements of buffer `index`.
        memory::data_type get_data_type(int index = 0) const {
            return static_cast<memory::data_type>(
                query_value<dnnl_data_type_t>(query::data_type, dnnl_data_type_undef, index));
        }
        /// @returns Kind of layout.
        memory::format_kind get_format_kind() const {
            return static_cast<memory::format_kind>(
                query_value<dnnl_format_kind_t>(query::format_kind, dnnl_format_kind_undef));
        }
        /// @returns Extents.
        memory::dims get_dims() const { return query_dims(query::dims, get_ndims()); }

        /// @returns v2 spelling of get_dims().
        memory::dims dims() const { return get_dims(); }
        /// @returns v2 spelling of get_data_type().
        memory::data_type data_type() const { return get_data_type(); }

        /// Bytes that buffer `index` must have, padding included. 0 if empty or `any`, and
        /// DNNL_RUNTIME_SIZE_VAL if an extent is only known at execution. The one right way to get a size.
        /// @param index Number of the buffer; 0 for dense tensors.
        /// @returns Bytes; 0 if empty or `any`, DNNL_RUNTIME_SIZE_VAL if an extent is only known at execution.
        size_t get_size(int index = 0) const {
            const dnnl_memory_desc_t md = get(true);
            if (!md) return 0;
            return index == 0 ? dnnl_memory_desc_get_size(md) : dnnl_memory_desc_get_size_v2(md, index);
        }

        /// @returns The descriptor as bytes, for the same build of the library to read back.
        /// @throws dnnl::error with the status of dnnl_memory_desc_get_blob() if that refuses.
        std::vector<uint8_t> get_blob() {
            size_t size = 0;
            error::wrap_c_api(dnnl_memory_desc_get_blob(nullptr, &size, get()),
                              "could not get the size of a memory descriptor's blob");
            std::vector<uint8_t> blob(size);
            error::wrap_c_api(dnnl_memory_desc_get_blob(blob.data(), &size, get()),
                              "could not get the blob of a memory descriptor");
            return blob;
        }

        /// @returns Whether this is the empty descriptor. A tensor with an extent of 0 is not.
        bool is_zero() const { return get_ndims() == 0; }
        /// @returns !is_zero().
        explicit operator bool() const { return !is_zero(); }

        /// Whether both describe the same tensor in the same layout. Strides of extents 1 do not count.
        /// @param other What to compare with.
        /// @returns true if they do.
        bool operator==(const desc& other) const {
            if (!get(true) || !other.get(true)) return is_zero() && other.is_zero();
            return dnnl_memory_desc_equal(get(), other.get()) != 0;
        }
        /// The opposite of ==.
        /// @param other What to compare with.
        /// @returns true if they differ.
        bool operator!=(const desc& other) const { return !operator==(other); }

    private:
        static dnnl_memory_desc_t zero() {
            dnnl_memory_desc_t md = nullptr;
            error::wrap_c_api(
                dnnl_memory_desc_create_with_tag(&md, 0, nullptr, dnnl_data_type_undef, dnnl_format_tag_undef),
                "could not create an empty memory descriptor");
            return md;
        }

        // Becomes `md`, or the empty descriptor if the call that should have made it failed.
        void take(dnnl_status_t status, dnnl_memory_desc_t md, bool allow_empty, const char* message) {
            if (!allow_empty) error::wrap_c_api(status, message);
            reset(status == dnnl_success ? md : zero());
        }

        // Checks a list before C code reads min_size values of it.
        template <typename T> bool take_dims(const std::vector<T>& v, int min_size, bool allow_empty) {
            if (memory::fits_dims(v.size(), min_size)) return true;
            if (!allow_empty) memory::validate_dims(v, min_size);
            reset(zero());
            return false;
        }

        template <typename T> T query_value(query what, T fallback, int index = 0) const {
            T value = fallback;
            const dnnl_memory_desc_t md = get(true);
            if (!md) return fallback;
            const dnnl_status_t status = index == 0
                                             ? dnnl_memory_desc_query(md, dnnl::convert_to_c(what), &value)
                                             : dnnl_memory_desc_query_v2(md, dnnl::convert_to_c(what), index, &value);
            return status == dnnl_success ? value : fallback;
        }

        memory::dims query_dims(query what, int count) const {
            const dnnl_dim_t* values = query_value<const dnnl_dim_t*>(what, nullptr);
            return values ? memory::dims(values, values + count) : memory::dims();
        }
    };

    /// An empty memory: no descriptor, engine or buffer. Stands for an absent tensor.
    memory() = default;

    /// A tensor in a user's buffer of at least md.get_size() bytes, which must outlive its use; or
    /// DNNL_MEMORY_ALLOCATE: in a buffer of the library's; or DNNL_MEMORY_NONE: without a buffer yet.
    /// `md` must be a concrete layout: not `any`, no run-time extents.
    /// @param md Descriptor of the tensor.
    /// @param aengine Engine.
    /// @param ahandle Buffer of the user, DNNL_MEMORY_ALLOCATE or DNNL_MEMORY_NONE.
    /// @throws dnnl::error with the status of dnnl_memory_create() if that refuses.
    memory(const desc& md, const engine& aengine, void* ahandle) {
        dnnl_memory_t result = nullptr;
        error::wrap_c_api(dnnl_memory_create(&result, md.get(), aengine.get(), ahandle),
                          "could not create a memory object");
        reset(result);
    }

    /// As above with one buffer (or special value) per md.get_num_handles().
    /// @param md Descriptor of the tensor.
    /// @param aengine Engine.
    /// @param handles One buffer or special value per md.get_num_handles().
    /// @throws dnnl::error with the status of dnnl_memory_create_v2() if that refuses.
    memory(const desc& md, const engine& aengine, std::vector<void*> handles) { create(md, aengine, handles); }

    /// A tensor in buffers that the library allocates and frees.
    /// @param md Descriptor of the tensor.
    /// @param aengine Engine.
    /// @throws dnnl::error with the status of dnnl_memory_create_v2() if that refuses.
    memory(const desc& md, const engine& aengine) {
        const int count = md.get_num_handles();
        create(md, aengine, std::vector<void*>(static_cast<size_t>(count > 0 ? count : 1), DNNL_MEMORY_ALLOCATE));
    }

    /// One value in host memory; `md` from desc::host_scalar(), with elements of sizeof(T) bytes.
    /// @param md Descriptor of the tensor.
    /// @param value The value; T has the size of the type in the descriptor.
    /// @throws dnnl::error with the status of dnnl_memory_create_host_scalar() if that refuses.
    template <typename T, typename std::enable_if<!std::is_base_of<engine, T>::value, int>::type = 0>
    memory(const desc& md, const T value) {
        check_scalar_size(md, sizeof(T));
        T copy = value;
        dnnl_memory_t result = nullptr;
        error::wrap_c_api(dnnl_memory_create_host_scalar(&result, md.get(), &copy),
                          "could not create a host scalar memory");
        reset(result);
    }

#ifdef DNNL_WITH_SYCL
    /// v2 spelling of sycl_interop::make_memory(md, aengine, buffer). Defined in dnnl_sycl.hpp.
    /// @param md Descriptor of the tensor.
    /// @param aengine Engine.
    /// @param buffer SYCL buffer.
    /// @throws dnnl::error as that does.
    template <typename T, int ndims = 1> memory(const desc& md, const engine& aengine, sycl::buffer<T, ndims>& buffer);

    /// v2 spelling of sycl_interop::get_buffer(). `offset`, if given, is set to 0: data starts with the buffer.
    /// @param offset Gets 0 if it is not null.
    /// @returns The buffer.
    /// @throws dnnl::error as that does.
    template <typename T, int ndims = 1> sycl::buffer<T, ndims> get_sycl_buffer(size_t* offset = nullptr) const;

    /// v2 spelling of sycl_interop::set_buffer().
    /// @param buffer SYCL buffer.
    /// @throws dnnl::error as that does.
    template <typename T, int ndims> void set_sycl_buffer(sycl::buffer<T, ndims>& buffer);

    /// As above; the stream is a hint.
    /// @param buffer SYCL buffer.
    /// @param astream Not used.
    /// @throws dnnl::error as that does.
    template <typename T, int ndims> void set_sycl_buffer(sycl::buffer<T, ndims>& buffer, stream& astream);
#endif

    /// @returns A copy of the descriptor.
    /// @throws dnnl::error with the status of dnnl_memory_get_memory_desc() if that refuses.
    desc get_desc() const {
        const_dnnl_memory_desc_t c_desc = nullptr;
        error::wrap_c_api(dnnl_memory_get_memory_desc(get(), &c_desc), "could not get the descriptor of a memory");
        dnnl_memory_desc_t copy = nullptr;
        if (c_desc) error::wrap_c_api(dnnl_memory_desc_clone(&copy, c_desc), "could not copy a memory descriptor");
        return copy ? desc(copy) : desc();
    }

    /// @returns The engine (weak: the memory keeps it alive); empty for host scalars.
    /// @throws dnnl::error with the status of dnnl_memory_get_engine() if that refuses.
    engine get_engine() const {
        dnnl_engine_t c_engine = nullptr;
        error::wrap_c_api(dnnl_memory_get_engine(get(), &c_engine), "could not get the engine of a memory");
        return engine(c_engine, true);
    }

    /// @param index Number of the buffer; 0 for dense tensors.
    /// @returns Buffer `index`; on the CPU engine the pointer to its bytes. Null without a buffer.
    /// @throws dnnl::error with the status of dnnl_memory_get_data_handle_v2() if that refuses.
    void* get_data_handle(int index = 0) const {
        void* ahandle = nullptr;
        error::wrap_c_api(dnnl_memory_get_data_handle_v2(get(), &ahandle, index),
                          "could not get the buffer of a memory");
        return ahandle;
    }

    /// Replaces buffer `index`. The user owns `ahandle` and has at least get_desc().get_size(index) bytes there.
    /// @param ahandle Buffer of the user, or null.
    /// @param index Number of the buffer; 0 for dense tensors.
    /// @throws dnnl::error with the status of dnnl_memory_set_data_handle_v2() if that refuses.
    void set_data_handle(void* ahandle, int index = 0) const {
        error::wrap_c_api(dnnl_memory_set_data_handle_v2(get(), ahandle, index),
                          "could not set the buffer of a memory");
    }

    /// v2 spelling; the stream is a hint and not used.
    /// @param ahandle Buffer of the user, or null.
    /// @param astream Not used.
    /// @throws dnnl::error with the status of dnnl_memory_set_data_handle_v2() if that refuses.
    void set_data_handle(void* ahandle, const stream& astream) const {
        static_cast<void>(astream);
        set_data_handle(ahandle);
    }

    /// @returns The value of a host scalar; T must have its size.
    /// @throws dnnl::error with dnnl_invalid_arguments if T has another size, or this is no host scalar.
    template <typename T> T get_host_scalar_value() const {
        check_scalar_size(get_desc(), sizeof(T));
        T value;
        error::wrap_c_api(dnnl_memory_get_host_scalar_value(get(), &value), "could not get the value of a host scalar");
        return value;
    }

    /// Replaces the value of a host scalar; T must have its size.
    /// @param value The value; T has the size of the type in the descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if T has another size, or this is no host scalar.
    template <typename T> void set_host_scalar_value(const T value) const {
        check_scalar_size(get_desc(), sizeof(T));
        error::wrap_c_api(dnnl_memory_set_host_scalar_value(get(), &value), "could not set the value of a host scalar");
    }

    /// A pointer through which the host may read and write buffer `index` until unmap_data(). On the CPU
    /// engine the buffer itself; null for a tensor of 0 bytes or without a buffer.
    /// @param index Number of the buffer; 0 for dense tensors.
    /// @returns The pointer; null for a tensor of 0 bytes or without a buffer.
    /// @throws dnnl::error with the status of dnnl_memory_map_data_v2() if that refuses.
    template <typename T = void> T* map_data(int index = 0) const {
        void* mapped_ptr = nullptr;
        error::wrap_c_api(dnnl_memory_map_data_v2(get(), &mapped_ptr, index), "could not map a memory");
        return static_cast<T*>(mapped_ptr);
    }

    /// Ends the use of a pointer from map_data(); what was written becomes visible to the engine.
    /// @param mapped_ptr Pointer from map_data().
    /// @param index Number of the buffer; 0 for dense tensors.
    /// @throws dnnl::error with the status of dnnl_memory_unmap_data_v2() if that refuses.
    void unmap_data(void* mapped_ptr, int index = 0) const {
        error::wrap_c_api(dnnl_memory_unmap_data_v2(get(), mapped_ptr, index), "could not unmap a memory");
    }

    /// @param adata_type Data type.
    /// @returns The C number of a data type.
    static dnnl_data_type_t convert_to_c(data_type adata_type) { return static_cast<dnnl_data_type_t>(adata_type); }
    /// @param format Tag.
    /// @returns The C number of a tag.
    static dnnl_format_tag_t convert_to_c(format_tag format) { return static_cast<dnnl_format_tag_t>(format); }

private:
    static bool fits_dims(size_t size, int min_size) {
        return size <= DNNL_MAX_NDIMS && (min_size <= 0 || size >= static_cast<size_t>(min_size));
    }

    static std::string dims_complaint(size_t size, int min_size) {
        return "a list of dimensions has " + detail::counted(size, "value") + "; expected are " +
               std::to_string(min_size > 0 ? min_size : 0) + " to " + std::to_string(DNNL_MAX_NDIMS);
    }

    static void check_scalar_size(const desc& md, size_t size) {
        const size_t wanted = data_type_size(md.get_data_type());
        if (wanted == size) return;
        const std::string text = "a value of " + detail::counted(size, "byte") + " was given for a host scalar of " +
                                 detail::counted(wanted, "byte") + "; its type has the size of the descriptor's";
        DNNL_THROW_ERROR(dnnl_invalid_arguments, text.c_str());
    }

    void create(const desc& md, const engine& aengine, std::vector<void*> handles) {
        dnnl_memory_t result = nullptr;
        error::wrap_c_api(
            dnnl_memory_create_v2(&result, md.get(), aengine.get(), static_cast<int>(handles.size()), handles.data()),
            "could not create a memory object");
        reset(result);
    }
};

/// Helpers of the wrappers; not for users.
namespace detail {

/// A copy of a C descriptor that stays the library's; null gives the empty descriptor.
inline memory::desc copy_of(const_dnnl_memory_desc_t md) {
    if (!md) return memory::desc();
    dnnl_memory_desc_t copy = nullptr;
    error::wrap_c_api(dnnl_memory_desc_clone(&copy, md), "could not copy a memory descriptor");
    return memory::desc(copy);
}

} // namespace detail

/// Compares a value of C with one of C++.
/// @param a Left side.
/// @param b Right side.
/// @returns true if they are equal.
inline bool operator==(dnnl_data_type_t a, memory::data_type b) { return a == memory::convert_to_c(b); }
/// Compares a value of C with one of C++.
/// @param a Left side.
/// @param b Right side.
/// @returns true if they differ.
inline bool operator!=(dnnl_data_type_t a, memory::data_type b) { return !(a == b); }
/// Compares a value of C with one of C++.
/// @param a Left side.
/// @param b Right side.
/// @returns true if they are equal.
inline bool operator==(memory::data_type a, dnnl_data_type_t b) { return memory::convert_to_c(a) == b; }
/// Compares a value of C with one of C++.
/// @param a Left side.
/// @param b Right side.
/// @returns true if they differ.
inline bool operator!=(memory::data_type a, dnnl_data_type_t b) { return !(a == b); }
/// Compares a value of C with one of C++.
/// @param a Left side.
/// @param b Right side.
/// @returns true if they are equal.
inline bool operator==(dnnl_format_tag_t a, memory::format_tag b) { return a == memory::convert_to_c(b); }
/// Compares a value of C with one of C++.
/// @param a Left side.
/// @param b Right side.
/// @returns true if they differ.
inline bool operator!=(dnnl_format_tag_t a, memory::format_tag b) { return !(a == b); }
/// Compares a value of C with one of C++.
/// @param a Left side.
/// @param b Right side.
/// @returns true if they are equal.
inline bool operator==(memory::format_tag a, dnnl_format_tag_t b) { return memory::convert_to_c(a) == b; }
/// Compares a value of C with one of C++.
/// @param a Left side.
/// @param b Right side.
/// @returns true if they differ.
inline bool operator!=(memory::format_tag a, dnnl_format_tag_t b) { return !(a == b); }

} // namespace dnnl

#endif
