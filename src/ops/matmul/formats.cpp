// SPDX-License-Identifier: Apache-2.0
#include "core/desc/tags.hpp"
#include "ops/descriptors.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/products/panels.hpp"

namespace tessera::ops {

namespace {

// Panels in which so many rows of K are interleaved.
Result<MemoryDesc> panels(const MemoryDesc& open, int64_t vnni) {
    const int k = open.ndims - 2, n = open.ndims - 1;
    if (are_few(open.dims[size_t(k)], open.dims[size_t(n)])) return plain_layout(open);
    const Panels form{.outer = letters(0, k),
                      .n = char('a' + n),
                      .k = letters(k, n),
                      .rows = vnni > 1 ? tile_steps : 1,
                      .vnni = vnni};
    return make_desc_with_tag(open.dims_span(), open.type, tag_of(form));
}

} // namespace

Result<MemoryDesc> weights_format(const MemoryDesc& open) { return panels(open, vnni_factor(open.type, false)); }

Result<MemoryDesc> decompressed_weights_format(const MemoryDesc& src, const MemoryDesc& open, bool allows_bf16) {
    const bool of_f32 = src.type == DataType::f32 && !allows_bf16;
    if (of_f32 && is_integer(open.type) && bits(open.type) == 8) return panels(open, 1);
    return plain_layout(open);
}

} // namespace tessera::ops
