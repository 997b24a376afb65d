// Gather kernels against the definition in contract.hpp, byte for byte: every element size, target that the machine
// can run, permutations of pixels, blocks and at random, holes in dst, overlapping last turns; guard pages around src,
// bytes between the elements of dst that must stay as they were. covers: SHU-01 SHU-06
#include <algorithm>
#include <cstring>
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
        x.src = std::max(x.src, e.src + (points - 1) * spec.src_stride + spec.element);
        x.dst = std::max(x.dst, e.dst + (points - 1) * spec.dst_stride + spec.element);
    }
    return x;
}

void check(const Target& target, GatherSpec spec, int64_t points) {
    static const GuardedPages from(256 << 10), to(256 << 10);
    std::sort(spec.elements.begin(), spec.elements.end(), [](auto& x, auto& y) { return x.dst < y.dst; });
    int64_t least = spec.elements[0].src; // the first byte is at offset 0
    for (const GatherElement& e : spec.elements) least = std::min(least, e.src);
    const int64_t first = spec.elements[0].dst;
    for (GatherElement& e : spec.elements) e.src -= least, e.dst -= first;
    const Extent x = extent_of(spec, points);
    ASSERT_LE(std::max(x.src, x.dst), int64_t(from.size()));
    for (int turn : {points_of_turn(target, spec, points), 1}) {
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
            for (int64_t p = 0; p < points; ++p)
                for (const GatherElement& e : spec.elements)
                    std::memcpy(&expected[size_t(e.dst + p * spec.dst_stride)], src + e.src + p * spec.src_stride,
                                size_t(spec.element));
            GatherArgs args{src,
                            dst,
                            ceil_div(points, turn),
                            turn * spec.src_stride,
                            turn * spec.dst_stride,
                            src + (points - turn) * spec.src_stride,
                            dst + (points - turn) * spec.dst_stride};
            (*kernel)(&args);
            for (int64_t i = 0; i < x.dst; ++i)
                ASSERT_EQ(int(dst[i]), int(expected[size_t(i)]))
                    << "byte " << i << " of " << x.dst << ", turns of " << turn << ", W " << target.vector_bytes << ", "
                    << key(spec).substr(0, 200);
        }
    }
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

} // namespace tessera::cpu
