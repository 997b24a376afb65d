// SPDX-License-Identifier: Apache-2.0
// The BLAS-like calls (GEM-01..04). Rules and plans are in ops/gemm.cpp; compiled plans are cached by shape, so that a
// call costs a cache lookup and the work itself.
#include <cmath>
#include <memory>

#include "api/guard.hpp"
#include "api/log/log.hpp"
#include "api/objects/handles.hpp"
#include "api/objects/threadpool.hpp"
#include "core/at_fork.hpp"
#include "core/cache/lru.hpp"
#include "core/division.hpp"
#include "core/made_once.hpp"
#include "core/types/convert.hpp"
#include "core/verbose/verbose.hpp"
#include "cpu/runtime/threads.hpp"
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "ops/gemm.hpp"

using namespace tessera;
using ops::Gemm;
using ops::GemmOffset;

namespace {

// ---- compiled plans

struct Key {
    Gemm gemm;
    int threads;
    bool operator==(const Key&) const = default;
};

uint64_t hash(const Key& key) {
    const Gemm& g = key.gemm;
    const auto flags = int64_t(g.a_transposed) | int64_t(g.b_transposed) << 1 | int64_t(g.scales) << 2 |
                       int64_t(g.adds) << 3 | int64_t(g.a_offset) << 4 | int64_t(g.b_offset) << 5 |
                       int64_t(g.c_offset) << 6 | int64_t(g.a) << 8 | int64_t(key.threads) << 16;
    uint64_t h = 0xcbf29ce484222325u;
    for (const int64_t x : {g.m, g.n, g.k, g.lda, g.ldb, g.ldc, flags}) h = (h ^ uint64_t(x)) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

using Cache = Lru<Key, Executable>;
constinit std::mutex cache_lock;
constinit MadeOnce<Cache> the_cache;
const bool cache_is_known = at_fork(cache_lock, [] {
    if (Cache* made = the_cache.if_made()) made->forget_unfinished();
});

Result<std::shared_ptr<const Executable>> executable_of(const Gemm& gemm) {
    constexpr size_t shapes = 256;
    Cache& cache = the_cache.get([] { return Cache(cache_lock, shapes); });
    const Engine& engine = *cpu_engine()->impl;
    const Key key{gemm, engine.threads()};
    return cache
        .get(key, hash(key), [&] { return engine.compile(std::make_shared<const Plan>(ops::plan_of_gemm(gemm))); })
        .value;
}

Result<void> run(const Gemm& gemm, const ops::GemmPointers& pointers, const Threads& threads) {
    auto executable = executable_of(gemm);
    if (!executable) return Refusal(std::move(executable.error()));
    const ops::GemmPointers& p = pointers;
    void* const operands[] = {p.a, p.b, p.c, p.alpha, p.beta, p.ao, p.bo, p.co};
    const Status status = (*executable)->run(operands, threads);
    if (status != Status::success) return Refusal(Error{status, "the execution failed on the device"});
    return {};
}

// ---- passes over C alone

// Calls row(i) for every row of C, in parallel chunks of about 16384 elements.
template <typename Row> void for_rows(const Gemm& g, const Threads& threads, const Row& row) {
    constexpr int64_t elements = 16384; // of a chunk
    const int64_t rows = std::max<int64_t>(1, elements / g.n), chunks = ceil_div(g.m, rows);
    cpu::for_chunks(chunks, cpu::max_threads(), threads, [&](int64_t chunk) {
        for (int64_t i = chunk * rows; i < std::min(g.m, (chunk + 1) * rows); ++i) row(i);
    });
}

// C = beta C, for alpha 0.
void scale_rows(const Gemm& g, float beta, float* c, const Threads& threads) {
    for_rows(g, threads, [&](int64_t i) {
        for (int64_t j = 0; j < g.n; ++j) c[i * g.ldc + j] = beta == 0.f ? 0.f : beta * c[i * g.ldc + j];
    });
}

int32_t rounded(double x) {
    constexpr double lowest = -0x1p31, highest = 0x1p31 - 1;
    return x >= highest ? INT32_MAX : x > lowest ? int32_t(std::nearbyint(x)) : INT32_MIN; // NaN, too
}

// ---- the calls

struct Call {
    const char* name;
    Gemm gemm;
    char transa, transb;
    float alpha, beta;
    const void *a, *b;
    void* c;
};

Result<void> check(Call& call) {
    if (auto ok = need("A", call.a, "B", call.b, "C", call.c); !ok) return ok;
    auto a = ops::is_transposed("transa", call.transa), b = ops::is_transposed("transb", call.transb);
    if (!a) return Refusal(a.error());
    if (!b) return Refusal(b.error());
    call.gemm.a_transposed = *a;
    call.gemm.b_transposed = *b;
    return ops::check_gemm(call.gemm);
}

// Verbose line in oneDNN's format: one token per matrix (ba if transposed), then alpha and beta as attributes.
std::string line_of(const Call& call, double milliseconds) {
    const Gemm& g = call.gemm;
    const auto token = [](const char* word, DataType type, bool transposed, int64_t leading, int64_t columns) {
        return fmt::format("{}:{}::blocked:{}:{}:f0", word, name(type), transposed ? "ba" : "ab",
                           leading == columns ? "" : fmt::format("{}x1", leading));
    };
    std::string attributes;
    if (call.alpha != 1.f) attributes = fmt::format("attr-scales:src:common:{}", call.alpha);
    if (call.beta != 0.f) attributes += fmt::format("{}attr-post-ops:sum:{}", attributes.empty() ? "" : " ", call.beta);
    return fmt::format(",undef,{} {} {},{},,{}x{}:{}x{},{:g}",
                       token("src", g.a, g.a_transposed, g.lda, g.a_transposed ? g.m : g.k),
                       token("wei", g.b, g.b_transposed, g.ldb, g.b_transposed ? g.k : g.n),
                       token("dst", g.c, false, g.ldc, g.n), attributes, g.m, g.k, g.k, g.n, milliseconds);
}

template <typename Body> dnnl_status_t called(Call call, const Body& body) {
    return guarded(call.name, [&]() -> Result<void> {
        if (auto ok = check(call); !ok) return ok;
        const bool logged = verbose::on(verbose::profile_exec);
        const double start = logged ? verbose::milliseconds() : 0;
        // GEM-01: with K = 0 C is unchanged, whatever beta is.
        const bool nothing = call.gemm.m == 0 || call.gemm.n == 0 || call.gemm.k == 0;
        auto done = nothing ? Result<void>() : body(call);
        if (done && logged) log_execution("gemm_api", [&] { return line_of(call, verbose::milliseconds() - start); });
        return done;
    });
}

dnnl_status_t sgemm(Call call, const Threads& threads) {
    return called(call, [&](Call& c) -> Result<void> {
        if (c.alpha == 0.f) { // A and B may hold anything
            if (c.beta != 1.f) scale_rows(c.gemm, c.beta, static_cast<float*>(c.c), threads);
            return {};
        }
        c.gemm.scales = c.alpha != 1.f;
        c.gemm.adds = c.beta != 0.f;
        return run(c.gemm, {const_cast<void*>(c.a), const_cast<void*>(c.b), c.c, &c.alpha, &c.beta, {}, {}, {}},
                   threads);
    });
}

struct Offsets {
    char letter;
    int a, b;
    const int32_t* c;
};

Result<GemmOffset> kind_of(char letter) {
    if (letter == 'F' || letter == 'f') return GemmOffset::one;
    if (letter == 'C' || letter == 'c') return GemmOffset::row;
    if (letter == 'R' || letter == 'r') return GemmOffset::column;
    return invalid("offsetc is the character {}; 'F' (co[0] for all), 'C' (co[m], one a row) and 'R' (co[n], one a "
                   "column) are possible",
                   int(letter));
}

// First the sums of products in s32, then alpha, beta and the offsets in f64, which is exact but for the last bits of
// alpha times a sum beyond 2^29.
Result<void> scaled(const Call& call, ops::GemmPointers pointers, const Threads& threads) {
    const Gemm& g = call.gemm;
    Gemm sums = g;
    sums.c_offset = GemmOffset::none;
    sums.ldc = g.n;
    const auto products = std::make_unique_for_overwrite<int32_t[]>(size_t(g.m * g.n));
    const auto* co = static_cast<const int32_t*>(pointers.co);
    auto* c = static_cast<int32_t*>(pointers.c);
    pointers.c = products.get();
    if (auto ok = run(sums, pointers, threads); !ok) return ok;
    const double alpha = double(call.alpha), beta = double(call.beta);
    const int64_t along_m = g.c_offset == GemmOffset::row, along_n = g.c_offset == GemmOffset::column;
    for_rows(g, threads, [&](int64_t i) {
        const int32_t* from = products.get() + i * g.n;
        int32_t* to = c + i * g.ldc;
        for (int64_t j = 0; j < g.n; ++j) {
            const double sum = alpha * from[j] + co[i * along_m + j * along_n];
            to[j] = rounded(beta == 0 ? sum : sum + beta * to[j]);
        }
    });
    return {};
}

template <typename A> dnnl_status_t gemm_s32(Call call, const Offsets& offsets, const Threads& threads) {
    return called(call, [&](Call& c) -> Result<void> {
        Gemm& g = c.gemm;
        auto kind = kind_of(offsets.letter);
        if (!kind) return Refusal(kind.error());
        if (auto ok = need(offsets.c, "co"); !ok) return ok;
        g.a_offset = offsets.a != 0;
        g.b_offset = offsets.b != 0;
        g.c_offset = *kind;
        auto ao = A(offsets.a);
        auto bo = int8_t(offsets.b);
        const ops::GemmPointers pointers{const_cast<void*>(c.a),         const_cast<void*>(c.b), c.c, {}, {}, &ao, &bo,
                                         const_cast<int32_t*>(offsets.c)};
        if (c.alpha != 1.f || c.beta != 0.f) return scaled(c, pointers, threads);
        if (*kind == GemmOffset::one && *offsets.c == 0) g.c_offset = GemmOffset::none;
        return run(g, pointers, threads);
    });
}

Call call_of(const char* name, DataType a, DataType b, DataType c, char transa, char transb, dnnl_dim_t m, dnnl_dim_t n,
             dnnl_dim_t k, float alpha, const void* a_data, dnnl_dim_t lda, const void* b_data, dnnl_dim_t ldb,
             float beta, void* c_data, dnnl_dim_t ldc) {
    Gemm g{a, b, c};
    g.m = m, g.n = n, g.k = k;
    g.lda = lda, g.ldb = ldb, g.ldc = ldc;
    return {name, g, transa, transb, alpha, beta, a_data, b_data, c_data};
}

constexpr DataType f32 = DataType::f32, s32 = DataType::s32, s8 = DataType::s8, u8 = DataType::u8;

} // namespace

dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha,
                         const float* A, dnnl_dim_t lda, const float* B, dnnl_dim_t ldb, float beta, float* C,
                         dnnl_dim_t ldc) {
    return sgemm(call_of("dnnl_sgemm", f32, f32, f32, transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc),
                 {});
}

dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                float alpha, const uint8_t* A, dnnl_dim_t lda, uint8_t ao, const int8_t* B,
                                dnnl_dim_t ldb, int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc, const int32_t* co) {
    return gemm_s32<uint8_t>(
        call_of("dnnl_gemm_u8s8s32", u8, s8, s32, transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc),
        {offsetc, ao, bo, co}, {});
}

dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                float alpha, const int8_t* A, dnnl_dim_t lda, int8_t ao, const int8_t* B,
                                dnnl_dim_t ldb, int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc, const int32_t* co) {
    return gemm_s32<int8_t>(
        call_of("dnnl_gemm_s8s8s32", s8, s8, s32, transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc),
        {offsetc, ao, bo, co}, {});
}

// ---- on a caller's thread pool (THR-04)

dnnl_status_t dnnl_threadpool_interop_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                            float alpha, const float* A, dnnl_dim_t lda, const float* B, dnnl_dim_t ldb,
                                            float beta, float* C, dnnl_dim_t ldc, void* threadpool) {
    if (auto status = guarded("dnnl_threadpool_interop_sgemm", need_pools); status != dnnl_success) return status;
    return sgemm(call_of("dnnl_threadpool_interop_sgemm", f32, f32, f32, transa, transb, M, N, K, alpha, A, lda, B, ldb,
                         beta, C, ldc),
                 {threadpool});
}

dnnl_status_t dnnl_threadpool_interop_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                                   dnnl_dim_t K, float alpha, const uint8_t* A, dnnl_dim_t lda,
                                                   uint8_t ao, const int8_t* B, dnnl_dim_t ldb, int8_t bo, float beta,
                                                   int32_t* C, dnnl_dim_t ldc, const int32_t* co, void* threadpool) {
    if (auto status = guarded("dnnl_threadpool_interop_gemm_u8s8s32", need_pools); status != dnnl_success)
        return status;
    return gemm_s32<uint8_t>(call_of("dnnl_threadpool_interop_gemm_u8s8s32", u8, s8, s32, transa, transb, M, N, K,
                                     alpha, A, lda, B, ldb, beta, C, ldc),
                             {offsetc, ao, bo, co}, {threadpool});
}

dnnl_status_t dnnl_threadpool_interop_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
                                                   dnnl_dim_t K, float alpha, const int8_t* A, dnnl_dim_t lda,
                                                   int8_t ao, const int8_t* B, dnnl_dim_t ldb, int8_t bo, float beta,
                                                   int32_t* C, dnnl_dim_t ldc, const int32_t* co, void* threadpool) {
    if (auto status = guarded("dnnl_threadpool_interop_gemm_s8s8s32", need_pools); status != dnnl_success)
        return status;
    return gemm_s32<int8_t>(call_of("dnnl_threadpool_interop_gemm_s8s8s32", s8, s8, s32, transa, transb, M, N, K, alpha,
                                    A, lda, B, ldb, beta, C, ldc),
                            {offsetc, ao, bo, co}, {threadpool});
}
