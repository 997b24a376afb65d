// SPDX-License-Identifier: Apache-2.0
// Laws of the differential harness itself: a comparison that cannot fail would be worse than none.
#include <cmath>
#include <gtest/gtest.h>

#include "compare.hpp"
#include "formula/formula.hpp"
#include "formula/pointwise.hpp"
#include "problems/generate.hpp"

using namespace differential;

namespace {

const std::vector<std::string> some_tags = {"a",     "ab",   "ba",   "Ab4a",    "abc",
                                            "aBc8b", "abcd", "acdb", "aBcd16b", "ABcd16a16b"};

TEST(Problem, PrintedLineParsesToItself) {
    Generator generator(some_tags);
    for (uint64_t i = 0; i < 20000; ++i) {
        const std::string line = print(generator.problem(7, i));
        std::string complaint;
        const auto parsed = parse(line, complaint);
        ASSERT_TRUE(parsed) << line << ": " << complaint;
        ASSERT_EQ(line, print(*parsed));
    }
}

TEST(Problem, WrongLinesAreRefused) {
    std::string complaint;
    EXPECT_FALSE(parse("gemm 2x3", complaint));
    EXPECT_FALSE(parse("pooling --alg=max 2x3x4", complaint));
    EXPECT_FALSE(parse("reorder --bogus=1 2x3", complaint));
    EXPECT_NE(complaint.find("--bogus=1"), std::string::npos);
    EXPECT_FALSE(parse("reorder --sdt=f32", complaint));
}

TEST(Generator, SameSeedSameProblem) {
    Generator one(some_tags), two(some_tags);
    for (uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(print(one.problem(3, i)), print(two.problem(3, i)));
}

TEST(Element, EncodeInvertsDecode) {
    for (int row = 0; const Type* t = type_at(row); ++row) {
        if (t->bits > 16) continue;
        for (uint64_t code = 0; code < uint64_t(1) << t->bits; ++code)
            if (is_finite(*t, code)) { EXPECT_EQ(encode(*t, decode(*t, code)), code) << t->name << " " << code; }
    }
}

TEST(Element, LoadReadsWhatStoreWrote) {
    for (int row = 0; const Type* t = type_at(row); ++row) {
        uint8_t buffer[32]{};
        for (int64_t i = 0; i < 4; ++i) store(buffer, *t, i, uint64_t(i + 1));
        for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(load(buffer, *t, i), uint64_t(i + 1)) << t->name;
    }
}

TEST(Element, StepsAreNeighbours) {
    const Type& f16 = *type("f16");
    EXPECT_EQ(steps_apart(f16, 0x3c00, 0x3c01), 1);
    EXPECT_EQ(steps_apart(f16, 0x0000, 0x8000), 0);
    EXPECT_EQ(steps_apart(f16, 0x0001, 0x8001), 2);
    EXPECT_EQ(steps_apart(f16, 0x7e00, 0xfe01), 0);
    EXPECT_TRUE(std::isinf(steps_apart(f16, 0x7e00, 0x3c00)));
    EXPECT_EQ(steps_apart(*type("s8"), 0x7f, 0x80), 255);
}

Problem problem_of(const std::string& line) {
    std::string complaint;
    return *parse(line, complaint);
}

TEST(Compare, OneStepCountsUnlessTheFactorsAreRough) {
    const std::string left = "ok 0 0 0000803f", right = "ok 0 0 0100803f"; // 1 and the next f32
    EXPECT_EQ(differences(problem_of("reorder --stag=a --dtag=a --seed=2 1"), left, right).size(), 1u);
    EXPECT_EQ(differences(problem_of("reorder --stag=a --dtag=a --attr-scales=dst:0 --seed=2 1"), left, right).size(),
              1u);
    EXPECT_EQ(differences(problem_of("reorder --stag=a --dtag=a --attr-scales=dst:0 --seed=3 1"), left, right).size(),
              0u);
    EXPECT_EQ(differences(problem_of("reorder --stag=a --dtag=a --seed=2 1"), left, "ok 0 0 0000803f00").size(), 1u);
}

TEST(Pointwise, FormulaAcceptsRoundingAndNothingMore) {
    const Type &f32 = *type("f32"), &s8 = *type("s8");
    const Expected half = eltwise_forward("logistic", 0, 0, 0);
    EXPECT_TRUE(accepts(f32, half, 0x3f000000)); // 0.5
    EXPECT_TRUE(accepts(f32, half, 0x3f000010)); // 16 steps of 6e-8 above
    EXPECT_FALSE(accepts(f32, half, 0x3f000040));
    EXPECT_FALSE(accepts(f32, half, 0x7fc00000));
    EXPECT_TRUE(accepts(s8, binary("div", 5, 2), 2)); // 2.5 is a tie
    EXPECT_FALSE(accepts(s8, binary("add", 5, 2), 6));
    EXPECT_TRUE(accepts(s8, binary("mul", 100, -2), 0x80));
    EXPECT_TRUE(accepts(f32, binary("max", NAN, 1), 0x7fc00000));
    EXPECT_FALSE(accepts(f32, binary("max", NAN, 1), 0x3f800000));
    EXPECT_EQ(eltwise_backward("relu", .5, 0, -1, 4).value, 2);
}

std::vector<double> values(const std::vector<Expected>& all) {
    std::vector<double> list;
    for (const Expected& e : all) list.push_back(e.value);
    return list;
}

// The examples of the specification: RES-02, RES-03, PRE-01, PRE-02, SUM-01.
TEST(Formula, KnownValues) {
    using List = std::vector<double>;
    const auto resampled = [](const std::string& line, const List& in) {
        const Problem p = problem_of("resampling --stag=abc --dtag=abc " + line);
        return values(expected_output(p, {{is_backward(p) ? p.dst.dims : p.src.dims, in}}));
    };
    EXPECT_EQ(resampled("--alg=nearest 1x1x3:1x1x2", {0, 1, 2}), List({0, 2}));
    EXPECT_EQ(resampled("--alg=nearest 1x1x4:1x1x6", {0, 1, 2, 3}), List({0, 1, 1, 2, 3, 3}));
    EXPECT_EQ(resampled("--alg=linear 1x1x5:1x1x2", {0, 1, 2, 3, 4}), List({.75, 3.25}));
    EXPECT_EQ(resampled("--alg=linear --dir=BWD_D 1x1x5:1x1x2", {4, 8}), List({1, 3, 0, 6, 2}));
    const std::string shapes = " --stag=ab --otag=ab --dtag=ab --odims=1x2 2x2";
    const List s = {1, -2, -3, 4}, w = {.5, 2}, dd = {1, 2, 3, 4};
    const auto prelu = [&](const std::string& line, std::vector<Tensor> inputs) {
        return values(expected_output(problem_of("prelu " + line + shapes), inputs));
    };
    EXPECT_EQ(prelu("--dir=FWD_D", {{{2, 2}, s}, {{1, 2}, w}}), List({1, -4, -1.5, 4}));
    EXPECT_EQ(prelu("--dir=BWD", {{{2, 2}, s}, {{1, 2}, w}, {{2, 2}, dd}}), List({1, 4, 1.5, 4}));
    EXPECT_EQ(prelu("--dir=BWD --want=diff_weights", {{{2, 2}, s}, {{1, 2}, w}, {{2, 2}, dd}}), List({-9, -4}));
    const Problem sum = problem_of("sum --sources=f32:a:2+f32:a:2:.5 --ddt=f32 --dtag=a 2");
    const auto total = expected_output(sum, {{{2}, {1, 2}}, {{2}, {4, 8}}});
    EXPECT_EQ(values(total), List({3, 6}));
    EXPECT_TRUE(accepts(*type("f32"), total[0], 0x40400001));  // 3 and a step
    EXPECT_FALSE(accepts(*type("f32"), total[0], 0x40400010)); // 16 steps: no order of two additions is that far off
}

TEST(Formula, PostOpsWidenWhatIsNotKnown) {
    const auto applied = [](const char* kind, double operand, Expected x) {
        apply_post_op({kind, 0, 0, "f32", ""}, {0, operand, false}, x);
        return x;
    };
    EXPECT_EQ(applied("ge", 1, {1, 0, false}).value, 1);
    EXPECT_EQ(applied("ge", 1, {1, 0, false}).slack, 0);
    EXPECT_EQ(applied("ge", 1, {1, 1e-6, false}).slack, 1); // either answer
    EXPECT_EQ(applied("ge", 1, {1.1, 1e-6, false}).slack, 0);
    EXPECT_EQ(applied("ne", 1, {1 + 1e-8, 1e-6, false}).slack, 1);
    EXPECT_NEAR(applied("mul", 1000, {1, 1e-6, false}).slack, 1e-3 + 4e-3, 1e-6);
    EXPECT_TRUE(std::isinf(applied("log", 0, {1e-9, 1e-6, false}).slack));       // a NaN is possible
    EXPECT_TRUE(std::isinf(applied("logistic", 0, {1, INFINITY, false}).slack)); // that may be NaN
    EXPECT_EQ(applied("select", 7, {1, 1, false}).value, 7);
    Expected x{1, 0, false};
    apply_post_op({"sum", .5, 2, "", ""}, {6, 0, false}, x);
    EXPECT_EQ(x.value, 3);
}

TEST(Quirks, NoneExplainsAPlainWrongValue) {
    Case both{problem_of("reorder --sdt=f32 --ddt=s8 --stag=ab --dtag=ba 2x3"),
              "ok 1 0",
              "ok 2 0",
              "3.13.2",
              {{0, 1, 2}},
              false};
    EXPECT_EQ(find_quirk(both), nullptr);
    both.peer = "pd:invalid_arguments";
    EXPECT_EQ(find_quirk(both), nullptr);
    both.peer = "crash:8";
    ASSERT_NE(find_quirk(both), nullptr);
    EXPECT_STREQ(find_quirk(both)->row, "STA-07");
}

} // namespace
