// SPDX-License-Identifier: Apache-2.0
#include "core/cache/problem_key.hpp"

#include <algorithm>
#include <bit>

namespace tessera {

namespace {

// Multiply and fold, one step per word: fast, and good enough for a table of some thousand entries.
struct Mixer {
    uint64_t state = 0x9e3779b97f4a7c15u;
    void add(uint64_t word) {
        const auto product = static_cast<unsigned __int128>(state ^ word) * 0xd6e8feb86659fd93u;
        state = uint64_t(product) ^ uint64_t(product >> 64) ^ (state << 1);
    }
};

// The fields in which descriptors with different layouts usually differ; same_problem() compares the others.
void add(Mixer& m, const MemoryDesc& md) {
    m.add(uint64_t(md.ndims) | uint64_t(md.type) << 8 | uint64_t(md.kind) << 16 | uint64_t(md.inner_nblks) << 24 |
          uint64_t(md.extra.flags) << 32);
    for (size_t d = 0; d < size_t(md.ndims); ++d) {
        m.add(uint64_t(md.dims[d]));
        m.add(uint64_t(md.strides[d]));
    }
    for (size_t i = 0; i < size_t(md.inner_nblks); ++i) m.add(uint64_t(md.inner_blks[i] << 8 | md.inner_idxs[i]));
    m.add(uint64_t(md.offset0));
}

} // namespace

// Of 750 bytes a tensor of two dims uses 130: every execution asks this of each tensor, and memcmp takes a quarter of a
// product of 4x4x4.
bool same_fields(const MemoryDesc& a, const MemoryDesc& b) {
    if (a.ndims != b.ndims || a.type != b.type || a.kind != b.kind || a.inner_nblks != b.inner_nblks) return false;
    const auto differ = [](const Dims& x, const Dims& y, size_t d) { return uint64_t(x[d] ^ y[d]); };
    uint64_t any = uint64_t(a.offset0 ^ b.offset0) | uint64_t(a.nnz ^ b.nnz);
    for (size_t d = 0; d < size_t(a.ndims); ++d)
        any |= differ(a.dims, b.dims, d) | differ(a.padded_dims, b.padded_dims, d) |
               differ(a.padded_offsets, b.padded_offsets, d) | differ(a.strides, b.strides, d);
    for (size_t i = 0; i < size_t(a.inner_nblks); ++i)
        any |= differ(a.inner_blks, b.inner_blks, i) | differ(a.inner_idxs, b.inner_idxs, i);
    return any == 0 && a.extra == b.extra && a.encoding == b.encoding && a.indices_type == b.indices_type &&
           a.pointers_type == b.pointers_type;
}

uint64_t hash(const Problem& p) {
    Mixer m;
    m.add(uint64_t(p.kind) << 32 | uint64_t(p.prop));
    for (const Tensor& t : p.tensors) {
        m.add(uint64_t(t.arg) << 1 | uint64_t(t.was_any));
        add(m, t.md);
    }
    for (const auto& [query, value] : p.params) m.add(uint64_t(value) + uint64_t(query));
    for (const auto& [query, value] : p.float_params) m.add(std::bit_cast<uint32_t>(value) + uint64_t(query));
    for (const auto& [query, list] : p.list_params)
        for (const int64_t value : list) m.add(uint64_t(value) + uint64_t(query));
    for (const auto& [id, q] : p.attr.scales) m.add(uint64_t(id) << 32 | uint64_t(q.mask));
    for (const auto& [id, q] : p.attr.zero_points) m.add(uint64_t(id) << 32 | uint64_t(q.mask));
    m.add(p.attr.post_ops.entries.size());
    return m.state;
}

namespace {

bool same_tensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    // == ignores strides of dimensions of extent 1, but a query must return those that the caller gave.
    return std::ranges::equal(a, b, [](const Tensor& s, const Tensor& t) {
        return s.arg == t.arg && s.was_any == t.was_any &&
               (same_fields(s.md, t.md) || (s.md == t.md && s.md.strides == t.md.strides));
    });
}

} // namespace

bool same_problem(const Problem& a, const Problem& b) {
    if (a.kind != b.kind || a.prop != b.prop || a.params != b.params || a.list_params != b.list_params) return false;
    if (!std::ranges::equal(a.float_params, b.float_params, [](const auto& s, const auto& t) {
            return s.first == t.first && std::bit_cast<uint32_t>(s.second) == std::bit_cast<uint32_t>(t.second);
        }))
        return false;
    return same_tensors(a.tensors, b.tensors) && same_tensors(a.described, b.described) && a.attr == b.attr;
}

} // namespace tessera
