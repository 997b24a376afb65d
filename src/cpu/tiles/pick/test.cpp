// SPDX-License-Identifier: Apache-2.0
// Kernels that pick elements out of rows against the definition in contract.hpp, byte for byte: every element size and
// target, lists that grow, shrink and jump, rows a stride apart and anywhere; guard pages around src and dst, bytes
// between rows that must stay as they were. covers: RES-01
#include <algorithm>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/pick/contract.hpp"
#include "machines.hpp"
#include "run_code.hpp"

namespace tessera::cpu {

namespace {

class PickTest : public testing::TestWithParam<jit::Target> {
protected:
    void check(int element, const std::vector<int64_t>& columns, bool stepped) {
        constexpr int64_t rows = 5, order[rows] = {2, 2, 0, 4, 1};
        std::vector<int64_t> places;
        for (const int64_t j : columns) places.push_back(j * element);
        const auto [low, high] = std::ranges::minmax(columns);
        Picks picks = picks_of(GetParam(), element, places);
        picks.spec.stepped = stepped;
        ASSERT_EQ(std::ssize(picks.pieces) % picks.spec.turn, 0);
        const auto kernel =
            jit::kernel(GetParam(), key(picks.spec), [&] { return build_pick(GetParam(), picks.spec); });
        ASSERT_TRUE(kernel) << key(picks.spec);
        const int64_t src_row = (high - low + 1 + 3) * element, dst_row = (std::ssize(columns) + 2) * element;
        const int64_t src_bytes = (rows - 1) * src_row + (high - low + 1) * element;
        const int64_t dst_bytes = (rows - 1) * dst_row + std::ssize(columns) * element;
        std::vector<int64_t> steps[2];
        for (int64_t i = 0; i < rows; ++i) {
            const bool last = i + 1 == rows;
            steps[0].push_back(last ? 0 : (order[i + 1] - order[i]) * src_row), steps[1].push_back(last ? 0 : dst_row);
        }
        for (const bool at_end : {false, true}) {
            unsigned char *src = src_.place(size_t(src_bytes), at_end), *dst = dst_.place(size_t(dst_bytes), at_end);
            for (int64_t i = 0; i < src_bytes; ++i) src[i] = static_cast<unsigned char>(random_());
            std::memset(dst, 0xa5, size_t(dst_bytes));
            std::vector<unsigned char> expected(dst, dst + dst_bytes);
            for (int64_t i = 0; i < rows; ++i)
                for (size_t j = 0; j < columns.size(); ++j)
                    std::memcpy(&expected[size_t(i * dst_row + int64_t(j) * element)],
                                src + (stepped ? order[i] : i) * src_row + (columns[j] - low) * element,
                                size_t(element));
            PickArgs args{};
            args.src = src + ((stepped ? order[0] * src_row : 0) - low * element), args.dst = dst;
            args.rows = rows, args.turns = std::ssize(picks.pieces) / picks.spec.turn;
            args.src_row = stepped ? reinterpret_cast<int64_t>(steps[0].data()) : src_row;
            args.dst_row = stepped ? reinterpret_cast<int64_t>(steps[1].data()) : dst_row;
            args.pieces = picks.pieces.data(), args.tables = picks.tables.data();
            (*kernel)(&args);
            for (int64_t i = 0; i < dst_bytes; ++i)
                ASSERT_EQ(int(dst[i]), int(expected[size_t(i)]))
                    << "byte " << i << " of " << dst_bytes << ", " << key(picks.spec);
        }
    }

    const GuardedPages src_{1 << 16}, dst_{1 << 16};
    std::mt19937 random_{3};
};

} // namespace

TEST_P(PickTest, nearest_neighbours) {
    for (const int element : {1, 2, 4, 8})
        for (const int64_t from : {1, 2, 3, 5, 8, 13, 16, 31, 32, 64, 100, 200})
            for (const int64_t to : {1, 2, 3, 7, 8, 9, 16, 17, 33, 64, 100, 129})
                for (const int64_t channels : {1, 3}) {
                    std::vector<int64_t> columns;
                    for (int64_t j = 0; j < to; ++j)
                        for (int64_t c = 0; c < channels; ++c)
                            columns.push_back((2 * j + 1) * from / (2 * to) * channels + c);
                    check(element, columns, (from + to) % 2);
                    if (HasFatalFailure()) return;
                }
}

TEST_P(PickTest, any_order) {
    for (int turn = 0; turn < 200; ++turn) {
        const int element = 1 << random_() % 4;
        const int64_t from = 1 + int64_t(random_() % 120), first = int64_t(random_() % 9);
        std::vector<int64_t> columns(size_t(1 + random_() % 150));
        for (int64_t& j : columns) j = first + int64_t(random_() % uint64_t(from));
        if (turn % 3 == 0) std::ranges::sort(columns, std::greater<>());
        check(element, columns, turn % 2);
        if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(targets, PickTest, testing::ValuesIn(jit::vector_targets()),
                         [](const auto& info) { return jit::name_of(info.param); });

} // namespace tessera::cpu
