// SPDX-License-Identifier: Apache-2.0
// The reference of concat: CON-01 element by element; padding zero (FMT-06).
#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "ops/concat/concat.hpp"
#include "ops/coordinates.hpp"

namespace tessera::ops {

namespace {

void convert(DataType from, const void* s, int64_t i, DataType to, void* d, int64_t j) {
    switch (conversion_type(from, to)) {
    case ValueType::bits:
        return write_bits(to, d, j, read_bits(from, s, i));
    case ValueType::f32:
        return write<float>(to, d, j, read<float>(from, s, i));
    case ValueType::f64:
        return write<double>(to, d, j, read<double>(from, s, i));
    case ValueType::s32:
        return write<int32_t>(to, d, j, read<int32_t>(from, s, i));
    case ValueType::s64:
        return write<int64_t>(to, d, j, read<int64_t>(from, s, i));
    }
}

} // namespace

void ref_concat(const Problem& p, const Buffers& buffers) {
    const MemoryDesc& dst = p.md(arg::dst);
    if (dst.is_zero() || dst.has_zero_dim()) return;
    const Layout to = layout_of(dst);
    void* d = buffers.at(arg::dst);
    zero_padding(dst, d);
    const size_t axis = axis_of(p);
    int64_t first = 0;
    for (const Tensor& src : p.tensors) {
        if (src.output || src.md.has_zero_dim()) continue;
        const Layout from = layout_of(src.md);
        const void* s = buffers.at(src.arg);
        const auto scale = p.attr.scales.find(src.arg);
        std::vector<int64_t> moved(size_t(dst.ndims));
        for_each_coordinate(src.md.dims_span(), [&](auto at) {
            std::copy(at.begin(), at.end(), moved.begin());
            moved[axis] += first;
            if (scale == p.attr.scales.end()) return convert(src.md.type, s, from.at(at), dst.type, d, to.at(moved));
            const float factor = read<float>(scale->second.type, buffers.at(arg::scales | src.arg), 0);
            write<float>(dst.type, d, to.at(moved), read<float>(src.md.type, s, from.at(at)) * factor);
        });
        first += src.md.dims[axis];
    }
}

} // namespace tessera::ops
