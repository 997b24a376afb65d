// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/steps.hpp"

#include <algorithm>

#include "core/desc/checked.hpp"
#include "core/layout/coalesce.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/rewrite/two_levels.hpp"
#include "ops/moves.hpp"
#include "ops/products/space.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t most_bytes = int64_t(1) << 62;
constexpr int every_axis = (1 << all_axes) - 1;

bool is_empty(const std::array<int64_t, all_axes>& extents, int axes) {
    for (size_t a = 0; a < extents.size(); ++a)
        if ((axes >> a & 1) && extents[a] == 0) return true;
    return false;
}

// The program with 0 in place of the sum of a product, or of what it reduces.
Program of_nothing(const Program& program) {
    Program out;
    std::vector<int> values;
    const auto value = [&](int v) { return v < 0 ? v : values[size_t(v)]; };
    for (const Op& op : program.ops) {
        if (op.code == OpCode::total || is_reduction(op.code)) {
            values.push_back(out.constant(0, op.type));
            continue;
        }
        values.push_back(int(out.ops.size()));
        Op& own = out.ops.emplace_back(op);
        own.a = value(op.a), own.b = value(op.b), own.c = value(op.c);
    }
    return simplify(out); // without what was reduced
}

} // namespace

Extents Extents::without(int axes) const {
    const auto kept = [&](Axis axis, int64_t extent) { return axes >> axis & 1 ? 1 : extent; };
    return {kept(time_axis, time), kept(row_axis, row), kept(gate_axis, gate), kept(channel_axis, channel),
            kept(input_axis, input)};
}

DenseLayout dense(const Extents& extents) {
    DenseLayout out{{0, std::vector<Modes>(all_axes, Modes{{1, 0}})}, 1};
    const auto list = extents.list();
    int64_t stride = 1;
    for (size_t a = all_axes; a-- > 0;) {
        if (list[a] != 1) out.layout.dims[a] = {{list[a], stride}};
        if (list[a] > 0 && !checked_mul(stride, list[a])) out.elements.reset(), stride = 1;
    }
    if (out.elements) out.elements = is_empty(list, every_axis) ? 0 : stride;
    return out;
}

Block Block::from(Axis axis, int64_t index) const {
    Block out = *this;
    out.layout.offset += offset_in(layout.dims[axis], index);
    return out;
}

Block Block::at(Axis axis, int64_t index) const {
    Block out = from(axis, index);
    out.layout.dims[axis] = {{1, 0}};
    return out;
}

Block Block::swapped() const {
    Block out = *this;
    std::swap(out.layout.dims[channel_axis], out.layout.dims[input_axis]);
    return out;
}

bool Block::is_plain() const {
    return std::ranges::all_of(layout.dims, [](const Modes& modes) { return coalesce(modes).size() <= 1; });
}

Block Steps::tensor(const Problem& problem, int id, const std::vector<Axis>& axes, const std::vector<int64_t>& at) {
    Block block;
    block.layout.dims.assign(all_axes, {{1, 0}});
    const Tensor* tensor = problem.find(id);
    block.exists = tensor != nullptr;
    if (!tensor) return block;
    block.operand = {arg_name(id), tensor->md.type, id};
    const Layout own = layout_of(tensor->md);
    block.layout.offset = own.offset;
    for (size_t d = 0; d < axes.size(); ++d) {
        if (axes[d] == all_axes)
            block.layout.offset += offset_in(own.dims[d], at[d]);
        else if (tensor->md.dims[d] != 1) // 1: the same for all, like the attention of a row
            block.layout.dims[axes[d]] = coalesce(own.dims[d]);
    }
    return block;
}

Block Steps::scratch(std::string name, DataType type, const Extents& extents) {
    Block block;
    block.operand = {std::move(name), type};
    block.operand.scratch = int(plan.scratch.size());
    DenseLayout memory = dense(extents);
    block.layout = std::move(memory.layout);
    const int64_t elements = memory.elements.value_or(most_bytes);
    if (elements > most_bytes / 8) too_large = true;
    plan.scratch.push_back(too_large || elements == 0 ? 1 : bytes_of(type, elements));
    return block;
}

Block Steps::constants(std::string name, std::vector<float> values, const Extents& extents) {
    Block block;
    block.operand = {std::move(name), DataType::f32};
    block.layout.dims.assign(all_axes, {{1, 0}});
    if (values.size() > 1) {
        if (extents.gate > 1) block.layout.dims[gate_axis] = {{extents.gate, extents.channel}};
        block.layout.dims[channel_axis] = {{extents.channel, 1}};
    }
    const auto known = std::ranges::find(plan.constants, values);
    block.operand.constant = int(known - plan.constants.begin());
    if (known == plan.constants.end()) plan.constants.push_back(std::move(values));
    return block;
}

int Steps::view(const Block& block) {
    // Among those of a layer: a plan of hundreds of layers has thousands.
    constexpr size_t of_a_layer = 128;
    for (size_t o = layouts_.size() - std::min(layouts_.size(), of_a_layer); o < layouts_.size(); ++o)
        if (plan.operands[o] == block.operand && layouts_[o] == block.layout) return int(o);
    plan.operands.push_back(block.operand);
    layouts_.push_back(block.layout);
    return int(layouts_.size()) - 1;
}

Layout Steps::layout_in(int operand, const std::array<int64_t, all_axes>& extents) const {
    Layout layout = layouts_[size_t(operand)];
    if (turning_) layout.dims[time_axis] = {{1, 0}};
    for (size_t a = 0; a < all_axes; ++a) { // where the operand lacks the axis, or only a part of it is looked at
        Modes& modes = layout.dims[a];
        if (modes.size() == 1) modes[0].extent = extents[a];
    }
    return layout;
}

bool Steps::is_nothing(const Extents& extents, int summed, const Program& program) {
    const auto list = extents.list();
    if (is_empty(list, every_axis & ~summed)) return true;
    if (!is_empty(list, summed)) return false;
    map(extents.without(summed), of_nothing(program));
    return true;
}

void Steps::add(const Extents& extents, int summed, int program) {
    const auto list = extents.list();
    Moves moves;
    moves.program = program, moves.reduce_mask = summed;
    moves.operands = operands_of(plan.programs[size_t(program)]);
    std::vector<Layout> layouts;
    for (const int o : moves.operands) layouts.push_back(layout_in(o, list));
    moves.layouts = layouts, moves.dims = list;
    const int written = plan.programs[size_t(program)].ops.back().operand;
    moves.order_by = int(std::ranges::find(moves.operands, written) - moves.operands.begin());
    add_moves(moves, plan);
}

void Steps::map(const Extents& extents, const Program& program) {
    if (!is_nothing(extents, 0, program)) add(extents, 0, add_program(simplify(program), plan));
}

void Steps::product(const Extents& extents, int summed, ValueType type, const Block& a, const Block& b,
                    const Program& epilogue) {
    if (is_nothing(extents, summed, epilogue)) return;
    const auto list = extents.list();
    const int number = add_program(simplify(epilogue), plan);
    const Program& program = plan.programs[size_t(number)];
    Product product;
    product.type = type;
    product.a = {view(a)}, product.b = {view(b)};
    // The space of the operands of the step alone: there may be hundreds in the plan.
    std::vector<int> used{product.a.operand, product.b.operand};
    for (const int o : operands_of(program))
        if (std::ranges::find(used, o) == used.end()) used.push_back(o);
    Space space{{list.begin(), list.end()}, summed, {}, fpmath};
    for (const int o : used) space.layouts.push_back(layout_in(o, list));
    const auto written = std::ranges::find(used, program.ops.back().operand) - used.begin();
    space = joined(arranged(std::move(space), size_t(written), 0));
    std::vector<Layout> own(size_t(*std::ranges::max_element(used)) + 1);
    for (size_t k = 0; k < used.size(); ++k) own[size_t(used[k])] = std::move(space.layouts[k]);
    space.layouts = std::move(own);
    product.space = std::move(space);
    add_product(std::move(product), number, plan);
}

void Steps::reduce(const Extents& extents, int summed, const Program& program) {
    if (is_nothing(extents, summed, program)) return;
    const size_t before = plan.steps.size();
    add(extents, summed, add_program(program, plan));
    in_two_levels(plan.steps.size() - before, plan);
    layouts_.resize(plan.operands.size()); // partial sums are operands of the plan, too
}

void Steps::repeat(int64_t turns, bool backwards, const std::function<void()>& steps) {
    if (turns == 0) return;
    const size_t before = plan.steps.size();
    turning_ = true;
    steps();
    turning_ = false;
    if (plan.steps.size() == before) return;
    Step step;
    step.kind = StepKind::repeat;
    Group group;
    group.steps.assign(plan.steps.begin() + long(before), plan.steps.end());
    plan.steps.resize(before);
    Loop loop;
    loop.extent = turns;
    for (const Step& inner : group.steps)
        for (const int o : used_operands(plan, inner)) {
            const int64_t stride = layouts_[size_t(o)].dims[time_axis][0].stride;
            loop.stride.set(size_t(o), backwards ? -stride : stride);
            step.nest.base.set(size_t(o), backwards ? (turns - 1) * stride : 0);
        }
    if (turns > 1) step.nest.loops = {loop};
    step.group = std::make_shared<const Group>(std::move(group));
    plan.steps.push_back(std::move(step));
}

void Steps::add_padding_of(const MemoryDesc& md, const Block& block) {
    Block whole = block;
    whole.layout = {};
    whole.layout.dims.assign(all_axes, {{1, 0}});
    if (md.has_zero_dim()) return;
    add_padding(md, view(whole), plan);
}

} // namespace tessera::ops
