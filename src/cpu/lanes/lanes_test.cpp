// SPDX-License-Identifier: Apache-2.0
// The portable tiles against scalar conversion: every stored type, computing type, access pattern and small size,
// with extreme values, and canaries around every buffer.
// covers: DT-01 CVT-01 CVT-10
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "cpu/lanes/lanes.hpp"
#include "cpu/lanes/transpose.hpp"

namespace tessera::cpu {

namespace {

constexpr size_t buffer_bytes = 1 << 17;

std::vector<unsigned char> random_bytes(unsigned seed) {
    std::mt19937 r(seed);
    std::vector<unsigned char> bytes(buffer_bytes);
    for (auto& b : bytes) b = static_cast<unsigned char>(r());
    return bytes;
}

template <typename V> bool same(V a, V b) {
    if constexpr (std::is_floating_point_v<V>)
        if (std::isnan(a) && std::isnan(b)) return true;
    return std::memcmp(&a, &b, sizeof(V)) == 0;
}

struct Pattern {
    int64_t m, n;
    Access access;
};

const std::vector<int64_t> table_offsets{5, 0, 9, 3, 40, 41, 42, 7, 100, 2, 64, 63, 77, 31, 8, 1, 55};

std::vector<Pattern> patterns() {
    std::vector<Pattern> all;
    for (int64_t n : {1, 2, 3, 7, 8, 15, 16, 17, 31, 64, 100, 256})
        for (int64_t m : {1, 2, 5})
            for (int64_t column : {1, 2, 19}) {
                if (m * n > max_lanes) continue;
                all.push_back({m, n, {nullptr, 3, n * column + 1, column, nullptr}});
            }
    for (int64_t n : {1, 4, 17})
        for (int64_t m : {1, 3}) all.push_back({m, n, {nullptr, 6, 128, 0, table_offsets.data()}});
    return all;
}

int64_t element(const Access& a, int64_t i, int64_t j) {
    return a.first + i * a.row + (a.table ? a.table[j] : j * a.column);
}

template <typename V> void check_loads(ValueType type) {
    for (DataType stored : all_types) {
        std::vector<unsigned char> bytes = random_bytes(unsigned(stored));
        for (Pattern p : patterns()) {
            p.access.base = bytes.data();
            std::vector<V> values(max_lanes + 8, V(42));
            load_lanes(stored, type, p.access, p.m, p.n, values.data());
            for (int64_t i = 0; i < p.m; ++i)
                for (int64_t j = 0; j < p.n; ++j)
                    ASSERT_TRUE(
                        same(values[size_t(i * p.n + j)], read<V>(stored, bytes.data(), element(p.access, i, j))))
                        << name(stored) << " at " << i << "," << j << " of " << p.m << "x" << p.n;
            for (size_t k = size_t(p.m * p.n); k < values.size(); ++k) ASSERT_EQ(values[k], V(42)) << "canary";
        }
    }
}

template <typename V> std::vector<V> extremes() {
    using Limits = std::numeric_limits<V>;
    std::vector<V> v{V(0),   V(1),   V(-1), V(127), V(128),        V(-128),          V(-129),
                     V(255), V(256), V(7),  V(-9),  Limits::max(), Limits::lowest(), Limits::min()};
    if constexpr (std::is_floating_point_v<V>)
        for (V x : {V(0.5), V(1.5), V(2.5), V(-0.5), V(-0.), V(2147483520), V(2147483648.), V(65519), V(65520), V(1e-8),
                    Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min()})
            v.push_back(x);
    return v;
}

template <typename V> void check_stores(ValueType type) {
    const std::vector<V> some = extremes<V>();
    for (DataType stored : all_types)
        for (Pattern p : patterns()) {
            std::vector<unsigned char> expected = random_bytes(3), found = expected;
            std::vector<V> values;
            for (int64_t k = 0; k < p.m * p.n; ++k) values.push_back(some[size_t(k * 5 + p.n) % some.size()]);
            p.access.base = found.data();
            store_lanes(stored, type, p.access, p.m, p.n, values.data());
            for (int64_t i = 0; i < p.m; ++i)
                for (int64_t j = 0; j < p.n; ++j)
                    write<V>(stored, expected.data(), element(p.access, i, j), values[size_t(i * p.n + j)]);
            ASSERT_TRUE(expected == found) << name(stored) << " " << p.m << "x" << p.n << " column " << p.access.column;
        }
}

} // namespace

TEST(Lanes, load_as_f32) { check_loads<float>(ValueType::f32); }
TEST(Lanes, load_as_s32) { check_loads<int32_t>(ValueType::s32); }
TEST(Lanes, load_as_f64) { check_loads<double>(ValueType::f64); }
TEST(Lanes, load_as_s64) { check_loads<int64_t>(ValueType::s64); }
TEST(Lanes, store_f32) { check_stores<float>(ValueType::f32); }
TEST(Lanes, store_s32) { check_stores<int32_t>(ValueType::s32); }
TEST(Lanes, store_f64) { check_stores<double>(ValueType::f64); }
TEST(Lanes, store_s64) { check_stores<int64_t>(ValueType::s64); }

TEST(Lanes, copies_keep_every_bit) {
    for (DataType stored : all_types)
        for (Pattern from : patterns())
            for (int64_t column : {1, 3}) {
                std::vector<unsigned char> source = random_bytes(1), expected = random_bytes(2), found = expected;
                from.access.base = source.data();
                const Access to{found.data(), 2, from.n * column + 2, column, nullptr};
                copy_lanes(stored, from.access, to, from.m, from.n);
                for (int64_t i = 0; i < from.m; ++i)
                    for (int64_t j = 0; j < from.n; ++j)
                        write_bits(stored, expected.data(), element(to, i, j),
                                   read_bits(stored, source.data(), element(from.access, i, j)));
                ASSERT_TRUE(expected == found) << name(stored) << " " << from.m << "x" << from.n;
            }
}

TEST(Transpose, turns_blocks_of_every_size_and_touches_nothing_else) {
    const std::vector<unsigned char> source = random_bytes(4);
    for (int size : {1, 2, 4, 8})
        for (int64_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33})
            for (int64_t columns : {1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33}) {
                std::vector<unsigned char> expected = random_bytes(5), found = expected;
                const int64_t src_stride = columns + 3, dst_stride = rows + 2;
                for (int64_t i = 0; i < rows; ++i)
                    for (int64_t j = 0; j < columns; ++j)
                        std::memcpy(&expected[size_t((j * dst_stride + i) * size)],
                                    &source[size_t((i * src_stride + j) * size)], size_t(size));
                transpose_block(size, source.data(), src_stride, found.data(), dst_stride, rows, columns);
                ASSERT_TRUE(expected == found) << size << " bytes, " << rows << "x" << columns;
            }
}

} // namespace tessera::cpu
