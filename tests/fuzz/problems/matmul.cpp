#include <algorithm>
#include <utility>

#include "ops/matmul/matmul.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

namespace {

using Extents = std::vector<int64_t>;

std::pair<DataType, DataType> factor_types(Random& r) {
    constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, f16 = DataType::f16, s8 = DataType::s8,
                       u8 = DataType::u8, s4 = DataType::s4, u4 = DataType::u4, e5m2 = DataType::f8_e5m2,
                       e4m3 = DataType::f8_e4m3, e2m1 = DataType::f4_e2m1;
    constexpr std::pair<DataType, DataType> usual[] = {{f32, f32}, {bf16, bf16}, {u8, s8}, {s8, s8}, {f16, f16}};
    constexpr std::pair<DataType, DataType> rare[] = {{u8, u8},   {s8, u8},     {u8, s4},     {s8, u4},    {f32, bf16},
                                                      {f16, f32}, {bf16, e4m3}, {e5m2, e5m2}, {f16, e2m1}, {e2m1, e2m1},
                                                      {bf16, s4}, {f32, s8},    {f16, u4},    {bf16, u8},  {e4m3, s8}};
    return chance(r, 65) ? usual[below(r, std::ssize(usual))] : rare[below(r, std::ssize(rare))];
}

int64_t extent(Random& r) {
    if (chance(r, 1)) return 0;
    const int64_t most[] = {1, 4, 20, 40, 80, 300};
    return 1 + below(r, most[below(r, 6)]);
}

// Row-major, columns first, open, or anything.
MemoryDesc matrix(Random& r, const Extents& dims, DataType type, int open) {
    std::string tag = std::string("abcdefghijkl").substr(0, dims.size());
    if (chance(r, open))
        if (const auto md = make_desc_any(dims, type)) return *md;
    if (chance(r, 35)) return random_desc(r, dims, type);
    if (chance(r, 40)) std::swap(tag[tag.size() - 2], tag[tag.size() - 1]);
    const auto md = make_desc_with_tag(dims, type, tag);
    return md ? *md : random_desc(r, dims, type);
}

// A divisor of the extent, as a group.
int64_t group_of(Random& r, int64_t extent) {
    constexpr int64_t sizes[] = {1, 2, 4, 8, 16, 32};
    const int64_t size = sizes[below(r, 6)];
    return extent > 0 && extent % size == 0 ? size : 1;
}

Quant random_quant(Random& r, const Extents& dims, std::initializer_list<DataType> types) {
    Quant q;
    q.type = types.begin()[below(r, std::ssize(types))];
    if (chance(r, 30)) return q;
    q.mask = int(below(r, 1 << std::min<size_t>(dims.size(), 4)));
    if (!chance(r, 40)) return q;
    q.mask |= 3 << (dims.size() - 2);
    q.groups = {group_of(r, dims[dims.size() - 2]), group_of(r, dims.back())};
    return q;
}

void add_quants(Random& r, Attr& attr, int id, const Extents& dims, DataType type) {
    constexpr DataType f32 = DataType::f32, s32 = DataType::s32;
    if (chance(r, 40)) (void)attr.set_scales(id, random_quant(r, dims, {f32, f32, DataType::bf16, DataType::e8m0}));
    if (!chance(r, 40) || !is_integer(type)) return;
    const Quant q = random_quant(r, dims, {s32, s32, DataType::s8, DataType::u8, DataType::s4});
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
    int64_t m = extent(r), n = extent(r), k = extent(r);
    if (chance(r, 10)) k = 4; // columns of 4 bytes: one step of the kernels, which read them as they lie
    int64_t products = m * n * k;
    for (const int64_t d : dst) products *= d;
    while (products > most_products) {
        int64_t& largest = std::max({std::ref(m), std::ref(n), std::ref(k)}).get();
        products /= largest;
        products *= largest = (largest + 1) / 2;
    }
    src.insert(src.end(), {m, k});
    weights.insert(weights.end(), {k, n});
    dst.insert(dst.end(), {m, n});

    const auto [a, b] = factor_types(r);
    const DataType to = is_integer(a) && chance(r, 40) ? DataType::s32 : computed_type(r);
    Attr attr;
    attr.fpmath_apply_to_int = !is_integer(a);
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
