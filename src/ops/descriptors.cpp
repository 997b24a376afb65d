// SPDX-License-Identifier: Apache-2.0
#include "ops/descriptors.hpp"

#include <algorithm>

#include "core/desc/tags.hpp"

namespace tessera::ops {

Result<void> check_forward(PrimitiveKind kind, PropKind prop) {
    if (prop == PropKind::forward_training || prop == PropKind::forward_inference) return {};
    return invalid("{}: propagation kind {} is neither forward_training nor forward_inference", name(kind),
                   named(prop));
}

Result<void> check_layout(const char* primitive, const char* side, const MemoryDesc& md, bool may_be_any,
                          bool may_be_open) {
    if (md.is_zero())
        return invalid("{}: {} is an empty descriptor; give dims, a data type and a layout", primitive, side);
    switch (md.kind) {
    case FormatKind::blocked:
        break;
    case FormatKind::any:
        if (may_be_any) break;
        return invalid("{}: the layout of {} is `any`, but it is where others take theirs from; give a tag or strides",
                       primitive, side);
    case FormatKind::undef:
        return invalid("{}: {} has no layout (tag undef); give a tag or strides", primitive, side);
    case FormatKind::host_scalar:
        return invalid("{}: {} is a host scalar; make a memory of the engine with one element", primitive, side);
    case FormatKind::sparse:
        return unimplemented(
            "{}: {} is a sparse matrix, which matmul alone takes; write its elements into a dense tensor", primitive,
            side);
    default:
        return unimplemented("{}: {} has an opaque layout; only blocked layouts are possible", primitive, side);
    }
    if (md.has_runtime() && !may_be_open)
        return unimplemented("{}: {} has run-time dims; create one primitive for each shape", primitive, side);
    if (md.extra.flags != Extra::none)
        return unimplemented("{}: {} carries the compensation of quantized weights; use the original weights",
                             primitive, side);
    return {};
}

Result<void> check_written(const char* primitive, const char* side, const MemoryDesc& md) {
    for (size_t d = 0; md.is_blocked() && d < size_t(md.ndims); ++d)
        if (md.strides[d] == 0 && md.dims[d] > 1)
            return unimplemented(
                "{}: {} has stride 0 along dimension {} of extent {}, so that elements would overwrite "
                "each other; a broadcast layout works for what is read only",
                primitive, side, d, md.dims[d]);
    return {};
}

Result<void> check_computed_type(const char* primitive, const char* side, const MemoryDesc& md) {
    const ValueRange values = range(md.type);
    const int width = bits(md.type);
    if (width >= 8 && width <= 32 && values.lowest <= 0 && values.highest > 1) return {}; // neither e8m0 nor boolean
    constexpr const char* possible = "f32, bf16, f16, f8_e5m2, f8_e4m3, s32, s8, u8 are possible";
    if (width == 0) return invalid("{}: {} has no data type; {}", primitive, side, possible);
    return unimplemented("{}: {} is {}; {}", primitive, side, name(md.type), possible);
}

Result<MemoryDesc> layout_after(const MemoryDesc& leader, std::span<const int64_t> dims, DataType type) {
    const auto extents = leader.dims_span();
    const bool whole = std::ranges::all_of(leader.padded_offsets, [](int64_t offset) { return offset == 0; });
    if (whole && std::ranges::equal(extents, dims) && check_written("", "", leader)) {
        MemoryDesc md = leader; // without its offset in a larger tensor
        md.type = type;
        md.offset0 = 0;
        return md;
    }
    Tag tag = closest_tag(leader);
    int kept = 0;
    for (int i = 0; i < tag.inner_nblks; ++i) {
        const auto d = size_t(tag.inner_idxs[size_t(i)]);
        if (dims[d] == 1 && extents[d] != 1) continue;
        tag.inner_idxs[size_t(kept)] = tag.inner_idxs[size_t(i)];
        tag.inner_blks[size_t(kept++)] = tag.inner_blks[size_t(i)];
    }
    tag.inner_nblks = kept;
    return make_desc_with_tag(dims, type, to_string(tag));
}

bool have_one_place(const MemoryDesc& read, const MemoryDesc& written) {
    MemoryDesc as_written = read;
    as_written.type = written.type;
    return bits(read.type) == bits(written.type) && as_written == written && written.extra.flags == Extra::none;
}

Result<MemoryDesc> plain_layout(const MemoryDesc& open) {
    return make_desc_with_tag(open.dims_span(), open.type, std::string_view("abcdefghijkl", size_t(open.ndims)));
}

std::string letters(int first, int end) {
    std::string text;
    for (int d = first; d < end; ++d) text += char('a' + d);
    return text;
}

Result<void> choose_tag(MemoryDesc& open, const std::string& tag) {
    auto made = make_desc_with_tag(open.dims_span(), open.type, tag);
    if (!made) return Refusal(made.error());
    open = *made;
    return {};
}

Result<bool> choose_layout(MemoryDesc& open, const MemoryDesc& other) {
    if (open.kind != FormatKind::any) return false;
    auto made = other.is_blocked() ? layout_after(other, open.dims_span(), open.type) : plain_layout(open);
    if (!made) return Refusal(made.error());
    open = *made;
    return true;
}

Result<bool> choose_gradient(MemoryDesc& diff_dst, const MemoryDesc& diff_src, const Problem* hint) {
    const Tensor* const dst = hint ? hint->find(arg::dst) : nullptr;
    const MemoryDesc& leader = diff_src.is_blocked() || !dst ? diff_src : dst->md;
    return choose_layout(diff_dst, leader.ndims == diff_dst.ndims ? leader : MemoryDesc());
}

void Findings::add(const Result<void>& check) {
    if (check) return;
    const bool contradiction = check.error().status == Status::invalid_arguments;
    if (!found_ || (contradiction && found_->status != Status::invalid_arguments)) found_ = check.error();
}

Result<void> Findings::result() const {
    if (found_) return Refusal(*found_);
    return {};
}

} // namespace tessera::ops
