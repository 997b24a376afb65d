// SPDX-License-Identifier: Apache-2.0
// General registers, loops and conditions of vcode.def, and registers that run short: emitted code against the
// interpreter.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "cpu/jit/emit/emit.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "vcode_interpreter.hpp"

namespace tessera::cpu::jit {
namespace {

constexpr int64_t out_at = 128; // in a block of 8-byte numbers: 16 in, 16 out

using Numbers = std::vector<int64_t>;

class EmitStructure : public testing::TestWithParam<Target> {
protected:
    // Both must leave the same 1024 bytes.
    static void check(const Code& code, const Numbers& in, const std::string& where) {
        const auto bytes = emit(code);
        ASSERT_TRUE(bytes) << where << "\n" << to_string(code);
        Numbers want(128), got(128);
        std::copy(in.begin(), in.end(), want.begin());
        got = want;
        interpret(code, want.data());
        ASSERT_TRUE(run_code(*bytes, got.data())) << where;
        ASSERT_EQ(want, got) << where << "\n" << to_string(code);
    }
};
INSTANTIATE_TEST_SUITE_P(Host, EmitStructure, testing::ValuesIn(host_targets()),
                         [](const auto& info) { return name_of(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EmitStructure);

Numbers random_numbers() {
    static std::mt19937_64 r(11);
    Numbers all(16);
    for (int64_t& x : all) {
        x = int64_t(r());
        if (r() % 2) x >>= 48;
    }
    return all;
}

// 31 bytes take 26 bytes of code and more: what most codes have room in is too small.
TEST_P(EmitStructure, LongInstructions) {
    Code c(GetParam(), "long");
    const Vec x = c.load({c.args(), 0}, 31);
    for (int64_t i = 0; i < 1400; ++i) c.store({c.args(), out_at + i % 8 * 32 + i % 2}, x, 31);
    check(c, random_numbers(), "long instructions");
}

TEST_P(EmitStructure, GeneralRegisters) {
    using Build = std::function<void(Code&, Gpr d, Gpr a, Gpr b)>;
    const int64_t large = 0x123456789abc;
    std::vector<std::pair<std::string, Build>> cases{
        {"gcopy", [](Code& c, Gpr d, Gpr a, Gpr) { c.gcopy(d, a); }},
        {"gadd", [](Code& c, Gpr d, Gpr a, Gpr b) { c.gadd(d, a, b); }},
        {"gsub", [](Code& c, Gpr d, Gpr a, Gpr b) { c.gsub(d, a, b); }},
        {"gadd_mem",
         [](Code& c, Gpr d, Gpr a, Gpr) {
             c.gadd_mem(d, a, {c.args(), 40});
         }},
        {"gadd_mem at an index",
         [](Code& c, Gpr d, Gpr a, Gpr) {
             c.gcopy(d, c.args());
             c.gadd_mem(d, a, {d, 16});
         }},
        {"gmul of registers", [](Code& c, Gpr d, Gpr a, Gpr b) { c.gcopy(d, c.gmul(a, b)); }},
        {"gmul in place",
         [](Code& c, Gpr d, Gpr a, Gpr b) {
             (void)c.gmul(a, b);
             const_cast<Inst&>(c.insts().back()).d = d.id;
         }},
        {"gload_s32",
         [](Code& c, Gpr d, Gpr, Gpr) {
             c.gcopy(d, c.gload_s32({c.args(), 44}));
         }},
        {"gmin",
         [](Code& c, Gpr d, Gpr a, Gpr b) {
             const Gpr least = c.gmin(a, b);
             c.gcopy(d, least);
         }},
        {"gmin in place",
         [](Code& c, Gpr d, Gpr a, Gpr b) {
             (void)c.gmin(a, b);
             const_cast<Inst&>(c.insts().back()).d = d.id;
         }},
        {"gaddress", [](Code& c, Gpr d, Gpr a, Gpr b) {
             c.gcopy(d, c.gaddress({a, -12345, b, 8}));
         }}};
    for (int64_t imm : {int64_t(0), int64_t(1), int64_t(-7), int64_t(100000), int64_t(INT32_MIN), int64_t(INT32_MAX),
                        large, -large, std::numeric_limits<int64_t>::min()}) {
        cases.push_back({"gset", [imm](Code& c, Gpr d, Gpr, Gpr) { c.gcopy(d, c.gset(imm)); }});
        cases.push_back({"gadd imm", [imm](Code& c, Gpr d, Gpr a, Gpr) { c.gadd(d, a, imm); }});
        cases.push_back({"gsub imm", [imm](Code& c, Gpr d, Gpr a, Gpr) { c.gsub(d, a, imm); }});
        cases.push_back({"gmul", [imm](Code& c, Gpr d, Gpr a, Gpr) { c.gcopy(d, c.gmul(a, imm)); }});
    }
    for (int count : {0, 1, 6, 63})
        cases.push_back({"gshl", [count](Code& c, Gpr d, Gpr a, Gpr) { c.gcopy(d, c.gshl(a, count)); }});
    for (const auto& [name, make] : cases)
        for (int into = 0; into < 3; ++into) // d is a fresh one, a, b
            for (int round = 0; round < 4; ++round) {
                Code code(GetParam(), name);
                const Gpr a = code.gload({code.args(), 0}), b = code.gload({code.args(), 8});
                const Gpr d = into == 0 ? code.gload({code.args(), 16}) : into == 1 ? a : b;
                if (into == 1 && name == "gadd_mem at an index") continue; // overwrites a
                make(code, d, a, b);
                int64_t to = out_at;
                for (Gpr r : {d, a, b}) code.gstore({code.args(), to}, r), to += 8;
                Numbers in = random_numbers();
                // The address differs between the two blocks: keep it out of the results.
                if (name == "gadd_mem at an index" || name == "gaddress") in[0] = 5;
                check(code, in, name + " into " + std::to_string(into));
            }
}

TEST_P(EmitStructure, ThirteenGeneralRegistersLiveAtOnce) {
    Code code(GetParam(), "registers");
    std::vector<Gpr> all;
    for (int r = 0; r < 12; ++r) all.push_back(code.gload({code.args(), 8 * r}));
    for (int r = 0; r < 12; ++r) code.gadd(all[size_t(r)], all[size_t(r)], all[size_t((r + 5) % 12)]);
    for (int r = 0; r < 12; ++r) code.gstore({code.args(), out_at + 8 * r}, all[size_t(r)]);
    check(code, random_numbers(), "twelve and args");
}

TEST_P(EmitStructure, NestedLoops) {
    for (int64_t outer : {-1, 1, 2, 5})
        for (int64_t step : {1, 3}) {
            Code code(GetParam(), "loops");
            const Gpr n = code.gload({code.args(), 0}), sum = code.gset(0), place = code.gcopy(code.args());
            code.loop();
            const Gpr m = code.gload({code.args(), 8});
            code.loop();
            const Gpr one = code.gmul(m, 10);
            code.gadd(sum, sum, one), code.gadd(sum, sum, n);
            code.end_loop(m, step);
            code.gstore({place, out_at}, sum);
            code.gadd(place, place, 8);
            code.end_loop(n, 1);
            check(code, {outer, 7}, "outer " + std::to_string(outer) + " step " + std::to_string(step));
        }
}

TEST_P(EmitStructure, NestedConditions) {
    for (int64_t x : {-3, 0, 1, 9, 10, 11})
        for (int64_t limit : {int64_t(10), int64_t(1) << 40}) {
            Code code(GetParam(), "conditions");
            const Gpr a = code.gload({code.args(), 0}), seen = code.gset(1), n = code.gset(3);
            code.if_positive(a);
            code.gadd(seen, seen, 2);
            code.if_less(a, limit);
            code.gadd(seen, seen, 4);
            code.end_if();
            code.loop();
            code.gadd(seen, seen, 16);
            code.if_less(n, 3);
            code.gadd(seen, seen, 256);
            code.end_if();
            code.end_loop(n, 1);
            code.gadd(seen, seen, 8);
            code.end_if();
            code.if_less(a, -2);
            code.gadd(seen, seen, 1000);
            code.end_if();
            code.gstore({code.args(), out_at}, seen);
            check(code, {x}, "x " + std::to_string(x));
        }
}

// More vectors than registers, alive across a loop that changes all of them.
TEST_P(EmitStructure, SpilledVectorsInALoop) {
    Code code(GetParam(), "spills");
    const int count = 2 * GetParam().vectors, w = GetParam().vector_bytes;
    std::vector<Vec> all;
    for (int r = 0; r < count; ++r) all.push_back(code.load({code.args(), r % 8}, 16));
    const Gpr n = code.gload({code.args(), 120});
    code.loop();
    for (int r = 0; r < count; ++r) {
        const Vec next = code.op2(VOp::iadd, all[size_t(r)], all[size_t((r + 3) % count)], 4);
        code.copy(all[size_t(r)], next);
    }
    code.end_loop(n, 1);
    Vec sum = all[0];
    for (int r = 1; r < count; ++r) {
        const Vec turned = code.shift(r % 2 ? VOp::shl : VOp::shr, sum, 1, 8);
        sum = code.op2(VOp::ixor, turned, all[size_t(r)], 1);
        if (r % 8 == 0) code.store({code.args(), 512 + r % 4 * w}, sum);
    }
    code.store({code.args(), 256}, sum);
    Numbers in = random_numbers();
    in[15] = 4;
    check(code, in, "spills");
}

// Only what is used is saved: a function that uses nothing is vzeroupper and ret.
TEST_P(EmitStructure, NoFrameWithoutNeed) {
    Code code(GetParam(), "empty");
    const auto bytes = emit(code);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->size(), 4u);
}

} // namespace
} // namespace tessera::cpu::jit
