// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/domain.hpp"

#include <algorithm>

#include "core/plan/rewrite/two_levels.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

void Domain::place(int operand, Layout layout) {
    if (layouts_.size() <= size_t(operand)) layouts_.resize(size_t(operand) + 1);
    layouts_[size_t(operand)] = std::move(layout);
}

int Domain::add(std::string name, DataType type, int arg, Layout layout) {
    plan_.operands.push_back({std::move(name), type, arg});
    place(int(plan_.operands.size()) - 1, std::move(layout));
    return int(plan_.operands.size()) - 1;
}

int Domain::scratch(std::string name, Layout layout) {
    int64_t count = 1;
    for (const Modes& modes : layout.dims)
        for (const Mode& m : modes)
            if (m.stride) count *= m.extent;
    const int operand = add(std::move(name), DataType::f32, 0, std::move(layout));
    plan_.operands.back().scratch = int(plan_.scratch.size());
    plan_.scratch.push_back(bytes_of(DataType::f32, count));
    return operand;
}

int Domain::same(int operand, Layout layout) {
    plan_.operands.push_back(plan_.operands[size_t(operand)]);
    place(int(plan_.operands.size()) - 1, std::move(layout));
    return int(plan_.operands.size()) - 1;
}

Operands Domain::operands() {
    layouts_.resize(plan_.operands.size());
    return {plan_, layouts_};
}

Moves Domain::moves(Part& part) {
    Moves m{.layouts = {}, .dims = {}, .program = int(plan_.programs.size()), .reduce_mask = part.reduced};
    m.order_by = 0;
    m.operands = {part.program.ops.back().operand};
    for (const Op& op : part.program.ops)
        if (op.operand >= 0 && std::ranges::find(m.operands, op.operand) == m.operands.end())
            m.operands.push_back(op.operand);
    auto& layouts = used_layouts_.emplace_back();
    for (const int o : m.operands) layouts.push_back(layouts_[size_t(o)]);
    auto& dims = used_dims_.emplace_back(dims_);
    for (size_t d = 0; d < dims.size(); ++d)
        if (!(part.over >> d & 1)) dims[d] = 1;
    m.layouts = layouts, m.dims = dims;
    // A sum of single points is still one: of a dim that is not there.
    if (std::ranges::any_of(part.program.ops, [](const Op& op) { return is_reduction(op.code); }))
        m.reduce_mask |= 1 << dims.size();
    plan_.programs.push_back(simplify(part.program));
    return m;
}

void Domain::step(Part part) {
    const size_t before = plan_.steps.size();
    add_moves(moves(part), plan_);
    in_two_levels(plan_.steps.size() - before, plan_);
}

void Domain::group(std::vector<Part> parts, int shared) {
    std::vector<Moves> all;
    for (Part& part : parts) all.push_back(moves(part));
    add_group(all, shared, plan_);
}

Layout dense(std::span<const int64_t> dims, int mask, int last) {
    Layout layout;
    for (const int64_t extent : dims) layout.dims.push_back({{extent, 0}});
    int64_t stride = 1;
    const auto put = [&](size_t d) {
        if (!(mask >> d & 1)) return;
        layout.dims[d][0].stride = stride;
        stride *= dims[d];
    };
    if (last >= 0) put(size_t(last));
    for (size_t d = dims.size(); d-- > 0;)
        if (int(d) != last) put(d);
    return layout;
}

bool can_be_cut(const Layout& layout, size_t d) { return layout.dims[d].size() == 1; }

Layout cut(Layout layout, size_t d, int64_t inner) {
    const Mode whole = layout.dims[d][0];
    layout.dims[d] = {{whole.extent / inner, whole.stride * inner}};
    layout.dims.insert(layout.dims.begin() + ptrdiff_t(d) + 1, Modes{{inner, whole.stride}});
    return layout;
}

Inner inner_of(std::span<const int64_t> dims, std::span<const size_t> among, int64_t limit,
               std::span<const Layout> layouts) {
    Inner inner{{dims.begin(), dims.end()}};
    for (size_t k = among.size(); k-- > 0;) {
        const size_t d = among[k];
        if (inner.points * dims[d] <= limit) {
            inner.points *= dims[d];
            inner.mask |= 1 << d;
            continue;
        }
        if (!std::ranges::all_of(layouts, [&](const Layout& l) { return can_be_cut(l, d); })) break;
        int64_t part = limit / inner.points;
        while (part > 1 && dims[d] % part != 0) --part;
        if (part <= 1) break;
        inner.points *= part;
        inner.part = part, inner.split = int(d);
        inner.dims[d] /= part;
        inner.dims.insert(inner.dims.begin() + ptrdiff_t(d) + 1, part);
        const int before = inner.mask & ((1 << d) - 1);
        inner.mask = before | (inner.mask >> (d + 1) << (d + 2)) | 1 << (d + 1);
        break;
    }
    return inner;
}

int64_t points_of_cell(int64_t dense_channels) {
    constexpr int64_t long_cell = 4096, short_cell = 512, fewest_points = 64, elements_of_cells = 32768;
    if (dense_channels == 0) return long_cell;
    return std::clamp(elements_of_cells / dense_channels, fewest_points, short_cell);
}

// Knuth's: whichever is the larger one.
Mean exact_sum(Program& program, int a, int b) {
    const auto difference = [&](int x, int y) { return program.binary(OpCode::sub, x, y); };
    const int sum = program.binary(OpCode::add, a, b);
    const int of_b = difference(sum, a), of_a = difference(sum, of_b);
    const int lost_b = difference(b, of_b), lost_a = difference(a, of_a);
    return {sum, program.binary(OpCode::add, lost_a, lost_b)};
}

int about_rest(Program& program, int variance, int rest) {
    const int square = program.binary(OpCode::mul, rest, rest), least = program.constant(0, ValueType::f32);
    return program.binary(OpCode::max, least, program.binary(OpCode::sub, variance, square)); // NaN stays
}

int reciprocal_root(Program& program, int v, float epsilon) {
    const int sum = program.binary(OpCode::add, v, program.constant(double(epsilon), ValueType::f32));
    return program.binary(OpCode::div, program.constant(1, ValueType::f32), program.unary(OpCode::sqrt, sum));
}

} // namespace tessera::ops
