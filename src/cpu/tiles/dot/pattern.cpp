#include "cpu/tiles/dot/pattern.hpp"

#include <algorithm>

#include "core/program/reduction.hpp"

namespace tessera::cpu {

namespace {

bool varies(const Layout& layout, size_t d) {
    return std::any_of(layout.dims[d].begin(), layout.dims[d].end(), [](const Mode& m) { return m.stride != 0; });
}

bool varies(const Program& p, const Space& space, size_t d) {
    return std::any_of(p.ops.begin(), p.ops.end(), [&](const Op& op) {
        return op.code == OpCode::load && varies(space.layouts[size_t(op.operand)], d);
    });
}

// The part of a program that computes one of its values, which it stores.
Program part(const Program& p, int value, int to) {
    Program result;
    result.ops.assign(p.ops.begin(), p.ops.begin() + value + 1);
    result.store(to, value);
    return simplify(result);
}

DotSide side(Program program, const Space& space) {
    DotSide s{std::move(program)};
    const auto& ops = s.program.ops;
    const auto varies_along_k = [&](int operand) {
        for (size_t d = 0; d < space.dims.size(); ++d)
            if (space.reduces(d) && space.dims[d] > 1 && varies(space.layouts[size_t(operand)], d)) return true;
        return false;
    };
    if (ops.size() == 2 && ops[0].code == OpCode::load) s.operand = ops[0].operand;
    if (ops.size() == 4 && ops[0].code == OpCode::load && ops[1].code == OpCode::load && ops[2].code == OpCode::sub &&
        ops[2].a == 0 && ops[2].b == 1 && !varies_along_k(ops[1].operand))
        s.operand = ops[0].operand, s.zero = ops[1].operand;
    return s;
}

int64_t extent(const Space& space, const std::vector<size_t>& group) {
    int64_t n = 1;
    for (const size_t d : group) n *= space.dims[d];
    return n;
}

// Up to 2^52 products, months of them; what is computed from their number then fits in 64 bits.
bool worth_counting(const Space& space) {
    double products = 1;
    for (const int64_t extent : space.dims) products *= double(extent);
    return products <= 0x1p52;
}

} // namespace

std::optional<DotPattern> dot_pattern(const Plan& plan, const Step& step) {
    const Space& space = *step.space;
    DotPattern p;
    p.sum = int(plan.operands.size());
    const ReductionParts parts = split_reduction(plan.programs[size_t(step.program)], p.sum);
    if (parts.type != ValueType::f32 && parts.type != ValueType::s32) return std::nullopt;
    p.type = parts.type;
    p.outer = parts.outer;
    const auto& ops = parts.point.ops;
    if (ops.size() < 2) return std::nullopt;
    const Op& product = ops[size_t(ops.back().a)];
    if (product.code != OpCode::mul) return std::nullopt;
    p.left = side(part(parts.point, product.a, p.sum), space);
    p.right = side(part(parts.point, product.b, p.sum), space);
    const Layout& dst = space.layouts[size_t(p.outer.ops.back().operand)];
    bool swap = false;
    for (size_t d = 0; d < space.dims.size(); ++d) {
        if (space.dims[d] == 1) continue;
        const bool left = varies(p.left.program, space, d), right = varies(p.right.program, space, d);
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
            const int64_t left = (extent + inner - 1) / inner;
            used.insert(used.begin(), {k ? std::min(modes[k].extent, left) : left, modes[k].stride});
            inner *= used[0].extent;
        }
        if (inner != extent && i > 0) return std::nullopt;
        all.insert(all.end(), used.begin(), used.end());
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

} // namespace tessera::cpu
