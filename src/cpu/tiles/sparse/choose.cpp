// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/sparse/choose.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "cpu/tiles/sparse/contract.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t parallel_vectors = 1 << 15; // elements times vectors of columns: some 30 us
constexpr int64_t uses_of_a_row = 8;          // of D, on average: from so many on packing pays
// Scattered columns at all and at a time: sums of 4096 rows of 32 columns have 512 KiB. csr 4096x4096 with 1 %, 64 and
// 128 columns, us: scattered 900 and 1770, sorted 1130 and 1610.
constexpr int64_t most_scattered = 64, scattered_block = 32, most_parts = 8;

} // namespace

SparseShape shape_of(const SparseProduct& p) {
    if (p.is_src) return {p.rows, p.depth, p.columns, p.dense_strides, p.dst_strides};
    return {p.columns, p.depth, p.rows, {p.dense_strides[1], p.dense_strides[0]}, {p.dst_strides[1], p.dst_strides[0]}};
}

std::optional<SparseChoice> choose_sparse(const SparseProduct& p, DataType type, const jit::Target& target,
                                          const Context& context) {
    const SparseShape s = shape_of(p);
    const bool dense_rows = s.columns == 1 || s.dense[1] == 1;
    if (!dense_rows && p.elements < s.depth) return {};
    const int64_t lanes = target.vector_bytes / 4, size = bits(type) / 8;
    SparseChoice c;
    c.parallel = context.threads > 1 && p.elements * ceil_div(s.columns, lanes) > parallel_vectors;
    c.packs = !dense_rows;
    c.scatters = !p.is_src && s.columns <= most_scattered;
    c.block = std::min(s.columns, sparse_vectors * lanes);
    if (c.scatters) {
        // Zeros and additions of a part: a fifth of its products, less where the sums are in the first level.
        c.block = std::min(s.columns, scattered_block);
        c.parts = std::clamp<int64_t>(p.elements / (s.rows * (4 + c.block / 2)), 1, most_parts);
        return c;
    }
    // A block of D stays in the second level. Rows of it are a power of two apart more often than not, and would meet
    // in a few sets there: packed, or not cut at all.
    const int64_t room = context.l2_bytes / 2 / (s.depth * size) / lanes * lanes;
    if (room >= lanes && room < s.columns && p.elements >= uses_of_a_row * s.depth) c.packs = true;
    if (c.packs && room >= lanes) c.block = std::min(c.block, room);
    c.prefetches = c.block * size > cache_line && room < c.block;
    return c;
}

} // namespace tessera::cpu
