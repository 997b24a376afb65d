// SPDX-License-Identifier: Apache-2.0
// Products on plain pointers, and what inner products answer through the C interface.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "c_objects.hpp"
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "this_runtime.hpp"

namespace tessera::test {
namespace {

const float nan = std::numeric_limits<float>::quiet_NaN();

template <typename T> std::vector<T> random_values(std::mt19937& random, size_t count, int low, int high) {
    std::vector<T> values(count);
    for (T& v : values) v = T(low + int(random() % unsigned(high - low + 1)));
    return values;
}

bool turned(char letter) { return letter == 'T' || letter == 't'; }

struct Shape {
    dnnl_dim_t m, n, k, gap; // gap: between the rows of all matrices
    char transa, transb;
    dnnl_dim_t lda() const { return (turned(transa) ? m : k) + gap; }
    dnnl_dim_t ldb() const { return (turned(transb) ? k : n) + gap; }
    dnnl_dim_t ldc() const { return n + gap; }
    size_t a_size() const { return size_t(lda() * (turned(transa) ? k : m)); }
    size_t b_size() const { return size_t(ldb() * (turned(transb) ? n : k)); }
    size_t c_size() const { return size_t(ldc() * m); }
    size_t a(dnnl_dim_t i, dnnl_dim_t l) const { return size_t(turned(transa) ? l * lda() + i : i * lda() + l); }
    size_t b(dnnl_dim_t l, dnnl_dim_t j) const { return size_t(turned(transb) ? j * ldb() + l : l * ldb() + j); }
};

std::vector<Shape> shapes() {
    std::vector<Shape> all;
    for (const char a : {'N', 'n', 'T', 't'})
        for (const char b : {'N', 'T'})
            for (const auto& [m, n, k] :
                 {std::array<dnnl_dim_t, 3>{1, 1, 1}, {3, 5, 7}, {17, 33, 20}, {1, 100, 64}, {70, 1, 130}, {8, 8, 8}})
                all.push_back({m, n, k, (m + k) % 4, a, b});
    return all;
}

} // namespace

// Whole numbers, so that sums are exact in any order.
// covers: GEM-01
TEST(Gemm, sgemm) {
    std::mt19937 random(1);
    for (const Shape& s : shapes())
        for (const auto& [alpha, beta] : {std::pair{1.f, 0.f}, {1.f, 1.f}, {0.5f, -2.f}, {2.f, 0.f}, {0.f, 0.5f}}) {
            const auto a = random_values<float>(random, s.a_size(), -4, 4);
            const auto b = random_values<float>(random, s.b_size(), -4, 4);
            auto c = random_values<float>(random, s.c_size(), -4, 4);
            auto want = c;
            for (dnnl_dim_t i = 0; i < s.m; ++i)
                for (dnnl_dim_t j = 0; j < s.n; ++j) {
                    float sum = 0;
                    for (dnnl_dim_t l = 0; l < s.k; ++l) sum += a[s.a(i, l)] * b[s.b(l, j)];
                    float& to = want[size_t(i * s.ldc() + j)];
                    to = alpha * sum + (beta == 0.f ? 0.f : beta * to);
                    if (beta == 0.f) c[size_t(i * s.ldc() + j)] = nan; // not read
                }
            ASSERT_EQ(dnnl_sgemm(s.transa, s.transb, s.m, s.n, s.k, alpha, a.data(), s.lda(), b.data(), s.ldb(), beta,
                                 c.data(), s.ldc()),
                      dnnl_success)
                << dnnl_tessera_last_error();
            ASSERT_EQ(c, want) << s.transa << s.transb << " " << s.m << "x" << s.n << " sum " << s.k << " alpha "
                               << alpha << " beta " << beta;
        }
}

// covers: GEM-01
TEST(Gemm, without_terms_or_factor) {
    float a[] = {nan, nan}, b[] = {1, 2}, c[] = {nan, 7};
    EXPECT_EQ(dnnl_sgemm('N', 'N', 1, 2, 0, 1, a, 1, b, 2, 0, c, 2), dnnl_success);
    EXPECT_TRUE(std::isnan(c[0])) << "K = 0 leaves C untouched";
    EXPECT_EQ(dnnl_sgemm('N', 'N', 0, 2, 1, 1, a, 1, b, 2, 0, c, 2), dnnl_success);
    EXPECT_EQ(c[1], 7);
    EXPECT_EQ(dnnl_sgemm('N', 'N', 1, 2, 1, 0, a, 1, b, 2, 0, c, 2), dnnl_success);
    EXPECT_EQ(c[0], 0) << "alpha = 0 reads neither A nor B, beta = 0 not C";
    EXPECT_EQ(c[1], 0);
}

// What alpha makes of sums ends at the ends of s32.
// covers: GEM-02
TEST(Gemm, scaled_sums_saturate) {
    const int8_t a[] = {100}, b[] = {100}, minus[] = {-100};
    const int32_t co[] = {0};
    const auto scaled = [&](const int8_t* factor, float alpha) {
        int32_t c = 7;
        EXPECT_EQ(dnnl_gemm_s8s8s32('N', 'N', 'F', 1, 1, 1, alpha, a, 1, 0, factor, 1, 0, 0.f, &c, 1, co), dnnl_success)
            << dnnl_tessera_last_error();
        return c;
    };
    for (const float alpha : {3e5f, 1e6f, 1e20f}) { // 3e9 lies between 2^31 and 2^32
        EXPECT_EQ(scaled(b, alpha), INT32_MAX) << alpha;
        EXPECT_EQ(scaled(minus, alpha), INT32_MIN) << alpha;
    }
    EXPECT_EQ(scaled(b, 2e5f), 2000000000);
}

// covers: GEM-01 GEM-02
TEST(Gemm, refusals_say_what_would_work) {
    float a[4] = {}, b[4] = {}, c[4] = {};
    int8_t i8[4] = {};
    int32_t i32[4] = {};
    const auto refused = [](dnnl_status_t status, const std::string& word) {
        EXPECT_EQ(status, dnnl_invalid_arguments) << word;
        const std::string text = dnnl_tessera_last_error();
        EXPECT_NE(text.find(word), std::string::npos) << text;
    };
    refused(dnnl_sgemm('C', 'N', 2, 2, 2, 1, a, 2, b, 2, 0, c, 2), "transa is 'C'");
    refused(dnnl_sgemm('N', '\n', 2, 2, 2, 1, a, 2, b, 2, 0, c, 2), "transb is the character 10");
    refused(dnnl_sgemm('N', 'N', -2, 2, 2, 1, a, 2, b, 2, 0, c, 2), "M is -2");
    refused(dnnl_sgemm('N', 'N', 1, 2, 2, 1, a, 1, b, 2, 0, c, 2), "lda is 1; A is stored as 1 row of 2 elements");
    refused(dnnl_sgemm('T', 'N', 2, 2, 1, 1, a, 1, b, 2, 0, c, 2), "lda is 1; A (transposed)");
    refused(dnnl_sgemm('N', 'N', 2, 2, 2, 1, a, 2, b, 1, 0, c, 2), "ldb is 1");
    refused(dnnl_sgemm('N', 'N', 2, 2, 2, 1, a, 2, b, 2, 0, c, 1), "ldc is 1");
    refused(dnnl_sgemm('N', 'N', 2, 2, 0, 1, a, 0, b, 2, 0, c, 2), "it must be at least 1");
    refused(dnnl_sgemm('N', 'N', 2, 2, 2, 1, nullptr, 2, b, 2, 0, c, 2), "A is null");
    refused(dnnl_sgemm('N', 'N', dnnl_dim_t(1) << 40, 2, 2, 1, a, 2, b, 2, 0, c, 2), "up to 2^40 elements");
    refused(dnnl_gemm_s8s8s32('N', 'N', 'X', 2, 2, 2, 1, i8, 2, 0, i8, 2, 0, 0, i32, 2, i32), "offsetc is");
    refused(dnnl_gemm_s8s8s32('N', 'N', 'F', 2, 2, 2, 1, i8, 2, 0, i8, 2, 0, 0, i32, 2, nullptr), "co is null");
}

namespace {

template <typename A, typename Call> void check_integers(const Call& call, int low, int high) {
    std::mt19937 random(2);
    for (const Shape& s : shapes())
        for (const char offset : {'F', 'C', 'R', 'r'})
            for (const auto& [alpha, beta] : {std::pair{1.f, 0.f}, {1.f, 1.f}, {0.125f, -0.5f}}) {
                const auto a = random_values<A>(random, s.a_size(), low, high);
                const auto b = random_values<int8_t>(random, s.b_size(), -128, 127);
                const auto co = random_values<int32_t>(random, size_t(std::max(s.m, s.n)), -1000, 1000);
                auto c = random_values<int32_t>(random, s.c_size(), -100000, 100000);
                const A ao = random() % 2 ? A(random()) : A(0);
                const int8_t bo = random() % 2 ? int8_t(random()) : int8_t(0);
                auto want = c;
                for (dnnl_dim_t i = 0; i < s.m; ++i)
                    for (dnnl_dim_t j = 0; j < s.n; ++j) {
                        int64_t sum = 0;
                        for (dnnl_dim_t l = 0; l < s.k; ++l)
                            sum += (int64_t(a[s.a(i, l)]) - ao) * (int64_t(b[s.b(l, j)]) - bo);
                        int32_t& to = want[size_t(i * s.ldc() + j)];
                        const int32_t more = co[size_t(offset == 'F' ? 0 : offset == 'C' ? i : j)];
                        to = int32_t(std::nearbyint(double(alpha) * double(sum) + double(beta) * to + more));
                    }
                ASSERT_EQ(call(s.transa, s.transb, offset, s.m, s.n, s.k, alpha, a.data(), s.lda(), ao, b.data(),
                               s.ldb(), bo, beta, c.data(), s.ldc(), co.data()),
                          dnnl_success)
                    << dnnl_tessera_last_error();
                ASSERT_EQ(c, want) << s.transa << s.transb << offset << " " << s.m << "x" << s.n << " sum " << s.k
                                   << " alpha " << alpha << " beta " << beta << " ao " << int(ao) << " bo " << int(bo);
            }
}

} // namespace

// covers: GEM-02
TEST(Gemm, integers) {
    check_integers<uint8_t>(dnnl_gemm_u8s8s32, 0, 255);
    check_integers<int8_t>(dnnl_gemm_s8s8s32, -128, 127);
}

namespace {

// A call of any of the three; f32 has no offsets.
struct Fields {
    char transa = 'N', transb = 'N', offsetc = 'F';
    dnnl_dim_t m = 5, n = 6, k = 7;
    float alpha = 1;
    dnnl_dim_t lda = 9;
    int ao = 0;
    dnnl_dim_t ldb = 9;
    int bo = 0;
    float beta = 0;
    dnnl_dim_t ldc = 9;
};
dnnl_status_t call(const Fields& f, const float* a, const float* b, float* c, const int32_t*) {
    return dnnl_sgemm(f.transa, f.transb, f.m, f.n, f.k, f.alpha, a, f.lda, b, f.ldb, f.beta, c, f.ldc);
}
dnnl_status_t call(const Fields& f, const uint8_t* a, const int8_t* b, int32_t* c, const int32_t* co) {
    return dnnl_gemm_u8s8s32(f.transa, f.transb, f.offsetc, f.m, f.n, f.k, f.alpha, a, f.lda, uint8_t(f.ao), b, f.ldb,
                             int8_t(f.bo), f.beta, c, f.ldc, co);
}
dnnl_status_t call(const Fields& f, const int8_t* a, const int8_t* b, int32_t* c, const int32_t* co) {
    return dnnl_gemm_s8s8s32(f.transa, f.transb, f.offsetc, f.m, f.n, f.k, f.alpha, a, f.lda, int8_t(f.ao), b, f.ldb,
                             int8_t(f.bo), f.beta, c, f.ldc, co);
}

template <typename A, typename B, typename C> void expect_product(const Fields& f, const char* what) {
    constexpr size_t large = 200; // whatever the fields are
    constexpr bool offsets = !std::is_same_v<C, float>;
    std::mt19937 random(3);
    const auto a = random_values<A>(random, large, std::is_same_v<A, uint8_t> ? 100 : -20, 120);
    const auto b = random_values<B>(random, large, -20, 20);
    const auto co = random_values<int32_t>(random, large, -1000, 1000);
    auto c = random_values<C>(random, large, -100, 100), want = c;
    for (dnnl_dim_t i = 0; i < f.m; ++i)
        for (dnnl_dim_t j = 0; j < f.n; ++j) {
            double sum = 0;
            for (dnnl_dim_t l = 0; l < f.k; ++l)
                sum += (double(a[size_t(f.transa == 'T' ? l * f.lda + i : i * f.lda + l)]) - (offsets ? f.ao : 0)) *
                       (double(b[size_t(f.transb == 'T' ? j * f.ldb + l : l * f.ldb + j)]) - (offsets ? f.bo : 0));
            C& to = want[size_t(i * f.ldc + j)];
            const int32_t more = offsets ? co[size_t(f.offsetc == 'F' ? 0 : f.offsetc == 'C' ? i : j)] : 0;
            to = C(double(f.alpha) * sum + double(f.beta) * double(to) + more);
        }
    EXPECT_EQ(call(f, a.data(), b.data(), c.data(), co.data()), dnnl_success) << dnnl_tessera_last_error();
    EXPECT_EQ(c, want) << what;
}

} // namespace

// What is kept for a call serves no other: each field is changed alone, with the same types, between calls without it.
// covers: GEM-01 GEM-02
TEST(Gemm, calls_that_differ_in_one_field) {
    const std::pair<const char*, void (*)(Fields&)> changes[] = {
        {"nothing", [](Fields&) {}},
        {"transa", [](Fields& f) { f.transa = 'T'; }},
        {"transb", [](Fields& f) { f.transb = 'T'; }},
        {"offsetc, rows", [](Fields& f) { f.offsetc = 'R'; }},
        {"offsetc, columns", [](Fields& f) { f.offsetc = 'C'; }},
        {"m", [](Fields& f) { f.m = 6; }},
        {"n", [](Fields& f) { f.n = 7; }},
        {"k", [](Fields& f) { f.k = 6; }},
        {"alpha", [](Fields& f) { f.alpha = 2; }},
        {"alpha, another", [](Fields& f) { f.alpha = -3; }},
        {"lda", [](Fields& f) { f.lda = 10; }},
        {"ldb", [](Fields& f) { f.ldb = 10; }},
        {"ldc", [](Fields& f) { f.ldc = 10; }},
        {"ao", [](Fields& f) { f.ao = 3; }},
        {"ao, another", [](Fields& f) { f.ao = 100; }},
        {"bo", [](Fields& f) { f.bo = 5; }},
        {"bo, another", [](Fields& f) { f.bo = -5; }},
        {"beta", [](Fields& f) { f.beta = 1; }},
        {"beta, another", [](Fields& f) { f.beta = 2; }},
    };
    for (const auto& [first, change] : changes)
        for (const auto& [second, other] : changes) {
            Fields one, two;
            change(one), other(two);
            for (const Fields& f : {one, two, one}) {
                expect_product<float, float, float>(f, first);
                expect_product<uint8_t, int8_t, int32_t>(f, first);
                expect_product<int8_t, int8_t, int32_t>(f, first);
            }
            ASSERT_FALSE(testing::Test::HasFailure()) << first << ", then " << second;
        }
}

// covers: GEM-02
TEST(Gemm, integers_round_to_even_and_saturate) {
    const int8_t a[] = {1, 3}, b[] = {1};
    const int32_t zero[] = {0}, large[] = {INT32_MAX, INT32_MIN};
    int32_t c[] = {0, 0};
    EXPECT_EQ(dnnl_gemm_s8s8s32('N', 'N', 'F', 2, 1, 1, 0.5f, a, 1, 0, b, 1, 0, 0, c, 1, zero), dnnl_success);
    EXPECT_EQ(c[0], 0) << "0.5";
    EXPECT_EQ(c[1], 2) << "1.5";
    const int8_t signs[] = {5, -5};
    EXPECT_EQ(dnnl_gemm_s8s8s32('N', 'N', 'C', 2, 1, 1, 1, signs, 1, 0, b, 1, 0, 0, c, 1, large), dnnl_success);
    EXPECT_EQ(c[0], INT32_MAX);
    EXPECT_EQ(c[1], INT32_MIN);
    EXPECT_EQ(dnnl_gemm_s8s8s32('N', 'N', 'F', 2, 1, 1, 1, signs, 1, 0, b, 1, 0, 2, c, 1, zero), dnnl_success);
    EXPECT_EQ(c[0], INT32_MAX);
    EXPECT_EQ(c[1], INT32_MIN);
    // 5 + 2^31 - 1 - 2^31 is 4: between the terms nothing saturates.
    const int32_t least[] = {INT32_MIN};
    c[0] = INT32_MAX;
    EXPECT_EQ(dnnl_gemm_s8s8s32('N', 'N', 'F', 1, 1, 1, 1, signs, 1, 0, b, 1, 0, 1, c, 1, least), dnnl_success);
    EXPECT_EQ(c[0], 4);
}

// covers: GEM-04 VRB-03
TEST(Gemm, executions_are_logged) {
    const float a[6] = {}, b[6] = {};
    float c[4] = {};
    ASSERT_EQ(dnnl_set_verbose(1), dnnl_success);
    testing::internal::CaptureStdout();
    EXPECT_EQ(dnnl_sgemm('T', 'N', 2, 2, 3, 2, a, 2, b, 2, 1, c, 2), dnnl_success);
    const std::string log = testing::internal::GetCapturedStdout();
    EXPECT_EQ(dnnl_set_verbose(0), dnnl_success);
    EXPECT_NE(log.find("primitive,exec,cpu,gemm_api,,undef,src:f32::blocked:ba::f0 wei:f32::blocked:ab::f0 "
                       "dst:f32::blocked:ab::f0,attr-scales:src:common:2 attr-post-ops:sum:1,,2x3:3x2,"),
              std::string::npos)
        << log;
}

// covers: GEM-03
TEST(Gemm, pools_need_their_build) {
    if (built_for() == DNNL_RUNTIME_THREADPOOL) GTEST_SKIP() << "this build takes pools";
    float c[1] = {};
    int32_t i32[1] = {};
    EXPECT_EQ(dnnl_threadpool_interop_sgemm('N', 'N', 1, 1, 1, 1, c, 1, c, 1, 0, c, 1, nullptr), dnnl_unimplemented);
    EXPECT_NE(std::string(dnnl_tessera_last_error()).find("DNNL_CPU_RUNTIME=THREADPOOL"), std::string::npos);
    EXPECT_EQ(dnnl_threadpool_interop_gemm_u8s8s32('N', 'N', 'F', 1, 1, 1, 1, nullptr, 1, 0, nullptr, 1, 0, 0, i32, 1,
                                                   i32, nullptr),
              dnnl_unimplemented);
    EXPECT_EQ(dnnl_threadpool_interop_gemm_s8s8s32('N', 'N', 'F', 1, 1, 1, 1, nullptr, 1, 0, nullptr, 1, 0, 0, i32, 1,
                                                   i32, nullptr),
              dnnl_unimplemented);
}

// covers: GEM-03
TEST(Gemm, a_null_pool_is_the_calling_thread) {
    if (built_for() != DNNL_RUNTIME_THREADPOOL) GTEST_SKIP() << "this build has threads of its own";
    const float a[2] = {2, 3};
    float c[1] = {};
    EXPECT_EQ(dnnl_threadpool_interop_sgemm('N', 'N', 1, 1, 2, 1, a, 2, a, 1, 0, c, 1, nullptr), dnnl_success);
    EXPECT_EQ(c[0], 13);
    const int8_t i8[2] = {2, 3};
    const uint8_t positive[2] = {2, 3};
    const int32_t co[1] = {1};
    int32_t i32[1] = {};
    EXPECT_EQ(
        dnnl_threadpool_interop_gemm_s8s8s32('N', 'N', 'F', 1, 1, 2, 1, i8, 2, 0, i8, 1, 0, 0, i32, 1, co, nullptr),
        dnnl_success);
    EXPECT_EQ(i32[0], 14);
    EXPECT_EQ(dnnl_threadpool_interop_gemm_u8s8s32('N', 'N', 'F', 1, 1, 2, 1, positive, 2, 1, i8, 1, 0, 0, i32, 1, co,
                                                   nullptr),
              dnnl_success);
    EXPECT_EQ(i32[0], 9);
}

// ---- inner products

// covers: INP-02 INP-08 RUN-07
TEST(InnerProductApi, queries_hints_and_nulls) {
    const Desc src({2, 3}, dnnl_f32, dnnl_ab), weights({4, 3}, dnnl_f32, dnnl_ab), bias({4}, dnnl_f32, dnnl_a);
    const Desc dst({2, 4}, dnnl_f32, dnnl_ab);
    Owner<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy> pd, without, gradient, bad;
    ASSERT_EQ(dnnl_inner_product_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_training, src, weights,
                                                               bias, dst, nullptr),
              dnnl_success);
    const auto md_of = [](dnnl_primitive_desc_t of, dnnl_query_t what, int index) {
        return dnnl_primitive_desc_query_md(of, what, index);
    };
    EXPECT_TRUE(dnnl_memory_desc_equal(md_of(pd, dnnl_query_weights_md, 0), weights));
    EXPECT_TRUE(dnnl_memory_desc_equal(md_of(pd, dnnl_query_weights_md, 1), bias));
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop), dnnl_success);
    EXPECT_EQ(prop, dnnl_forward_training);
    EXPECT_EQ(dnnl_memory_desc_get_size(md_of(pd, dnnl_query_workspace_md, 0)), 0u);
    ASSERT_EQ(dnnl_inner_product_forward_primitive_desc_create(without.out(), cpu(), dnnl_forward_inference, src,
                                                               weights, nullptr, dst, nullptr),
              dnnl_success);
    EXPECT_EQ(dnnl_memory_desc_get_size(md_of(without, dnnl_query_weights_md, 1)), 0u);

    ASSERT_EQ(dnnl_inner_product_backward_weights_primitive_desc_create(gradient.out(), cpu(), src, weights, bias, dst,
                                                                        pd, nullptr),
              dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(md_of(gradient, dnnl_query_diff_weights_md, 0), weights));
    EXPECT_TRUE(dnnl_memory_desc_equal(md_of(gradient, dnnl_query_diff_weights_md, 1), bias));
    EXPECT_EQ(dnnl_primitive_desc_query(gradient, dnnl_query_prop_kind, 0, &prop), dnnl_success);
    EXPECT_EQ(prop, dnnl_backward_weights);
    EXPECT_EQ(
        dnnl_inner_product_backward_data_primitive_desc_create(bad.out(), cpu(), src, weights, dst, nullptr, nullptr),
        dnnl_success);
    EXPECT_EQ(
        dnnl_inner_product_backward_data_primitive_desc_create(bad.out(), cpu(), src, weights, dst, gradient, nullptr),
        dnnl_invalid_arguments);
    EXPECT_NE(std::string(dnnl_tessera_last_error())
                  .find("the hint is the descriptor of a backward_weights "
                        "inner_product"),
              std::string::npos)
        << dnnl_tessera_last_error();
    EXPECT_EQ(dnnl_inner_product_forward_primitive_desc_create(bad.out(), cpu(), dnnl_forward_training, src, nullptr,
                                                               bias, dst, nullptr),
              dnnl_invalid_arguments);
    EXPECT_NE(std::string(dnnl_tessera_last_error()).find("weights_desc is null"), std::string::npos);
}

} // namespace tessera::test
