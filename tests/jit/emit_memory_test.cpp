// SPDX-License-Identifier: Apache-2.0
// Vector ops of vcode.def that touch memory, with guard pages against the first and the last byte they may touch, and
// what emit() refuses.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "cpu/jit/emit/emit.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "vcode_interpreter.hpp"

namespace tessera::cpu::jit {
namespace {

struct Args {
    const uint8_t* in;
    uint8_t* out;
    int64_t count;
    const uint8_t* more;
};

constexpr int64_t in_at = 0, out_at = 8, count_at = 16, more_at = 24;

std::vector<uint8_t> random_bytes(size_t n) {
    static std::mt19937 r(3);
    std::vector<uint8_t> bytes(n);
    for (uint8_t& byte : bytes) byte = uint8_t(r());
    return bytes;
}

class EmitMemory : public testing::TestWithParam<Target> {
protected:
    static int width() { return GetParam().vector_bytes; }
    // Runs and interprets with `in` and `out` ending (or beginning) at pages that must not be touched; the whole page
    // behind `out` must come out the same.
    void check(const Code& code, int in_bytes, int out_bytes, int64_t count, const std::string& where) {
        const auto bytes = emit(code);
        ASSERT_TRUE(bytes) << where;
        const std::vector<uint8_t> in = random_bytes(4096), out = random_bytes(4096), more = random_bytes(64);
        for (bool at_end : {true, false}) {
            GuardedPages source(4096), target(4096);
            std::memcpy(source.begin(), in.data(), 4096);
            Args args{at_end ? source.end() - in_bytes : source.begin(),
                      at_end ? target.end() - out_bytes : target.begin(), count, more.data()};
            std::memcpy(target.begin(), out.data(), 4096);
            interpret(code, &args);
            const std::vector<uint8_t> want(target.begin(), target.end());
            std::memcpy(target.begin(), out.data(), 4096);
            ASSERT_TRUE(run_code(*bytes, &args)) << where;
            ASSERT_EQ(std::memcmp(want.data(), target.begin(), 4096), 0) << where << (at_end ? " at the end" : "");
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Host, EmitMemory, testing::ValuesIn(host_targets()),
                         [](const auto& info) { return name_of(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EmitMemory);

TEST_P(EmitMemory, LoadsAnyNumberOfBytes) {
    for (int n = 1; n <= width(); ++n) {
        Code code(GetParam(), "load");
        const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
        code.store({out}, code.load({in}, n));
        check(code, n, width(), 0, "load " + std::to_string(n));
    }
}

TEST_P(EmitMemory, StoresAnyNumberOfBytes) {
    for (int n = 1; n <= width(); ++n) {
        Code code(GetParam(), "store");
        const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
        code.store({out}, code.load({in}), n);
        check(code, width(), n, 0, "store " + std::to_string(n));
    }
}

// Registers from 16 on need other encodings, and addresses all their parts.
TEST_P(EmitMemory, PartsInEveryRegisterAtIndexedAddresses) {
    for (int n : {1, 3, 4, 7, 8, 12, 15, 16, 17, 31}) {
        Code code(GetParam(), "parts");
        const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
        const Gpr two = code.gset(2);
        std::vector<Vec> all;
        for (int r = 0; r < GetParam().vectors + 2; ++r)
            all.push_back(code.load({in, r * 32 - (2 << r % 4), two, 1 << r % 4}, n));
        for (size_t r = 0; r < all.size(); ++r) code.store({out, int64_t(r) * 32 - 4, two, 2}, all[r], n);
        check(code, 1200, 1200, 0, "parts of " + std::to_string(n));
    }
}

TEST_P(EmitMemory, Broadcasts) {
    for (int n : {16, 32, 64})
        for (int es : {1, 2, 4, 8, 16, 32}) {
            if (n > width() || es > n) continue;
            Code code(GetParam(), "broadcast");
            const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
            code.store({out}, code.broadcast({in}, es, n));
            check(code, es, width(), 0, "broadcast " + std::to_string(es) + " to " + std::to_string(n));
        }
}

TEST_P(EmitMemory, Inserts) {
    for (int n : {16, 32, 64})
        for (int es : {8, 16, 32})
            for (int piece = 0; piece < n / es && n <= width(); ++piece)
                for (bool same : {false, true}) {
                    Code code(GetParam(), "insert");
                    const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
                    const Vec a = code.load({code.gload({code.args(), more_at})});
                    Vec d = code.insert(a, {in}, es, piece, n);
                    if (same) const_cast<Inst&>(code.insts().back()).d = a.id, d = a;
                    code.store({out}, d);
                    if (!same) code.store({out, width()}, a);
                    check(code, es, same ? width() : 2 * width(), 0,
                          "insert " + std::to_string(es) + " piece " + std::to_string(piece) + " of " +
                              std::to_string(n));
                }
}

TEST_P(EmitMemory, LoadsThatWiden) {
    for (int n : {16, 32, 64})
        for (int from : {1, 2, 4})
            for (int to = 2 * from; to <= 8 && n <= width(); to *= 2)
                for (bool sign : {false, true}) {
                    Code code(GetParam(), "load_widen");
                    const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
                    code.store({out}, code.load_widen({in}, from, to, sign, n));
                    check(code, n / to * from, width(), 0,
                          "widen " + std::to_string(from) + " to " + std::to_string(to) + " in " + std::to_string(n));
                }
}

TEST_P(EmitMemory, LoadsThatWidenReadWhatTheMaskHas) {
    for (int n : {16, 32, 64})
        for (int from : {1, 2, 4})
            for (int to = 2 * from; to <= 8 && n <= width(); to *= 2)
                for (int64_t count : {0, 1, 2, 3, 7, 8, 13, 15, 64}) {
                    if (!GetParam().masks) GTEST_SKIP() << "masks of elements are AVX-512's";
                    Code code(GetParam(), "load_widen");
                    const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
                    const Mask k = code.mask_first(code.gload({code.args(), count_at}));
                    code.store({out}, code.load_widen({in}, from, to, count % 2, n, k));
                    check(code, int(std::min<int64_t>(count, n / to)) * from, width(), count,
                          "widen " + std::to_string(from) + " to " + std::to_string(to) + " count " +
                              std::to_string(count) + " in " + std::to_string(n));
                }
}

TEST_P(EmitMemory, StreamsFencesAndPrefetches) {
    for (int n : {16, 32, 64}) {
        if (n > width()) continue;
        Code code(GetParam(), "stream");
        const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
        for (int how : {0, 1, 2}) code.prefetch({in, 64 * how}, how);
        code.stream({out}, code.load({in}), n);
        code.fence();
        check(code, width(), n, 0, "stream " + std::to_string(n));
    }
}

TEST_P(EmitMemory, MasksOfTheFirstElements) {
    if (!GetParam().masks) GTEST_SKIP() << "masks of elements are AVX-512's";
    for (int n : {16, 32, 64})
        for (int es : {1, 2, 4, 8})
            for (int64_t count : {-5, 0, 1, 2, 3, 7, 8, 13, 15, 16, 31, 33, 63, 64, 65, 255, 256, 257, 100000}) {
                Code code(GetParam(), "masked");
                const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
                const Mask k = code.mask_first(code.gload({code.args(), count_at}));
                const Vec a = code.load_masked({in}, k, es, n);
                code.store_masked({out}, a, k, es, n);
                const int bytes = int(std::clamp<int64_t>(count, 0, n / es)) * es;
                check(code, bytes, bytes, count,
                      "es " + std::to_string(es) + " count " + std::to_string(count) + " of " + std::to_string(n));
            }
}

TEST_P(EmitMemory, MaskedLoadsLeaveZeros) {
    if (!GetParam().masks) GTEST_SKIP() << "masks of elements are AVX-512's";
    for (int n : {16, 32, 64})
        for (int es : {1, 2, 4, 8})
            for (uint64_t bits : {uint64_t(0), uint64_t(0x5a), uint64_t(0x8123456789abcdef)}) {
                Code code(GetParam(), "mask_constant");
                const Gpr in = code.gload({code.args(), in_at}), out = code.gload({code.args(), out_at});
                const Mask k = code.mask_constant(bits);
                const Vec a = code.load_masked({in}, k, es, n);
                code.store({out}, a);
                code.store_masked({out, 64}, code.load({in}), k, es, n);
                check(code, 64, 128, 0, "es " + std::to_string(es) + " of " + std::to_string(n));
            }
}

TEST_P(EmitMemory, RefusesWhatTheTargetLacks) {
    auto with = [](auto build) {
        Code code(GetParam(), "refused");
        const Vec a = code.load({code.args()});
        build(code, a);
        return emit(code).has_value();
    };
    EXPECT_TRUE(with([](Code& code, Vec a) { code.store({code.args()}, a); }));
    EXPECT_EQ(with([](Code& code, Vec a) { code.permute(a, a, 1); }), GetParam().byte_permute);
    EXPECT_EQ(with([](Code& code, Vec a) { code.permute(a, a, 2); }), GetParam().masks);
    EXPECT_EQ(with([](Code& code, Vec) { code.mask_first(code.gset(3)); }), GetParam().masks);
    EXPECT_EQ(with([](Code& code, Vec) { code.mask_constant(3); }), GetParam().masks);
    EXPECT_FALSE(with([](Code& code, Vec a) { code.store({code.args()}, a, width() + 1); }));
    EXPECT_FALSE(with([](Code& code, Vec a) { code.op2(VOp::iadd, a, a, 3); }));
    EXPECT_FALSE(with([](Code& code, Vec a) { code.op2(VOp::iadd, a, a, 4, 24); }));
    EXPECT_FALSE(with([](Code& code, Vec a) { code.extract(a, 16, 4); }));
    EXPECT_FALSE(with([](Code& code, Vec) { code.end_if(); }));
    EXPECT_FALSE(with([](Code& code, Vec) { code.loop(); }));
}

} // namespace
} // namespace tessera::cpu::jit
