// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/desc/memory_desc.hpp"
#include "core/desc/tags.hpp"

namespace tessera {

namespace {

std::string_view kind_name(FormatKind kind) {
    switch (kind) {
    case FormatKind::any:
        return "any";
    case FormatKind::blocked:
        return "blocked";
    case FormatKind::opaque:
        return "opaque";
    case FormatKind::sparse:
        return "sparse";
    case FormatKind::host_scalar:
        return "host_scalar";
    default:
        return "undef";
    }
}

std::string_view encoding_name(SparseEncoding encoding) {
    switch (encoding) {
    case SparseEncoding::csr:
        return "csr";
    case SparseEncoding::packed:
        return "packed";
    case SparseEncoding::coo:
        return "coo";
    default:
        return "";
    }
}

// f8 with zpm2: the flags in sum, then the masks of the compensations that are present.
std::string flags_text(const MemoryDesc& md) {
    std::string text = fmt::format("f{}", md.extra.flags);
    if (md.extra.flags & Extra::s8s8) text += fmt::format(":s8m{}", md.extra.compensation_mask);
    if (md.extra.flags & Extra::rnn_u8s8) text += fmt::format(":rnnm{}", md.extra.compensation_mask);
    if (md.extra.flags & Extra::asymmetric_src) text += fmt::format(":zpm{}", md.extra.asymmetric_compensation_mask);
    return text;
}

} // namespace

std::string to_string(std::span<const int64_t> dims) {
    std::string text;
    for (int64_t d : dims) {
        if (!text.empty()) text += 'x';
        text += d == runtime_dim ? "*" : fmt::format("{}", d);
    }
    return text;
}

std::string to_token(const MemoryDesc& md, bool was_any) {
    const std::string props = std::string(was_any ? "a" : "") + (md.is_padded() ? "p" : "") + (md.offset0 ? "0" : "");
    std::string tag, strides;
    const std::string flags = md.is_blocked() ? flags_text(md) : md.kind == FormatKind::any ? "f0" : "";
    if (md.is_blocked()) {
        // A wildcard among the strides leaves the order open, and one among the dims whether the tensor is dense.
        const std::span<const int64_t> all_strides(md.strides.data(), size_t(md.ndims));
        const bool ordered = std::ranges::find(all_strides, runtime_dim) == all_strides.end();
        tag = ordered ? to_string(closest_tag(md)) : "*";
        if (!md.has_runtime() && tag_of(md).empty()) strides = to_string(all_strides);
    } else if (md.kind == FormatKind::any) {
        tag = "any";
    } else if (md.kind == FormatKind::sparse) {
        tag = encoding_name(md.encoding);
    }
    return fmt::format("{}:{}:{}:{}:{}:{}", name(md.type), props, kind_name(md.kind), tag, strides, flags);
}

} // namespace tessera
