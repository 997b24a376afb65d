// SPDX-License-Identifier: Apache-2.0
// What the dot tile says of products before it makes anything. covers: MAT-01
#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "core/plan/rewrite/local_step.hpp"
#include "cpu/products/ask.hpp"
#include "cpu/select/select.hpp"
#include "machines.hpp"
#include "plan_of_line.hpp"

namespace tessera::cpu {

namespace {

DotAnswer ask(const std::string& text, const Context& machine) {
    const Plan plan = plan_of(text);
    const auto product = std::ranges::find(plan.steps, StepKind::product, &Step::kind);
    if (product == plan.steps.end()) throw std::invalid_argument("no product: " + text);
    const LocalStep local = local_step(plan, *product);
    const Step& step = local.plan.steps[0];
    return ask_dot(local.plan, step, *matrices_of(local.plan, step), jit::target_of(machine), machine);
}

class AskDot : public testing::TestWithParam<Context> {};

} // namespace

TEST_P(AskDot, parts_that_become_steps) {
    constexpr DotParts none, left{.left = true}, right{.right = true}, sums{.epilogue = true};
    const std::pair<const char*, DotParts> cases[] = {
        {"matmul --stag=ab:ab --dtag=ab 64x64:64x64", none},
        {"matmul --stag=aB16b:AB16a4b --dtag=aB8b 5x33:33x20", right},
        {"matmul --stag=ab:BA16a16b2a --dtag=ab 64x100:100x64", none},
        {"matmul --stag=BA16a16b2a:ab --dtag=ab 64x100:100x64", left},
        {"matmul --sstrides=80x2:100x3 --dstrides=130x2 5x33:33x20", sums},
        {"matmul --stag=AB16b16a:BA16a16b2a --dtag=AB4a8b 21x40:40x50", {.left = true, .epilogue = true}},
    };
    for (const auto& [text, parts] : cases) {
        const DotAnswer answer = ask(text, GetParam());
        EXPECT_TRUE(answer.taken) << text << ": " << answer.why_not;
        EXPECT_EQ(answer.parts, parts) << text;
        EXPECT_EQ(answer.why_not, "") << text;
    }
}

TEST_P(AskDot, refusals_say_why) {
    const DotAnswer answer = ask("matmul --sdt=f32:f4_e2m1 --ddt=f32 --stag=ab:Ba16b --dtag=ab 5x37:37x20", GetParam());
    EXPECT_FALSE(answer.taken);
    EXPECT_EQ(answer.why_not, "no kernel takes copy (f4_e2m1) in its layout");
}

// Sums of A's rows need fewer registers than AVX2 would give eight rows.
TEST_P(AskDot, zero_points_of_weights_have_kernels) {
    for (const char* text :
         {"matmul --sdt=u8:s8 --ddt=s32 --stag=ab:ab --dtag=ab --attr-zero-points=wei:0 37x64:64x64",
          "matmul --sdt=s8:s8 --ddt=s32 --stag=ab:ba --dtag=ab --attr-zero-points=src:0 3x40:40x1",
          "matmul --sdt=f32:s4 --ddt=f32 --stag=ab:ab --dtag=ab --attr-fpmath=strict:true --attr-scales=wei:3:f32:64x1 "
          "--attr-zero-points=wei:3:s8:64x1 9x512:512x64",
          "matmul --sdt=f32:s8 --ddt=f32 --stag=ab:ab --dtag=ab --attr-fpmath=strict:true --attr-scales=wei:3:f32:64x1 "
          "--attr-zero-points=wei:3:s8:64x1 100x512:512x64"}) {
        const auto selection = select(plan_of(text), GetParam());
        ASSERT_TRUE(selection) << text;
        EXPECT_EQ(selection->why_portable(), "") << text;
    }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AskDot);
INSTANTIATE_TEST_SUITE_P(Machines, AskDot, testing::ValuesIn(generating_machines()),
                         [](const auto& machine) { return test_name(machine.param); });

} // namespace tessera::cpu
