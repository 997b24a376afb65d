// SPDX-License-Identifier: Apache-2.0
// Products on plain pointers, called as programs call them: random extents, transpositions, gaps between rows, offsets
// and factors. Every matrix ends at its last element, with a page that cannot be touched behind it, or starts right
// behind one. Values are whole numbers, so that sums are exact in any order; the machines in
// turns. TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1 repeats a failure.
// covers: GEM-01 GEM-02
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machines.hpp"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "problems/random_problem.hpp"
#include "seeds.hpp"
#include "trial/faults.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera::fuzz {

namespace {

// A matrix of `lines` lines of `length` elements, `apart` from one to the next; nothing lies behind its last element.
template <typename T> class Matrix {
public:
    Matrix(Random& r, int64_t rows, int64_t columns, bool turned)
        : turned_(turned), lines_(turned ? columns : rows), length_(turned ? rows : columns),
          apart_(length_ + (chance(r, 50) ? 0 : below(r, 70))),
          bytes_(size_t((lines_ - 1) * apart_ + length_) * sizeof(T),
                 chance(r, 70) ? GuardedBuffer::Placement::end_at_guard : GuardedBuffer::Placement::start_at_guard) {}
    T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
    size_t size() const { return bytes_.size() / sizeof(T); }
    int64_t apart() const { return apart_; }
    T& at(int64_t i, int64_t j) const { return data()[turned_ ? j * apart_ + i : i * apart_ + j]; }
    bool intact() const { return bytes_.intact(); }
    void fill(Random& r, int64_t low, int64_t high) {
        for (size_t i = 0; i < size(); ++i) data()[i] = T(low + below(r, high - low + 1));
    }

private:
    bool turned_;
    int64_t lines_, length_, apart_;
    GuardedBuffer bytes_;
};

// Whole groups of 4 of k and broken panels of 16 columns are where B is read as it lies.
int64_t extent(Random& r) {
    static constexpr int64_t some[] = {1, 2, 3, 4, 5, 8, 12, 15, 16, 17, 20, 31, 33, 47, 48, 64, 65, 100, 128};
    if (chance(r, 60)) return some[below(r, int64_t(std::size(some)))];
    return 1 + below(r, chance(r, 10) ? 500 : 70);
}

struct Call {
    bool turned_a, turned_b;
    int64_t m, n, k;
    float alpha, beta;

    explicit Call(Random& r)
        : turned_a(chance(r, 50)), turned_b(chance(r, 50)), m(extent(r)), n(extent(r)), k(extent(r)) {
        static constexpr float factors[] = {0, 1, 1, 1, 2, -0.5f};
        alpha = factors[1 + below(r, 5)], beta = factors[below(r, 6)];
        while (m * n * k > 2'000'000) m = (m + 1) / 2, n = (n + 1) / 2;
    }
    std::string text() const {
        return fmt::format("{}{} M={} N={} K={} alpha {} beta {}", turned_a ? 'T' : 'N', turned_b ? 'T' : 'N', m, n, k,
                           alpha, beta);
    }
    char a() const { return turned_a ? 'T' : 'N'; }
    char b() const { return turned_b ? 'T' : 'N'; }
};

template <typename C> void same(const Matrix<C>& found, const std::vector<C>& want, const std::string& text) {
    ASSERT_TRUE(found.intact()) << text;
    for (size_t i = 0; i < want.size(); ++i) ASSERT_EQ(found.data()[i], want[i]) << "element " << i << ", " << text;
}

void floats(Random& r, const std::string& seed) {
    const Call s(r);
    Matrix<float> a(r, s.m, s.k, s.turned_a), b(r, s.k, s.n, s.turned_b), c(r, s.m, s.n, false);
    a.fill(r, -4, 4), b.fill(r, -4, 4), c.fill(r, -4, 4);
    const std::string text =
        fmt::format("sgemm {} lda {} ldb {} ldc {}, {}", s.text(), a.apart(), b.apart(), c.apart(), seed);
    doing(text);
    std::vector<float> want(c.data(), c.data() + c.size());
    for (int64_t i = 0; i < s.m; ++i)
        for (int64_t j = 0; j < s.n; ++j) {
            float sum = 0;
            for (int64_t l = 0; l < s.k; ++l) sum += a.at(i, l) * b.at(l, j);
            float& to = want[size_t(i * c.apart() + j)];
            to = s.alpha * sum + s.beta * to;
        }
    ASSERT_EQ(dnnl_sgemm(s.a(), s.b(), s.m, s.n, s.k, s.alpha, a.data(), a.apart(), b.data(), b.apart(), s.beta,
                         c.data(), c.apart()),
              dnnl_success)
        << dnnl_tessera_last_error() << " " << text;
    ASSERT_TRUE(a.intact() && b.intact()) << text;
    same(c, want, text);
}

template <typename A, typename F> void integers(Random& r, const std::string& seed, F gemm, const char* name) {
    const Call s(r);
    constexpr bool sign = A(-1) < A(0);
    Matrix<A> a(r, s.m, s.k, s.turned_a);
    Matrix<int8_t> b(r, s.k, s.n, s.turned_b);
    Matrix<int32_t> c(r, s.m, s.n, false);
    a.fill(r, sign ? -128 : 0, sign ? 127 : 255), b.fill(r, -128, 127), c.fill(r, -100000, 100000);
    const char offset = "FCR"[below(r, 3)];
    Matrix<int32_t> co(r, 1, offset == 'F' ? 1 : offset == 'C' ? s.m : s.n, false);
    co.fill(r, -1000, 1000);
    const A ao = chance(r, 50) ? A(r()) : A(0);
    const int8_t bo = chance(r, 50) ? int8_t(r()) : int8_t(0);
    const std::string text = fmt::format("{} {} offsetc {} lda {} ao {} ldb {} bo {} ldc {}, {}", name, s.text(),
                                         offset, a.apart(), int(ao), b.apart(), int(bo), c.apart(), seed);
    doing(text);
    std::vector<int32_t> want(c.data(), c.data() + c.size());
    for (int64_t i = 0; i < s.m; ++i)
        for (int64_t j = 0; j < s.n; ++j) {
            int64_t sum = 0;
            for (int64_t l = 0; l < s.k; ++l) sum += (int64_t(a.at(i, l)) - ao) * (int64_t(b.at(l, j)) - bo);
            int32_t& to = want[size_t(i * c.apart() + j)];
            const int32_t more = co.data()[offset == 'F' ? 0 : offset == 'C' ? i : j];
            to = int32_t(std::nearbyint(double(s.alpha) * double(sum) + double(s.beta) * to + more));
        }
    ASSERT_EQ(gemm(s.a(), s.b(), offset, s.m, s.n, s.k, s.alpha, a.data(), a.apart(), ao, b.data(), b.apart(), bo,
                   s.beta, c.data(), c.apart(), co.data()),
              dnnl_success)
        << dnnl_tessera_last_error() << " " << text;
    ASSERT_TRUE(a.intact() && b.intact() && co.intact()) << text;
    same(c, want, text);
}

template <typename Check> void fuzz(Check check) {
    each_seed(2000, [&](uint64_t seed) {
        Random r(seed);
        const StandIn machine(machines()[seed % machines().size()]);
        check(r, fmt::format("TESSERA_FUZZ_SEED={}", seed));
    });
}

} // namespace

TEST(GemmFuzz, sgemm) { fuzz(floats); }
TEST(GemmFuzz, u8s8s32) {
    fuzz([](Random& r, const std::string& seed) { integers<uint8_t>(r, seed, dnnl_gemm_u8s8s32, "u8s8s32"); });
}
TEST(GemmFuzz, s8s8s32) {
    fuzz([](Random& r, const std::string& seed) { integers<int8_t>(r, seed, dnnl_gemm_s8s8s32, "s8s8s32"); });
}

} // namespace tessera::fuzz
