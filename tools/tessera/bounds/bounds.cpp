// SPDX-License-Identifier: Apache-2.0
#include "bounds/bounds.hpp"

#include <algorithm>

#include "ops/epilogue.hpp"
#include "primitives/row.hpp"

namespace tessera {

Bounds::Bounds(const Problem& problem, const ops::Buffers& before)
    : computation_(problem, before), row_(primitives::row(problem.kind)) {}

bool Bounds::any() const {
    const Problem& p = computation_.problem;
    if (row_.bounds && (!row_.inexact || row_.inexact(p))) return true;
    return std::ranges::any_of(p.attr.post_ops.entries,
                               [](const PostOp& op) { return op.kind == PostOpKind::eltwise; });
}

const std::vector<Interval>& Bounds::of(int output, std::span<const int64_t> at, int64_t element) const {
    const auto [known, is_new] = known_[output].try_emplace(element);
    std::vector<Interval>& bounds = known->second;
    if (!is_new) return bounds;
    if (row_.bounds) {
        bounds = row_.bounds(computation_, output, at);
    } else {
        Interval start;
        start.add(computation_.start(at));
        bounds = {computation_.finished(start, at)};
    }
    for (Interval& bound : bounds)
        bound = bound.through([&](Interval& image, float v) {
            image.add(ops::ref_round(computation_.problem, computation_.before, v, output, at));
        });
    return bounds;
}

bool Bounds::hold(int output, std::span<const int64_t> at, const void* got, int64_t element) const {
    if (output == arg::dropout_mask) return false; // exact
    const DataType type = computation_.problem.md(output).type;
    return std::ranges::any_of(of(output, at, element),
                               [&](const Interval& bound) { return within(bound, type, got, element); });
}

} // namespace tessera
