// SPDX-License-Identifier: Apache-2.0
#include "ops/rows.hpp"

#include <algorithm>
#include <set>

#include "core/division.hpp"
#include "core/layout/coalesce.hpp"
#include "core/plan/moves.hpp"
#include "core/plan/rewrite/two_levels.hpp"
#include "core/program/binary.hpp"
#include "core/program/reduction.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

// So few that threads would have nothing to share, if they did not share rows.
constexpr int64_t few_rows = 8;

// The operands of a program, each once; what it stores last is the last one.
std::vector<int> operands_by_last_use(const Program& program) {
    std::vector<int> used;
    for (const Op& op : program.ops) {
        if (op.operand < 0) continue;
        std::erase(used, op.operand);
        used.push_back(op.operand);
    }
    return used;
}

int combined(Program& program, OpCode reduce, int later, int earlier) {
    return binary_op(program, reduce == OpCode::reduce_max ? binary::max : binary::add, later, earlier);
}

} // namespace

Rows::Rows(std::span<const int64_t> dims, size_t axis, Plan& plan, std::vector<Layout>& layouts)
    : dims_(dims.begin(), dims.end()), axis_(axis), plan_(plan), layouts_(layouts) {}

bool Rows::lay_out_like(const Layout& layout) {
    constexpr int64_t most = int64_t(1) << 60;
    like_ = layout;
    int64_t elements = 1;
    for (size_t d = 0; d < dims_.size(); ++d) {
        Modes& modes = like_.dims[d];
        int64_t block = 1;
        for (size_t m = 1; m < modes.size(); ++m) block *= modes[m].extent;
        modes[0].extent = ceil_div(dims_[d], block); // a descriptor may be padded to less than that
        const int64_t padded = modes[0].extent * block;
        if (elements > most / padded) return false;
        elements *= padded;
    }
    return true;
}

int Rows::add_temporary(std::string name, bool of_rows) {
    Layout layout = like_;
    layout.offset = 0;
    if (of_rows) layout.dims[axis_] = {{extent(), 0}};
    std::vector<Mode*> modes;
    for (size_t d = 0; d < layout.dims.size(); ++d)
        for (Mode& mode : layout.dims[d])
            if (d != axis_ || !of_rows) modes.push_back(&mode);
    const int64_t elements = close_strides(std::move(modes));
    return Operands{plan_, layouts_}.add_scratch(std::move(name), DataType::f32, elements, std::move(layout));
}

void Rows::map(const Program& program) { add(program, 0, 0, extent()); }

void Rows::reduce(OpCode code, int to, const Point& point, const Finished& finished) {
    Program whole;
    point(whole);
    int64_t begin = 0;
    for (const int64_t end : cuts(whole)) {
        Program program;
        int v = point(program);
        const bool several = end - begin > 1; // of one element a map
        if (several) v = program.reduce(code, v);
        if (begin) v = combined(program, code, v, program.load(to, ValueType::f32));
        if (end == extent()) v = finished(program, v);
        program.store(to, v);
        add(program, several ? 1 << axis_ : 0, begin, end);
        begin = end;
    }
}

void Rows::add(const Program& given, int reduce_mask, int64_t begin, int64_t end) {
    RowStep& step = steps_.emplace_back();
    const Program program = simplify(given);
    step.reduce_mask = reduce_mask;
    step.operands = operands_by_last_use(program);
    step.program = add_program(program, plan_);
    step.dims = dims_;
    step.dims[axis_] = end - begin;
    if (begin) {
        std::vector<int64_t> first(step.dims.size(), 0);
        first[axis_] = begin;
        step.first.assign(step.operands.size(), first);
    }
    for (const int o : step.operands) step.layouts.push_back(layouts_[size_t(o)]);
}

// Where blocks of a layout end in the middle of the axis, so that strides lead through every piece.
std::vector<int64_t> Rows::cuts(const Program& program) const {
    std::set<int64_t, std::greater<>> blocks{1};
    for (const int o : operands_of(program)) {
        const Modes modes = coalesce(layouts_[size_t(o)].dims[axis_]);
        int64_t block = 1;
        for (size_t m = modes.size(); m-- > 1;) blocks.insert(block *= modes[m].extent);
    }
    std::vector<int64_t> ends;
    int64_t end = 0;
    for (const int64_t block : blocks) {
        const int64_t whole = (extent() - end) / block * block;
        if (whole) ends.push_back(end += whole);
    }
    return ends;
}

bool Rows::are_few() const {
    int64_t rows = 1;
    for (size_t d = 0; d < dims_.size() && rows <= few_rows; ++d)
        if (d != axis_) rows *= dims_[d];
    return rows <= few_rows && extent() > reduction_block;
}

void Rows::add_steps() {
    std::vector<Moves> moves;
    for (const RowStep& s : steps_)
        moves.push_back({.layouts = s.layouts,
                         .dims = s.dims,
                         .program = s.program,
                         .reduce_mask = s.reduce_mask,
                         .order_by = int(s.operands.size()) - 1,
                         .operands = s.operands,
                         .first = s.first});
    size_t grouped = 0; // element numbers do not move along the loops of a group
    const auto is_counted = [&](int o) { return plan_.operands[size_t(o)].counted; };
    while (!are_few() && grouped < moves.size() && std::ranges::none_of(moves[grouped].operands, is_counted)) ++grouped;
    const std::span<const Moves> all(moves);
    if (grouped) add_group(all.first(grouped), ((1 << dims_.size()) - 1) & ~(1 << axis_), plan_);
    for (const Moves& m : all.subspan(grouped)) {
        const size_t before = plan_.steps.size();
        add_moves(m, plan_);
        if (m.reduce_mask) in_two_levels(plan_.steps.size() - before, plan_);
    }
}

} // namespace tessera::ops
