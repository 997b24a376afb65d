// SPDX-License-Identifier: Apache-2.0
// How products are cut into units, for processors with any number of threads. covers: MAT-01
#include <set>

#include <gtest/gtest.h>

#include "core/division.hpp"
#include "cpu/products/choose/choose.hpp"
#include "cpu/select/copies.hpp"

namespace tessera::cpu {

namespace {

const jit::Target avx512{64, 32, true, true, true, true};

// u8 x s8 whose B is not in panels.
DotChoice choice_of(int64_t rows, int64_t columns, int64_t depth, int threads) {
    Context machine;
    machine.threads = threads;
    DotShape s{1, rows, columns, depth, DataType::u8, DataType::s8, DataType::u8, DataType::s8, true, false, true};
    s.c_bytes = rows * columns * 4;
    return choose_dot(s, DotKind::u8s8, avx512, machine);
}

int64_t units_of(int64_t rows, int64_t columns, int64_t depth, int threads) {
    const DotChoice c = choice_of(rows, columns, depth, threads);
    EXPECT_EQ(c.b, DotSource::packed);
    return ceil_div(rows, c.unit_rows) * ceil_div(columns, c.unit_columns);
}

} // namespace

// Every unit packs what it reads of B, so units have 128 rows or more, but for threads that would have none.
TEST(ChooseDot, units_of_packed_columns) {
    struct {
        int64_t rows, columns, depth;
        int threads;
        int64_t least, most; // units
    } const cases[] = {{4096, 64, 1024, 1, 1, 1},     {4096, 64, 1024, 2, 2, 2},    {4096, 64, 1024, 8, 8, 8},
                       {4096, 64, 1024, 64, 60, 64},  {200, 64, 1024, 1, 1, 1},     {200, 64, 1024, 2, 2, 2},
                       {200, 64, 1024, 8, 6, 8},      {200, 64, 1024, 64, 5, 8},    {512, 128, 1024, 2, 2, 2},
                       {512, 128, 1024, 8, 8, 16},    {512, 128, 1024, 64, 28, 64}, {20, 64, 1024, 64, 1, 2},
                       {8192, 384, 1024, 64, 64, 128}};
    for (const auto& [rows, columns, depth, threads, least, most] : cases) {
        const int64_t units = units_of(rows, columns, depth, threads);
        EXPECT_TRUE(units >= least && units <= most)
            << rows << "x" << columns << "x" << depth << " on " << threads << ": " << units << " units, "
            << to_string(choice_of(rows, columns, depth, threads));
    }
}

// Every thread has as many blocks of columns, or one more.
TEST(ChooseDot, threads_have_equal_parts) {
    for (const int threads : {2, 3, 8})
        for (const int64_t columns : {700, 1024, 2048, 4096}) {
            const DotChoice c = choice_of(1024, columns, 2048, threads);
            const EvenParts parts = columns_of_units(columns, c);
            const int64_t row_units = ceil_div(int64_t(1024), c.unit_rows), width = 16 * c.spec.panels;
            ASSERT_EQ(parts.begin(0), 0);
            ASSERT_EQ(parts.begin(parts.parts), columns);
            EXPECT_EQ(parts.parts * row_units % threads, 0) << to_string(c);
            for (int t = 0, each = int(parts.parts * row_units) / threads; t < threads && row_units == 1; ++t)
                EXPECT_NEAR(double(parts.begin((t + 1) * each) - parts.begin(t * each)), double(columns) / threads,
                            double(width))
                    << to_string(c);
            for (int64_t i = 0; i < parts.parts; ++i) {
                EXPECT_GT(parts.length(i), 0);
                EXPECT_LE(parts.length(i), c.unit_columns);
                EXPECT_EQ(parts.begin(i) % width, 0);
            }
        }
}

TEST(ChooseDot, lengths_of_parts) {
    for (int64_t all = 1; all < 60; ++all)
        for (const int64_t grain : {1, 3, 16})
            for (int64_t parts = 1; parts <= ceil_div(all, grain); ++parts) {
                const EvenParts even{all, grain, parts};
                std::set<int64_t> seen;
                for (int64_t i = 0; i < parts; ++i) seen.insert(even.length(i));
                const std::vector<int64_t> said = lengths(even);
                EXPECT_EQ(std::set<int64_t>(said.begin(), said.end()), seen) << all << " " << grain << " " << parts;
                EXPECT_EQ(said.size(), seen.size());
            }
    constexpr int64_t huge = int64_t(1) << 50;
    EXPECT_EQ((EvenParts{huge, 16, huge >> 20}.begin(huge >> 20)), huge);
    EXPECT_EQ(lengths(EvenParts{huge, 16, huge >> 20}).size(), 1u);
}

// What is packed of B is read from L2 by all blocks of rows.
TEST(ChooseDot, packs_of_many_rows_stay_in_l2) {
    for (const int64_t l2 : {1 << 20, 2 << 20})
        for (const int64_t depth : {512, 1024, 2048, 4096}) {
            Context machine;
            machine.threads = 1, machine.l2_bytes = l2;
            DotShape s{1,    2000,  2048, depth, DataType::f32, DataType::f32, DataType::f32, DataType::f32,
                       true, false, true};
            const DotChoice c = choose_dot(s, DotKind::f32, avx512, machine);
            EXPECT_EQ(c.b, DotSource::packed);
            EXPECT_LE(c.unit_columns * depth * 4, std::max(l2, int64_t(96) * depth * 4)) << to_string(c);
        }
}

// Parts of k give the bits of a sum.
TEST(ChooseDot, parts_of_k_do_not_depend_on_threads) {
    for (const int64_t rows : {1, 20, 200, 500, 4096})
        for (const int64_t columns : {16, 64, 400})
            for (const int64_t depth : {64, 1024, 5000, 40000}) {
                const DotChoice one = choice_of(rows, columns, depth, 1);
                for (const int threads : {2, 3, 8, 64}) {
                    const DotChoice c = choice_of(rows, columns, depth, threads);
                    EXPECT_EQ(c.depth, one.depth) << to_string(c);
                    EXPECT_EQ(c.by_depth, one.by_depth) << to_string(c);
                    EXPECT_EQ(c.spec.rows, one.spec.rows) << to_string(c);
                    EXPECT_EQ(c.spec.panels, one.spec.panels) << to_string(c);
                }
            }
}

// What few rows read of B is packed in parts of whole lines that fit L1; many rows read a pack of all of k.
TEST(ChooseDot, packs_of_few_rows_stay_in_l1) {
    for (const int64_t rows : {5, 16, 40, 64})
        for (const int64_t columns : {100, 1024, 8192})
            for (const int64_t depth : {1024, 4096}) {
                const DotChoice c = choice_of(rows, columns, depth, 1);
                EXPECT_TRUE(c.by_depth) << to_string(c);
                EXPECT_LE(c.unit_columns * c.depth, Context{}.l1_bytes * 3 / 4) << to_string(c);
                EXPECT_TRUE(c.unit_columns == columns || c.unit_columns % 64 == 0) << to_string(c);
            }
    EXPECT_FALSE(choice_of(200, 1024, 1024, 1).by_depth);
    EXPECT_FALSE(choice_of(16, 1024, 64, 1).by_depth); // a single part
}

// bf16, B in panels of 16 columns.
DotChoice tiles_of(int64_t rows, int64_t columns, int64_t depth) {
    Context machine;
    machine.threads = 1, machine.l1_bytes = 48 << 10, machine.l1_ways = 12, machine.l2_bytes = 2 << 20;
    jit::Target amx = avx512;
    amx.amx = true;
    DotShape s{1,    rows, columns, depth, DataType::bf16, DataType::bf16, DataType::bf16, DataType::bf16,
               true, true, true};
    s.c_bits = 16, s.c_bytes = rows * columns * 2;
    s.a_pitch = depth * 2, s.c_lines = columns % 32 == 0;
    return choose_dot(s, DotKind::amx_bf16, amx, machine);
}

// What passes by, and what has to stay for it.
TEST(ChooseDot, blocks_of_tiles_fit_caches) {
    const int64_t l1 = 48 << 10, l2 = 2 << 20;
    for (const int64_t rows : {33, 128, 256, 1000, 4096})
        for (const int64_t columns : {40, 1024, 11008})
            for (const int64_t depth : {64, 512, 768, 1024, 2048, 5000, 11008}) {
                const DotChoice c = tiles_of(rows, columns, depth);
                const int64_t chunk = c.chunk ? c.chunk : c.depth;
                EXPECT_LE(c.depth, round_up(depth, 32)) << to_string(c);
                EXPECT_TRUE(!c.chunk || (c.chunk % 32 == 0 && c.chunk < c.depth)) << to_string(c);
                // Of B a chunk in L1, or a part whose sums stay in L2 with A.
                EXPECT_TRUE(chunk * 2 * 32 <= l1 || c.unit_columns * c.block_rows * 4 <= l2) << to_string(c);
                if (c.rows_inside) { EXPECT_LE(c.block_rows * c.depth * 2, l2 / 2) << to_string(c); }
                // B is read once for 128 rows, or all.
                EXPECT_GE(c.block_rows, std::min<int64_t>(rows, c.spec.a_transient ? 128 : 1)) << to_string(c);
            }
    EXPECT_EQ(tiles_of(1024, 1024, 1024).chunk, 512);
    EXPECT_EQ(tiles_of(1024, 1024, 512).chunk, 0);
    EXPECT_EQ(tiles_of(1024, 1024, 1024).spec.ahead, 4);
    EXPECT_EQ(tiles_of(1024, 64, 1024).spec.ahead, 0); // B stays
    EXPECT_FALSE(tiles_of(2048, 2048, 512).streams);   // short rows of bf16, not many sums
    EXPECT_TRUE(tiles_of(2048, 2048, 2048).streams);
    EXPECT_TRUE(tiles_of(512, 512, 512).spec.b_transient);  // rows of 1 KiB stay in L1, B of 512 KiB in L2
    EXPECT_TRUE(tiles_of(512, 1024, 512).spec.a_transient); // B fills half of L2
    EXPECT_TRUE(tiles_of(256, 256, 256).spec.b_transient);
    EXPECT_FALSE(tiles_of(256, 32, 512).spec.b_transient); // it stays in L1
    EXPECT_TRUE(tiles_of(512, 64, 128).rows_inside);       // several blocks of rows for each of B's
    EXPECT_FALSE(tiles_of(16384, 64, 128).rows_inside);    // A comes from beyond L2
    EXPECT_EQ(tiles_of(192, 64, 1024).a, DotSource::in_place);
    EXPECT_EQ(tiles_of(1024, 1024, 1024).a, DotSource::packed);
}

const jit::Target avx2{32, 16, false, false};

// On AVX2: A of bytes, dense in k, and B of them in panels.
DotChoice words_of(int64_t rows, int64_t columns, bool whole) {
    DotShape s{1, rows, columns, 512, DataType::u8, DataType::s8, DataType::u8, DataType::s8, true, true, true};
    s.a_words = true, s.b_whole = whole, s.a_pitch = 512;
    return choose_dot(s, DotKind::s8_exact, avx2, Context{});
}

// Bytes of A are widened once where several blocks of columns read them; a last panel that is padded is read in place.
TEST(ChooseDot, words_of_bytes) {
    const DotChoice many = words_of(100, 100, true), one = words_of(100, 16, true);
    EXPECT_EQ(many.a, DotSource::packed);
    EXPECT_TRUE(many.spec.a_words) << to_string(many);
    EXPECT_EQ(one.a, DotSource::in_place);
    EXPECT_FALSE(one.spec.a_words) << to_string(one);
    EXPECT_EQ(many.b, DotSource::in_place);
    EXPECT_EQ(words_of(100, 100, false).b, DotSource::packed);
    EXPECT_EQ(words_of(100, 96, false).b, DotSource::in_place);
}

DotChoice f32_on_avx2(int64_t rows, int64_t columns, int64_t depth, int threads, const auto& change,
                      int64_t l2_bytes = 1 << 20, int64_t l3_bytes = 16 << 20) {
    DotShape s{1, rows, columns, depth, DataType::f32, DataType::f32, DataType::f32, DataType::f32, true, true, true};
    s.a_pitch = depth * 4, s.b_pitch = columns * 4, s.c_bytes = rows * columns * 4;
    change(s);
    Context machine;
    machine.l2_bytes = l2_bytes, machine.l3_bytes = l3_bytes;
    machine.threads = threads;
    return choose_dot(s, DotKind::f32, avx2, machine);
}

// B in place, its rows far apart: some lines at a time, fewer where they share sets, in long runs if B is in memory.
TEST(ChooseDot, few_rows_read_far_lines) {
    for (const int64_t rows : {3, 4, 16})
        for (const auto& [columns, depth] : {std::pair{4096, 4096}, {11008, 4096}, {1040, 1024}})
            for (const int threads : {1, 64}) {
                const DotChoice c = f32_on_avx2(rows, columns, depth, threads, [](DotShape&) {});
                const bool from_l3 = columns == 1040; // more than 11 rows pack that
                EXPECT_EQ(c.b, rows > 11 && from_l3 ? DotSource::packed : DotSource::in_place) << to_string(c);
                if (c.b == DotSource::packed) continue;
                EXPECT_EQ(c.spec.b_ahead, 64 * c.spec.panels) << to_string(c);
                EXPECT_EQ(c.depth, rows > 4 && columns == 4096 ? 32 : 64) << to_string(c);
                const int64_t longest = columns == 1040 ? 384 : 1024;
                EXPECT_LE(c.unit_columns, longest * 4 / 3) << to_string(c);
                if (threads == 1) { EXPECT_GE(c.unit_columns, longest * 2 / 3) << to_string(c); }
            }
    DotShape s{1, 16, 4096, 4096, DataType::f32, DataType::f32, DataType::f32, DataType::f32, true, true, true};
    s.b_pitch = 4096 * 4;
    EXPECT_EQ(choose_dot(s, DotKind::f32, avx512, Context{}).spec.b_ahead, 0);
}

// Rows of A that few blocks of columns read once are prefetched.
TEST(ChooseDot, what_comes_next_is_asked_for) {
    const auto of = [](int64_t batches, int64_t rows, int64_t columns, int64_t depth, int64_t gap = 0) {
        return f32_on_avx2(rows, columns, depth, 2, [=](DotShape& s) { s.batches = batches, s.a_pitch += gap; });
    };
    EXPECT_TRUE(of(192, 128, 64, 128).prefetches_a);
    EXPECT_FALSE(of(2, 128, 64, 128).prefetches_a);      // in the second level
    EXPECT_FALSE(of(1, 4096, 64, 64).prefetches_a);      // of two processors
    EXPECT_TRUE(of(192, 128, 64, 128, 64).prefetches_a); // in spite of gaps
    EXPECT_FALSE(of(1000, 128, 64, 32).prefetches_a);    // short rows
    EXPECT_FALSE(of(1, 4096, 256, 256).prefetches_a);    // 16 blocks of columns
    EXPECT_TRUE(of(1, 16384, 64, 256).prefetches_a);
    EXPECT_FALSE(of(1, 16384, 64, 4096).prefetches_a); // parts of k
    DotShape s{192, 128, 64, 128, DataType::f32, DataType::f32, DataType::f32, DataType::f32, true, true, true};
    s.a_pitch = 512, s.b_pitch = 256;
    // With vectors of 64 bytes longer rows of A alone, and nothing beside tiles.
    const auto choice = [&](const jit::Target& target) { return choose_dot(s, DotKind::f32, target, Context{}); };
    EXPECT_TRUE(choice(avx512).prefetches_a);
    jit::Target tiles = avx512;
    tiles.amx = true;
    EXPECT_FALSE(choice(tiles).prefetches_a);
    s.depth = 64, s.batches = 400;
    EXPECT_FALSE(choice(avx512).prefetches_a); // rows of 256 bytes
}

// A whose k is not dense is packed for two blocks of columns, and for six where there are more registers.
TEST(ChooseDot, a_that_is_turned_is_packed) {
    for (const auto& [target, columns] : {std::pair{avx2, 32}, {avx512, 96}})
        for (const int64_t fewer : {0, 1}) {
            DotShape s{
                1,    4096, columns - fewer, 64, DataType::f32, DataType::f32, DataType::f32, DataType::f32, true,
                true, false};
            s.a_step = 4096 * 4, s.a_pitch = 4, s.b_pitch = 256;
            EXPECT_EQ(choose_dot(s, DotKind::f32, target, Context{}).a, fewer ? DotSource::in_place : DotSource::packed)
                << columns - fewer;
        }
}

// One and two rows of f32 prefetch panels from nearby, more for those from memory from afar.
TEST(ChooseDot, panels_of_few_rows_are_asked_for_nearby) {
    const auto ahead = [](int64_t rows) {
        return f32_on_avx2(rows, 4096, 4096, 2, [](DotShape& s) { s.b_pitch = 0; }).spec.b_ahead;
    };
    EXPECT_EQ(ahead(1), 256);
    EXPECT_EQ(ahead(2), 256);
    EXPECT_EQ(ahead(3), 8192);
}

// Without masks kernels are built for the columns of the last panel: B stays in place where its rows do not end with
// padding, and of eight columns or fewer blocks are twice as high.
TEST(ChooseDot, last_panels_of_targets_without_masks) {
    const auto of = [](int64_t columns, int64_t pitch) {
        return f32_on_avx2(13, columns, 20, 1,
                           [=](DotShape& s) { s.b_fits = true, s.b_pitch = pitch, s.a_fits = true; });
    };
    const DotChoice in_place = of(7, 28), panels = of(7, 0), wide = of(23, 92);
    EXPECT_EQ(in_place.b, DotSource::in_place);
    EXPECT_EQ(in_place.spec.last, 7);
    EXPECT_FALSE(in_place.spec.b_whole);
    EXPECT_GT(in_place.spec.rows, 6) << to_string(in_place);
    EXPECT_EQ(panels.b, DotSource::packed); // panels whose last one may end at the last column
    EXPECT_TRUE(panels.spec.b_whole);
    EXPECT_EQ(wide.b, DotSource::in_place);
    EXPECT_EQ(wide.spec.last, 0); // most blocks are of whole panels
}

// What lies in panels and has to be widened: in registers by two blocks of rows of AVX2, once for more of them.
TEST(ChooseDot, panels_of_bytes_are_widened_once_for_many_rows) {
    const auto source = [](int64_t rows, int64_t pitch) {
        return f32_on_avx2(rows, 64, 512, 1,
                           [=](DotShape& s) { s.b = DataType::s8, s.b_fits = true, s.b_pitch = pitch; })
            .b;
    };
    EXPECT_EQ(source(1, 0), DotSource::in_place);
    EXPECT_EQ(source(12, 0), DotSource::in_place);
    EXPECT_EQ(source(13, 0), DotSource::packed);
    EXPECT_EQ(source(13, 64), DotSource::in_place); // rows of B, which are packed in pieces
    EXPECT_EQ(source(96, 64), DotSource::packed);
}

// A part of k begins at a whole byte of elements of 4 bits, whatever k is.
TEST(ChooseDot, parts_of_k_are_even) {
    for (int64_t depth = 2; depth < 3000; depth += 36)
        for (const bool panels : {true, false}) {
            const DotChoice c = f32_on_avx2(270, 100, depth, 2, [&](DotShape& s) { s.b_fits = panels; });
            EXPECT_TRUE(c.depth == depth || c.depth % 2 == 0) << depth << ": " << to_string(c);
        }
}

// Small products are shared from the time on that it takes two threads to meet, a few times.
TEST(ChooseDot, small_products_are_shared) {
    const auto units = [](int64_t rows, int64_t columns, int64_t depth) {
        const DotChoice c = f32_on_avx2(rows, columns, depth, 2, [](DotShape& s) { s.b_fits = false; });
        return ceil_div(rows, c.unit_rows) * c.column_units;
    };
    EXPECT_EQ(units(256, 10, 64), 2);
    EXPECT_EQ(units(64, 64, 16), 1);
    // Of wide vectors by what begins and ends a block, too.
    const auto shared = [](int64_t batches, int64_t rows, int64_t columns, int64_t depth) {
        DotShape s{batches,       rows,          columns, depth, DataType::f32, DataType::f32,
                   DataType::f32, DataType::f32, true,    true,  true};
        s.a_pitch = depth * 4, s.b_pitch = columns * 4;
        Context machine;
        machine.threads = 2;
        const DotChoice c = choose_dot(s, DotKind::f32, avx512, machine);
        return ceil_div(rows, c.unit_rows) * c.column_units > 1;
    };
    EXPECT_TRUE(shared(1, 1000, 64, 8));
    EXPECT_FALSE(shared(1, 100, 64, 8));
    EXPECT_FALSE(shared(3, 300, 64, 8));
}

// A that is packed is packed for every range of columns, yet two threads do not share three.
TEST(ChooseDot, ranges_of_columns_are_even) {
    for (const auto& [rows, threads] : {std::pair{192, 2}, {192, 4}, {1000, 2}}) {
        const auto change = [](DotShape& s) { s.a_fits = s.a_dense = false, s.a_step = 4 * s.rows, s.b_fits = false; };
        const DotChoice c = f32_on_avx2(rows, 333, 1000, threads, change, 512 << 10, 4 << 20);
        if (rows == 192) { EXPECT_EQ(c.unit_rows, rows) << to_string(c); }
        EXPECT_EQ(c.a, DotSource::packed);
        EXPECT_EQ(ceil_div(int64_t(rows), c.unit_rows) * c.column_units % threads, 0) << to_string(c);
    }
}

// It is transposed for each of them: as few as the third level allows.
TEST(ChooseDot, ranges_of_columns_are_few_for_a_transposed_a) {
    const auto columns = [](int64_t rows, int64_t depth, bool turned, int64_t l3_bytes) {
        const auto change = [=](DotShape& s) {
            s.b_fits = false;
            if (turned) s.a_fits = s.a_dense = false, s.a_step = 4 * rows;
        };
        return f32_on_avx2(rows, 1024, depth, 2, change, 512 << 10, l3_bytes).unit_columns;
    };
    EXPECT_GE(columns(1024, 1024, true, 32 << 20), 512);
    EXPECT_LE(columns(1024, 1024, true, 4 << 20), 256);
    EXPECT_LE(columns(1024, 1024, false, 32 << 20), 96); // within the second level
}

// Law: a step divides the loop in whole groups of 4 bytes, and no longer one does; or packing A takes less time.
TEST(ChooseDot, steps_divide_loops) {
    for (const DotKind kind : {DotKind::amx_bf16, DotKind::amx_int8})
        for (int64_t length = 1; length < 300; ++length) {
            const int64_t most = step_of(kind), vnni = vnni_factor(kind);
            const int64_t step = fitting_step(kind, length, 9 * length, 16);
            if (length % vnni) { EXPECT_EQ(step, 0) << length; }
            if (step == 0) continue;
            EXPECT_EQ(length % step + step % vnni, 0) << length;
            for (int64_t longer = step + vnni; longer <= most; longer += vnni) EXPECT_NE(length % longer, 0) << length;
        }
    EXPECT_EQ(fitting_step(DotKind::amx_bf16, 144, 432, 48), 24);
    EXPECT_EQ(fitting_step(DotKind::amx_int8, 240, 720, 192), 60);
    EXPECT_EQ(fitting_step(DotKind::amx_bf16, 96, 192, 64), 32);
    EXPECT_EQ(fitting_step(DotKind::amx_bf16, 102, 306, 256), 0); // 17 steps of 6 for 3.2
}

// A is packed in runs whose rows blocks join: however runs and register blocks divide each other, blocks have rows.
TEST(ChooseDot, joined_runs_of_any_length) {
    for (const jit::Target& target : {avx512, avx2})
        for (int64_t run = 4; run <= 130; ++run)
            for (const int64_t runs : {2, 3, 4, 7, 63})
                for (const int64_t columns : {16, 40, 48, 100}) {
                    DotShape s{1, run * runs, columns, 500, DataType::f32, DataType::f32, DataType::f32, DataType::f32};
                    s.b_fits = true, s.run = s.run_of_a = run, s.run_packed = s.rows;
                    const DotChoice c = choose_dot(s, DotKind::f32, target, Context{});
                    ASSERT_GT(c.block_rows, 0) << runs << " runs of " << run;
                    ASSERT_GT(c.unit_rows, 0) << runs << " runs of " << run;
                }
}

// Parts of k are whole steps, too.
TEST(ChooseDot, parts_are_whole_short_steps) {
    const jit::Target amx{64, 32, true, true, true, true, true, true};
    Context machine;
    machine.threads = 1;
    for (const bool packs : {false, true}) {
        DotShape s{1,    64,     4096, 24 * 1001, DataType::bf16, DataType::bf16, DataType::bf16, DataType::bf16,
                   true, !packs, true};
        s.b_cuts = packs, s.step = 24;
        const DotChoice c = choose_dot(s, DotKind::amx_bf16, amx, machine);
        EXPECT_EQ(c.step, 24);
        EXPECT_LT(c.depth, s.depth) << to_string(c);
        EXPECT_EQ(c.depth % 24 + c.chunk % 24, 0) << to_string(c);
    }
}

} // namespace tessera::cpu
