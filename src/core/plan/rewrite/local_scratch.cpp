#include "core/plan/rewrite/local_scratch.hpp"

#include <algorithm>
#include <map>

#include "core/division.hpp"

namespace tessera {

namespace {

constexpr int64_t line = 16; // elements of 4 bytes: rows start at lines

// Strides as digits of a number: a loop of extent n over stride s needs n * s to be at most the next stride.
std::map<int64_t, int64_t> extents_by_stride(const std::vector<Step>& steps, size_t o, bool& simple) {
    std::map<int64_t, int64_t> extents;
    for (const Step& step : steps) {
        simple &= step.nest.base[o] == 0;
        for (const Loop& loop : step.nest.loops) {
            simple &= !loop.table[o] && loop.stride[o] >= 0;
            if (loop.stride[o] == 0) continue;
            int64_t& extent = extents[loop.stride[o]];
            extent = std::max(extent, loop.extent);
        }
    }
    for (auto it = extents.begin(); it != extents.end() && std::next(it) != extents.end(); ++it)
        simple &= it->second * it->first <= std::next(it)->first;
    return extents;
}

int64_t span_of(const std::vector<Step>& steps, size_t o) {
    int64_t most = 0;
    for (const Step& step : steps) {
        int64_t last = step.nest.base[o];
        for (const Loop& loop : step.nest.loops) {
            int64_t furthest = 0;
            for (const int64_t i : {int64_t(0), loop.extent - 1}) furthest = std::max(furthest, loop.offset(int(o), i));
            if (loop.table[o]) furthest = *std::ranges::max_element(*loop.table[o]);
            last += furthest;
        }
        most = std::max(most, last + 1);
    }
    return most;
}

} // namespace

std::vector<LocalScratch> make_local(Step& group, const std::vector<int>& candidates) {
    std::vector<LocalScratch> all;
    Group inner = *group.group;
    for (const int operand : candidates) {
        const auto o = size_t(operand);
        group.nest.base.set(o, 0);
        for (Loop& loop : group.nest.loops) {
            loop.stride.set(o, 0);
            if (loop.table[o]) loop.table.set(o, Table{});
        }
        bool simple = true;
        const auto extents = extents_by_stride(inner.steps, o, simple);
        if (simple) {
            std::map<int64_t, int64_t> close;
            int64_t next = 1;
            for (const auto& [stride, extent] : extents) {
                close[stride] = next;
                next = next == 1 && stride != extents.rbegin()->first ? round_up(extent, line) : next * extent;
            }
            for (Step& step : inner.steps)
                for (Loop& loop : step.nest.loops)
                    if (loop.stride[o]) loop.stride.set(o, close.at(loop.stride[o]));
        }
        all.push_back({operand, span_of(inner.steps, o)});
    }
    group.group = std::make_shared<const Group>(std::move(inner));
    return all;
}

} // namespace tessera
