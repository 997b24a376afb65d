// SPDX-License-Identifier: Apache-2.0
// split_depth: parts of k, of one dim or of several, sum up to what the whole product computes. split_zeros: so do sums
// of bare factors less what zero points take. covers: MAT-01
#include <numeric>

#include <gtest/gtest.h>

#include "core/plan/rewrite/split_product.hpp"

namespace tessera {

namespace {

// [batches, rows, columns] of sums over `k`, all dense, in the order of these dims.
Plan product_of(int64_t batches, int64_t rows, int64_t columns, const std::vector<int64_t>& k) {
    Plan plan;
    plan.title = "product";
    Space space;
    space.dims = {batches, rows, columns};
    space.dims.insert(space.dims.end(), k.begin(), k.end());
    const auto add = [&](const char* name, DataType type, bool has_rows, bool has_columns, bool has_k) {
        Layout layout;
        layout.dims.assign(space.dims.size(), {});
        int64_t stride = 1;
        for (size_t d = space.dims.size(); d-- > 0;) {
            const bool has = d == 0 || (d == 1 && has_rows) || (d == 2 && has_columns) || (d > 2 && has_k);
            layout.dims[d] = {{space.dims[d], has ? stride : 0}};
            if (has) stride *= space.dims[d];
        }
        plan.operands.push_back({name, type, int(plan.operands.size())});
        space.layouts.push_back(layout);
    };
    add("a", DataType::s8, true, false, true), add("b", DataType::s8, false, true, true);
    add("c", DataType::f32, true, true, false);
    for (size_t d = 3; d < space.dims.size(); ++d) space.reduce_mask |= 1 << d;
    Program p;
    p.store(2, p.total(ValueType::f32));
    plan.programs.push_back(p);
    Step step;
    step.kind = StepKind::product, step.program = 0;
    step.product = std::make_shared<Product>(Product{ValueType::f32, {0}, {1}, space});
    plan.steps.push_back(step);
    return plan;
}

std::vector<float> computed(const Plan& plan, int64_t batches, int64_t rows, int64_t columns, int64_t depth) {
    std::vector<int8_t> a(size_t(batches * rows * depth)), b(size_t(batches * columns * depth));
    for (size_t i = 0; i < a.size(); ++i) a[i] = int8_t(i * 7 % 5) - 2;
    for (size_t i = 0; i < b.size(); ++i) b[i] = int8_t(i * 11 % 3) - 1;
    std::vector<float> c(size_t(batches * rows * columns));
    std::vector<void*> pointers{a.data(), b.data(), c.data()};
    std::vector<std::vector<char>> scratch;
    for (size_t o = 3; o < plan.operands.size(); ++o) {
        if (plan.operands[o].scratch < 0) {
            pointers.push_back(a.data());
            continue;
        }
        const auto s = size_t(plan.operands[o].scratch);
        while (scratch.size() <= s) scratch.emplace_back(size_t(plan.scratch[scratch.size()]));
        pointers.push_back(scratch[s].data());
    }
    interpret(plan, pointers);
    return c;
}

int64_t products(const Plan& plan) {
    return std::ranges::count_if(plan.steps, [](const Step& s) { return bool(s.product); });
}

} // namespace

TEST(SplitDepth, parts_sum_up_to_the_product) {
    struct Case {
        int64_t batches;
        std::vector<int64_t> k;
        int64_t steps, parts; // that run at the same time; products, 0 for none
    };
    const Case cases[] = {{1, {16400}, 1, 8},      {1, {8, 2048}, 1, 8},       {1, {3, 56, 100}, 1, 9},
                          {1, {2, 90, 100}, 1, 8}, {1, {1, 5, 60, 60}, 1, 10}, {1, {11, 40, 40}, 1, 8},
                          {1, {16400}, 3, 3},      {1, {16400}, 9, 0},         {3, {4, 4096}, 1, 3},
                          {8, {16400}, 1, 0},      {1, {4, 4000}, 1, 0}};
    for (const Case& c : cases) {
        const int64_t rows = 5, columns = 2,
                      depth = std::accumulate(c.k.begin(), c.k.end(), int64_t(1), std::multiplies());
        const Plan plan = product_of(c.batches, rows, columns, c.k);
        const auto matrices = matrices_of(plan, plan.steps[0]);
        ASSERT_TRUE(matrices);
        const auto split = split_depth(plan, plan.steps[0], *matrices, c.steps);
        ASSERT_EQ(split.has_value(), c.parts > 0) << to_string(plan);
        if (!split) continue;
        EXPECT_EQ(products(*split), c.parts) << to_string(*split);
        ASSERT_TRUE(verify(*split)) << to_string(*split);
        EXPECT_EQ(computed(*split, c.batches, rows, columns, depth), computed(plan, c.batches, rows, columns, depth))
            << to_string(*split);
    }
    const Plan flat = product_of(1, 4, 2, {16400}), wide = product_of(1, 300, 300, {16400});
    for (const Plan& plan : {flat, wide})
        EXPECT_FALSE(split_depth(plan, plan.steps[0], *matrices_of(plan, plan.steps[0]), 1)) << to_string(plan);
}

TEST(SplitZeros, sums_less_theirs_are_the_product) {
    for (const bool of_right : {false, true}) {
        Plan plan = product_of(2, 5, 3, {4, 6});
        Product product = *plan.steps[0].product;
        product.type = ValueType::s32;
        // A zero point for each of the outer dim of k, in the memory of c; another of all for the other factor.
        Space& space = product.space;
        plan.operands.push_back({"zero", DataType::s8, 0}), plan.operands.push_back({"one", DataType::s8, 0});
        for (const int64_t stride : {1, 0}) {
            Layout zero;
            for (size_t d = 0; d < space.dims.size(); ++d) zero.dims.push_back({{space.dims[d], d == 3 ? stride : 0}});
            space.layouts.push_back(zero);
        }
        (of_right ? product.b : product.a).zero = 3, (of_right ? product.a : product.b).zero = 4;
        plan.programs[0] = {};
        plan.programs[0].store(2, plan.programs[0].cvt(plan.programs[0].total(ValueType::s32), ValueType::f32));
        plan.steps[0].product = std::make_shared<const Product>(product);
        ASSERT_TRUE(verify(plan)) << to_string(plan);
        const auto split = split_zeros(plan, plan.steps[0], *matrices_of(plan, plan.steps[0]));
        ASSERT_TRUE(split) << to_string(plan);
        ASSERT_TRUE(verify(*split)) << to_string(*split);
        EXPECT_EQ(products(*split), 1) << to_string(*split);
        EXPECT_EQ(computed(*split, 2, 5, 3, 24), computed(plan, 2, 5, 3, 24)) << to_string(*split);
        product.a.zero = product.b.zero = 3;
        plan.steps[0].product = std::make_shared<const Product>(product);
        EXPECT_FALSE(split_zeros(plan, plan.steps[0], *matrices_of(plan, plan.steps[0])));
        product.a.zero = product.b.zero = -1;
        plan.steps[0].product = std::make_shared<const Product>(product);
        EXPECT_FALSE(split_zeros(plan, plan.steps[0], *matrices_of(plan, plan.steps[0])));
    }
}

} // namespace tessera
