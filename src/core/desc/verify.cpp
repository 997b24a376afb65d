// SPDX-License-Identifier: Apache-2.0
#include "core/desc/verify.hpp"

#include <algorithm>

#include "core/desc/checked.hpp"
#include "core/division.hpp"
#include "core/sort_few.hpp"

namespace tessera {

namespace {

bool mul_known(int64_t& value, int64_t factor) { return factor == runtime_dim || checked_mul(value, factor); }

// Number of strides along a dimension: its outer blocks, or its elements without blocks. Part of a block counts as one.
int64_t outer_extent(const MemoryDesc& md, int d) {
    const int64_t extent = md.padded_dims[size_t(d)];
    return extent == runtime_dim ? runtime_dim : ceil_div(extent, md.block_of(d));
}

int64_t block_volume(const MemoryDesc& md) { // what the inner blocks of all dimensions hold
    int64_t volume = 1;
    for (int j = 0; j < md.inner_nblks; ++j) volume *= md.inner_blks[size_t(j)];
    return volume;
}

std::string strides_text(const MemoryDesc& md) { return to_string({md.strides.data(), size_t(md.ndims)}); }

std::string block_text(const MemoryDesc& md) {
    std::string text;
    for (int j = 0; j < md.inner_nblks; ++j)
        text += fmt::format("{}{} of dimension {}", j ? ", " : "", md.inner_blks[size_t(j)], md.inner_idxs[size_t(j)]);
    return text;
}

Result<void> verify_dims(const MemoryDesc& md) {
    if (md.ndims < 0 || md.ndims > max_ndims)
        return invalid("{} dimensions; a tensor has 1 to {}, or none if it is absent", md.ndims, max_ndims);
    if (!valid(md.type))
        return invalid("data type {} is none of the library's; dnnl_data_type_t lists them", named(md.type));
    for (size_t d = 0; d < size_t(max_ndims); ++d) {
        if (int(d) >= md.ndims) {
            if (md.dims[d] || md.padded_dims[d])
                return invalid("dims beyond the {:dimension} are not zero", counted(md.ndims));
            continue;
        }
        if (md.dims[d] < 0 && md.dims[d] != runtime_dim)
            return invalid("dims {}: {} is negative; extents are 0 or more, or DNNL_RUNTIME_DIM_VAL",
                           to_string(md.dims_span()), md.dims[d]);
        if (md.padded_dims[d] < md.dims[d] || (md.dims[d] == runtime_dim && md.padded_dims[d] != runtime_dim))
            return invalid("padded dims {} are smaller than dims {}",
                           to_string({md.padded_dims.data(), size_t(md.ndims)}), to_string(md.dims_span()));
        if (md.padded_offsets[d] != 0) return invalid("padding in front of dimension {} is not possible", d);
    }
    if (md.kind != FormatKind::blocked && md.padded_dims != md.dims)
        return invalid("padded dims {} of dims {}: only blocked layouts are padded",
                       to_string({md.padded_dims.data(), size_t(md.ndims)}), to_string(md.dims_span()));
    if (md.has_zero_dim()) return {};
    int64_t count = 1;
    for (int d = 0; d < md.ndims; ++d)
        if (!mul_known(count, md.dims[size_t(d)]))
            return invalid("dims {}: more elements than 64 bits count", to_string(md.dims_span()));
    return {};
}

Result<void> verify_blocks(const MemoryDesc& md) {
    if (md.inner_nblks < 0 || md.inner_nblks > max_ndims)
        return invalid("{} inner blocks; 0 to {} are possible", md.inner_nblks, max_ndims);
    int64_t volume = 1;
    for (size_t j = 0; j < size_t(md.inner_nblks); ++j) {
        if (md.inner_idxs[j] < 0 || md.inner_idxs[j] >= md.ndims)
            return invalid("inner block {} is of dimension {}; there are {}", j, md.inner_idxs[j], md.ndims);
        if (md.inner_blks[j] < 1 || !checked_mul(volume, md.inner_blks[j]))
            return invalid("inner blocks of {}: sizes are positive and their product fits in 64 bits", block_text(md));
    }
    // Sizes and loops count whole blocks.
    for (int d = 0; md.inner_nblks && d < md.ndims; ++d) {
        const int64_t padded = md.padded_dims[size_t(d)], block = md.block_of(d), stride = md.strides[size_t(d)];
        if (padded == runtime_dim) continue;
        if (padded > block && padded % block != 0)
            return invalid("padded dims {}: dimension {} has blocks of {}, so that {} is not possible; pad it to whole "
                           "blocks, or stay within one",
                           to_string({md.padded_dims.data(), size_t(md.ndims)}), d, block, padded);
        if (padded > block && stride != runtime_dim && stride > 0 && stride < volume)
            return invalid("strides {}: the stride {} of dimension {} is smaller than the {} elements of the inner "
                           "blocks that it steps over ({})",
                           strides_text(md), stride, d, volume, block_text(md));
    }
    return {};
}

// Largest offset and size. An empty tensor addresses nothing, so its strides may be anything.
Result<void> verify_extent(const MemoryDesc& md) {
    const int64_t block = block_volume(md);
    int64_t last = 0, size = block, padded = 1;
    bool fits = checked_add(last, block) && checked_add(last, md.offset0 == runtime_dim ? 0 : md.offset0);
    for (int d = 0; fits && d < md.ndims; ++d) {
        const size_t k = size_t(d);
        if (md.padded_dims[k] == runtime_dim) continue;
        fits = checked_mul(padded, md.padded_dims[k]);
        const int64_t extent = outer_extent(md, d);
        if (md.strides[k] == runtime_dim || extent <= 1) continue;
        int64_t reach = md.strides[k], total = md.strides[k];
        fits = fits && checked_mul(total, extent) && checked_mul(reach, extent - 1) && checked_add(last, reach);
        size = std::max(size, total);
    }
    // Compensation adds at most one s32 per element and flag, at a multiple of 4 bytes.
    const int64_t bytes_per_element = std::max(1, bits(md.type) / 8) + (md.extra.flags ? 8 : 0);
    fits = fits && checked_mul(last, bytes_per_element) && checked_mul(size, bytes_per_element) &&
           checked_mul(padded, bytes_per_element) && (!md.extra.flags || checked_add(size, 16));
    if (!fits)
        return invalid("{} {} with strides {}: the size in bytes does not fit in 64 bits", to_string(md.dims_span()),
                       name(md.type), strides_text(md));
    return {};
}

Result<void> verify_extra(const MemoryDesc& md) {
    constexpr uint32_t known = Extra::s8s8 | Extra::scale_adjust | Extra::rnn_u8s8 | Extra::asymmetric_src;
    if (md.extra.flags == Extra::none) return {};
    if (md.extra.flags & ~known) return invalid("extra flags {:#x}: {:#x} are known", md.extra.flags, known);
    if ((md.extra.flags & Extra::rnn_u8s8) && md.extra.flags != Extra::rnn_u8s8)
        return invalid("extra flags {:#x}: compensation of recurrent cells ({}) beside other compensation",
                       md.extra.flags, int(Extra::rnn_u8s8));
    if (md.type != DataType::s8) return invalid("compensation goes with s8 weights, not with {}", name(md.type));
    if (md.has_runtime()) return invalid("compensation needs known dims, not {}", to_string(md.dims_span()));
    for (int mask : {md.extra.compensation_mask, md.extra.asymmetric_compensation_mask})
        if (mask < 0 || mask >> md.ndims)
            return invalid("compensation mask {} names dimensions beyond the {} of {}", mask, md.ndims,
                           to_string(md.dims_span()));
    return {};
}

Result<void> verify_blocked(const MemoryDesc& md) {
    if (md.offset0 < 0) return invalid("the offset of the first element is negative: {}", md.offset0);
    for (size_t d = 0; d < size_t(md.ndims); ++d) {
        if (md.strides[d] < 0 && md.strides[d] != runtime_dim)
            return invalid("strides {}: {} is negative; reversed dimensions are not possible", strides_text(md),
                           md.strides[d]);
    }
    if (auto ok = verify_blocks(md); !ok) return ok;
    if (auto ok = verify_extra(md); !ok) return ok;
    return md.has_zero_dim() ? Result<void>() : verify_extent(md);
}

Result<void> verify_sparse(const MemoryDesc& md) {
    if (md.encoding != SparseEncoding::csr && md.encoding != SparseEncoding::coo &&
        md.encoding != SparseEncoding::packed)
        return invalid("sparse encoding {} is none of csr 1, packed 2, coo 3", int(md.encoding));
    if (md.nnz < 0) return invalid("{} non-zero elements; the number is not negative", md.nnz);
    int64_t bytes = md.nnz, rows = md.ndims ? md.dims[0] : 0;
    bool fits = checked_mul(bytes, 8) && (rows == runtime_dim || (checked_add(rows, 1) && checked_mul(rows, 8)));
    if (!fits) return invalid("{} non-zero elements: the size in bytes does not fit in 64 bits", md.nnz);
    const auto check = [](DataType type, const char* what) -> Result<void> {
        if (valid(type)) return {};
        return invalid("{} of data type {}, which is none of the library's; s32 is possible", what, named(type));
    };
    if (md.encoding != SparseEncoding::packed)
        if (auto ok = check(md.indices_type, "sparse indices"); !ok) return ok;
    return md.encoding == SparseEncoding::csr ? check(md.pointers_type, "row pointers") : Result<void>();
}

} // namespace

Result<void> verify_nibbles(const MemoryDesc& md) {
    if (!is_sub_byte(md.type) || md.has_zero_dim() || md.has_runtime()) return {};
    for (size_t d = 0; d < size_t(md.ndims); ++d)
        if (md.dims[d] > 1 && md.strides[d] % 2 == 1 && md.strides[d] != 1)
            return invalid("{} {} with strides {}: two {} elements share a byte and rows start at bytes, so the stride "
                           "{} of dimension {} must be even",
                           to_string(md.dims_span()), name(md.type), strides_text(md), name(md.type), md.strides[d], d);
    return {};
}

Result<void> verify(const MemoryDesc& md) {
    if (md.ndims == 0 && md.kind == FormatKind::undef) return {};
    if (auto ok = verify_dims(md); !ok) return ok;
    switch (md.kind) {
    case FormatKind::any:
        if (md.has_runtime())
            return invalid("dims {}: the format any needs known dims; give strides or a tag with run-time dims",
                           to_string(md.dims_span()));
        return {};
    case FormatKind::blocked:
        return verify_blocked(md);
    case FormatKind::sparse:
        return verify_sparse(md);
    case FormatKind::host_scalar:
        if (md.ndims != 1 || md.dims[0] != 1)
            return invalid("a host scalar has the dims 1, not {}", to_string(md.dims_span()));
        return {};
    default:
        return invalid("format kind {} describes no tensor with dims; blocked, any, sparse and host_scalar do",
                       md.kind == FormatKind::opaque ? "opaque" : fmt::format("{}", int(md.kind)));
    }
}

Result<MemoryDesc> shape_of(std::span<const int64_t> dims, DataType type) {
    MemoryDesc md;
    if (dims.empty()) return md;
    if (dims.size() > size_t(max_ndims))
        return invalid("{} dimensions; a tensor has at most {}", dims.size(), max_ndims);
    if (!valid(type))
        return invalid("dims {}: data type {} is none of the library's; dnnl_data_type_t lists them", to_string(dims),
                       named(type));
    md.ndims = int(dims.size());
    md.type = type;
    std::ranges::copy(dims, md.dims.begin());
    md.padded_dims = md.dims;
    if (auto ok = verify_dims(md); !ok) return tl::unexpected(ok.error());
    return md;
}

// MEM-14: sorted by stride, each stride is at least the next smaller one times its extent. Dimensions of one element
// are never stepped along, stride 0 repeats elements on purpose, and wildcards are checked when they are known.
Result<void> verify_no_overlap(const MemoryDesc& md) {
    std::array<int, max_ndims> order{};
    int count = 0;
    for (int d = 0; d < md.ndims; ++d) {
        const int64_t extent = outer_extent(md, d), stride = md.strides[size_t(d)];
        if (extent > 1 && stride > 0) order[size_t(count++)] = d;
    }
    sort_few(order.begin(), order.begin() + count,
             [&](int a, int b) { return md.strides[size_t(a)] < md.strides[size_t(b)]; });
    for (int k = 1; k < count; ++k) {
        const size_t inner = size_t(order[size_t(k - 1)]), outer = size_t(order[size_t(k)]);
        int64_t least = md.strides[inner];
        if (!checked_mul(least, outer_extent(md, int(inner))) || md.strides[outer] < least)
            return invalid("dims {} with strides {} overlap: dimension {} takes {} x {} elements, so the stride of "
                           "dimension {} is at least their product, not {}",
                           to_string(md.dims_span()), strides_text(md), inner, outer_extent(md, int(inner)),
                           md.strides[inner], outer, md.strides[outer]);
    }
    return {};
}

} // namespace tessera
