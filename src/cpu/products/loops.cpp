// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/loops.hpp"

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

DotLoop DotWalk::at(int64_t step) const {
    DotLoop bytes{};
    for (size_t i = loops.size(); i-- > 0;) {
        const DotLoop& loop = loops[i];
        const int64_t iteration = i ? step % loop.count : step;
        bytes.a += iteration * loop.a, bytes.b += iteration * loop.b;
        if (i) step /= loop.count;
    }
    return bytes;
}

void DotWalk::set(DotArgs& args, int64_t steps) const {
    DotLoop gone{}; // behind all iterations of the loop inside
    for (size_t i = loops.size(); i-- > 0;) {
        const DotLoop& loop = loops[i];
        const int64_t iterations = i ? std::min(steps, loop.count) : steps;
        if (i + 1 == loops.size())
            args.steps = iterations;
        else
            args.outer[loops.size() - 2 - i] = {iterations, loop.a - gone.a, loop.b - gone.b};
        gone = {iterations, iterations * loop.a, iterations * loop.b};
        steps /= iterations;
    }
}

} // namespace tessera::cpu
