// SPDX-License-Identifier: Apache-2.0
// Sparse kernels against the definition in contract.hpp, bit for bit: columns of every length class, rows of every
// number of elements that the loops tell apart, both types; every array ends at a page that cannot be touched. covers:
// MAT-60 MAT-61
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/types/convert.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/sparse/choose.hpp"
#include "cpu/tiles/sparse/contract.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera::cpu {

namespace {

using jit::Target;

constexpr int64_t rows = 14, depth = 9; // of the list, row r of which has r elements; of the dense factor

struct Problem {
    SparseSpec spec;
    int64_t dense_row, out_row; // elements
    GuardedBuffer values, numbers, starts, dense, out;

    int64_t numbered() const { return spec.scatters ? depth : rows; } // rows of the dense factor, for scattered ones
};

GuardedBuffer buffer(int64_t bytes) { return {size_t(bytes), GuardedBuffer::Placement::end_at_guard}; }

class SparseTest : public testing::TestWithParam<Target> {
protected:
    Problem problem(const SparseSpec& spec) {
        const int64_t gap = spec.adjacent ? 0 : 3, elements = rows * (rows - 1) / 2, size = bits(spec.type) / 8;
        const int64_t dense_rows = spec.scatters ? rows : depth, out_rows = spec.scatters ? depth : rows;
        Problem p{spec, spec.columns + gap, spec.columns + gap, {}, {}, {}, {}, {}};
        p.values = random(spec.type, elements), p.numbers = buffer(elements * 4), p.starts = buffer((rows + 1) * 4);
        p.dense = random(spec.type, (dense_rows - 1) * p.dense_row + spec.columns);
        const int64_t sums = sparse_sums_bytes(GetParam(), spec.columns);
        p.out = spec.scatters ? random(DataType::f32, out_rows * sums / 4)
                              : buffer(((out_rows - 1) * p.out_row + spec.columns) * size);
        if (!spec.scatters) std::memset(p.out.data(), 0x55, p.out.size());
        for (int64_t i = 0; i < elements; ++i) as<int32_t>(p.numbers)[i] = int32_t(random_() % depth);
        as<int32_t>(p.starts)[0] = 0;
        for (int32_t r = 0; r < rows; ++r) as<int32_t>(p.starts)[r + 1] = as<int32_t>(p.starts)[r] + r;
        return p;
    }
    template <typename T> static T* as(const GuardedBuffer& b) { return reinterpret_cast<T*>(b.data()); }
    GuardedBuffer random(DataType type, int64_t count) {
        GuardedBuffer b = buffer(count * bits(type) / 8);
        for (int64_t i = 0; i < count; ++i) write<float>(type, b.data(), i, std::normal_distribution<float>()(random_));
        return b;
    }
    float value(const Problem& p, int64_t e) { return read<float>(p.spec.type, p.values.data(), e); }
    float dense(const Problem& p, int64_t row, int64_t column) {
        return read<float>(p.spec.type, p.dense.data(), row * p.dense_row + column);
    }
    float sum(const Problem& p, int64_t r, int64_t column) {
        const int32_t first = as<int32_t>(p.starts)[r], last = as<int32_t>(p.starts)[r + 1];
        const int chains = sparse_chains(GetParam(), p.spec);
        // Elements that are left when the last four are taken begin at the first chain again.
        std::vector<float> chain(size_t(chains), 0.f);
        const int32_t whole = first + (last - first) / 4 * 4;
        for (int32_t e = first; e < last; ++e) {
            float& own = chain[size_t(e < whole ? (e - first) % chains : 0)];
            own = std::fma(value(p, e), dense(p, as<int32_t>(p.numbers)[e], column), own);
        }
        for (int apart = chains / 2; apart; apart /= 2)
            for (int i = 0; i < apart; ++i) chain[size_t(i)] += chain[size_t(i + apart)];
        return chain[0];
    }
    GuardedBuffer expected(const Problem& p) {
        GuardedBuffer want = p.out;
        const int64_t floats = sparse_sums_bytes(GetParam(), p.spec.columns) / 4;
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t j = 0; j < p.spec.columns; ++j) {
                if (!p.spec.scatters) write<float>(p.spec.type, want.data(), r * p.out_row + j, sum(p, r, j));
                for (int32_t e = as<int32_t>(p.starts)[r]; p.spec.scatters && e < as<int32_t>(p.starts)[r + 1]; ++e) {
                    float& own = as<float>(want)[as<int32_t>(p.numbers)[e] * floats + j];
                    own = std::fma(value(p, e), dense(p, r, j), own);
                }
            }
        return want;
    }
    void check(const SparseSpec& spec) {
        const Problem p = problem(spec);
        const GuardedBuffer want = expected(p);
        const auto kernel = jit::kernel(GetParam(), key(spec), [&] { return build_sparse(GetParam(), spec); });
        ASSERT_TRUE(kernel) << key(spec);
        const int64_t size = bits(spec.type) / 8;
        const auto* last = as<int32_t>(p.numbers) + as<int32_t>(p.starts)[rows] - 1;
        SparseArgs args{p.values.data(),    as<int32_t>(p.numbers), as<int32_t>(p.starts), rows, p.dense.data(),
                        p.dense_row * size, p.out.data(),           p.out_row * size,      last};
        (*kernel)(&args);
        ASSERT_TRUE(p.out == want) << key(spec);
        ASSERT_TRUE(p.out.intact() && p.dense.intact() && p.values.intact()) << key(spec);
    }
    std::mt19937 random_{7};
};

} // namespace

TEST_P(SparseTest, sums) {
    const int most = sparse_vectors * GetParam().vector_bytes / 4;
    for (const DataType type : {DataType::f32, DataType::f16}) {
        for (int columns = 1; columns <= 36; ++columns) check({type, columns});
        for (const int columns : {48, 63, most - 1, most}) check({type, columns});
        check({.type = type, .adjacent = true});
        for (const int columns : {17, 40, most}) check({.type = type, .columns = columns, .prefetches = true});
    }
}

TEST_P(SparseTest, scattered) {
    for (const DataType type : {DataType::f32, DataType::f16}) {
        for (int columns = 1; columns <= 33; ++columns) check({type, columns, true});
        check({.type = type, .scatters = true, .adjacent = true});
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, SparseTest, testing::ValuesIn(jit::vector_targets()),
                         [](const auto& t) { return jit::name_of(t.param); });

// The same on every machine with such caches.
TEST(SparseChoice, follows_elements_and_caches) {
    Context machine = machine_named("avx512_core");
    machine.threads = 2, machine.l2_bytes = 2 << 20;
    const Target target = jit::target_of(machine);
    const auto choice = [&](bool is_src, int64_t elements, int64_t m, int64_t k, int64_t n, bool turned = false) {
        SparseProduct p{};
        p.is_src = is_src, p.has_pointers = true, p.elements = elements;
        p.rows = m, p.columns = n, p.depth = k;
        const auto strides = [&](int64_t rows, int64_t columns) {
            return turned ? std::array{int64_t(1), rows} : std::array{columns, int64_t(1)};
        };
        p.dense_strides = is_src ? strides(k, n) : strides(m, k), p.dst_strides = strides(m, n);
        return choose_sparse(p, DataType::f32, target, machine);
    };
    const int64_t many = 160000, few = 2000;
    EXPECT_FALSE(choice(true, many, 4096, 4096, 64)->packs); // its rows of 256 bytes are what a block would be
    EXPECT_EQ(choice(true, many, 4096, 4096, 64)->block, 64);
    EXPECT_TRUE(choice(true, many, 4096, 4096, 256)->packs); // 4 MB
    EXPECT_EQ(choice(true, many, 4096, 4096, 256)->block, 64);
    EXPECT_FALSE(choice(true, few, 4096, 4096, 256)->packs); // a copy costs more than it saves
    EXPECT_TRUE(choice(true, few, 4096, 4096, 256)->prefetches);
    EXPECT_FALSE(choice(true, many, 4096, 4096, 16)->prefetches);
    EXPECT_TRUE(choice(true, many, 4096, 4096, 2, true)->packs); // the columns of a row are apart
    EXPECT_FALSE(choice(true, many, 4096, 4096, 1, true)->packs);
    EXPECT_FALSE(choice(true, few, 4096, 4096, 2, true)); // most of its rows are not asked for
    EXPECT_TRUE(choice(false, many, 64, 4096, 4096)->scatters);
    EXPECT_EQ(choice(false, many, 1, 4096, 4096)->parts, 8);
    EXPECT_EQ(choice(false, many, 64, 4096, 4096)->block, 32);
    EXPECT_FALSE(choice(false, many, 65, 4096, 4096)->scatters);
    EXPECT_TRUE(choice(true, many, 4096, 4096, 1)->parallel);
    EXPECT_FALSE(choice(true, few, 4096, 4096, 1)->parallel);
    // The order of a sum must not depend on threads.
    for (const bool is_src : {true, false}) {
        machine.threads = 2;
        const auto two = choice(is_src, many, 64, 4096, 4096);
        machine.threads = 64;
        const auto more = choice(is_src, many, 64, 4096, 4096);
        EXPECT_EQ(two->parts, more->parts);
        EXPECT_EQ(two->block, more->block);
    }
}

} // namespace tessera::cpu
