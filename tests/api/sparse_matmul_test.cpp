// SPDX-License-Identifier: Apache-2.0
// Matmul with one factor that lists its elements, against the dense product of the same elements.
// covers: MAT-60 MAT-61
#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "oneapi/dnnl/dnnl_tessera.h"

namespace {

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

struct Lists { // of a matrix, in the order of its rows
    std::vector<float> values;
    std::vector<int32_t> rows, columns, pointers{0};
    std::vector<float> dense; // the same, row-major
};

// Values are small integers, so that sums are exact. Some rows are empty.
Lists random_lists(int64_t rows, int64_t columns, int percent, std::mt19937& random) {
    Lists lists;
    lists.dense.resize(size_t(rows * columns));
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns && random() % 5; ++c) {
            if (int(random() % 100) >= percent) continue;
            lists.values.push_back(float(int(random() % 9) - 4));
            lists.rows.push_back(int32_t(r));
            lists.columns.push_back(int32_t(c));
            lists.dense[size_t(r * columns + c)] = lists.values.back();
        }
        lists.pointers.push_back(int32_t(lists.values.size()));
    }
    return lists;
}

class Sparse : public testing::TestWithParam<std::tuple<bool, bool, dt>> { // sparse src?, csr?, type
protected:
    dnnl::engine cpu{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{cpu};
    std::mt19937 random{7};

    memory of_values(const memory::desc& md, const std::vector<float>& values) {
        const memory::desc plain(md.get_dims(), dt::f32, tag::ab);
        memory from(plain, cpu), to(md, cpu);
        std::copy(values.begin(), values.end(), static_cast<float*>(from.get_data_handle()));
        dnnl::reorder(from, to).execute(stream, from, to);
        return to;
    }
    std::vector<float> values_of(memory from) {
        const memory::desc plain(from.get_desc().get_dims(), dt::f32, tag::ab);
        memory to(plain, cpu);
        dnnl::reorder(from, to).execute(stream, from, to);
        const auto* data = static_cast<const float*>(to.get_data_handle());
        return {data, data + plain.get_size() / sizeof(float)};
    }
    std::vector<float> product(const memory& src, const memory& weights, const memory::desc& dst) {
        const dnnl::matmul::primitive_desc pd(cpu, src.get_desc(), weights.get_desc(), dst);
        memory to(pd.dst_desc(), cpu);
        dnnl::matmul(pd).execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, to}});
        stream.wait();
        return values_of(to);
    }
};

TEST_P(Sparse, IsTheDenseProduct) {
    const auto [sparse_src, csr, type] = GetParam();
    for (const auto& [m, k, n, percent] :
         {std::tuple{1, 1, 1, 100}, {5, 7, 3, 40}, {40, 30, 50, 10}, {9, 6, 4, 0}, {300, 200, 100, 20}}) {
        const int64_t rows = sparse_src ? m : k, columns = sparse_src ? k : n;
        Lists lists = random_lists(rows, columns, percent, random);
        const auto nnz = int64_t(lists.values.size());
        const memory::desc md = csr ? memory::desc::csr({rows, columns}, type, nnz, dt::s32, dt::s32)
                                    : memory::desc::coo({rows, columns}, type, nnz, dt::s32);
        memory values; // in the sparse type
        void* elements = nullptr;
        if (nnz > 0) {
            values = of_values({{1, nnz}, type, tag::ab}, lists.values);
            elements = values.get_data_handle();
        }
        const std::vector<void*> handles =
            csr ? std::vector<void*>{elements, lists.columns.data(), lists.pointers.data()}
                : std::vector<void*>{elements, lists.rows.data(), lists.columns.data()};
        const memory listed(md, cpu, handles);
        const memory dense_of_listed = of_values({{rows, columns}, type, tag::ab}, lists.dense);
        std::vector<float> numbers(size_t(sparse_src ? k * n : m * k));
        for (float& x : numbers) x = float(int(random() % 9) - 4);
        const memory::dims dims = sparse_src ? memory::dims{k, n} : memory::dims{m, k};
        for (const tag order : {tag::ab, tag::ba}) {
            const memory dense = of_values({dims, type, order}, numbers);
            const memory::desc dst({m, n}, type, order == tag::ab ? tag::any : tag::ba);
            const auto got = sparse_src ? product(listed, dense, dst) : product(dense, listed, dst);
            const auto want = sparse_src ? product(dense_of_listed, dense, dst) : product(dense, dense_of_listed, dst);
            EXPECT_EQ(got, want) << m << "x" << k << "x" << n;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Sparse,
                         testing::Combine(testing::Bool(), testing::Bool(), testing::Values(dt::f32, dt::f16)));

// Indices lead to addresses, so wrong ones are found before anything is read or written by them.
TEST(SparseLists, OutsideOfTheMatrixAreRefused) {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::desc wide({6, 4}, dt::f32, tag::ab), tall({4, 5}, dt::f32, tag::ab), dst_md({5, 4}, dt::f32, tag::ab),
        other_md({4, 6}, dt::f32, tag::ab);
    std::vector<float> values{1, 2, 3};
    const auto status_of = [&](bool is_src, bool csr, std::vector<int32_t> first, std::vector<int32_t> second) {
        // 5x6 as src of 6x4, or as weights of 4x5.
        const auto md = csr ? memory::desc::csr({5, 6}, dt::f32, 3, dt::s32, dt::s32)
                            : memory::desc::coo({5, 6}, dt::f32, 3, dt::s32);
        const dnnl::matmul product(is_src ? dnnl::matmul::primitive_desc(cpu, md, wide, dst_md)
                                          : dnnl::matmul::primitive_desc(cpu, tall, md, other_md));
        memory listed(md, cpu, {values.data(), first.data(), second.data()}), dense(is_src ? wide : tall, cpu),
            dst(is_src ? dst_md : other_md, cpu);
        auto* result = static_cast<float*>(dst.get_data_handle());
        std::fill_n(result, 20, 7.f);
        std::fill_n(static_cast<float*>(dense.get_data_handle()), 20, 1.f);
        try {
            product.execute(stream, {{DNNL_ARG_SRC, is_src ? listed : dense},
                                     {DNNL_ARG_WEIGHTS, is_src ? dense : listed},
                                     {DNNL_ARG_DST, dst}});
        } catch (const dnnl::error& e) {
            EXPECT_EQ(std::count(result, result + 20, 7.f), 20);
            EXPECT_NE(std::string(e.what()).find("outside of its dims"), std::string::npos) << e.what();
            return e.status;
        }
        return dnnl_success;
    };
    using List = std::vector<int32_t>;
    for (const bool is_src : {true, false}) {
        const List columns{0, 5, 2}, starts{0, 1, 1, 2, 3, 3}, rows{0, 2, 4};
        EXPECT_EQ(status_of(is_src, true, columns, starts), dnnl_success);
        EXPECT_EQ(status_of(is_src, false, rows, columns), dnnl_success);
        for (const List& wrong : {List{0, 6, 2}, List{0, -1, 2}, List{0, 5, 1 << 30}}) {
            EXPECT_EQ(status_of(is_src, true, wrong, starts), dnnl_invalid_arguments);
            EXPECT_EQ(status_of(is_src, false, rows, wrong), dnnl_invalid_arguments);
        }
        for (const List& wrong :
             {List{-1, 1, 1, 2, 3, 3}, List{0, 1, 1, 2, 3, 4}, List{0, 2, 1, 2, 3, 3}, List{0, 1, 1, 1 << 30, 3, 3}})
            EXPECT_EQ(status_of(is_src, true, columns, wrong), dnnl_invalid_arguments);
        for (const List& wrong : {List{0, 2, 5}, List{-1, 2, 4}})
            EXPECT_EQ(status_of(is_src, false, wrong, columns), dnnl_invalid_arguments);
    }
}

// Even lists without elements are several buffers; one that has their size does not stand for them.
TEST(SparseLists, NeedAllTheirBuffers) {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::desc dense({6, 4}, dt::f32, tag::ab), dst_md({5, 4}, dt::f32, tag::ab);
    const auto empty = memory::desc::coo({5, 6}, dt::f32, 0, dt::s32);
    const dnnl::matmul product(dnnl::matmul::primitive_desc(cpu, empty, dense, dst_md));
    memory src(memory::desc({5, 6}, dt::f32, tag::ab), cpu), weights(dense, cpu), dst(dst_md, cpu);
    const auto run = [&](const memory& from) {
        product.execute(stream, {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    };
    EXPECT_THROW(run(src), dnnl::error);
    EXPECT_NO_THROW(run(memory(empty, cpu)));
    EXPECT_NO_THROW(
        run(memory(memory::desc::coo({7, 9}, dt::f32, 3, dt::s64), cpu))); // larger lists, none of them read
}

// Packed weights are laid out as open ones are; a reorder fills what the primitive asks for.
// covers: MAT-62
TEST(PackedWeights, AreFilledByAReorder) {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const int64_t m = 4, k = 200, n = 70;
    const memory::desc src_md({m, k}, dt::s8, tag::ab), plain({k, n}, dt::s8, tag::ab),
        dst_md({m, n}, dt::s32, tag::ab);
    const dnnl::matmul::primitive_desc pd(cpu, src_md, memory::desc::packed({k, n}, dt::s8, 9), dst_md);
    memory src(src_md, cpu), given(plain, cpu), weights(pd.weights_desc(), cpu), dst(dst_md, cpu);
    auto* a = static_cast<int8_t*>(src.get_data_handle());
    auto* b = static_cast<int8_t*>(given.get_data_handle());
    std::mt19937 random(3);
    for (int64_t i = 0; i < m * k; ++i) a[i] = int8_t(int(random() % 256) - 128);
    for (int64_t i = 0; i < k * n; ++i) b[i] = int8_t(random() % 4 ? 0 : int(random() % 256) - 128);
    dnnl::reorder(given, weights).execute(stream, given, weights);
    dnnl::matmul(pd).execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    stream.wait();
    const auto* c = static_cast<const int32_t*>(dst.get_data_handle());
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            int32_t sum = 0;
            for (int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
            ASSERT_EQ(c[i * n + j], sum) << i << "," << j;
        }
}

TEST(SparseRules, RefusalsSayWhatWorks) {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const memory::desc dense({6, 4}, dt::f32, tag::ab), dst({5, 4}, dt::f32, tag::ab);
    const auto csr = memory::desc::csr({5, 6}, dt::f32, 3, dt::s32, dt::s32);
    const auto refusal = [&](const memory::desc& src, const memory::desc& weights, const memory::desc& to,
                             const dnnl::primitive_attr& attr = {}) -> std::string {
        try {
            dnnl::matmul::primitive_desc(cpu, src, weights, to, attr);
        } catch (const dnnl::error&) { return dnnl_tessera_last_error(); }
        return "none";
    };
    const auto expect = [](const std::string& reason, const char* word) {
        EXPECT_NE(reason.find(word), std::string::npos) << reason;
    };
    EXPECT_EQ(refusal(csr, dense, dst), "none");
    expect(refusal(csr, memory::desc::csr({6, 4}, dt::f32, 3, dt::s32, dt::s32), dst), "one of them can be");
    expect(refusal(memory::desc::packed({5, 6}, dt::f32, 3), dense, dst), "weights can have");
    expect(refusal(memory::desc::coo({5, 6}, dt::f32, 3, dt::s64), dense, dst), "s32 is possible");
    expect(refusal(memory::desc::csr({5, 6}, dt::f32, 3, dt::u8, dt::s32), dense, dst), "indices of u8");
    expect(refusal(memory::desc::csr({5, 6}, dt::f32, 3, dt::s32, dt::s8), dense, dst), "row pointers of s8");
    const auto huge = memory::desc::coo({5, int64_t(1) << 30}, dt::f32, int64_t(1) << 31, dt::s32);
    expect(refusal(huge, {{int64_t(1) << 30, 4}, dt::f32, tag::ab}, dst), "2147483647 are possible");
    expect(refusal(csr, {{5, 4}, dt::f32, tag::ab}, dst), "MxK, KxN, MxN");
    expect(refusal(csr, {{6, 4}, dt::f16, tag::ab}, dst), "all f32 or all f16");
    expect(refusal(csr, {{6, 4}, dt::f32, tag::BA4b4a}, dst), "plain layouts");
    dnnl::primitive_attr attr;
    dnnl::post_ops post_ops;
    post_ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
    attr.set_post_ops(post_ops);
    expect(refusal(csr, dense, dst, attr), "post-ops are not possible");
}

} // namespace
