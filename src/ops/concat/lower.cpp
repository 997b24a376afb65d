// SPDX-License-Identifier: Apache-2.0
// concat -> plan: each source is copied into its slice of dst, like a reorder into a view. Blocks of dst that two
// sources share are cut where one of them ends (boxes.hpp).
#include "ops/concat/concat.hpp"

#include "core/layout/boxes.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

constexpr int dst_operand = 1; // as in other plans; src 0 is operand 0, the other sources follow from 2 on

struct Concat {
    const Problem& problem;
    Plan plan;
    std::vector<Layout> layouts; // of all operands
    Operands operands{plan, layouts};

    int add(const Tensor& t) {
        plan.operands.push_back({arg_name(t.arg), t.md.type, t.arg});
        layouts.push_back(layout_of(t.md));
        return int(plan.operands.size()) - 1;
    }

    // Copies a source, any operand of the plan, into dst from coordinate `first` of the axis on.
    void add_source(const Tensor& src, int operand, int64_t first) {
        const size_t known = plan.operands.size();
        const ValueType direct = conversion_type(src.md.type, plan.operands[dst_operand].type);
        Program program;
        if (problem.attr.scales.count(src.arg))
            program.store(dst_operand, load_scaled(program, operand, src.arg, problem, operands));
        else
            program.store(dst_operand, program.load(operand, direct));
        plan.programs.push_back(program);

        std::vector<Layout> moved{layouts[size_t(operand)], layouts[dst_operand]};
        std::vector<int> of{operand, dst_operand};
        std::vector<std::vector<int64_t>> begin(2);
        begin[1].assign(size_t(src.md.ndims), 0);
        begin[1][axis_of(problem)] = first;
        for (size_t o = known; o < plan.operands.size(); ++o) { // the scale
            moved.push_back(layouts[o]);
            of.push_back(int(o));
            begin.emplace_back();
        }
        add_moves({.layouts = moved,
                   .dims = src.md.dims_span(),
                   .program = int(plan.programs.size()) - 1,
                   .operands = of,
                   .first = begin},
                  plan);
    }
};

} // namespace

Result<Plan> lower_concat(const Problem& p) {
    const MemoryDesc& dst = p.md(arg::dst);
    Concat c{p, {}, {}};
    const int sources = int(p.tensors.size()) - 1;
    c.plan.title = fmt::format("concat of {} -> {}, {}, axis {}", sources, to_token(dst), p.shapes(), axis_of(p));
    if (dst.is_zero() || dst.has_zero_dim()) return std::move(c.plan);
    std::vector<int> operand_of(size_t(sources), -1);
    const auto empty = [](const Tensor& t) { return t.md.has_zero_dim(); };
    for (size_t i = 0; i < size_t(sources); ++i) {
        if (empty(p.tensors[i])) continue; // its buffer may be null
        operand_of[i] = c.add(p.tensors[i]);
        if (c.plan.operands.size() == size_t(dst_operand)) c.add(p.tensors.back());
    }
    int64_t first = 0;
    for (size_t i = 0; i < size_t(sources); ++i) {
        const Tensor& src = p.tensors[i];
        if (operand_of[i] >= 0) c.add_source(src, operand_of[i], first);
        first += src.md.dims[axis_of(p)];
    }
    add_padding(dst, dst_operand, c.plan);
    return std::move(c.plan);
}

} // namespace tessera::ops
