// SPDX-License-Identifier: Apache-2.0
#include "measured_row.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include <sys/mman.h>

#include "copy_limit.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tessera {
namespace {

constexpr int64_t line = 64, page = 4096, huge_page = 2 << 20;

template <typename Work> double best_of(int turns, const Work& work) {
    double best = 1e9;
    for (int t = 0; t < turns; ++t) {
        const auto start = std::chrono::steady_clock::now();
        work();
        best = std::min(best, seconds_since(start));
    }
    return best;
}

// Zeroed, on huge pages where the system has them, so that loads miss caches and not tables of pages.
struct Memory {
    explicit Memory(int64_t bytes)
        : data(static_cast<char*>(
                   std::aligned_alloc(huge_page, size_t((bytes + huge_page - 1) / huge_page * huge_page))),
               std::free) {
        if (!data) throw std::bad_alloc();
        madvise(data.get(), size_t(bytes), MADV_HUGEPAGE);
        std::memset(data.get(), 0, size_t(bytes));
    }
    std::unique_ptr<char, void (*)(void*)> data;
};

// Seconds of a load from the place that the load before it has found; places[0] follows the last one.
double seconds_of_load(Memory& memory, const std::vector<int64_t>& places) {
    for (size_t i = 0; i < places.size(); ++i)
        *reinterpret_cast<char**>(memory.data.get() + places[i]) = memory.data.get() + places[(i + 1) % places.size()];
    constexpr int64_t loads = 1 << 18;
    char* at = memory.data.get() + places[0];
    const auto walk = [&] {
        for (int64_t n = 0; n < loads; ++n) at = *reinterpret_cast<char**>(at);
        asm volatile("" : : "r"(at) : "memory");
    };
    walk();
    return best_of(7, walk) / loads;
}

int64_t ways_of_l1() {
    constexpr int64_t most = 64;
    Memory memory((most + 2) * page);
    const auto load = [&](int64_t lines) {
        std::vector<int64_t> places;
        for (int64_t i = 0; i < lines; ++i) places.push_back(i * page);
        return seconds_of_load(memory, places);
    };
    const double hit = load(2);
    for (int64_t ways = 3; ways <= most; ++ways)
        if (load(ways) > 1.3 * hit) return ways - 1;
    return 0;
}

// Of sizes in steps of an eighth of a power of two, the last one whose loads take less than twice as long.
int64_t second_level(int64_t l1_bytes) {
    std::vector<int64_t> sizes;
    for (int64_t power = 128 << 10; power <= 16 << 20; power *= 2)
        for (int64_t eighths = 8; eighths < 16; eighths += 2) sizes.push_back(power / 8 * eighths);
    Memory memory(sizes.back());
    std::mt19937 random(1);
    const auto load = [&](int64_t bytes) {
        std::vector<int64_t> places(size_t(bytes / line));
        std::iota(places.begin(), places.end(), 0);
        std::shuffle(places.begin(), places.end(), random);
        for (int64_t& p : places) p *= line;
        return seconds_of_load(memory, places);
    };
    const double hit = load(std::max<int64_t>(2 * l1_bytes, 96 << 10));
    int64_t fits = 0;
    for (int64_t bytes : sizes) {
        if (load(bytes) > 2 * hit) break;
        fits = bytes;
    }
    return fits;
}

// The smallest of sizes that double such that `wins` there and at the two sizes after it; 0 if none is.
template <typename Wins> int64_t from_which_on(int64_t first, int64_t last, const Wins& wins) {
    int64_t from = 0;
    for (int64_t bytes = first; bytes <= last; bytes *= 2) {
        if (!wins(bytes))
            from = 0;
        else if (from == 0)
            from = bytes;
        if (from && bytes >= 4 * from) return from;
    }
    return from;
}

int64_t break_even_of_streams() {
    return from_which_on(2 << 20, 128 << 20, [](int64_t bytes) {
        CopyLimit copy(bytes);
        const int turns = bytes >= 64 << 20 ? 6 : 10;
        double plain = 1e9, streamed = 1e9;
        for (int t = 0; t < turns; ++t) {
            plain = std::min(plain, copy.memcpy_seconds(1));
            streamed = std::min(streamed, copy.non_temporal_seconds(1));
        }
        return streamed < plain;
    });
}

int64_t break_even_of_teams() {
    const int threads = library_threads();
    if (threads < 2) return 0;
    return from_which_on(16 << 10, 8 << 20, [threads](int64_t bytes) {
        const int64_t half = bytes / 2;
        std::vector<char> from(size_t(half), 1), to(size_t(half), 2);
        const auto copy = [&](int member, int members) {
            const int64_t at = half * member / members, end = half * (member + 1) / members;
            std::memcpy(to.data() + at, from.data() + at, size_t(end - at));
            asm volatile("" : : "r"(to.data()) : "memory");
        };
        double alone = 1e9, together = 1e9;
        for (int t = 0; t < 30; ++t) {
            alone = std::min(alone, best_of(3, [&] { copy(0, 1); }));
            together = std::min(together, best_of(3, [&] { on_team(threads, copy); }));
        }
        return together < alone;
    });
}

#if defined(__x86_64__)
constexpr int64_t products = 1 << 20;

// Eight chains of shuffles in the time of a chain of multiplications, which take three cycles each.
__attribute__((target("avx512f"))) double shuffles_a_cycle() {
    const double cycle = best_of(20,
                                 [] {
                                     int64_t x = 1;
                                     for (int64_t n = 0; n < products / 8; ++n)
                                         asm volatile("imul %0, %0\n imul %0, %0" : "+r"(x));
                                 }) /
                         6;
    const double shuffles = best_of(20, [] {
        for (int64_t n = 0; n < products / 8; ++n)
            asm volatile("vshufi64x2 $0x88, %%zmm8, %%zmm0, %%zmm0\n vshufi64x2 $0x88, %%zmm8, %%zmm1, %%zmm1\n"
                         "vshufi64x2 $0x88, %%zmm8, %%zmm2, %%zmm2\n vshufi64x2 $0x88, %%zmm8, %%zmm3, %%zmm3\n"
                         "vshufi64x2 $0x88, %%zmm8, %%zmm4, %%zmm4\n vshufi64x2 $0x88, %%zmm8, %%zmm5, %%zmm5\n"
                         "vshufi64x2 $0x88, %%zmm8, %%zmm6, %%zmm6\n vshufi64x2 $0x88, %%zmm8, %%zmm7, %%zmm7\n" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
    });
    return 8 * cycle / shuffles;
}

// Eight multiply-adds and as many xors in the time of the former alone.
__attribute__((target("avx512f"))) double time_beside_flips() {
    constexpr int64_t turns = products / 8;
    const auto of = [](auto body) {
        return best_of(20, [&] {
            for (int64_t n = 0; n < turns; ++n) body();
        });
    };
    const double alone = of([] {
        asm volatile("vfmadd231ps %%zmm8, %%zmm8, %%zmm0\n vfmadd231ps %%zmm8, %%zmm8, %%zmm1\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm2\n vfmadd231ps %%zmm8, %%zmm8, %%zmm3\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm4\n vfmadd231ps %%zmm8, %%zmm8, %%zmm5\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm6\n vfmadd231ps %%zmm8, %%zmm8, %%zmm7\n" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
    });
    const double beside = of([] {
        asm volatile("vfmadd231ps %%zmm8, %%zmm8, %%zmm0\n vpxorq %%zmm8, %%zmm9, %%zmm10\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm1\n vpxorq %%zmm8, %%zmm9, %%zmm11\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm2\n vpxorq %%zmm8, %%zmm9, %%zmm12\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm3\n vpxorq %%zmm8, %%zmm9, %%zmm13\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm4\n vpxorq %%zmm8, %%zmm9, %%zmm10\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm5\n vpxorq %%zmm8, %%zmm9, %%zmm11\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm6\n vpxorq %%zmm8, %%zmm9, %%zmm12\n"
                     "vfmadd231ps %%zmm8, %%zmm8, %%zmm7\n vpxorq %%zmm8, %%zmm9, %%zmm13\n" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm10", "xmm11", "xmm12",
                           "xmm13");
    });
    return beside / alone;
}

__attribute__((target("avx512f"))) double f32_products() {
    __m512 sum[8] = {}, x = _mm512_set1_ps(0.5F);
    const double s = best_of(
        5, [&]() __attribute__((target("avx512f"))) {
            for (int64_t n = 0; n < products / 8; ++n) {
                for (__m512& v : sum) v = _mm512_fmadd_ps(x, x, v);
                asm volatile("" : "+v"(x));
            }
        });
    for (__m512& v : sum) asm volatile("" : : "v"(v));
    return double(products) * 16 / s;
}

__attribute__((target("avx512f,avx512bf16"))) double bf16_products() {
    __m512 sum[8] = {};
    __m512i x = _mm512_set1_epi32(0);
    const double s = best_of(
        5, [&]() __attribute__((target("avx512f,avx512bf16"))) {
            for (int64_t n = 0; n < products / 8; ++n) {
                for (__m512& v : sum) v = _mm512_dpbf16_ps(v, (__m512bh)x, (__m512bh)x);
                asm volatile("" : "+v"(x));
            }
        });
    for (__m512& v : sum) asm volatile("" : : "v"(v));
    return double(products) * 32 / s;
}
#endif

} // namespace

Machine measured_row(const Machine& in_use) {
    Machine m = in_use;
    if (const int64_t ways = ways_of_l1()) m.l1_ways = ways, m.l1_bytes = ways * page;
    if (const int64_t bytes = second_level(m.l1_bytes)) m.l2_bytes = bytes;
    m.l3_bytes = std::max(m.l3_bytes, m.l2_bytes);
    if (const int64_t bytes = break_even_of_streams()) m.stream_bytes = bytes;
    if (const int64_t bytes = break_even_of_teams()) m.parallel_bytes = bytes;
#if defined(__x86_64__)
    constexpr uint32_t bf16 = 0xe7; // AVX-512 with BF16
    if (in_use.vector_bytes == 64)
        m.two_shuffles = shuffles_a_cycle() > 1.5, m.spare_vector_pipes = time_beside_flips() < 1.25;
    if ((in_use.isa & bf16) == bf16) m.fast_bf16_products = bf16_products() > 1.2 * f32_products();
#endif
    return m;
}

} // namespace tessera
