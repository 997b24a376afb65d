// SPDX-License-Identifier: Apache-2.0
// Blocks of sums of products of bytes, and what pairs and fours of k need beside products: sums of rows and columns,
// words, steps that are short, rows that are interleaved. covers: MAT-01
#include "cpu/products/pack/words.hpp"
#include "dot_block.hpp"

namespace tessera::cpu {

using namespace dot_test;

TEST(DotTile, bytes) {
    EXPECT_FALSE(can_build_dot(avx512, {DotKind::u8s8, 1, 1, DataType::u8, DataType::s8}));
    EXPECT_FALSE(can_build_dot(avx512_all, {DotKind::u8s8, 1, 1, DataType::u8, DataType::u8}));
    for (DotKind kind : {DotKind::u8s8, DotKind::s8_exact})
        for (DataType a : {DataType::u8, DataType::s8})
            for (DataType b : {DataType::u8, DataType::s8})
                for (const Target& target : {avx2_vnni, avx512_all})
                    for (int panels = 1; panels <= 4; ++panels) {
                        DotSpec spec{kind, 1, panels, a, b, panels != 3, target.masks && panels == 2};
                        const int most = most_rows(target, spec);
                        const bool possible = kind == DotKind::s8_exact || b == DataType::s8;
                        EXPECT_EQ(most >= 1, possible && (target.masks || panels < 4)) << panels;
                        for (int rows : {1, most}) {
                            spec.rows = rows;
                            if (!can_build_dot(target, spec)) continue;
                            ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 3}, {6, 9, true, true}}));
                        }
                    }
}

TEST(DotTile, words_of_bytes) {
    DotSpec spec{DotKind::s8_exact, 1, 1, DataType::u8, DataType::s8};
    spec.a_words = true, spec.a_dense = false;
    EXPECT_FALSE(can_build_dot(avx2, spec));
    spec.a_dense = true;
    for (const Target& target : {avx2, avx512, avx2_vnni})
        for (DataType a : {DataType::u8, DataType::s8})
            for (DataType b : {DataType::u8, DataType::s8})
                for (int panels = 1; panels <= 4; ++panels) {
                    spec.a = a, spec.b = b, spec.panels = panels, spec.tail = target.masks && panels == 2;
                    for (int rows : {1, most_rows(target, spec)}) {
                        spec.rows = rows;
                        if (!can_build_dot(target, spec)) continue;
                        ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 3}, {6, 9, true, true}}));
                    }
                }
}

TEST(DotTile, bytes_become_words) {
    for (const bool has_sign : {false, true})
        for (int64_t bytes = 4; bytes <= 200; bytes += 4) {
            GuardedPages pages;
            const int64_t whole = (bytes + 15) / 16 * 16; // which is read, and written twice as long
            uint8_t* const row = pages.place(size_t(2 * whole), true);
            for (int64_t k = 0; k < bytes; ++k) row[k] = uint8_t(k * 89 + 200);
            widen_to_words(reinterpret_cast<char*>(row), bytes, has_sign);
            for (int64_t k = 0; k < bytes; ++k) {
                constexpr int64_t order[] = {0, 2, 1, 3};
                int16_t word;
                std::memcpy(&word, row + 2 * (k / 4 * 4 + order[k % 4]), sizeof word);
                const auto byte = uint8_t(k * 89 + 200);
                ASSERT_EQ(word, has_sign ? int8_t(byte) : int(byte)) << k << " of " << bytes;
            }
        }
}

// A ends within a step, at a page that nobody may touch.
TEST(DotTile, last_steps_that_are_short) {
    struct {
        DotKind kind;
        DataType a, b;
    } const kinds[] = {
        {DotKind::bf16, DataType::bf16, DataType::bf16}, {DotKind::bf16_fma, DataType::bf16, DataType::bf16},
        {DotKind::u8s8, DataType::u8, DataType::s8},     {DotKind::u8s8, DataType::s8, DataType::s8},
        {DotKind::s8_exact, DataType::u8, DataType::s8}, {DotKind::s8_exact, DataType::s8, DataType::u8}};
    for (const Target& target : {avx2_vnni, avx512_all})
        for (const auto& [kind, a, b] : kinds)
            for (int bytes : {1, 2, 3})
                for (int rows : {1, 3}) {
                    DotSpec spec{kind, rows, 1, a, b};
                    spec.a_short = bytes;
                    if (!can_build_dot(target, spec)) {
                        EXPECT_TRUE((bytes % 2 && a == DataType::bf16) || (kind == DotKind::bf16 && !target.bf16));
                        continue;
                    }
                    ASSERT_NO_FATAL_FAILURE(
                        check(target, spec, {{.steps = 2}, {6, 9, true, true}, {.steps = 31, .panels = true}}));
                }
    EXPECT_FALSE(can_build_dot(avx512_all, {.a_short = 2})); // f32 has no steps of 4 bytes
    DotSpec strided{DotKind::u8s8, 1, 1, DataType::u8, DataType::s8, false};
    strided.a_short = 1;
    EXPECT_FALSE(can_build_dot(avx512_all, strided));
}

TEST(DotTile, sums_of_bytes) {
    std::vector<char> bytes(200);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = char(i * 37 + (i % 5 ? 0 : 128));
    for (size_t first : {0, 1, 7})
        for (size_t count = 0; first + count <= bytes.size(); ++count) {
            int32_t want = 0;
            for (size_t i = first; i < first + count; ++i) want += int8_t(bytes[i]);
            ASSERT_EQ(sum_of_bytes(bytes.data() + first, int64_t(count)), want) << count << " from " << first;
        }
}

// Kernels that are told the sums of B's columns start at -128 times them.
TEST(DotTile, corrected_sums) {
    DotSpec spec{DotKind::u8s8, 1, 1, DataType::s8, DataType::s8};
    spec.corrected = true;
    EXPECT_FALSE(can_build_dot(avx512, spec));
    EXPECT_FALSE(can_build_dot(avx512_all, {.corrected = true}));
    for (const Target& target : {avx2_vnni, avx512_all})
        for (DataType a : {DataType::u8, DataType::s8})
            for (int panels = 1; panels <= 4; ++panels) {
                spec.a = a, spec.panels = panels, spec.tail = target.masks && panels == 3;
                for (int rows : {1, most_rows(target, spec)}) {
                    spec.rows = rows;
                    if (!can_build_dot(target, spec)) continue;
                    ASSERT_NO_FATAL_FAILURE(
                        check(target, spec, {{.steps = 3}, {6, 9, true, true}, {.steps = 41, .panels = true}}));
                }
            }
}

// Of kernels that read B as B + 128 sums begin at what takes that back, a row's at its own.
TEST(DotTile, shifted_b) {
    DotSpec spec{DotKind::u8s8, 1, 1, DataType::s8, DataType::s8};
    spec.shifts_b = true;
    EXPECT_FALSE(can_build_dot(avx512, spec));
    for (const DotSpec& wrong : {DotSpec{DotKind::u8s8, 1, 1, DataType::u8, DataType::s8},
                                 DotSpec{DotKind::s8_exact, 1, 1, DataType::s8, DataType::s8}}) {
        DotSpec shifts = wrong;
        shifts.shifts_b = true;
        EXPECT_FALSE(can_build_dot(avx512_all, shifts)) << key(shifts);
    }
    DotSpec both = spec;
    both.corrected = true;
    EXPECT_FALSE(can_build_dot(avx512_all, both)) << key(both);
    for (const Target& target : {avx2_vnni, avx512_all})
        for (int panels = 1; panels <= 4; ++panels)
            for (int a_short : {0, 1, 3}) {
                spec.panels = panels, spec.tail = target.masks && panels == 3, spec.a_short = a_short;
                for (int rows : {1, most_rows(target, spec)}) {
                    spec.rows = rows;
                    if (!can_build_dot(target, spec)) continue;
                    ASSERT_NO_FATAL_FAILURE(
                        check(target, spec, {{.steps = 3}, {6, 9, true, true}, {.steps = 41, .panels = true}}));
                }
            }
    spec.panels = 2, spec.tail = false, spec.a_short = 0, spec.loops = 2;
    ASSERT_NO_FATAL_FAILURE(check(avx512_all, spec, {{.steps = 5, .panels = true, .outer = {3, 1}}}));
}

// Rows of B that are interleaved: tails of columns, and of k with A as it lies and with zeros behind it.
TEST(DotTile, rows_of_b) {
    const DotSpec kinds[] = {{DotKind::bf16, 1, 1, DataType::bf16, DataType::bf16},
                             {DotKind::u8s8, 1, 1, DataType::u8, DataType::s8},
                             {DotKind::u8s8, 1, 1, DataType::s8, DataType::s8}};
    for (DotSpec spec : kinds) {
        spec.interleaves = true;
        EXPECT_FALSE(can_build_dot(avx2_vnni, spec));
        EXPECT_FALSE(can_build_dot(avx512, spec));
        const int of_step = spec.kind == DotKind::bf16 ? 2 : 4;
        for (const bool shifts : {false, true})
            for (int panels = 1; panels <= 4; ++panels)
                for (int b_short = 0; b_short < of_step; ++b_short)
                    for (const bool a_short : {false, true}) {
                        spec.shifts_b = shifts, spec.panels = panels, spec.b_short = b_short;
                        spec.a_short = a_short ? b_short * bits(spec.a) / 8 : 0, spec.tail = false;
                        spec.rows = 1;
                        if (!can_build_dot(avx512_all, spec)) continue;
                        for (int rows : {1, most_rows(avx512_all, spec)}) {
                            spec.rows = rows, spec.tail = rows > 1;
                            ASSERT_NO_FATAL_FAILURE(check(
                                avx512_all, spec, {{.steps = 3}, {6, 9, true}, {2, 1}, {.steps = 12, .columns = 15}}));
                        }
                    }
        spec.shifts_b = false, spec.a_short = spec.b_short = 0, spec.tail = false, spec.panels = 4;
        spec.rows = spec.a == DataType::s8 ? 5 : 6; // beside the bits to flip
        EXPECT_TRUE(can_build_dot(avx512_all, spec)) << key(spec);
        spec.loops = 2;
        if (can_build_dot(avx512_all, spec)) { // with `flips`, of fewer rows
            ASSERT_NO_FATAL_FAILURE(check(avx512_all, spec, {{.steps = 5, .outer = {3, 1}}}));
        }
        spec.loops = 1, spec.b_short = of_step;
        EXPECT_FALSE(can_build_dot(avx512_all, spec));
        spec.b_short = 1, spec.interleaves = false;
        EXPECT_FALSE(can_build_dot(avx512_all, spec));
    }
    EXPECT_FALSE(can_build_dot(avx512_all, {.interleaves = true}));
}

} // namespace tessera::cpu
