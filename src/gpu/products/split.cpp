// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/split.hpp"

#include <algorithm>
#include <utility>

#include "core/plan/moves.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/steps/matrices.hpp"
#include "gpu/source.hpp"

namespace tessera::gpu {

namespace {

// Of the outermost dim of k, so that every unit has groups to run, several where a product reads rather than computes.
// A part has so many points that its sums, written once and read once, are little beside what it reads.
int64_t parts_of(const DeviceRow& row, const Plan& plan, const Step& step, const Matrices& m) {
    constexpr int64_t least = 256, few_rows = 8, groups_that_read = 4;
    if (m.k.empty() || m.depth < 2 * least) return 1;
    const int64_t wanted = row.units * (std::min(m.rows, m.columns) <= few_rows ? groups_that_read : 1);
    if (m.batches * m.rows * m.columns > wanted * row.lanes * 64)
        return 1; // 64 results a work-item, as many as there are
    const LocalStep local = local_step(plan, step);
    const int64_t groups = launch_of(row, local.plan, local.plan.steps[0]).groups;
    const int64_t extent = step.product->space.dims[m.k[0]];
    int64_t parts = 1;
    while (2 * parts * groups <= wanted && extent % (2 * parts) == 0 && m.depth / (2 * parts) >= least) parts *= 2;
    return parts;
}

// Dim d as its parts, a new last dim that is not summed over, and what a part has of it.
bool cut(Space& space, size_t d, int64_t parts) {
    const int64_t inner = space.dims[d] / parts;
    for (Layout& layout : space.layouts) {
        auto halves = halves_of(layout.dims[d], inner);
        if (!halves) return false;
        layout.dims[d] = std::move(halves->inner);
        layout.dims.push_back(std::move(halves->outer));
    }
    space.dims[d] = inner;
    space.dims.push_back(parts);
    return true;
}

// The layout of the sums of each part: the parts outside, inside of them batches, rows, columns.
Layout layout_of_sums(const Space& space, const Matrices& m, int64_t& elements) {
    Layout layout;
    layout.dims.assign(space.dims.size(), {{1, 0}});
    elements = 1;
    const auto add = [&](size_t d) {
        layout.dims[d] = {{space.dims[d], elements}};
        elements *= space.dims[d];
    };
    for (const auto* group : {&m.n, &m.m, &m.b})
        for (size_t i = group->size(); i-- > 0;) add((*group)[i]);
    add(space.dims.size() - 1);
    return layout;
}

} // namespace

Plan split_sums(const DeviceRow& row, Plan plan) {
    if (row.processor()) return plan;
    const std::vector<Step> steps = std::exchange(plan.steps, {});
    int scratch = -1; // of the sums of all products: they run one after the other
    for (const Step& step : steps) {
        const auto m = step.product ? matrices_of(plan, step) : std::nullopt;
        const int64_t parts = m && has_product_kernel(row, plan, step) ? parts_of(row, plan, step, *m) : 1;
        Product product = m ? *step.product : Product();
        if (parts > 1) product.space = with_all_layouts(std::move(product.space));
        if (parts == 1 || !cut(product.space, m->k[0], parts)) {
            plan.steps.push_back(step);
            continue;
        }
        Space& space = product.space;
        const int sums = m->sum; // the next operand
        int64_t elements = 0;
        space.layouts.resize(plan.operands.size(), Layout{0, std::vector<Modes>(space.dims.size(), Modes{{1, 0}})});
        space.layouts.push_back(layout_of_sums(space, *m, elements));
        const DataType type = m->type == ValueType::f32 ? DataType::f32 : DataType::s32;
        if (scratch < 0) scratch = int(plan.scratch.size()), plan.scratch.push_back(0);
        plan.scratch[size_t(scratch)] = std::max(plan.scratch[size_t(scratch)], bytes_of(type, elements));
        plan.operands.push_back({.name = "sums", .type = type, .scratch = scratch});

        Program part, total;
        part.store(sums, part.total(m->type));
        append(total, m->outer, m->sum, total.reduce_add(total.load(sums, m->type)));
        const Space results = space;
        plan.programs.push_back(std::move(part));
        Step& own = plan.steps.emplace_back();
        own.kind = StepKind::product, own.program = int(plan.programs.size()) - 1;
        own.product = std::make_shared<Product>(std::move(product));

        std::vector<int64_t> dims = results.dims;
        for (size_t d = 0; d + 1 < dims.size(); ++d)
            if (results.reduces(d)) dims[d] = 1;
        plan.programs.push_back(simplify(total));
        add_moves({.layouts = results.layouts,
                   .dims = dims,
                   .program = int(plan.programs.size()) - 1,
                   .reduce_mask = 1 << (dims.size() - 1),
                   .order_by = plan.programs.back().ops.back().operand},
                  plan);
    }
    return plan;
}

} // namespace tessera::gpu
