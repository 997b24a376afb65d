// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/division.hpp"
#include "ops/matmul/matmul.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

namespace {

using Extents = std::vector<int64_t>;

std::pair<DataType, DataType> types_of_matmul(Random& r) {
    constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, f16 = DataType::f16, s8 = DataType::s8,
                       u8 = DataType::u8, s4 = DataType::s4, u4 = DataType::u4, e5m2 = DataType::f8_e5m2,
                       e4m3 = DataType::f8_e4m3, e2m1 = DataType::f4_e2m1;
    constexpr std::pair<DataType, DataType> usual[] = {{f32, f32}, {bf16, bf16}, {u8, s8}, {s8, s8}, {f16, f16}};
    constexpr std::pair<DataType, DataType> rare[] = {{u8, u8},   {s8, u8},     {u8, s4},     {s8, u4},    {f32, bf16},
                                                      {f16, f32}, {bf16, e4m3}, {e5m2, e5m2}, {f16, e2m1}, {e2m1, e2m1},
                                                      {bf16, s4}, {f32, s8},    {f16, u4},    {bf16, u8},  {e4m3, s8}};
    if (chance(r, 55)) return usual[below(r, std::ssize(usual))];
    if (chance(r, 50)) return rare[below(r, std::ssize(rare))];
    constexpr DataType decompressed[] = {f32, f32, bf16, f16}, weights[] = {s4, u4, s8, u8, e2m1};
    return {decompressed[below(r, std::ssize(decompressed))], weights[below(r, std::ssize(weights))]};
}

int64_t extent(Random& r) {
    if (chance(r, 1)) return 0;
    const int64_t most[] = {1, 4, 20, 40, 80, 300};
    return 1 + below(r, most[below(r, 6)]);
}

// Row-major, or columns first, with gaps behind the rows: an even number of elements, for two may share a byte.
MemoryDesc with_row_gaps(Random& r, const Extents& dims, DataType type, bool columns_first) {
    Extents strides(dims.size());
    const size_t last = dims.size() - 1;
    strides[last] = columns_first ? round_up(dims[last - 1], 2) + 2 * below(r, 9) : 1;
    strides[last - 1] = columns_first ? 1 : round_up(dims[last], 2) + 2 * below(r, 9);
    int64_t apart = std::max(dims[last] * strides[last], dims[last - 1] * strides[last - 1]);
    for (size_t d = last - 1; d-- > 0; apart *= std::max<int64_t>(dims[d], 1)) strides[d] = apart += 2 * below(r, 3);
    const auto md = make_desc_with_strides(dims, type, strides);
    return md ? *md : random_desc(r, dims, type);
}

// Row-major, columns first, open, or anything.
MemoryDesc matrix(Random& r, const Extents& dims, DataType type, int open) {
    std::string tag = std::string("abcdefghijkl").substr(0, dims.size());
    if (chance(r, open))
        if (const auto md = make_desc_any(dims, type)) return *md;
    if (chance(r, 25)) return random_desc(r, dims, type);
    const bool columns_first = chance(r, 40);
    if (chance(r, 25)) return with_row_gaps(r, dims, type, columns_first);
    if (columns_first) std::swap(tag[tag.size() - 2], tag[tag.size() - 1]);
    const auto md = make_desc_with_tag(dims, type, tag);
    return md ? *md : random_desc(r, dims, type);
}

// A divisor of the extent, as a group.
int64_t group_of(Random& r, int64_t extent) {
    constexpr int64_t sizes[] = {1, 2, 4, 8, 16, 32, 3, 5, 15};
    const int64_t size = chance(r, 10) ? extent : sizes[below(r, 9)];
    return extent > 0 && extent % size == 0 ? size : 1;
}

Quant random_quant(Random& r, const Extents& dims, std::initializer_list<DataType> types) {
    Quant q;
    q.type = types.begin()[below(r, std::ssize(types))];
    if (chance(r, 30)) return q;
    q.mask = int(below(r, 1 << std::min<size_t>(dims.size(), 4)));
    if (!chance(r, 60)) return q;
    q.mask |= 3 << (dims.size() - 2);
    const bool first = chance(r, 75), last = !first || chance(r, 50);
    q.groups = {first ? group_of(r, dims[dims.size() - 2]) : 1, last ? group_of(r, dims.back()) : 1};
    return q;
}

void add_quants(Random& r, Attr& attr, int id, const Extents& dims, DataType type) {
    constexpr DataType f32 = DataType::f32, s32 = DataType::s32;
    if (chance(r, 40)) (void)attr.set_scales(id, random_quant(r, dims, {f32, f32, DataType::bf16, DataType::e8m0}));
    if (!chance(r, 40) || !is_integer(type)) return;
    const Quant q = random_quant(r, dims, {s32, s32, DataType::s8, DataType::u8, DataType::s4, DataType::u4});
    (void)attr.set_zero_points(id, q);
}

} // namespace

Result<Problem> random_matmul(Random& r) {
    const int batches = chance(r, 60) ? 0 : 1 + int(below(r, chance(r, 90) ? 2 : 6));
    Extents src, weights, dst;
    for (int d = 0; d < batches; ++d) {
        const int64_t joined = 1 + below(r, 3);
        src.push_back(chance(r, 20) ? 1 : joined);
        weights.push_back(chance(r, 30) ? 1 : joined);
        dst.push_back(std::max(src.back(), weights.back()));
    }
    int64_t m = chance(r, 25) ? 1 + below(r, 4) : extent(r), n = extent(r), k = extent(r);
    const auto [a, b] = types_of_matmul(r);
    // Lines of 4 bits have to fill bytes.
    if ((is_sub_byte(a) || is_sub_byte(b)) && chance(r, 90)) m += m % 2, n += n % 2, k += k % 2;
    if (chance(r, 10)) k = 4; // columns of 4 bytes: one step of the kernels, which read them as they lie
    int64_t products = m * n * k;
    for (const int64_t d : dst) products *= d;
    // Now and then so many that threads share them and parts of k are cut.
    const int64_t most = chance(r, 15) ? 12 * most_products : most_products;
    while (products > most) {
        int64_t& largest = std::max({std::ref(m), std::ref(n), std::ref(k)}).get();
        products /= largest;
        products *= largest = (largest + 1) / 2;
    }
    src.insert(src.end(), {m, k});
    weights.insert(weights.end(), {k, n});
    dst.insert(dst.end(), {m, n});

    const DataType to = is_integer(a) && chance(r, 40) ? DataType::s32 : computed_type(r);
    Attr attr;
    attr.fpmath_apply_to_int = !is_integer(a);
    if (chance(r, 30))
        attr.fpmath = chance(r, 60) ? FpmathMode::bf16 : chance(r, 50) ? FpmathMode::f16 : FpmathMode::any;
    add_quants(r, attr, arg::src, src, a);
    add_quants(r, attr, arg::weights, weights, b);
    add_quants(r, attr, arg::dst, dst, to);
    add_post_ops(r, attr, dst, true);
    if (chance(r, 5)) (void)attr.set_output_scales(0, std::vector<float>{0.75f});
    MemoryDesc bias;
    if (chance(r, 40)) bias = matrix(r, narrowed(r, dst, 60), computed_type(r), 30);
    return ops::make_matmul(matrix(r, src, a, 15), matrix(r, weights, b, 40), bias, matrix(r, dst, to, 20), attr);
}

} // namespace tessera::fuzz
