// SPDX-License-Identifier: Apache-2.0
// Products in plain C++, whose units are rows that share a factor: the bits of the interpreter of plans, at every
// remainder of rows, columns, points and blocks of points, for any number of threads, beside guards. covers: MAT-01
#include <cstring>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "../ops/objects.hpp"
#include "core/types/convert.hpp"
#include "cpu/portable/executable.hpp"
#include "ops/inner_product/inner_product.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/ops.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, f16 = DataType::f16, s8 = DataType::s8,
                   u8 = DataType::u8, s32 = DataType::s32;

struct Case {
    std::vector<int64_t> src, weights, dst;
    DataType types[3];
    const char* tags[3];
    int zero_point = 0; // which argument has one
    bool shares = true;
};

using Memories = std::vector<GuardedBuffer>;

void expect_same_bits(const Problem& p, bool shares) {
    const auto plan = std::make_shared<const Plan>(valid(row(p.kind).lower(p)));
    std::minstd_rand random(5);
    const auto buffers = [&] {
        random.seed(5);
        Memories all;
        for (const Operand& o : plan->operands) {
            size_t bytes = 4; // a zero point
            for (const Tensor& t : p.tensors)
                if (t.arg == o.arg) bytes = size_of(t.md);
            auto& b = all.emplace_back(bytes, GuardedBuffer::Placement::end_at_guard);
            // Integers are mostly the largest ones, whose sums floats must hold.
            const float low = has_sign(o.type) ? -128 : 0, largest = has_sign(o.type) ? -128 : 255;
            for (int64_t i = 0; i < int64_t(bytes) * 8 / bits(o.type); ++i) {
                const unsigned x = random();
                const float integer = x % 4 ? largest : float(x / 4 % 256) + low;
                write<float>(o.type, b.data(), i, is_integer(o.type) ? integer : float(x % 2001) / 777 - 1);
            }
        }
        return all;
    };
    const auto pointers = [](Memories& all) {
        std::vector<void*> result;
        for (auto& b : all) result.push_back(b.data());
        return result;
    };
    Memories expected = buffers();
    interpret(*plan, pointers(expected));
    for (const int threads : {1, 2, 3, 16}) {
        Context machine;
        machine.threads = threads, machine.parallel_bytes = 1;
        const auto made = valid(cpu::make_portable(plan, machine));
        EXPECT_EQ(made->text().find("sums of products") != std::string::npos, shares) << made->text();
        Memories found = buffers();
        ASSERT_EQ(made->run(pointers(found), {}), Status::success);
        for (size_t o = 0; o < found.size(); ++o) {
            EXPECT_TRUE(found[o].intact());
            ASSERT_EQ(std::memcmp(found[o].data(), expected[o].data(), found[o].size()), 0) << p.text() << "\n"
                                                                                            << threads << " threads\n"
                                                                                            << made->text();
        }
    }
}

void expect_same_bits(const Case& c) {
    Attr attr;
    if (c.zero_point) attr.zero_points[c.zero_point] = {};
    expect_same_bits(valid(make_matmul(md(c.src, c.types[0], c.tags[0]), md(c.weights, c.types[1], c.tags[1]),
                                       MemoryDesc(), md(c.dst, c.types[2], c.tags[2]), attr)),
                     c.shares);
}

} // namespace

TEST(PortableProducts, have_the_bits_of_the_interpreter) {
    for (const auto& [m, k, n] : {std::tuple<int64_t, int64_t, int64_t>{9, 300, 70},
                                  {17, 4100, 33}, // two blocks of points
                                  {8, 128, 64},
                                  {2, 15, 9},
                                  {16, 1, 8},
                                  {31, 129, 131},
                                  {1, 257, 40}})
        for (const char* src : {"ab", "ba"})
            for (const char* weights : {"ab", "ba"})
                for (const char* dst : {"ab", "ba"}) {
                    // Columns of either matrix, 8 at least, where they are dense or 6 rows share what is gathered.
                    const bool shares = (n >= 8 && (m >= 6 || std::string(weights) == "ab")) ||
                                        (m >= 8 && (n >= 6 || std::string(src) == "ba"));
                    expect_same_bits({{m, k}, {k, n}, {m, n}, {f32, f32, f32}, {src, weights, dst}, 0, shares});
                    if (HasFatalFailure()) return;
                }
}

TEST(PortableProducts, of_other_types) {
    expect_same_bits({{9, 300}, {300, 70}, {9, 70}, {f16, f16, f32}, {"ab", "ba", "ab"}});
    expect_same_bits({{9, 300}, {300, 70}, {9, 70}, {bf16, bf16, bf16}, {"ab", "ab", "ab"}});
    expect_same_bits({{9, 300}, {300, 70}, {9, 70}, {u8, s8, s32}, {"ba", "ab", "ab"}});
    expect_same_bits({{9, 4300}, {4300, 9}, {9, 9}, {u8, s8, s32}, {"ab", "ab", "ab"}});
    expect_same_bits({{9, 300}, {300, 70}, {9, 70}, {u8, DataType::s4, s32}, {"ab", "ab", "ab"}});
    expect_same_bits({{9, 300}, {300, 70}, {9, 70}, {s8, s8, f32}, {"ab", "ba", "ba"}});
    expect_same_bits({{9, 300}, {300, 70}, {9, 70}, {u8, s8, s32}, {"ab", "ab", "ab"}, arg::src});
}

TEST(PortableProducts, in_batches_and_with_factors_that_all_share) {
    expect_same_bits({{3, 2, 11, 40}, {3, 2, 40, 21}, {3, 2, 11, 21}, {f32, f32, f32}, {"abcd", "acbd", "acbd"}});
    // More products than rows and columns: no loop of the batch is one of a factor.
    expect_same_bits({{50, 9, 20}, {50, 20, 12}, {50, 9, 12}, {f32, f32, f32}, {"abc", "abc", "abc"}});
    expect_same_bits({{5, 11, 40}, {1, 40, 21}, {5, 11, 21}, {f32, f32, f32}, {"abc", "abc", "abc"}});
    expect_same_bits({{1, 11, 40}, {5, 40, 21}, {5, 11, 21}, {f32, f32, f32}, {"abc", "acb", "abc"}});
}

// Pixels and channels are three loops, whose 4500 points are cut where a block ends, within the innermost.
TEST(PortableProducts, over_several_loops) {
    for (const char* tag : {"abcd", "acdb", "acbd"})
        expect_same_bits(valid(make_inner_product_forward(PropKind::forward_inference, md({9, 5, 30, 30}, f32, tag),
                                                          md({40, 5, 30, 30}, f32, "bcda"), MemoryDesc(),
                                                          md({9, 40}, f32, "ab"), {})),
                         true);
}

TEST(PortableProducts, not_of_narrow_ones_and_of_tables) {
    expect_same_bits({{7, 300}, {300, 5}, {7, 5}, {f32, f32, f32}, {"ab", "ab", "ab"}, 0, false});
    expect_same_bits({{1, 300}, {300, 40}, {1, 40}, {f32, f32, f32}, {"ab", "ba", "ab"}, 0, false});
    // Blocks of 16 and of 12: k has a table in place of strides.
    expect_same_bits({{9, 50}, {50, 40}, {9, 40}, {f32, f32, f32}, {"aB16b", "Ab12a", "ab"}, 0, false});
}

} // namespace tessera::ops
