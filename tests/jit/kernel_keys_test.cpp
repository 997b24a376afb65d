// SPDX-License-Identifier: Apache-2.0
// What a kernel is shared by says all that its code depends on: problems of every primitive are compiled for the
// machines and kept, so that each of their kernels is alive when others ask for it; whoever gets one that was there
// builds its own code nevertheless, which has to be the same. A field that a key leaves out shows as soon as two
// problems differ in it.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../system/lines_of_all.hpp"
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/jit/code/inspection.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/rows/contract.hpp"
#include "machines.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera {
namespace {

std::map<std::string, int> shared_by; // keys of kernels that were there
std::string line_at_hand;

void compare(const std::string& key, const cpu::jit::Kernel& there, const cpu::jit::Code& own) {
    ++shared_by[key];
    cpu::jit::Code named = own;
    if (named.name().empty()) named.set_name(there.name());
    const std::string text = to_string(named);
    if (text == there.vcode() || testing::Test::HasFailure()) return;
    const auto at = std::mismatch(text.begin(), text.end(), there.vcode().begin(), there.vcode().end());
    const auto around = [](const std::string& code, size_t place) {
        return code.substr(place > 200 ? place - 200 : 0, 400);
    };
    const auto place = size_t(at.first - text.begin());
    ADD_FAILURE() << "one key, two codes: " << key << "\n"
                  << line_at_hand << "\n--- there:\n"
                  << around(there.vcode(), place) << "\n--- wanted:\n"
                  << around(text, place);
}

TEST(KernelKeys, kernels_of_one_key_are_one_code) {
    std::vector<std::shared_ptr<const Plan>> plans;
    std::vector<std::string> lines;
    for (const std::string& text : test::lines_of_all("inputs")) {
        const auto line = parse_problem_line(text);
        if (!line) continue;
        const auto problem = problem_of(*line);
        if (!problem || problem->has_runtime()) continue;
        auto plan = ops::row(problem->kind).lower(*problem);
        if (!plan) continue;
        plans.push_back(std::make_shared<const Plan>(std::move(*plan)));
        lines.push_back(text);
    }
    ASSERT_GT(plans.size(), 1000u);
    std::vector<Context> targets; // a machine of each target
    for (const Context& m : generating_machines())
        if (std::ranges::none_of(
                targets, [&](const Context& other) { return cpu::jit::target_of(other) == cpu::jit::target_of(m); }))
            targets.push_back(m);
    ASSERT_FALSE(targets.empty());
    // The smallest and the largest: keys are written without regard to the target, which comes before them.
    cpu::jit::keep_vcode(true);
    cpu::jit::set_emit([](const cpu::jit::Code&) -> std::optional<std::vector<uint8_t>> {
        return std::vector<uint8_t>{0xc3}; // nothing is executed
    });
    cpu::jit::set_again(compare);
    for (const Context& machine : {targets.front(), targets.back()}) {
        std::vector<std::shared_ptr<const Executable>> alive;
        for (size_t i = 0; i < plans.size() && !HasFailure(); ++i) {
            line_at_hand = machine.name + ": " + lines[i];
            alive.push_back(cpu::make_generated(plans[i], machine));
        }
    }
    cpu::jit::set_again(nullptr);
    cpu::jit::set_emit(nullptr);
    cpu::jit::keep_vcode(false);
    EXPECT_GT(shared_by.size(), 100u);
}

// Fields that no two problems differ in alone: keys are equal where codes are.
TEST(KernelKeys, each_field_of_rows) {
    constexpr int src = 0, sum = 1, dst = 2, sums = 3; // `sums`: behind the operands
    cpu::RowsSpec plain;
    plain.types = {DataType::f32, DataType::f32, DataType::f32};
    plain.column[src] = plain.column[dst] = 1;
    Program add, subtract;
    add.store(sum, add.reduce_add(add.load(src, ValueType::f32)));
    const int difference =
        subtract.binary(OpCode::sub, subtract.load(src, ValueType::f32), subtract.load(sum, ValueType::f32));
    subtract.store(dst, difference);
    plain.passes.resize(2);
    plain.passes[0].kind = cpu::RowsPass::reduce, plain.passes[0].parts = split_reduction(add, sums);
    plain.passes[1].program = subtract;
    std::vector<cpu::RowsSpec> specs{plain};
    const auto with = [&](const cpu::RowsSpec& base, auto change) { change(specs.emplace_back(base)); };
    with(plain, [](cpu::RowsSpec& s) { s.kept = 1 << sum; });
    with(plain, [](cpu::RowsSpec& s) { s.blocks = true; });
    with(plain, [](cpu::RowsSpec& s) { s.stream = true; });
    with(plain, [](cpu::RowsSpec& s) { s.types[src] = DataType::bf16; });
    cpu::RowsSpec packed = plain;
    packed.packed = true, packed.beside = 1 << sum;
    specs.push_back(packed);
    with(packed, [](cpu::RowsSpec& s) { s.beside = 0; });
    with(packed, [](cpu::RowsSpec& s) { s.beside = 0, s.kept = 1 << sum; });
    const cpu::jit::Target target = cpu::jit::target_of(generating_machines().back());
    for (const cpu::RowsSpec& a : specs)
        for (const cpu::RowsSpec& b : specs)
            EXPECT_EQ(key(a) == key(b), to_string(build_rows(target, a)) == to_string(build_rows(target, b)))
                << key(a) << "\n"
                << key(b);
}

} // namespace
} // namespace tessera
