// SPDX-License-Identifier: Apache-2.0
#include "core/desc/tags.hpp"
#include "ops/descriptors.hpp"
#include "ops/matmul/matmul.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t columns = 16;
constexpr int64_t small_matrix = 4096;

// VNNI factor: rows of K that are interleaved for dot-product instructions (2 of bf16, 4 of 8-bit integers).
int64_t vnni_factor(DataType type) {
    if (type == DataType::bf16) return 2;
    return is_integer(type) && bits(type) == 8 ? 4 : 1;
}

// Panels in which so many rows of K are interleaved.
Result<MemoryDesc> panels(const MemoryDesc& open, const WeightsDims& dims, int64_t together) {
    const auto letter = [](int d) { return char('a' + d); };
    const auto capital = [](int d) { return char('A' + d); };
    const auto extent = [&](int d) { return open.dims[size_t(d)]; };
    int64_t rows = 1;
    for (const int d : dims.k) rows *= extent(d);
    std::string tag;
    for (const int d : dims.batch) tag += letter(d);
    if (extent(dims.n) < columns || rows * extent(dims.n) <= small_matrix) return plain_layout(open);
    const int last = dims.k.back();
    tag += capital(dims.n);
    for (const int d : dims.k) tag += d == last && together > 1 ? capital(d) : letter(d);
    if (together > 1) tag += fmt::format("{}{}", columns, letter(last));
    tag += fmt::format("{}{}", columns, letter(dims.n));
    if (together > 1) tag += fmt::format("{}{}", together, letter(last));
    return make_desc_with_tag(open.dims_span(), open.type, tag);
}

} // namespace

Result<MemoryDesc> weights_format(const MemoryDesc& open, const WeightsDims& dims) {
    return panels(open, dims, vnni_factor(open.type));
}

Result<MemoryDesc> decompressed_weights_format(const MemoryDesc& src, const MemoryDesc& open, const WeightsDims& dims,
                                               bool allows_bf16) {
    const bool of_f32 = src.type == DataType::f32 && !allows_bf16;
    if (of_f32 && is_integer(open.type) && bits(open.type) == 8) return panels(open, dims, 1);
    return plain_layout(open);
}

} // namespace tessera::ops
