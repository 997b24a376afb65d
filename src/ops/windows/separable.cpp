// SPDX-License-Identifier: Apache-2.0
#include "ops/windows/separable.hpp"

#include <algorithm>
#include <functional>

#include "core/division.hpp"
#include "core/layout/coalesce.hpp"
#include "core/plan/moves.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

// So few points that threads would have nothing to share, if they did not share windows.
bool are_few(std::span<const int64_t> results, int shared) {
    constexpr int64_t few_shared = 64, large_point = 4096;
    int64_t points = 1, each = 1;
    for (size_t d = 0; d < results.size(); ++d) {
        int64_t& all = shared >> d & 1 ? points : each;
        all *= std::min(results[d], int64_t(1) << 20);
        if (points > few_shared) return false;
    }
    return each > large_point;
}

} // namespace

int64_t order_stride(const Layout& like, size_t d) {
    const Modes modes = coalesce(like.dims[d]);
    return modes.empty() ? 1 : modes.size() == 1 ? modes[0].stride : 0;
}

void order_passes(std::vector<Pass>& passes, const Layout& like) {
    std::ranges::stable_sort(passes, std::ranges::greater{}, [&](const Pass& p) { return order_stride(like, p.dim); });
}

void SeparableStep::shift(int operand, size_t d, int64_t by) {
    for (size_t o = 0; o < operands.size(); ++o)
        if (operands[o] == operand) first[o][d] += by;
}

void SeparableStep::combine(const Pass& pass, const OutputRange& r, bool bordered, std::initializer_list<int> read) {
    const size_t d = pass.dim;
    const Window& w = pass.window;
    const int64_t start = (bordered ? pass.before : 0) + r.first * w.stride + r.tap * w.step - w.left;
    dims[d] = r.count, dims[combined()] = std::max<int64_t>(r.taps, 1);
    reduces = r.taps > 1;
    for (size_t o = 0; o < operands.size(); ++o) {
        if (!r.taps || std::ranges::find(read, operands[o]) == read.end()) {
            first[o][d] += r.first;
            continue;
        }
        Layout& layout = layouts[o];
        const Modes modes = coalesce(layout.dims[d]);
        const int64_t step = modes.empty() ? 0 : modes[0].stride;
        layout.offset += start * step;
        layout.dims[combined()] = {{r.taps, w.step * step}};
        if (w.stride != 1) layout.dims[d] = {{r.count, w.stride * step}};
    }
}

Separable::Memory Separable::memory(size_t w) const {
    Layout layout = like_;
    layout.offset = 0;
    std::vector<Mode*> modes;
    for (size_t d = dims_.size(); d-- > 0;) {
        Modes& own = layout.dims[d];
        const auto pass = std::ranges::find(passes, d, &Pass::dim);
        if (w != no_pass && pass != passes.end()) {
            const auto at = size_t(pass - passes.begin());
            own = {{at == w  ? pass->extent
                    : at < w ? pass->window.outputs
                             : pass->window.inputs,
                    order_stride(like_, d)}};
        } else {
            int64_t block = 1;
            for (size_t m = 1; m < own.size(); ++m) block *= own[m].extent;
            own[0].extent = ceil_div(dims_[d], block);
        }
        for (size_t m = own.size(); m-- > 0;) modes.push_back(&own[m]);
    }
    const int64_t elements = close_strides(std::move(modes));
    return {std::move(layout), elements};
}

SeparableStep& Separable::add(const Program& given, size_t w) {
    SeparableStep& step = steps_.emplace_back();
    step.program = simplify(given);
    step.operands = operands_of(step.program);
    step.dims = dims_;
    for (size_t i = 0; i < passes.size(); ++i)
        step.dims[passes[i].dim] = i < w ? passes[i].window.outputs : passes[i].window.inputs;
    step.dims.push_back(1);
    for (const int o : step.operands) {
        step.layouts.push_back(layouts_[size_t(o)]);
        step.layouts.back().dims.push_back({{1, 0}});
        step.first.emplace_back(step.dims.size(), 0);
    }
    return step;
}

void Separable::add_to(Plan& plan, std::span<const int64_t> results, bool apart) const {
    std::vector<Moves> moves;
    for (const SeparableStep& s : steps_) {
        const int written = s.program.ops.back().operand;
        moves.push_back({.layouts = s.layouts,
                         .dims = s.dims,
                         .program = add_program(s.program, plan),
                         .reduce_mask = s.reduces ? 1 << s.combined() : 0,
                         .order_by = int(std::ranges::find(s.operands, written) - s.operands.begin()),
                         .operands = s.operands,
                         .first = s.first});
    }
    int shared = (1 << dims_.size()) - 1;
    for (const Pass& p : passes) shared &= ~(1 << p.dim);
    if (apart || are_few(results, shared))
        for (const Moves& m : moves) add_moves(m, plan);
    else
        add_group(moves, shared, plan);
}

} // namespace tessera::ops
