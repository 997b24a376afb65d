// SPDX-License-Identifier: Apache-2.0
// Gather kernels against the definition in contract.hpp, byte for byte: every element size, target that the machine
// can run, permutations of pixels, blocks and at random, few channels, zeros, conversions, holes in dst, rows of turns,
// overlapping last turns; guard pages around src, bytes between the elements of dst that must stay as they were.
// covers: SHU-01 SHU-06
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/division.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/gather/choose.hpp"
#include "machines.hpp"
#include "run_code.hpp"

namespace tessera::cpu {

namespace {

using jit::Target;

struct Extent {
    int64_t src = 0, dst = 0; // bytes from the first to behind the last
};

Extent extent_of(const GatherSpec& spec, int64_t points) {
    Extent x;
    for (const GatherElement& e : spec.elements) {
        if (e.src != GatherElement::zero)
            x.src = std::max(x.src, e.src + (points - 1) * spec.src_stride + spec.element);
        x.dst = std::max(x.dst, e.dst + (points - 1) * spec.dst_stride + spec.element);
    }
    return x;
}

constexpr float scale = 0.375f;

// Of permuted bytes to real ones: `element` from `from`, through the program.
void move_element(const GatherSpec& spec, const void* from, void* to) {
    if (spec.program.ops.empty()) {
        std::memcpy(to, from, size_t(spec.element));
        return;
    }
    float factor = scale;
    void* const pointers[] = {const_cast<void*>(from), to, &factor};
    const int64_t elements[] = {0, 0, 0};
    eval(spec.program, spec.types, pointers, elements);
}

// `points` of each of `rows` rows, which lie apart by some bytes.
void check(const Target& target, GatherSpec spec, int64_t points, int64_t rows = 1) {
    static const GuardedPages from(512 << 10), to(512 << 10);
    std::sort(spec.elements.begin(), spec.elements.end(), [](auto& x, auto& y) { return x.dst < y.dst; });
    int64_t least = std::numeric_limits<int64_t>::max(); // the first byte is at offset 0
    for (const GatherElement& e : spec.elements)
        if (e.src != GatherElement::zero) least = std::min(least, e.src);
    const int64_t first = spec.elements[0].dst;
    for (GatherElement& e : spec.elements) {
        if (e.src != GatherElement::zero) e.src -= least;
        e.dst -= first;
    }
    const int64_t sr = src_ratio(spec), dr = dst_ratio(spec);
    const Extent one = extent_of(spec, points);
    const Extent row{(one.src + 2 * spec.element) * sr, (one.dst + 3 * spec.element) * dr};
    const Extent x{(rows - 1) * row.src + one.src * sr, (rows - 1) * row.dst + one.dst * dr};
    ASSERT_LE(std::max(x.src, x.dst), int64_t(from.size()));
    GatherSpec chosen = spec;
    ASSERT_TRUE(cut_of_turn(target, chosen, points, {})) << key(spec);
    for (int turn : {chosen.points, 1}) {
        spec.points = turn;
        ASSERT_LE(turn, points);
        ASSERT_TRUE(can_build_gather(target, spec)) << key(spec);
        const auto kernel = jit::kernel(target, key(spec), [&] { return build_gather(target, spec); });
        ASSERT_TRUE(kernel) << key(spec);
        for (bool at_end : {false, true}) {
            unsigned char *src = from.place(size_t(x.src), at_end), *dst = to.place(size_t(x.dst), at_end);
            std::mt19937 random(unsigned(x.src + turn));
            for (int64_t i = 0; i < x.src; ++i) src[i] = static_cast<unsigned char>(random());
            std::memset(dst, 0xa5, size_t(x.dst));
            std::vector<unsigned char> expected(dst, dst + x.dst);
            for (int64_t r = 0; r < rows; ++r)
                for (int64_t p = 0; p < points; ++p)
                    for (const GatherElement& e : spec.elements) {
                        unsigned char* const here = &expected[size_t(r * row.dst + (e.dst + p * spec.dst_stride) * dr)];
                        if (e.src == GatherElement::zero)
                            std::memset(here, 0, size_t(spec.element * dr));
                        else
                            move_element(spec, src + r * row.src + (e.src + p * spec.src_stride) * sr, here);
                    }
            GatherArgs args{src,
                            dst,
                            ceil_div(points, turn),
                            turn * spec.src_stride * sr,
                            turn * spec.dst_stride * dr,
                            (points - turn) * spec.src_stride * sr,
                            (points - turn) * spec.dst_stride * dr,
                            rows,
                            row.src,
                            row.dst};
            args.broadcast[2] = &scale;
            (*kernel)(&args);
            for (int64_t i = 0; i < x.dst; ++i)
                ASSERT_EQ(int(dst[i]), int(expected[size_t(i)]))
                    << "byte " << i << " of " << x.dst << ", turns of " << turn << ", W " << target.vector_bytes << ", "
                    << key(spec).substr(0, 200);
        }
    }
}

// Pixels of few channels: `step` apart in src from channel to channel, in dst dense and followed by zeros.
GatherSpec interleaved(int es, int64_t channels, int64_t pixels, int64_t zeros) {
    GatherSpec spec{es, {}, 1, es, (channels + zeros) * es};
    for (int64_t c = 0; c < channels; ++c) spec.elements.push_back({c * (pixels + 1) * es, c * es});
    for (int64_t z = 0; z < zeros; ++z) spec.elements.push_back({GatherElement::zero, (channels + z) * es});
    return spec;
}
GatherSpec separated(int es, int64_t channels, int64_t pixels) {
    GatherSpec spec{es, {}, 1, channels * es, es};
    for (int64_t c = 0; c < channels; ++c) spec.elements.push_back({c * es, c * (pixels + 1) * es});
    return spec;
}

GatherSpec converting(GatherSpec spec, DataType from, DataType to, bool scaled) {
    spec.types = {from, to};
    int value = spec.program.load(0, ValueType::f32);
    if (scaled) {
        spec.types.push_back(DataType::f32);
        value = spec.program.binary(OpCode::mul, value, spec.program.load(2, ValueType::f32));
    }
    spec.program.store(1, value);
    return spec;
}

class GatherTest : public testing::TestWithParam<Target> {};

} // namespace

// Channels of blocked pixels: the table of a shuffle whose groups end inside of blocks.
TEST_P(GatherTest, blocked_pixels) {
    for (int es : {1, 2, 4, 8})
        for (int64_t block : {8, 16})
            for (auto [channels, groups] : {std::pair{48, 3}, {60, 4}, {58, 2}, {17, 17}, {240, 8}, {6, 3}})
                for (int64_t pixels : {1, 3, 7, 21}) {
                    GatherSpec spec{es, {}, 1, block * es, block * es};
                    const int64_t rows = channels / groups, pitch = pixels * block;
                    for (int64_t c = 0; c < channels; ++c) {
                        const int64_t from = c % rows * groups + c / rows;
                        spec.elements.push_back(
                            {(from / block * pitch + from % block) * es, (c / block * pitch + c % block) * es});
                    }
                    check(GetParam(), spec, pixels);
                    if (HasFatalFailure()) return;
                }
}

// Channels last: long and short pixels.
TEST_P(GatherTest, dense_pixels) {
    for (int es : {1, 2, 4, 8})
        for (auto [channels, groups] : {std::pair{240, 3}, {15, 3}, {6, 2}, {9, 3}, {100, 5}, {2, 2}})
            for (int64_t pixels : {1, 5, 40}) {
                GatherSpec spec{es, {}, 1, channels * es, channels * es};
                const int64_t rows = channels / groups;
                for (int64_t c = 0; c < channels; ++c)
                    spec.elements.push_back({(c % rows * groups + c / rows) * es, c * es});
                check(GetParam(), spec, pixels);
                if (HasFatalFailure()) return;
            }
}

// Elements anywhere on both sides, holes between them, other strides on the two sides.
TEST_P(GatherTest, random_places) {
    std::mt19937 random(5);
    for (int turn = 0; turn < 150; ++turn) {
        const int es = 1 << random() % 4;
        const int64_t count = 1 + int64_t(random() % 150), room = count + int64_t(random() % 200);
        std::vector<int64_t> src(size_t(room), 0), dst;
        for (int64_t i = 0; i < room; ++i) src[size_t(i)] = i;
        dst = src;
        std::shuffle(src.begin(), src.end(), random);
        if (random() % 3) std::shuffle(dst.begin(), dst.end(), random);
        GatherSpec spec{es, {}, 1, int64_t(random() % 400) * es, (room + int64_t(random() % 3)) * es};
        for (int64_t i = 0; i < count; ++i) spec.elements.push_back({src[size_t(i)] * es, dst[size_t(i)] * es});
        check(GetParam(), spec, 1 + int64_t(random() % 12));
        if (HasFatalFailure()) return;
    }
}

// Nearest neighbours: rows that repeat their sources, several of one row of src, gaps behind them on either side.
// Stores under masks then hold rows of several points, and their windows are of different lengths.
TEST_P(GatherTest, repeated_sources) {
    std::mt19937 random(6);
    for (int turn = 0; turn < 300; ++turn) {
        const int es = 1 << random() % 4;
        const auto upto = [&](unsigned most) { return 1 + int64_t(random() % most); };
        const int64_t from = upto(9), to = upto(40), rows_from = upto(3), rows = upto(8);
        const int64_t from_pitch = from + int64_t(random() % 7), to_pitch = to + int64_t(random() % 7);
        GatherSpec spec{es,
                        {},
                        1,
                        (rows_from * from_pitch + int64_t(random() % 3)) * es,
                        (rows * to_pitch + int64_t(random() % 3)) * es};
        for (int64_t h = 0; h < rows; ++h)
            for (int64_t w = 0; w < to; ++w)
                spec.elements.push_back(
                    {(h * rows_from / rows * from_pitch + w * from / to) * es, (h * to_pitch + w) * es});
        check(GetParam(), spec, upto(20));
        if (HasFatalFailure()) return;
    }
}

// Few channels to pixels and back, pixels padded with zeros.
TEST_P(GatherTest, few_channels) {
    for (int es : {1, 2, 4, 8})
        for (int64_t channels : {1, 2, 3, 4, 5, 7})
            for (int64_t pixels : {1, 3, 64, 65, 150}) {
                for (int64_t zeros : {0, 1, 4 - int(channels % 4), 16 - int(channels)})
                    check(GetParam(), interleaved(es, channels, pixels, zeros), pixels, 1 + pixels % 2);
                check(GetParam(), separated(es, channels, pixels), pixels, 3);
                if (HasFatalFailure()) return;
            }
}

// The same with conversions that narrow, keep the width and widen; clamps of bytes.
TEST_P(GatherTest, conversions) {
    using enum DataType;
    for (auto [from, to] : {std::pair{f32, u8},
                            {f32, s8},
                            {f32, bf16},
                            {f32, f16},
                            {bf16, s8},
                            {f32, f8_e4m3},
                            {s32, u8},
                            {f32, s32},
                            {u8, f32},
                            {s8, bf16},
                            {bf16, f32},
                            {f16, bf16},
                            {u8, s8},
                            {s8, u8}})
        for (bool scaled : {false, true}) {
            const int es = std::min(bits(from), bits(to)) / 8;
            for (int64_t channels : {1, 3, 4})
                for (int64_t pixels : {1, 7, 64, 131}) {
                    for (int64_t zeros : {int64_t(0), 4 - channels, 16 - channels})
                        check(GetParam(), converting(interleaved(es, channels, pixels, zeros), from, to, scaled),
                              pixels, 1 + pixels % 2);
                    check(GetParam(), converting(separated(es, channels, pixels), from, to, scaled), pixels);
                    if (HasFatalFailure()) return;
                }
        }
}

INSTANTIATE_TEST_SUITE_P(targets, GatherTest, testing::ValuesIn(jit::vector_targets()),
                         [](const auto& info) { return jit::name_of(info.param); });

TEST(gather, refuses_what_it_does_not_build) {
    const Target target{64, 32, true, true};
    EXPECT_FALSE(can_build_gather(target, {4, {}, 1, 0, 0}));               // nothing
    EXPECT_FALSE(can_build_gather(target, {3, {{0, 0}}, 1, 0, 0}));         // no such element
    EXPECT_FALSE(can_build_gather(target, {4, {{0, 0}}, 0, 0, 0}));         // no points
    EXPECT_FALSE(can_build_gather(target, {4, {{0, 1ll << 32}}, 1, 0, 0})); // out of a displacement's reach
    GatherSpec many{1, {}, 1, 0, 0};
    for (int64_t i = 0; i < 2000; ++i) many.elements.push_back({i, i * 100});
    EXPECT_FALSE(can_build_gather(target, many)); // 2000 stores
    EXPECT_TRUE(can_build_gather(target, {4, {{4, 0}, {0, 4}}, 1, 8, 8}));
}

// 64 bytes from 64 lines, 64 windows: neither these nor their tables are made for what is not taken.
TEST(gather, what_is_not_taken_is_counted_alone) {
    const Target target{64, 32, true, true};
    GatherSpec spec{1, {}, 1, 0, 0};
    for (int64_t i = 0; i < 256; ++i) spec.elements.push_back({i * 100, i});
    const auto all = cut_of(target, spec);
    ASSERT_TRUE(all);
    EXPECT_FALSE(all->too_long);
    EXPECT_EQ(all->reads, 256);
    EXPECT_FALSE(cut_of(target, spec, {.windows = 63}));
    EXPECT_TRUE(cut_of(target, spec, {.windows = 64}));
    const auto longer = cut_of(target, spec, {.code = all->code - 1});
    ASSERT_TRUE(longer);
    EXPECT_TRUE(longer->too_long);
    EXPECT_TRUE(longer->windows.empty());
    EXPECT_EQ(longer->code, all->code);
}

} // namespace tessera::cpu
