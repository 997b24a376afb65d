// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/dot/loops.hpp"

#include <algorithm>

#include "core/layout/coalesce.hpp"

namespace tessera::cpu {

std::optional<DotLoops> common_loops(const Modes& a, const Modes& b) {
    DotLoops loops;
    Modes from_a = a, from_b = b;
    while (!from_a.empty() && !from_b.empty()) {
        Mode &in_a = from_a.back(), &in_b = from_b.back();
        const int64_t extent = std::min(in_a.extent, in_b.extent);
        if (in_a.extent % extent || in_b.extent % extent) return std::nullopt;
        loops.a.push_back({extent, in_a.stride}), loops.b.push_back({extent, in_b.stride});
        for (const auto& [mode, modes] : {std::pair{&in_a, &from_a}, {&in_b, &from_b}}) {
            mode->extent /= extent, mode->stride *= extent;
            if (mode->extent == 1) modes->pop_back();
        }
    }
    if (!from_a.empty() || !from_b.empty()) return std::nullopt;
    std::ranges::reverse(loops.a), std::ranges::reverse(loops.b);
    return loops;
}

Modes dense_loops(const Modes& like) {
    Modes dense = like;
    int64_t stride = 1;
    for (size_t i = dense.size(); i-- > 0; stride *= dense[i].extent) dense[i].stride = stride;
    return dense;
}

std::optional<Modes> without_steps(const Modes& k, int64_t vnni) {
    constexpr int64_t columns = 16;
    Modes modes = k;
    if (vnni > 1) {
        if (modes.size() < 2 || modes.back() != Mode{vnni, 1}) return std::nullopt;
        modes.pop_back();
        if (modes.back().stride != columns * vnni) return std::nullopt;
        modes.back() = {modes.back().extent * vnni, columns};
    }
    if (modes.empty() || modes.back().stride != columns) return std::nullopt;
    return modes;
}

} // namespace tessera::cpu
