// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/splice.hpp"

#include "core/plan/rewrite/operands.hpp"

namespace tessera {

void add_scratch_of(const Plan& part, std::vector<int>& operands, Plan& to) {
    const auto known = int(to.scratch.size());
    to.scratch.insert(to.scratch.end(), part.scratch.begin(), part.scratch.end());
    for (size_t o = operands.size(); o < part.operands.size(); ++o) {
        operands.push_back(int(to.operands.size()));
        to.operands.push_back(part.operands[o]);
        to.operands.back().scratch += known;
    }
}

void splice(const Plan& part, const Step& step, const std::vector<int>& operands, bool same_program, Plan& to) {
    std::vector<Renaming> names;
    for (const int o : operands) names.push_back({int(names.size()), o});
    Step spliced = renamed(step, names, to.operands.size());
    // Boxes of one move differ in the order of their loads at most (local_step).
    each_step(spliced, [&](Step& of) {
        if (of.program < 0) return;
        if (!same_program || to.programs.empty())
            to.programs.push_back(renamed(part.programs[size_t(of.program)], names));
        of.program = int(to.programs.size()) - 1;
    });
    to.steps.push_back(std::move(spliced));
}

} // namespace tessera
