// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/map/walk.hpp"

#include <algorithm>
#include <utility>

#include "core/plan/unit.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t most_steps = 4096; // a table stays in L1 beside what is moved
constexpr int64_t enough_by_steps = 16 << 10;

} // namespace

std::vector<int64_t> steps_in_bytes(const Loop& loop, size_t operand, int64_t size) {
    std::vector<int64_t> steps(size_t(loop.extent), 0);
    const auto& table = loop.table[operand];
    for (size_t i = 1; i < steps.size(); ++i)
        steps[i - 1] = (table ? (*table)[i] - (*table)[i - 1] : loop.stride[operand]) * size;
    return steps;
}

Loop joined(const Loop& outer, const Loop& inner, size_t operands) {
    Loop both;
    both.extent = inner.extent * outer.extent;
    for (size_t o = 0; o < operands; ++o) {
        const bool steady = !inner.table[o] && !outer.table[o];
        if (steady && outer.stride[o] == inner.stride[o] * inner.extent) {
            both.stride.set(o, inner.stride[o]);
            continue;
        }
        std::vector<int64_t> at(size_t(both.extent)), row(size_t(inner.extent));
        for (int64_t j = 0; j < inner.extent; ++j) row[size_t(j)] = inner.offset(int(o), j);
        for (int64_t i = 0; i < outer.extent; ++i) {
            const int64_t first = outer.offset(int(o), i);
            std::ranges::transform(row, at.begin() + i * inner.extent, [=](int64_t x) { return first + x; });
        }
        both.table.set(o, std::move(at));
    }
    return both;
}

void join_rows(std::vector<Loop>& loops, size_t operands, int64_t row_bytes) {
    while (loops.size() > 1 && loops.back().indexed()) {
        const Loop inner = std::move(loops.back());
        loops.pop_back();
        if (inner.extent * row_bytes >= enough_by_steps || inner.extent * loops.back().extent > most_steps) {
            loops.push_back(inner);
            return;
        }
        loops.back() = joined(loops.back(), inner, operands);
    }
}

void join_repeated(std::vector<Loop>& loops, size_t operands, size_t written, int64_t row_bytes) {
    while (loops.size() > 1 && !loops.back().table[written]) {
        const Loop &outer = loops[loops.size() - 2], &inner = loops.back();
        if (outer.table[written] || outer.stride[written] != inner.stride[written] * inner.extent) return;
        if (inner.extent * row_bytes >= enough_by_steps || inner.extent * outer.extent > most_steps) return;
        Loop both = joined(outer, inner, operands);
        loops.pop_back();
        loops.back() = std::move(both);
    }
}

Walk::Walk(const PerOperand<int64_t>& base, std::span<const Loop> loops, std::span<const int> size)
    : size_(size.begin(), size.end()), iterations_(tessera::iterations(loops)) {
    for (size_t o = 0; o < size.size(); ++o) base_.push_back(base[o] * size_[o]);
    for (const Loop& loop : loops) {
        Outer& outer = loops_.emplace_back(Outer{loop, {}});
        for (size_t o = 0; o < size.size(); ++o) {
            Moved& moved = outer.moved.emplace_back();
            if (loop.table[o]) moved.steps = steps_in_bytes(loop, o, size_[o]);
            moved.stride = loop.stride[o] * size_[o];
            moved.back = (loop.offset(int(o), 0) - loop.offset(int(o), loop.extent - 1)) * size_[o];
        }
    }
}

void Walk::find(int64_t iteration, Place& place) const {
    for (size_t o = 0; o < base_.size(); ++o) place.at[o] = base_[o];
    UnitIndex index(iteration);
    for (size_t k = loops_.size(); k-- > 0;) {
        const Loop& loop = loops_[k].loop;
        place.index[k] = index.next(loop.extent);
        for (size_t o = 0; o < base_.size(); ++o) place.at[o] += loop.offset(int(o), place.index[k]) * size_[o];
    }
}

void Walk::next(Place& place) const {
    for (size_t k = loops_.size(); k-- > 0;) {
        const Outer& outer = loops_[k];
        const int64_t from = place.index[k];
        const bool ends = from + 1 == outer.loop.extent;
        for (size_t o = 0; o < base_.size(); ++o) {
            const Moved& moved = outer.moved[o];
            place.at[o] += ends ? moved.back : moved.steps.empty() ? moved.stride : moved.steps[size_t(from)];
        }
        place.index[k] = ends ? 0 : from + 1;
        if (!ends) return;
    }
}

} // namespace tessera::cpu
