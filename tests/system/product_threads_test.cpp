// SPDX-License-Identifier: Apache-2.0
// Sums of products have the same bits for any number of threads (decision 009): shapes up to 8000 along each dim, where
// work is split by rows, columns and k; every layout of weights, types, gradients and the gemm calls, on every machine.
// TESSERA_PRODUCTS=N tries N random shapes a machine.
// covers: MAT-07 DET-01
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "../ops/objects.hpp"
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/portable/executable.hpp"
#include "machines.hpp"
#include "oneapi/dnnl/dnnl.h"
#include "ops/inner_product/inner_product.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/ops.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, f16 = DataType::f16, s8 = DataType::s8,
                   u8 = DataType::u8;
constexpr int thread_counts[] = {1, 2, 3, 7};

int64_t products_at_most(const Context& machine) {
    const bool generates = cpu::jit::has_target(machine);
    if (!generates) return 1 << 20;
    return execution_of(machine) == Execution::interpreted ? 1 << 18 : 16 << 20;
}

int number_of_shapes() {
    const char* text = std::getenv("TESSERA_PRODUCTS");
    return text ? std::atoi(text) : 24;
}

using Random = std::mt19937;
int64_t between(Random& r, int64_t low, int64_t high) { return low + int64_t(r() % uint64_t(high - low + 1)); }

struct Shape {
    int64_t m, k, n;
};

// One dim small, the others up to 8000.
Shape random_shape(Random& r, int64_t products) {
    const auto large = [&] { return r() % 3 ? between(r, 100, 2000) : between(r, 512, 8000); };
    Shape s{between(r, 1, r() % 2 ? 12 : 300), large(), large()};
    if (r() % 4 == 0) std::swap(s.m, s.n);
    if (r() % 6 == 0) std::swap(s.m, s.k);
    while (s.m * s.k * s.n > products) (s.m > s.k && s.m > s.n ? s.m : s.k > s.n ? s.k : s.n) /= 2;
    return {std::max<int64_t>(s.m, 1), std::max<int64_t>(s.k, 1), std::max<int64_t>(s.n, 1)};
}

using Bytes = std::vector<unsigned char>;

Bytes random_bytes(const MemoryDesc& m, Random& r) {
    Bytes bytes(size_of(m));
    for (int64_t e = 0; e < int64_t(bytes.size()) * 8 / bits(m.type); ++e)
        write<float>(m.type, bytes.data(), e,
                     is_integer(m.type) ? float(int(r() % 7) - 3) : float(int(r() % 2001) - 1000) / 777.f);
    return bytes;
}

// What each number of threads leaves behind, compared with one thread's. `others`: by arguments that are no tensors.
void expect_same_bits(const Problem& p, const Context& machine, Random& r, std::map<int, Bytes> others = {}) {
    const auto plan = std::make_shared<const Plan>(valid(row(p.kind).lower(p)));
    std::vector<Bytes> start, one;
    for (const Tensor& t : p.tensors) start.push_back(random_bytes(t.md, r));
    std::string text;
    for (const int threads : thread_counts) {
        Context with = machine;
        with.threads = threads;
        auto buffers = start;
        std::vector<void*> pointers;
        for (const Operand& o : plan->operands) {
            if (const auto other = others.find(o.arg); other != others.end()) pointers.push_back(other->second.data());
            for (size_t t = 0; t < p.tensors.size(); ++t)
                if (p.tensors[t].arg == o.arg) pointers.push_back(buffers[t].data());
        }
        ASSERT_EQ(pointers.size(), plan->operands.size());
        std::shared_ptr<const Executable> made = cpu::make_generated(plan, with);
        if (!made) made = valid(cpu::make_portable(plan, with));
        ASSERT_EQ(made->run(pointers, {}), Status::success);
        if (threads == 1) one = buffers, text = made->text();
        ASSERT_TRUE(buffers == one) << p.text() << "\n"
                                    << machine.name << ", " << threads << " threads\n"
                                    << made->text() << "one thread\n"
                                    << text;
    }
}

class ProductsByThreads : public testing::TestWithParam<Context> {};

} // namespace

TEST_P(ProductsByThreads, of_shapes_that_once_failed) {
    Random r(11);
    const int64_t most = products_at_most(GetParam());
    struct Case {
        Shape shape;
        DataType type;
        const char* weights;
    };
    for (const Case& c : {Case{{9, 700, 1300}, bf16, "ab"},
                          {{9, 700, 1300}, f32, "ab"},
                          {{8, 654, 247}, f32, "ba"},
                          {{1, 1031, 2000}, f32, "ab"},
                          {{3, 1031, 900}, bf16, "ba"},
                          {{40, 20011, 24}, f32, "ab"},
                          {{130, 1031, 600}, f32, "any"},
                          {{16, 1031, 700}, f32, "ba"},
                          {{4, 900, 1030}, f32, "ab"},
                          {{32, 9000, 40}, s8, "ab"},
                          {{9000, 64, 3}, s8, "ab"},
                          {{7, 500, 1000}, s8, "any"},
                          {{100, 2112, 300}, bf16, "ba"}, // tiles over columns of weights
                          {{200, 1100, 700}, bf16, "any"},
                          {{5, 901, 2000}, bf16, "any"},
                          {{16, 1024, 1024}, f32, "ab"},
                          {{40, 600, 1024}, f32, "ab"},
                          {{300, 777, 333}, f32, "ab"},
                          {{21, 2053, 700}, s8, "ba"}, // groups of rows of dots
                          {{16, 1100, 600}, bf16, "ba"},
                          {{100, 1003, 900}, s8, "any"}, // k that ends within a step, sums beside products
                          {{20, 1001, 700}, bf16, "any"}}) {
        Shape s = c.shape;
        while (s.m * s.k * s.n > 4 * most) s.n /= 2;
        expect_same_bits(valid(make_matmul(md({s.m, s.k}, c.type, "ab"), md({s.k, s.n}, c.type, c.weights),
                                           MemoryDesc(), md({s.m, s.n}, c.type, "ab"), {})),
                         GetParam(), r);
        if (HasFatalFailure()) return;
    }
}

// Ranges of columns are the narrower the more threads share the third level; parts of k may not go with them.
TEST_P(ProductsByThreads, of_transposed_src_and_narrow_ranges) {
    Random r(13);
    Context machine = GetParam();
    machine.l2_bytes = 1 << 20, machine.l3_bytes = 32 << 20;
    Shape s{16, 1000, 1000};
    while (s.m * s.k * s.n > 4 * products_at_most(machine)) s.n /= 2;
    expect_same_bits(valid(make_matmul(md({s.m, s.k}, f32, "ba"), md({s.k, s.n}, f32, "ab"), MemoryDesc(),
                                       md({s.m, s.n}, f32, "ab"), {})),
                     machine, r);
}

// Sums of src's rows, which zero points of weights are multiplied by, are those of units of any number of rows.
TEST_P(ProductsByThreads, of_weights_with_zero_points) {
    Random r(3);
    Attr attr;
    attr.fpmath = FpmathMode::strict, attr.fpmath_apply_to_int = true;
    attr.scales[arg::weights] = Quant{3, {64, 1}, f32};
    attr.zero_points[arg::weights] = Quant{3, {64, 1}, s8};
    const int64_t most = products_at_most(GetParam());
    for (Shape s : {Shape{500, 512, 64}, {130, 1024, 64}, {61, 128, 48}, {9, 256, 400}, {3, 256, 2000}}) {
        while (s.m * s.k * s.n > 8 * most) s.k /= 2;
        const MemoryDesc values = md({s.k / 64, s.n}, f32, "ab"), zeros = md({s.k / 64, s.n}, s8, "ab");
        expect_same_bits(valid(make_matmul(md({s.m, s.k}, f32, "ab"), md({s.k, s.n}, s8, "ab"), MemoryDesc(),
                                           md({s.m, s.n}, f32, "ab"), attr)),
                         GetParam(), r,
                         {{arg::scales | arg::weights, random_bytes(values, r)},
                          {arg::zero_points | arg::weights, random_bytes(zeros, r)}});
        if (HasFatalFailure()) return;
    }
}

// As bf16, by panels and by rows; sums of groups of integers; elements of 4 bits on either side.
TEST_P(ProductsByThreads, of_weights_that_are_decompressed) {
    Random r(17);
    struct Case {
        Shape shape;
        DataType src, weights, zeros, dst;
        const char* layout;
        FpmathMode mode;
    };
    constexpr DataType s4 = DataType::s4, u4 = DataType::u4, f4 = DataType::f4_e2m1, none = DataType::undef;
    const int64_t most = products_at_most(GetParam());
    for (const Case& c : {Case{{9, 256, 1100}, bf16, s8, s8, f32, "ab", FpmathMode::bf16},
                          {{300, 1024, 100}, bf16, u4, u4, bf16, "ab", FpmathMode::bf16},
                          {{20, 1056, 500}, bf16, s4, s8, f32, "ba", FpmathMode::bf16},
                          {{140, 512, 200}, bf16, u8, u4, f32, "ba", FpmathMode::any},
                          {{40, 512, 300}, u8, s8, s8, DataType::s32, "ab", FpmathMode::strict},
                          {{130, 192, 300}, s8, s4, u8, DataType::s32, "ba", FpmathMode::strict},
                          {{70, 512, 400}, f4, f4, none, f32, "ab", FpmathMode::strict},
                          {{33, 640, 200}, bf16, f4, none, f32, "ba", FpmathMode::strict}}) {
        Shape s = c.shape;
        while (s.m * s.k * s.n > 4 * most && s.n > 32) s.n = s.n / 4 * 2;
        const bool integers = is_integer(c.src);
        Attr attr;
        attr.fpmath = c.mode, attr.fpmath_apply_to_int = !integers;
        std::map<int, Bytes> others;
        const auto give = [&](std::map<int, Quant>& to, int which, DataType type) {
            to[arg::weights] = Quant{3, {64, 1}, type};
            others.emplace(which | arg::weights, random_bytes(md({s.k / 64, s.n}, type, "ab"), r));
        };
        while (s.k % 64) s.k += 32;
        if (c.zeros != none) give(attr.zero_points, arg::zero_points, c.zeros);
        if (c.zeros != none && !integers) give(attr.scales, arg::scales, f32);
        expect_same_bits(valid(make_matmul(md({s.m, s.k}, c.src, "ab"), md({s.k, s.n}, c.weights, c.layout),
                                           MemoryDesc(), md({s.m, s.n}, c.dst, "ab"), attr)),
                         GetParam(), r, others);
        if (HasFatalFailure()) return;
    }
}

TEST_P(ProductsByThreads, of_random_shapes) {
    Random r(7);
    for (int i = 0; i < number_of_shapes() && !HasFatalFailure(); ++i) {
        const Shape s = random_shape(r, products_at_most(GetParam()));
        Context machine = GetParam(); // every other time operands come from memory
        if (i % 2) machine.l2_bytes = 128 << 10, machine.l3_bytes = 256 << 10;
        constexpr DataType types[] = {f32, f32, bf16, f16, s8};
        const DataType type = types[r() % 5];
        const bool integers = type == s8;
        const char* src = r() % 4 ? "ab" : "ba";
        const char* const weights = std::array{"ab", "ba", "any"}[r() % 3];
        const char* dst = r() % 4 ? "ab" : "ba";
        Attr attr;
        if (type == f32 && r() % 4 == 0) attr.fpmath = FpmathMode::bf16;
        attr.deterministic = r() % 2;
        expect_same_bits(valid(make_matmul(md({s.m, s.k}, integers && r() % 2 ? u8 : type, src),
                                           md({s.k, s.n}, type, weights), MemoryDesc(),
                                           md({s.m, s.n},
                                              integers  ? DataType::s32
                                              : r() % 3 ? f32
                                                        : type,
                                              dst),
                                           attr)),
                         machine, r);
    }
}

TEST_P(ProductsByThreads, of_inner_products_in_all_directions) {
    Random r(5);
    for (int i = 0; i < number_of_shapes() / 2 && !HasFatalFailure(); ++i) {
        const Shape s = random_shape(r, products_at_most(GetParam()));
        const DataType type = r() % 2 ? f32 : bf16;
        const auto src = md({s.m, s.k}, type, "ab"), weights = md({s.n, s.k}, type, r() % 2 ? "ab" : "any"),
                   dst = md({s.m, s.n}, type, "ab");
        const auto made = std::array{
            make_inner_product_forward(PropKind::forward_inference, src, weights, MemoryDesc(), dst, {}),
            make_inner_product_backward_data(src, weights, dst, {}),
            make_inner_product_backward_weights(src, weights, MemoryDesc(), dst, {}),
        }[r() % 3];
        expect_same_bits(valid(made), GetParam(), r);
    }
}

TEST_P(ProductsByThreads, of_gemm_calls) {
    Random r(3);
    Context machine = GetParam();
    const auto random_floats = [&](int64_t count) {
        std::vector<float> v(static_cast<size_t>(count));
        for (float& x : v) x = float(int(r() % 2001) - 1000) / 777.f;
        return v;
    };
    std::vector<std::pair<Shape, char>> shapes{{{157, 5495, 166}, 'N'}, {{228, 8372, 133}, 'T'}};
    for (int i = 0; i < number_of_shapes() / 4; ++i)
        shapes.emplace_back(random_shape(r, products_at_most(machine)), r() % 2 ? 'T' : 'N');
    for (auto [s, transb] : shapes) {
        while (s.m * s.k * s.n > 8 * products_at_most(machine)) s.m /= 2;
        const char transa = r() % 2 ? 'T' : 'N';
        const auto a = random_floats(s.m * s.k), b = random_floats(s.k * s.n);
        std::vector<float> one;
        for (const int threads : thread_counts) {
            machine.threads = threads;
            const StandIn stand_in(machine);
            std::vector<float> c(size_t(s.m * s.n));
            const auto status = dnnl_sgemm(transa, transb, s.m, s.n, s.k, 1.f, a.data(), transa == 'T' ? s.m : s.k,
                                           b.data(), transb == 'T' ? s.k : s.n, 0.f, c.data(), s.n);
            ASSERT_EQ(status, dnnl_success);
            if (threads == 1) one = c;
            ASSERT_TRUE(c == one) << machine.name << ", " << threads << " threads, " << transa << transb << " " << s.m
                                  << "x" << s.k << "x" << s.n;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, ProductsByThreads, testing::ValuesIn(machines()),
                         [](const auto& info) { return test_name(info.param); });

} // namespace tessera::ops
