// SPDX-License-Identifier: Apache-2.0
#include "gpu/parts.hpp"

#include <algorithm>

namespace tessera::gpu {

bool may_join(std::span<const LaunchPart> parts, const LaunchPart& more) {
    constexpr size_t most_numbers = 4096, most_parts = 64;
    size_t numbers = more.nest.size();
    for (const LaunchPart& part : parts) numbers += part.nest.size();
    return numbers <= most_numbers && parts.size() < most_parts;
}

void set_parts(Launch& launch, std::span<const LaunchPart> parts) {
    LaunchPart& all = launch;
    if (parts.size() == 1) {
        all = parts[0];
        return;
    }
    launch.source = "#define PARTS\n" + launch.source;
    std::vector<const LaunchPart*> sorted;
    for (const LaunchPart& part : parts) sorted.push_back(&part);
    std::ranges::stable_sort(sorted, std::ranges::greater(), [](const LaunchPart* part) { return part->groups; });
    all = {};
    int64_t nest = 3 * int64_t(parts.size()), table = 0;
    for (const LaunchPart* part : sorted) {
        all.groups += part->groups;
        all.nest.insert(all.nest.end(), {all.groups, nest, table});
        nest += int64_t(part->nest.size()), table += int64_t(part->tables.size());
    }
    for (const LaunchPart* part : sorted) {
        all.nest.insert(all.nest.end(), part->nest.begin(), part->nest.end());
        all.tables.insert(all.tables.end(), part->tables.begin(), part->tables.end());
    }
}

} // namespace tessera::gpu
