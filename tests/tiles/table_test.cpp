// SPDX-License-Identifier: Apache-2.0
// The table of tiles: every row takes a step of some problem, and rows that rewrite steps, that run groups or lists of
// elements, take those that they are for and leave others to the rows behind them. covers: MAT-01 MAT-60 SOF-01 RES-01
#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../ops/objects.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "cpu/select/steps/fills.hpp"
#include "cpu/select/tiles.hpp"
#include "machines.hpp"
#include "ops/matmul/matmul.hpp"
#include "plan_of_line.hpp"

namespace tessera::cpu {

namespace {

// A list of so many elements times a dense matrix of 64 rows and 8 columns.
Plan plan_of_list(int64_t elements, const char* dense) {
    const auto md = [](std::vector<int64_t> dims, const char* tag) { return ops::md(dims, DataType::f32, tag); };
    const MemoryDesc list =
        ops::valid(make_csr_desc(std::vector<int64_t>{16, 64}, DataType::f32, elements, DataType::s32, DataType::s32));
    return ops::valid(ops::lower_matmul(
        ops::valid(ops::make_matmul(list, md({64, 8}, dense), MemoryDesc{}, md({16, 8}, "ab"), Attr{}))));
}

size_t count(const Plan& plan, StepKind kind) { return size_t(std::ranges::count(plan.steps, kind, &Step::kind)); }

// Rows that take one of the steps, or of those that they are rewritten to.
void add_rows_of(const Plan& plan, const Context& machine, std::set<const TileRow*>& all) {
    const jit::Target target = jit::target_of(machine);
    const Fills fills(plan);
    for (size_t i = 0; i < plan.steps.size(); ++i) {
        const LocalStep local = local_step(plan, plan.steps[i]);
        const Asked asked(local.plan, {.zeros = fills.behind(i).zeros}, target, machine);
        for (const TileRow& row : tiles()) {
            if (row.cost(asked) == not_taken) continue;
            if (row.make && row.make(asked)) all.insert(&row);
            if (!row.rewrite) continue;
            const auto parts = row.rewrite(asked);
            if (!parts) continue;
            EXPECT_TRUE(verify(*parts)) << row.name << "\n" << to_string(*parts);
            all.insert(&row);
            if (row.cost(asked) > 1) add_rows_of(*parts, machine, all); // others are asked with the step itself
        }
    }
}

class Table : public testing::TestWithParam<Context> {
protected:
    // About the first step of a kind.
    Answer ask(const Plan& plan, StepKind kind, const Asked::Surroundings& around = {}) const {
        const auto step = std::ranges::find(plan.steps, kind, &Step::kind);
        if (step == plan.steps.end()) throw std::invalid_argument("no such step: " + to_string(plan));
        const LocalStep local = local_step(plan, *step);
        return ask_tiles({local.plan, around, target_, GetParam()});
    }
    Answer ask_list(const Plan& plan, const Asked::Surroundings& around) const {
        return ask_tiles({plan, around, target_, GetParam()});
    }
    static std::string name(const Answer& answer) { return std::string(answer.row ? answer.row->name : "none"); }

    const jit::Target target_ = jit::target_of(GetParam());
};

} // namespace

TEST(Tiles, each_row_does_one_of_three_things) {
    for (const TileRow& row : tiles()) EXPECT_EQ(bool(row.make) + bool(row.rewrite) + bool(row.compile), 1) << row.name;
}

TEST(Tiles, each_row_takes_some_step) {
    constexpr const char* lines[] = {
        "reorder --stag=ab --dtag=AB32a32b8a4b 33x31",
        "reorder --stag=ab --dtag=ba 64x48",
        "prelu --stag=aBcd16b:any 2x17x5x5:1x17x1x1",
        "matmul --stag=ab:ab --dtag=ab 33x16387:16387x40",
        "matmul --stag=ab:ab --dtag=ab 40x1:1x40",
        "matmul --stag=ab:ab --dtag=ab 2x512:512x512",
        "matmul --sdt=bf16 --ddt=f32 --stag=ab:ab --dtag=ab 64x256:256x96",
        "matmul --stag=BA16a16b2a:ab --dtag=ab 64x100:100x64",
        "convolution --sdt=u8:s8:f32 --ddt=u8 --attr-zero-points=src:2+dst:2 --padding=1 2x8x5x5:20x8x3x3:20",
        "convolution --dir=BWD_D 2x3x5x5:4x3x3x3",
        "softmax --alg=accurate --stag=ab 100x33",
        "resampling --dir=FWD_D --alg=linear --stag=nhwc --dtag=nChw8c 2x19x6x9:2x19x4x13",
        "resampling --dir=FWD_D --alg=nearest --stag=nChw16c --dtag=nchw 2x19x6x9:2x19x4x13",
        "pooling --dir=BWD_D --alg=max --kernel=17 --padding=8 --stag=abcd --dtag=abcd 1x3x17x18:1x3x17x18",
        "pooling --dir=BWD_D --alg=max --kernel=2 --stride=2 --padding=4 --stag=acdb --dtag=acdb 1x20x3x3:1x20x5x5",
    };
    const auto machines = generating_machines();
    if (machines.empty()) GTEST_SKIP() << "no code is generated for this processor";
    std::set<const TileRow*> taking;
    for (const Context& machine : machines) {
        for (const char* line : lines) add_rows_of(plan_of(line), machine, taking);
        const auto list = std::make_shared<const Plan>(plan_of_list(200, "ab"));
        const jit::Target target = jit::target_of(machine);
        if (const Answer answer = ask_tiles({*list, {.whole = list}, target, machine}); answer.row)
            taking.insert(answer.row);
    }
    for (const TileRow& row : tiles())
        EXPECT_TRUE(taking.contains(&row)) << row.name << ", row " << &row - tiles().data();
}

TEST_P(Table, long_sums_of_few_results_become_parts) {
    const Plan plan = plan_of("matmul --stag=ab:ab --dtag=ab 33x16387:16387x40");
    const Answer alone = ask(plan, StepKind::product);
    ASSERT_EQ(name(alone), "sum in parts");
    EXPECT_EQ(count(*alone.parts, StepKind::product), 8u);
    EXPECT_EQ(alone.choice.tried, "");
    EXPECT_EQ(count(*ask(plan, StepKind::product, {.products = 3}).parts, StepKind::product), 3u);
    EXPECT_EQ(name(ask(plan, StepKind::product, {.products = 8})), "dot");
    EXPECT_EQ(name(ask(*alone.parts, StepKind::product, {.products = 8})), "dot");
}

TEST_P(Table, sums_of_one_product_become_maps) {
    const Answer answer = ask(plan_of("matmul --stag=ab:ab --dtag=ab 40x1:1x40"), StepKind::product);
    ASSERT_EQ(name(answer), "map of one product");
    EXPECT_EQ(count(*answer.parts, StepKind::map), answer.parts->steps.size());
    EXPECT_EQ(name(ask(plan_of("matmul --stag=ab:ab --dtag=ab 40x2:2x40"), StepKind::product)), "dot");
}

TEST_P(Table, parts_of_products_that_the_dot_tile_does_not_take_become_steps) {
    const Answer answer = ask(plan_of("matmul --stag=BA16a16b2a:ab --dtag=ab 64x100:100x64"), StepKind::product);
    ASSERT_EQ(name(answer), "parts apart");
    EXPECT_EQ(answer.choice.tried, "");
    EXPECT_EQ(count(*answer.parts, StepKind::product), 1u);
    EXPECT_GE(count(*answer.parts, StepKind::map), 1u);
    const Answer plain = ask(plan_of("matmul --stag=ab:ab --dtag=ab 64x100:100x64"), StepKind::product);
    EXPECT_EQ(name(plain), "dot");
    EXPECT_TRUE(plain.choice.job);
    EXPECT_FALSE(plain.parts);
}

TEST_P(Table, each_product_has_one_tile) {
    EXPECT_EQ(name(ask(plan_of("matmul --stag=ab:ab --dtag=ab 2x512:512x512"), StepKind::product)), "few");
    EXPECT_EQ(name(ask(plan_of("matmul --stag=ab:ab --dtag=ab 1000x64:64x3"), StepKind::product)), "few");
    EXPECT_EQ(name(ask(plan_of("matmul --stag=ab:ab --dtag=ab 64x256:256x96"), StepKind::product)), "dot");
    const Plan bf16 = plan_of("matmul --sdt=bf16 --ddt=f32 --stag=ab:ab --dtag=ab 64x256:256x96");
    EXPECT_EQ(name(ask(bf16, StepKind::product)), target_.amx ? "amx" : "dot");
}

TEST_P(Table, zero_points_that_vary_along_k_become_sums_of_their_own) {
    const Answer answer = ask(plan_of("convolution --sdt=u8:s8:f32 --ddt=u8 --attr-zero-points=src:2 --stag=acdb:any:a "
                                      "--dtag=acdb 2x8x5x5:20x8x1x1:20"),
                              StepKind::product);
    ASSERT_EQ(name(answer), "zero points apart");
    EXPECT_EQ(count(*answer.parts, StepKind::product), 1u);
    EXPECT_GE(count(*answer.parts, StepKind::reduce), 1u); // one for each box of the channels
}

TEST_P(Table, products_that_no_row_takes_say_what_the_dot_tile_lacks) {
    const Plan plan = plan_of("matmul --sdt=f32:f4_e2m1 --ddt=f32 --stag=ab:Ba16b --dtag=ab 5x37:37x20");
    const Answer answer = ask(plan, StepKind::product);
    ASSERT_EQ(name(answer), "none");
    EXPECT_FALSE(answer.parts);
    EXPECT_EQ(answer.choice.tried, "");
    const LocalStep local = local_step(plan, *std::ranges::find(plan.steps, StepKind::product, &Step::kind));
    EXPECT_EQ(answer.why_not, Asked(local.plan, {}, target_, GetParam()).products().why_not);
    EXPECT_NE(answer.why_not, "");
}

TEST_P(Table, interpolations_become_maps_where_the_lerp_tile_takes_none) {
    Plan plan = plan_of("resampling --dir=FWD_D --alg=linear --stag=nhwc --dtag=nhwc 2x19x6x9:2x19x4x13");
    EXPECT_EQ(name(ask(plan, StepKind::interpolate)), "lerp");
    for (Operand& o : plan.operands) o.type = o.name == "dst" ? DataType::f64 : o.type;
    const Answer answer = ask(plan, StepKind::interpolate);
    ASSERT_EQ(name(answer), "map between neighbours");
    EXPECT_EQ(answer.parts->steps[0].kind, StepKind::map);
}

TEST_P(Table, groups_of_rows_are_one_kernel) {
    Plan plan = plan_of("softmax --alg=accurate --stag=ab 100x33");
    const Answer answer = ask(plan, StepKind::group);
    ASSERT_EQ(name(answer), "rows");
    EXPECT_TRUE(answer.choice.job);
    Step& step = *std::ranges::find(plan.steps, StepKind::group, &Step::kind);
    Group group = *step.group;
    group.steps[0].nest.loops[0].extent = 32; // another length than that of the other steps
    step.group = std::make_shared<const Group>(std::move(group));
    EXPECT_EQ(name(ask(plan, StepKind::group)), "none");
}

TEST_P(Table, lists_of_elements_have_an_executable) {
    const auto list = std::make_shared<const Plan>(plan_of_list(200, "ab"));
    const Answer answer = ask_list(*list, {.whole = list});
    ASSERT_EQ(name(answer), "sparse");
    EXPECT_EQ(answer.choice.executable->runs(), list.get());
    EXPECT_EQ(name(ask_list(*list, {})), "none") << "the executable keeps the plan";
    const auto short_list = std::make_shared<const Plan>(plan_of_list(20, "ba"));
    const Answer portable = ask_list(*short_list, {.whole = short_list});
    EXPECT_EQ(name(portable), "none");
    EXPECT_NE(portable.why_not.find("fewer elements"), std::string::npos) << portable.why_not;
}

// Kernels hold few operands, so that no tile is asked.
TEST_P(Table, steps_of_many_operands_have_no_tile) {
    const auto sum_of = [&](size_t operands) {
        Plan plan;
        Program program;
        int sum = program.constant(0, ValueType::f32);
        Step step;
        Loop loop{1024};
        for (size_t o = 0; o < operands; ++o) {
            plan.operands.push_back({fmt::format("{}", o), DataType::f32, int(o)});
            loop.stride.set(o, 1);
            if (o + 1 < operands) sum = program.binary(OpCode::add, sum, program.load(int(o), ValueType::f32));
        }
        program.store(int(operands) - 1, sum);
        step.program = 0, step.nest.loops.push_back(loop);
        plan.programs.push_back(std::move(program)), plan.steps.push_back(std::move(step));
        return plan;
    };
    EXPECT_EQ(name(ask(sum_of(3), StepKind::map)), "map");
    const Answer answer = ask(sum_of(job_operands + 1), StepKind::map);
    EXPECT_EQ(name(answer), "none");
    EXPECT_EQ(answer.choice.tried, "");
}

INSTANTIATE_TEST_SUITE_P(Machines, Table, testing::ValuesIn(generating_machines()),
                         [](const auto& t) { return test_name(t.param); });

} // namespace tessera::cpu
