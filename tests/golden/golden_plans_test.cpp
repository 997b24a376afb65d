// SPDX-License-Identifier: Apache-2.0
// Golden texts for fixed problems and machines, on any host: plans with their portable schedules (plans.txt), and how
// generated code walks them (schedules.txt).
//
// TESSERA_UPDATE_GOLDEN=1 rewrites both; the difference is then reviewed like code.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/in_nests.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/portable/schedule.hpp"
#include "golden_machines.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera {

namespace {

std::vector<Context> machines() {
    Context one, many;
    one.name = "1 thread";
    many.name = "64 threads";
    many.threads = 64;
    return {one, many};
}

std::string plan_text(const std::string& text) {
    const auto line = parse_problem_line(text);
    if (!line) return line.error().reason;
    const auto problem = problem_of(*line);
    if (!problem) return problem.error().reason;
    const auto plan = ops::row(problem->kind).lower(*problem);
    if (!plan) return plan.error().reason;
    std::string result = to_string(*plan);
    const Plan nests = ungrouped(in_nests(*plan));
    for (const Context& machine : machines()) {
        for (const Step& step : nests.steps)
            if (step.kind != StepKind::repeat) // a turn has schedules of its own
                result += fmt::format("  {}: {}\n", machine.name,
                                      to_string(cpu::schedule(step, nests, machine), int(plan->operands.size())));
    }
    return result;
}

// Tiles, blocks and units of each step: choices made from the nest and the machine's row alone.
std::string schedule_text(const std::string& text, const Context& machine) {
    const auto line = parse_problem_line(text);
    const auto problem = line ? problem_of(*line) : Refusal(line.error());
    const auto plan = problem ? ops::row(problem->kind).lower(*problem) : Refusal(problem.error());
    if (!plan) return plan.error().reason + "\n";
    const auto executable = cpu::make_generated(std::make_shared<const Plan>(*plan), machine);
    return executable ? executable->text() : "nothing generated\n";
}

std::string read_all(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

void expect_golden(const std::string& name, const std::string& found) {
    const std::string path = std::string(GOLDEN_FOLDER "/") + name;
    if (std::getenv("TESSERA_UPDATE_GOLDEN")) std::ofstream(path) << found;
    EXPECT_EQ(read_all(path), found);
}

} // namespace

TEST(Golden, plans) {
    const auto lines = read_problem_file(GOLDEN_FOLDER "/problems.txt");
    ASSERT_TRUE(lines);
    std::string found;
    for (const NumberedLine& line : *lines) found += fmt::format("## {}\n{}\n", line.text, plan_text(line.text));
    expect_golden("plans.txt", found);
}

TEST(Golden, schedules) {
    if (golden_machines().empty()) GTEST_SKIP() << "no code is generated for this processor";
    const auto lines = read_problem_file(GOLDEN_FOLDER "/problems.txt");
    ASSERT_TRUE(lines);
    std::string found;
    for (const NumberedLine& line : *lines) {
        found += fmt::format("## {}\n", line.text);
        std::vector<std::pair<std::string, std::string>> told; // machine, schedule
        for (const Context& machine : golden_machines()) {
            const std::string text = schedule_text(line.text, machine);
            const auto same = std::find_if(told.begin(), told.end(), [&](const auto& x) { return x.second == text; });
            if (same != told.end())
                found += fmt::format("# {}: as {}\n", machine.name, same->first);
            else
                found += fmt::format("# {}\n{}", machine.name, text);
            told.emplace_back(machine.name, text);
        }
        found += "\n";
    }
    expect_golden("schedules.txt", found);
}

} // namespace tessera
