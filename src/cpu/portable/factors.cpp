// SPDX-License-Identifier: Apache-2.0
#include "cpu/portable/factors.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "cpu/lanes/levels.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t least_columns = 8;
// Elements that are not dense along the columns are gathered one by one, which so many rows pay: 1024x1024 of f32 dense
// along k, 4 rows 0.87 of the speed of sums along k, 2 rows 0.6.
constexpr int64_t least_rows_of_gathered = 6;

// What the program computes as `value`.
Program part_of(const Program& p, int value, int sums) {
    Program part;
    part.ops.assign(p.ops.begin(), p.ops.begin() + value + 1);
    part.store(sums, value);
    return simplify(part);
}

bool is_constant_along(const Loop& loop, const Program& p) {
    return std::ranges::all_of(p.ops, [&](const Op& op) {
        return op.operand < 0 || op.code == OpCode::store || loop.stride[size_t(op.operand)] == 0;
    });
}

// Nothing but a load of an integer of up to 8 bits.
bool is_load_of_byte(const Program& p, std::span<const DataType> types) {
    return p.ops.size() == 2 && p.ops[0].code == OpCode::load && p.ops[0].type == ValueType::s32 &&
           is_integer(types[size_t(p.ops[0].operand)]) && bits(types[size_t(p.ops[0].operand)]) <= 8;
}

// Index of the longest loop along which `same` is constant and `other` is not; loops.size(): there is none.
size_t loop_of(const std::vector<Loop>& loops, const Program& other, const Program& same) {
    size_t best = loops.size();
    for (size_t k = 0; k < loops.size(); ++k) {
        if (loops[k].indexed() || !is_constant_along(loops[k], same) || is_constant_along(loops[k], other)) continue;
        if (best == loops.size() || loops[k].extent > loops[best].extent) best = k;
    }
    return best;
}

// Bits as numbers and back: the buffers are those of both types.
template <typename T> TESSERA_INLINE T number(uint32_t bits) { return std::bit_cast<T>(bits); }

// `width` columns in registers, from column `from` on. The points of one partial result follow each other. T is what is
// multiplied and added, Sum what `sums` are: the same, or integers that start from 0 here.
template <typename T, typename Sum, int64_t width>
TESSERA_INLINE void add_columns(uint32_t* __restrict sums, int partials, int64_t first, const uint32_t* __restrict left,
                                const uint32_t* __restrict right, int64_t points, int64_t columns, int64_t from) {
    constexpr bool same = std::is_same_v<T, Sum>;
    for (int64_t start = 0; start < std::min<int64_t>(partials, points); ++start) {
        uint32_t* const into = sums + (first + start) % partials * columns + from;
        T sum[width];
        for (int64_t j = 0; j < width; ++j) sum[j] = same ? number<T>(into[j]) : T(0);
        for (int64_t i = start; i < points; i += partials) {
            const T factor = number<T>(left[i]);
            const uint32_t* const row = right + i * columns + from;
            for (int64_t j = 0; j < width; ++j) sum[j] += factor * number<T>(row[j]);
        }
        for (int64_t j = 0; j < width; ++j)
            into[j] = same ? std::bit_cast<uint32_t>(sum[j]) : into[j] + uint32_t(int32_t(sum[j]));
    }
}

template <typename T, typename Sum> TESSERA_INLINE void add(uint32_t* sums, int partials, int64_t first,
                                                            const uint32_t* left, const uint32_t* right, int64_t points,
                                                            int64_t columns) {
    int64_t j = 0;
    for (; j + 32 <= columns; j += 32) add_columns<T, Sum, 32>(sums, partials, first, left, right, points, columns, j);
    for (; j + 8 <= columns; j += 8) add_columns<T, Sum, 8>(sums, partials, first, left, right, points, columns, j);
    for (; j < columns; ++j) add_columns<T, Sum, 1>(sums, partials, first, left, right, points, columns, j);
}

} // namespace

bool is_dense_along(const Loop& loop, const Program& p) {
    return std::ranges::all_of(p.ops, [&](const Op& op) {
        return op.code != OpCode::load || loop.stride[size_t(op.operand)] == 0 || loop.stride[size_t(op.operand)] == 1;
    });
}

std::optional<Factors> factors_of(const ReductionParts& parts, const std::vector<Loop>& outer, int sums,
                                  std::span<const DataType> types) {
    if (parts.combine != OpCode::reduce_add) return std::nullopt;
    const auto& ops = parts.point.ops; // the last one stores
    const Op& product = ops[size_t(ops.back().a)];
    if (product.code != OpCode::mul) return std::nullopt;
    const Program a = part_of(parts.point, product.a, sums), b = part_of(parts.point, product.b, sums);
    std::optional<Factors> best;
    int64_t most = 0;
    for (const auto& [left, right] : {std::pair(a, b), std::pair(b, a)}) {
        const size_t rows = loop_of(outer, left, right), columns = loop_of(outer, right, left);
        if (columns == outer.size() || outer[columns].extent < least_columns) continue;
        const int64_t width = outer[columns].extent;
        const int64_t shared = rows == outer.size() ? 1 : outer[rows].extent;
        const bool loads_dense = is_dense_along(outer[columns], right);
        if (shared < least_rows_of_gathered && !loads_dense) continue;
        // Elements of other strides are gathered one by one, here and where the results are stored.
        const bool stores_dense = outer[columns].stride[size_t(parts.outer.ops.back().operand)] == 1;
        const int64_t worth = std::min<int64_t>(width, 16) * (loads_dense ? 2 : 1) * (stores_dense ? 2 : 1);
        if (worth > most) best = Factors{left, right, rows, columns}, most = worth;
    }
    if (best && is_load_of_byte(best->left, types) && is_load_of_byte(best->right, types)) {
        best->as_floats = true;
        for (Program* const p : {&best->left, &best->right})
            for (Op& op : p->ops) {
                op.type = ValueType::f32;
                if (op.code == OpCode::store) op.operand = sums + 1;
            }
    }
    return best;
}

TESSERA_LEVELS void add_products(uint32_t* sums, int partials, int64_t first, const uint32_t* left,
                                 const uint32_t* right, int64_t points, int64_t columns) {
    add<float, float>(sums, partials, first, left, right, points, columns);
}

TESSERA_LEVELS void add_products_of_integers(uint32_t* sums, int partials, int64_t first, const uint32_t* left,
                                             const uint32_t* right, int64_t points, int64_t columns) {
    add<uint32_t, uint32_t>(sums, partials, first, left, right, points, columns);
}

// 512 * 255 * 128 < 2^24: floats hold every sum. Multiplications of 32-bit integers have a third of the speed.
TESSERA_LEVELS void add_products_of_bytes(uint32_t* sums, int partials, int64_t first, const uint32_t* left,
                                          const uint32_t* right, int64_t points, int64_t columns) {
    add<float, int32_t>(sums, partials, first, left, right, points, columns);
}

} // namespace tessera::cpu
