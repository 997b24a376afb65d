// SPDX-License-Identifier: Apache-2.0
#include "core/plan/steps/matrices.hpp"

#include <algorithm>

#include "core/division.hpp"

namespace tessera {

namespace {

bool varies(const Layout& layout, size_t d) {
    return std::any_of(layout.dims[d].begin(), layout.dims[d].end(), [](const Mode& m) { return m.stride != 0; });
}

bool varies(const Factor& f, const Space& space, size_t d) {
    const int operands[] = {f.operand, f.zero, f.scale};
    return std::any_of(std::begin(operands), std::end(operands),
                       [&](int o) { return o >= 0 && varies(space.layouts[size_t(o)], d); });
}

MatrixFactor factor_of(const Factor& factor, const Product& product, int to) {
    MatrixFactor s{factor, {}};
    s.program.store(to, append(s.program, factor, product.type));
    const auto varies_along_k = [&](int operand) {
        for (size_t d = 0; d < product.space.dims.size(); ++d)
            if (product.space.reduces(d) && product.space.dims[d] > 1 &&
                varies(product.space.layouts[size_t(operand)], d))
                return true;
        return false;
    };
    if (factor.scale >= 0 || (factor.zero >= 0 && varies_along_k(factor.zero))) return s;
    s.operand = factor.operand, s.zero = factor.zero;
    return s;
}

int64_t extent(const Space& space, const std::vector<size_t>& group) {
    int64_t n = 1;
    for (const size_t d : group) n *= space.dims[d];
    return n;
}

bool worth_counting(const Space& space) {
    double products = 1;
    for (const int64_t extent : space.dims) products *= double(extent);
    return products <= 0x1p52;
}

} // namespace

std::optional<Matrices> matrices_of(const Plan& plan, const Step& step) {
    const Product& product = *step.product;
    const Space& space = product.space;
    Matrices p;
    p.sum = int(plan.operands.size());
    p.type = product.type;
    append(p.outer, plan.programs[size_t(step.program)], -1, p.outer.load(p.sum, p.type));
    p.outer = simplify(p.outer);
    p.left = factor_of(product.a, product, p.sum), p.right = factor_of(product.b, product, p.sum);
    const Layout& dst = space.layouts[size_t(p.outer.ops.back().operand)];
    bool swap = false;
    for (size_t d = 0; d < space.dims.size(); ++d) {
        if (space.dims[d] == 1) continue;
        const bool left = varies(p.left.factor, space, d), right = varies(p.right.factor, space, d);
        if (space.reduces(d)) {
            p.k.push_back(d);
        } else if (left != right) {
            (left ? p.m : p.n).push_back(d);
            const bool is_dense = dst.dims[d].back().stride == 1 && dst.dims[d].back().extent > 1;
            swap |= left && is_dense;
        } else {
            p.b.push_back(d);
        }
    }
    if (swap) std::swap(p.m, p.n), std::swap(p.left, p.right);
    if (!worth_counting(space)) return std::nullopt;
    p.batches = extent(space, p.b), p.rows = extent(space, p.m), p.columns = extent(space, p.n);
    p.depth = extent(space, p.k);
    return p;
}

std::optional<Modes> flat(const Layout& layout, std::span<const int64_t> dims, std::span<const size_t> group) {
    Modes all;
    for (size_t i = 0; i < group.size(); ++i) {
        const Modes& modes = layout.dims[group[i]];
        const int64_t extent = dims[group[i]];
        Modes used; // as far as the extent reaches
        int64_t inner = 1;
        for (size_t k = modes.size(); k-- > 0 && inner < extent;) {
            const int64_t left = ceil_div(extent, inner);
            used.insert(used.begin(), {k ? std::min(modes[k].extent, left) : left, modes[k].stride});
            inner *= used[0].extent;
        }
        if (inner != extent && i > 0) return std::nullopt;
        for (const Mode& mode : used) all.push_back(mode);
    }
    Modes joined;
    for (const Mode& mode : all) {
        if (mode.extent == 1) continue;
        if (!joined.empty() && joined.back().stride == mode.extent * mode.stride)
            joined.back() = {joined.back().extent * mode.extent, mode.stride};
        else
            joined.push_back(mode);
    }
    return joined;
}

} // namespace tessera
