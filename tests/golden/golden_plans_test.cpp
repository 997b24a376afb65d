// Golden plans: the text of plans and schedules for fixed problems and machines, on any host.
//
// TESSERA_UPDATE_GOLDEN=1 rewrites plans.txt; the difference is then reviewed like code.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cpu/exec/schedule.hpp"
#include "experiment.hpp"
#include "ops/ops.hpp"
#include "problem_line.hpp"

namespace tessera {

namespace {

std::vector<Machine> machines() {
    Machine one, many;
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
    std::string result;
    for (const Machine& machine : machines()) {
        const auto plan = ops::row(problem->kind).lower(*problem, machine);
        if (!plan) return plan.error().reason;
        if (result.empty()) result = to_string(*plan);
        for (const Step& step : plan->steps)
            result += fmt::format("  {}: {}\n", machine.name,
                                  to_string(cpu::schedule(step, *plan, machine), int(plan->operands.size())));
    }
    return result;
}

std::string read_all(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

} // namespace

TEST(Golden, plans) {
    const std::string folder = GOLDEN_FOLDER;
    const auto lines = read_problem_file(folder + "/problems.txt");
    ASSERT_TRUE(lines);
    std::string found;
    for (const NumberedLine& line : *lines) found += fmt::format("## {}\n{}\n", line.text, plan_text(line.text));
    if (std::getenv("TESSERA_UPDATE_GOLDEN")) std::ofstream(folder + "/plans.txt") << found;
    EXPECT_EQ(read_all(folder + "/plans.txt"), found);
}

} // namespace tessera
