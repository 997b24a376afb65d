// SPDX-License-Identifier: Apache-2.0
// Plans on devices of OpenCL against the interpreter of plans, bit for bit: every N-th problem line of some files. A
// device compiles a kernel for 0.2 s, so that all lines are for `make gpu`; random problems are in tests/fuzz.
//   TESSERA_OPENCL_DEVICES=all gpu_plans_test 29 tests/inputs/*.txt
// A line may begin with "misaligned" (movers.txt).
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <gtest/gtest.h>

#include "core/machine.hpp"
#include "line/problem_line.hpp"
#include "on_device.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"
#include "trial/faults.hpp"

namespace tessera::test {

namespace {

std::vector<std::string> lines;
int compared = 0;

// Operands that move along the outermost loop lie one element further on, as in a program that hands out parts of its
// memory.
void misalign(Plan& plan) {
    for (Step& step : plan.steps) {
        Loop& loop = step.nest.loops.at(0);
        loop.extent -= step.nest.loops.size() == 1 ? 16 : 1;
        for (size_t o = 0; o < plan.operands.size(); ++o)
            if (loop.stride[o] != 0) plan.operands[o].bytes = (bits(plan.operands[o].type) + 7) / 8;
    }
}

void check(std::string line) {
    constexpr std::string_view prefix = "misaligned ";
    const bool is_misaligned = line.starts_with(prefix);
    if (is_misaligned) line.erase(0, prefix.size());
    const auto parsed = parse_problem_line(line);
    ASSERT_TRUE(parsed) << parsed.error().reason;
    const auto problem = problem_of(*parsed);
    if (!problem || problem->has_runtime()) return; // lines of refusals, and those without a plan
    auto plan = ops::row(problem->kind).lower(*problem);
    if (!plan) return;
    if (is_misaligned) misalign(*plan);
    ++compared;
    doing(line);
    fuzz::Random random(7);
    ASSERT_EQ(differs_on_device(*problem, *plan, 7, random), "") << to_string(*plan);
}

// PoCL 6.0 (Debian 13) compiles no kernel whose work-items wait for each other in a loop: an assertion in its
// WorkitemLoops.cc ends the process. Its own processors get none; those of GPUs are tried on it by TESSERA_DEVICE.
bool ends_at_barriers() {
    const auto id = device()->kernels_id();
    const std::string_view words(reinterpret_cast<const char*>(id.data()), id.size());
    return std::getenv("TESSERA_DEVICE") && words.find("PoCL") != words.npos && words.find("; 6.") != words.npos;
}

} // namespace

TEST(DevicePlans, agree_with_the_interpreter) {
    if (!device()) GTEST_SKIP() << "no device of OpenCL";
    if (ends_at_barriers()) GTEST_SKIP() << "PoCL 6.0 ends the process at kernels with barriers";
    for (const std::string& line : lines) {
        SCOPED_TRACE(line);
        check(line);
    }
    std::printf("%d plans compared on %s\n", compared, device()->machine().name.c_str());
    EXPECT_GT(compared, 0);
}

} // namespace tessera::test

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const int every = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 1;
    for (int i = 2; i < argc; ++i) {
        std::ifstream file(argv[i]);
        int number = 0;
        for (std::string line; std::getline(file, line);)
            if (!line.empty() && line[0] != '#' && number++ % every == 0) tessera::test::lines.push_back(line);
    }
    return RUN_ALL_TESTS();
}
