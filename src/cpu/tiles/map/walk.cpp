#include "cpu/tiles/map/walk.hpp"

#include "core/plan/unit.hpp"

namespace tessera::cpu {

std::vector<int64_t> steps_in_bytes(const Loop& loop, size_t operand, int64_t size) {
    std::vector<int64_t> steps;
    if (!loop.table[operand]) return steps;
    const std::vector<int64_t>& at = *loop.table[operand];
    steps.reserve(at.size());
    for (size_t i = 1; i < at.size(); ++i) steps.push_back((at[i] - at[i - 1]) * size);
    steps.push_back(0);
    return steps;
}

Walk::Walk(const PerOperand<int64_t>& base, std::span<const Loop> loops, std::span<const int> size)
    : size_(size.begin(), size.end()), iterations_(tessera::iterations(loops)) {
    for (size_t o = 0; o < size.size(); ++o) base_.push_back(base[o] * size_[o]);
    for (const Loop& loop : loops) {
        Outer& outer = loops_.emplace_back(Outer{loop, {}});
        for (size_t o = 0; o < size.size(); ++o) {
            Moved& moved = outer.moved.emplace_back();
            moved.steps = steps_in_bytes(loop, o, size_[o]);
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
