// SPDX-License-Identifier: Apache-2.0
// What cut.hpp promises of the bits of a sum: no number of threads changes them. covers: DET-01
#include <initializer_list>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/division.hpp"
#include "cpu/products/choose/choose.hpp"

namespace tessera::cpu {

namespace {

const jit::Target avx2{32, 16, false, false}, avx512{64, 32, true, true, true, true},
    amx{64, 32, true, true, true, true, true};

struct Product {
    DotShape shape;
    DotKind kind;
    jit::Target target;
    Context machine;

    DotChoice on(int threads) const {
        Context with = machine;
        with.threads = threads;
        return choose_dot(shape, kind, target, with);
    }
};

// A, B and dst in every place that a choice looks at.
class Products {
public:
    Product next() {
        Product p;
        p.target = std::array{avx2, avx512, amx}[random_() % 3];
        const bool bf16 = p.target.bf16 && random_() % 2;
        p.kind = !bf16 ? DotKind::f32 : p.target.amx ? DotKind::amx_bf16 : DotKind::bf16;
        const DataType type = bf16 ? DataType::bf16 : DataType::f32;
        const int64_t size = bits(type) / 8, rows = one_of({1, 2, 4, 8, 16, 32, 64, 100, 128, 200, 252, 300, 1000}),
                      depth = one_of({64, 256, 500, 1000, 2048, 4000, 5000, 11008, 20000}),
                      columns = one_of({3, 16, 48, 100, 333, 600, 1000, 2048, 4096, 11008});
        DotShape& s = p.shape;
        s = {one_of({1, 1, 1, 4, 64}), rows, columns, depth, type, type, type, type, true, true, true};
        s.a_pitch = depth * size, s.b_pitch = random_() % 2 ? columns * size : 0;
        if (!bf16 && random_() % 3 == 0) s.a_step = rows * size, s.a_pitch = size, s.a_dense = false;
        if (bf16 && random_() % 2) s.b_fits = false, s.b_pitch = s.rows_pitch = columns * size;
        s.b_cuts = random_() % 4 != 0, s.b_dense = random_() % 2;
        s.c_bytes = s.batches * rows * columns * 4, s.c_pitch = columns * 4, s.c_lines = columns % 16 == 0;
        Context& m = p.machine;
        m.l1_bytes = one_of({32, 48}) << 10, m.l2_bytes = one_of({512, 1024, 2048}) << 10;
        m.l3_bytes = one_of({8, 16, 32, 64}) << 20,
        m.two_shuffles = m.spare_vector_pipes = m.follows_rows = p.target.vectors == 32 && random_() % 2;
        return p;
    }

private:
    int64_t one_of(std::initializer_list<int64_t> all) { return all.begin()[random_() % all.size()]; }
    std::minstd_rand random_{1};
};

// All of a choice that the order of a sum depends on. Tiles begin at the sums so far, so parts of k are nothing to
// them.
std::string order_of_sums(const DotChoice& c) {
    const std::string kernel =
        fmt::format("kernel {} in steps of {}, A {}, B {}", int(c.spec.kind), c.step, int(c.a), int(c.b));
    if (is_amx(c.spec.kind)) return kernel;
    return fmt::format("{}, {} x {} panels, k {} by {}", kernel, c.spec.rows, c.spec.panels, c.depth, c.chunk);
}

} // namespace

TEST(BitsOfSums, no_number_of_threads_changes_the_order) {
    Products products;
    int by_depth = 0;
    for (int i = 0; i < 20000; ++i) {
        const Product p = products.next();
        const DotChoice one = p.on(1);
        by_depth += one.by_depth;
        for (const int threads : {2, 3, 7, 64}) {
            const DotChoice c = p.on(threads);
            ASSERT_EQ(order_of_sums(c), order_of_sums(one))
                << threads << " threads, " << p.shape.rows << "x" << p.shape.depth << "x" << p.shape.columns << ", L2 "
                << p.machine.l2_bytes << "\n"
                << to_string(c) << "\n"
                << to_string(one);
        }
    }
    EXPECT_GT(by_depth, 1000); // parts of k that come from a cache are among them
}

// f32 on AVX2, A transposed: ranges of columns are as narrow as threads share the third level, parts of k are not.
TEST(BitsOfSums, parts_of_k_beside_narrow_ranges) {
    DotShape s{1, 100, 600, 4000, DataType::f32, DataType::f32, DataType::f32, DataType::f32, true, true, false};
    s.a_step = 400, s.a_pitch = 4, s.b_pitch = 2400, s.b_dense = true, s.c_pitch = 2400;
    Context machine;
    machine.l2_bytes = 512 << 10, machine.l3_bytes = 32 << 20;
    const DotChoice one = choose_dot(s, DotKind::f32, avx2, machine);
    machine.threads = 7;
    const DotChoice seven = choose_dot(s, DotKind::f32, avx2, machine);
    EXPECT_TRUE(one.by_depth && seven.by_depth);
    EXPECT_LT(seven.unit_columns, one.unit_columns);
    EXPECT_EQ(seven.depth, one.depth);
}

// Where k is three loops and no part of them is whole steps, all of k is one part: that is packed as any other
// product's, with those of its unit.
TEST(BitsOfSums, loops_that_steps_do_not_divide_are_one_part) {
    for (const auto& [kind, type, target] :
         {std::tuple{DotKind::amx_bf16, DataType::bf16, amx}, {DotKind::bf16, DataType::bf16, avx512}}) {
        DotShape s{2, 3, 2, 105, type, type, type, type, true, false, true};
        s.cuts = {3, 5, 7}, s.a_pitch = 210, s.b_pitch = 4, s.b_cuts = true, s.c_pitch = 8;
        Context machine;
        machine.l2_bytes = 4 << 10;
        const DotChoice c = choose_dot(s, kind, target, machine);
        EXPECT_FALSE(c.by_depth) << to_string(c);
        EXPECT_GE(c.depth, 105) << to_string(c);
        EXPECT_GT(c.unit_batches, 1) << to_string(c);
    }
}

// Kernels of fewer rows or panels add up more sums beside each other: which elements they have is up to the shape.
TEST(BitsOfSums, units_begin_at_whole_register_blocks) {
    Products products;
    for (int i = 0; i < 20000; ++i) {
        const Product p = products.next();
        for (const int threads : {1, 2, 3, 7, 64}) {
            const DotChoice c = p.on(threads);
            const EvenParts rows = rows_of_units(p.shape.rows, c), columns = columns_of_units(p.shape.columns, c);
            for (int64_t part = 0; part < rows.parts; ++part)
                ASSERT_EQ(rows.begin(part) % c.spec.rows, 0) << to_string(c);
            for (int64_t part = 0; part < columns.parts; ++part)
                ASSERT_EQ(columns.begin(part) % (16 * c.spec.panels), 0) << to_string(c);
            const bool whole = c.block_rows >= c.unit_rows || c.block_rows % c.spec.rows == 0;
            ASSERT_TRUE(whole) << to_string(c);
        }
    }
}

// Not promised: a machine of the same instruction set whose second level is larger has longer parts.
TEST(BitsOfSums, caches_may_change_the_order) {
    DotShape s{1, 64, 2000, 5000, DataType::f32, DataType::f32, DataType::f32, DataType::f32, true, true, true};
    s.a_pitch = 20000, s.b_pitch = 8000, s.b_dense = true, s.c_pitch = 8000;
    Context small, large;
    small.l2_bytes = 512 << 10, large.l2_bytes = 2 << 20;
    EXPECT_NE(order_of_sums(choose_dot(s, DotKind::f32, avx2, small)),
              order_of_sums(choose_dot(s, DotKind::f32, avx2, large)));
}

} // namespace tessera::cpu
