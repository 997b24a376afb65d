// SPDX-License-Identifier: Apache-2.0
#include "gpu/parts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::gpu {

bool may_join(std::span<const LaunchPart> parts, const LaunchPart& more) {
    constexpr size_t most_numbers = 4096, most_parts = 64;
    size_t numbers = more.nest.size();
    for (const LaunchPart& part : parts) numbers += part.nest.size();
    return numbers <= most_numbers && parts.size() < most_parts;
}

void set_parts(Launch& launch, std::span<const LaunchPart> parts, bool side_by_side) {
    LaunchPart& all = launch;
    if (parts.size() == 1) {
        all = parts[0];
        return;
    }
    std::vector<const LaunchPart*> sorted;
    for (const LaunchPart& part : parts) sorted.push_back(&part);
    std::ranges::stable_sort(sorted, std::ranges::greater(), [](const LaunchPart* part) { return part->groups; });
    all = {};
    int64_t nest = 4 * int64_t(parts.size()), table = 0;
    for (const LaunchPart* part : sorted) {
        all.groups += part->groups;
        all.nest.insert(all.nest.end(), {all.groups, nest, table, part->operands});
        nest += int64_t(part->nest.size()), table += int64_t(part->tables.size());
    }
    for (const LaunchPart* part : sorted) {
        all.nest.insert(all.nest.end(), part->nest.begin(), part->nest.end());
        all.tables.insert(all.tables.end(), part->tables.begin(), part->tables.end());
    }
    const int64_t most = sorted.front()->groups, least = sorted.back()->groups;
    side_by_side = side_by_side && 2 * least > most; // groups that are too many end at once
    if (side_by_side) all.groups = most * int64_t(parts.size());
    launch.source = (side_by_side ? fmt::format("#define PARTS {}\n#define SIDE_BY_SIDE\n", parts.size())
                                  : std::string("#define PARTS\n")) +
                    launch.source;
}

int64_t set_of(std::vector<std::vector<int>>& sets, const std::vector<int>& operands) {
    constexpr size_t most_arguments = 96; // of the 128 pointers that each device takes
    const auto same = std::ranges::find(sets, operands);
    if (same != sets.end()) return same - sets.begin();
    if ((sets.size() + 1) * operands.size() > most_arguments) return -1;
    sets.push_back(operands);
    return int64_t(sets.size()) - 1;
}

std::vector<int> set_operands(Launch& launch, const std::vector<std::vector<int>>& sets) {
    std::vector<int> operands = sets[0];
    std::string& text = launch.source;
    const std::string argument = ", buffer restrict b";
    size_t at = text.find(argument);
    for (size_t i = 0; i < sets[0].size(); ++i, at = text.find(argument, at + 1)) {
        // "b1": what the header takes operand 1 from
        const size_t number = at + argument.size(), end = text.find_first_of(",)", number);
        const std::string name = "b" + text.substr(number, end - number);
        std::string chosen = name, more;
        for (size_t s = 1; s < sets.size(); ++s) {
            if (sets[s][i] == sets[0][i]) continue;
            const std::string other = fmt::format("{}_{}", name, s);
            chosen = fmt::format("operands_ == {} ? {} : {}", s, other, chosen);
            more += ", buffer restrict " + other;
            operands.push_back(sets[s][i]);
        }
        if (more.empty()) continue;
        const std::string from = fmt::format(" = {} + nest[", name);
        text.replace(text.find(from), from.size(), fmt::format(" = ({}) + nest[", chosen));
        text.insert(text.find(") {", end), more);
    }
    return operands;
}

} // namespace tessera::gpu
