// SPDX-License-Identifier: Apache-2.0
// Problems as text through the public API, each on every machine, on 1, 2, 3 or 7 threads and with large or small
// caches in turns, every byte compared with the reference. Machines that have to be interpreted whole (of matmul a
// minute and more each) take turns, a line each, unless one is named.
//
//   problems_on_every_machine FILE... [--machine=NAME]
//   problems_on_every_machine --list
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "line/problem_line.hpp"
#include "machines.hpp"
#include "trial/faults.hpp"
#include "trial/judge.hpp"

namespace tessera {
namespace {

// Whether another interpreted machine has its turn in that line.
bool waits(size_t machine, size_t line) {
    std::vector<size_t> interpreted;
    for (size_t m = 0; m < machines().size(); ++m)
        if (execution_of(machines()[m]) == Execution::interpreted) interpreted.push_back(m);
    const auto at = std::find(interpreted.begin(), interpreted.end(), machine);
    return at != interpreted.end() && size_t(at - interpreted.begin()) != line % interpreted.size();
}

int run(const std::vector<const char*>& files, std::string_view only) {
    int passed = 0, failed = 0, skipped = 0;
    for (const char* file : files) {
        const auto lines = read_problem_file(file);
        if (!lines) {
            std::fprintf(stderr, "%s\n", lines.error().reason.c_str());
            return 2;
        }
        for (size_t i = 0; i < lines->size(); ++i) {
            const NumberedLine& line = (*lines)[i];
            Kept kept; // data and oracles, which took three quarters of the time when each machine had its own
            for (size_t m = 0; m < machines().size(); ++m) {
                if (only.empty() ? waits(m, i) : machines()[m].name != only) continue;
                constexpr int threads[] = {2, 1, 7, 3};
                Context machine = machines()[m];
                machine.threads = threads[(i + m) % 4];
                // Half of the time with caches so small that operands come from memory.
                if ((i + m) / 4 % 2) machine.l2_bytes = 128 << 10, machine.l3_bytes = 256 << 10;
                const std::string where = fmt::format("{}:{}: {}, {} threads: {}", file, line.number, machine.name,
                                                      machine.threads, line.text);
                doing(where);
                const StandIn stand_in(machine);
                const Outcome outcome = judge(line.text, {}, &kept);
                (outcome.verdict == Verdict::failed    ? failed
                 : outcome.verdict == Verdict::skipped ? skipped
                                                       : passed) += 1;
                if (outcome.verdict == Verdict::failed || outcome.verdict == Verdict::skipped)
                    std::printf("%s %s | %s\n", outcome.verdict == Verdict::failed ? "failed" : "skipped",
                                outcome.reason.c_str(), where.c_str());
            }
        }
    }
    std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed || !passed ? 1 : 0;
}

} // namespace
} // namespace tessera

int main(int count, char** words) {
    std::vector<const char*> files;
    std::string_view only;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(words[i], "--list") == 0) {
            std::printf("%s", tessera::coverage().c_str());
            return 0;
        }
        if (std::strncmp(words[i], "--machine=", 10) == 0)
            only = words[i] + 10;
        else
            files.push_back(words[i]);
    }
    return tessera::run(files, only);
}
