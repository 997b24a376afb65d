// SPDX-License-Identifier: Apache-2.0
// Products with lists of elements (CSR, COO) on a device against the portable code of the CPU engine, bit for bit, for
// both add up in the order of the list, and lists that do not fit. covers: MAT-60 MAT-61
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

using dt = memory::data_type;
using tag = memory::format_tag;

struct Lists { // of a matrix, in the order of its rows; some rows are empty
    std::vector<float> values;
    std::vector<int32_t> rows, columns, pointers{0};
};
Lists random_lists(int64_t rows, int64_t columns, std::mt19937& random) {
    Lists lists;
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns && r % 4 != 3; ++c) {
            if (random() % 3) continue;
            lists.values.push_back(float(int(random() % 2000) - 1000) / 77);
            lists.rows.push_back(int32_t(r)), lists.columns.push_back(int32_t(c));
        }
        lists.pointers.push_back(int32_t(lists.values.size()));
    }
    return lists;
}

struct SparseOnDevice : testing::TestWithParam<std::tuple<bool, bool, dt>> { // sparse src?, csr?, type
    // Generated code has several sums of a row at a time.
    static void SetUpTestSuite() { ASSERT_EQ(set_max_cpu_isa(cpu_isa::sse41), status::success); }
    void SetUp() override {
        if (engine::get_count(engine::kind::gpu) == 0) GTEST_SKIP() << "no device of OpenCL";
        gpu = engine(engine::kind::gpu, 0);
    }
    // Values of f32 in the type of a descriptor, in buffer 0.
    static void put(const memory& m, const std::vector<float>& values, dt type) {
        const memory::desc of_f32({memory::dim(values.size())}, dt::f32, tag::a),
            as({memory::dim(values.size())}, type, tag::a);
        if (values.empty()) return;
        const engine host(engine::kind::cpu, 0);
        stream s(host);
        memory from(of_f32, host, const_cast<float*>(values.data())), to(as, host);
        reorder(from, to).execute(s, from, to);
        void* const mapped = m.map_data<void>(0);
        std::memcpy(mapped, to.get_data_handle(), as.get_size());
        m.unmap_data(mapped, 0);
    }
    static void put(const memory& m, const std::vector<int32_t>& numbers, int buffer) {
        void* const mapped = m.map_data<void>(buffer);
        if (!mapped) return;
        std::memcpy(mapped, numbers.data(), numbers.size() * 4);
        m.unmap_data(mapped, buffer);
    }
    struct Problem {
        memory::desc src, weights, dst;
        Lists lists;
        std::vector<float> dense;
        bool sparse_src, csr;
        dt type;
    };
    // The bytes of dst on an engine.
    static std::vector<char> product(const Problem& p, const engine& on) {
        const matmul::primitive_desc pd(on, p.src, p.weights, p.dst);
        memory src(p.src, on), weights(p.weights, on), dst(p.dst, on);
        const memory& sparse = p.sparse_src ? src : weights;
        put(sparse, p.lists.values, p.type);
        if (p.csr)
            put(sparse, p.lists.columns, 1), put(sparse, p.lists.pointers, 2);
        else
            put(sparse, p.lists.rows, 1), put(sparse, p.lists.columns, 2);
        put(p.sparse_src ? weights : src, p.dense, p.type);
        std::vector<char> bytes(p.dst.get_size());
        void* mapped = dst.map_data<void>();
        std::memset(mapped, 0x55, bytes.size());
        dst.unmap_data(mapped);
        stream s(on);
        std::string refused;
        try {
            matmul(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
        } catch (const error& e) { refused = e.what(); }
        s.wait();
        mapped = dst.map_data<void>();
        std::memcpy(bytes.data(), mapped, bytes.size());
        dst.unmap_data(mapped);
        if (refused.empty()) return bytes;
        EXPECT_NE(refused.find("lists an element outside of its dims"), std::string::npos) << refused;
        EXPECT_EQ(bytes, std::vector<char>(bytes.size(), 0x55)) << "a refused execution has written";
        return {};
    }
    Problem problem(int64_t m, int64_t k, int64_t n, tag dense_layout) {
        const auto [sparse_src, csr, type] = GetParam();
        Problem p;
        p.sparse_src = sparse_src, p.csr = csr, p.type = type;
        const int64_t rows = sparse_src ? m : k, columns = sparse_src ? k : n;
        p.lists = random_lists(rows, columns, random);
        const auto nnz = memory::dim(p.lists.values.size());
        const auto list = csr ? memory::desc::csr({rows, columns}, type, nnz, dt::s32, dt::s32)
                              : memory::desc::coo({rows, columns}, type, nnz, dt::s32);
        const memory::desc dense(sparse_src ? memory::dims{k, n} : memory::dims{m, k}, type, dense_layout);
        p.src = sparse_src ? list : dense, p.weights = sparse_src ? dense : list;
        p.dst = memory::desc({m, n}, type, dense_layout);
        p.dense.resize(size_t(sparse_src ? k * n : m * k));
        for (float& x : p.dense) x = float(int(random() % 2000) - 1000) / 33;
        return p;
    }
    engine gpu, cpu{engine::kind::cpu, 0};
    std::mt19937 random{11};
};

} // namespace

TEST_P(SparseOnDevice, is_the_product_of_the_cpu) {
    for (const auto& [m, k, n] : {std::tuple{1, 1, 1}, {5, 7, 3}, {40, 30, 50}, {130, 67, 129}})
        for (const tag layout : {tag::ab, tag::ba}) {
            const Problem p = problem(m, k, n, layout);
            const auto want = product(p, cpu);
            ASSERT_FALSE(want.empty());
            ASSERT_EQ(product(p, gpu), want) << m << "x" << k << "x" << n;
        }
}

TEST_P(SparseOnDevice, refuses_lists_that_do_not_fit) {
    const Problem good = problem(40, 30, 50, tag::ab);
    ASSERT_FALSE(product(good, gpu).empty());
    const int32_t all_columns = int32_t(good.sparse_src ? 30 : 50), all_rows = int32_t(good.sparse_src ? 40 : 30);
    for (const size_t at : {size_t(0), good.lists.columns.size() / 2, good.lists.columns.size() - 1})
        for (const int32_t wrong : {-1, INT32_MIN, INT32_MAX}) {
            Problem p = good;
            p.lists.columns[at] = wrong == INT32_MAX ? all_columns : wrong;
            EXPECT_TRUE(product(p, gpu).empty());
            p = good;
            if (p.csr)
                p.lists.pointers[at == 0 ? 0 : size_t(all_rows)] =
                    wrong == INT32_MAX ? int32_t(good.lists.values.size()) + 1 : wrong;
            else
                p.lists.rows[at] = wrong == INT32_MAX ? all_rows : wrong;
            EXPECT_TRUE(product(p, gpu).empty());
        }
    if (good.csr) {
        Problem p = good;
        std::swap(p.lists.pointers[1], p.lists.pointers[2]); // rows 0 and 1 have elements
        EXPECT_TRUE(product(p, gpu).empty());
    }
}

INSTANTIATE_TEST_SUITE_P(, SparseOnDevice,
                         testing::Combine(testing::Bool(), testing::Bool(), testing::Values(dt::f32, dt::f16)));
