// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/split.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/division.hpp"
#include "core/plan/moves.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/steps/matrices.hpp"
#include "gpu/source.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

// Products that run at the same time and differ in their spaces alone, as those of the borders of a convolution do.
struct Run {
    std::span<const Step> steps;
    std::vector<Matrices> matrices; // of each; empty if one of them has no kernel
};
Run run_of(const DeviceRow& row, const Plan& plan, std::span<const Step> steps) {
    const auto operands = [&](const Step& step) { return local_step(plan, step).operands; };
    const auto follows = [&](const Step& step) {
        return step.together != Together::no && step.product && step.program == steps[0].program;
    };
    size_t count = 1;
    if (steps[0].product && steps.size() > 1 && follows(steps[1])) {
        const std::vector<int> first = operands(steps[0]);
        while (count < steps.size() && follows(steps[count]) && operands(steps[count]) == first) ++count;
    }
    Run run{steps.first(count), {}};
    if (std::ranges::all_of(run.steps, [&](const Step& s) { return s.product && has_product_kernel(row, plan, s); }))
        for (const Step& step : run.steps) run.matrices.push_back(*matrices_of(plan, step));
    return run;
}

int64_t groups_of(const DeviceRow& row, const Plan& plan, const Run& run) {
    std::vector<LocalStep> local;
    std::vector<const Plan*> plans;
    for (const Step& step : run.steps) local.push_back(local_step(plan, step));
    for (const LocalStep& one : local) plans.push_back(&one.plan);
    int64_t groups = 0;
    for (const Launch& launch : launches_of_products(row, plans)) groups += launch.groups;
    return groups;
}

// The dim of k that is cut: the one that most powers of two divide, which has many divisors.
size_t cut_dim(const Space& space, const Matrices& m) {
    return *std::ranges::max_element(m.k, {}, [&](size_t d) { return space.dims[d] & -space.dims[d]; });
}

// Whether parts of dim d leave vectors of a factor whole that lie along it.
bool keeps_vectors(const Space& space, const Matrices& m, size_t d, int64_t inner) {
    constexpr int64_t width = 8;
    const auto is_dense = [&](const MatrixFactor& f) {
        const auto is_unit = [](const Mode& mode) { return mode.stride == 1; };
        return std::ranges::any_of(space.layouts[size_t(f.factor.operand)].dims[d], is_unit);
    };
    return space.dims[d] % width != 0 || inner % width == 0 || (!is_dense(m.left) && !is_dense(m.right));
}

// So that every unit has groups to run: as many as compute while one of them waits for memory. A part has so many
// points that its sums, written once and read once, are little beside what it reads.
int64_t parts_of(const DeviceRow& row, const Plan& plan, const Run& run) {
    constexpr int64_t least = 256, most_of_unit = 8;
    // An H200 waits 800 cycles for a chunk of 16 points, which are 16 products of each result, 128 a cycle.
    constexpr int64_t results_while_waiting = 800 * 128 / 16;
    const auto has_all_of = [](int64_t parts) { return [=](const Matrices& m) { return m.depth >= parts * least; }; };
    if (run.matrices.empty() || std::ranges::none_of(run.matrices, has_all_of(2))) return 1;
    int64_t results = 0;
    for (const Matrices& m : run.matrices) results += m.batches * m.rows * m.columns;
    if (results > row.units * row.lanes * 64) return 1; // 64 results a work-item, as many as there are
    const int64_t groups = groups_of(row, plan, run);
    const int64_t of_unit = std::clamp<int64_t>(ceil_div(results_while_waiting * groups, results), 1, most_of_unit);
    const auto can_be = [&](int64_t parts) {
        for (size_t i = 0; i < run.steps.size(); ++i) {
            const Space& space = run.steps[i].product->space;
            const Matrices& m = run.matrices[i];
            if (m.k.empty()) return false;
            const size_t d = cut_dim(space, m);
            if (space.dims[d] % parts != 0 || !keeps_vectors(space, m, d, space.dims[d] / parts)) return false;
        }
        return std::ranges::any_of(run.matrices, has_all_of(parts));
    };
    int64_t parts = row.units * of_unit / groups;
    while (parts > 1 && !can_be(parts)) --parts;
    return std::max<int64_t>(parts, 1);
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
    Layout layout{elements, {}};
    int64_t stride = 1;
    layout.dims.assign(space.dims.size(), {{1, 0}});
    const auto add = [&](size_t d) {
        layout.dims[d] = {{space.dims[d], stride}};
        stride *= space.dims[d];
    };
    for (const auto* group : {&m.n, &m.m, &m.b})
        for (size_t i = group->size(); i-- > 0;) add((*group)[i]);
    add(space.dims.size() - 1);
    elements += stride;
    return layout;
}

// The spaces of a run's products in parts, with the sums of the parts in a further operand; nothing if one of them
// cannot be cut.
std::vector<Space> in_parts(const Plan& plan, const Run& run, int64_t parts, int64_t& sums) {
    std::vector<Space> spaces;
    for (size_t i = 0; i < run.steps.size(); ++i) {
        Space space = with_all_layouts(run.steps[i].product->space);
        if (!cut(space, cut_dim(space, run.matrices[i]), parts)) return {};
        space.layouts.resize(plan.operands.size(), Layout{0, std::vector<Modes>(space.dims.size(), Modes{{1, 0}})});
        space.layouts.push_back(layout_of_sums(space, run.matrices[i], sums));
        spaces.push_back(std::move(space));
    }
    return spaces;
}

// The steps of a run in parts; `scratch` holds the sums.
void add_parts(const Run& run, std::vector<Space> spaces, int64_t sums, int scratch, Plan& plan) {
    const Matrices& m = run.matrices[0];
    const DataType type = m.type == ValueType::f32 ? DataType::f32 : DataType::s32;
    plan.scratch[size_t(scratch)] = std::max(plan.scratch[size_t(scratch)], bytes_of(type, sums));
    plan.operands.push_back({.name = "sums", .type = type, .scratch = scratch}); // m.sum
    Program part, total;
    part.store(m.sum, part.total(m.type));
    append(total, m.outer, m.sum, total.reduce_add(total.load(m.sum, m.type)));
    plan.programs.push_back(std::move(part)), plan.programs.push_back(simplify(total));
    const int of_parts = int(plan.programs.size()) - 2, of_totals = of_parts + 1;
    for (size_t i = 0; i < spaces.size(); ++i) {
        Product product = *run.steps[i].product;
        product.space = spaces[i];
        Step& own = plan.steps.emplace_back();
        own.kind = StepKind::product, own.program = of_parts;
        own.product = std::make_shared<Product>(std::move(product));
        own.together = i == 0 ? Together::no : Together::beside; // another run may have the same scratch
    }
    const size_t first_total = plan.steps.size();
    for (const Space& space : spaces) {
        std::vector<int64_t> dims = space.dims;
        for (size_t d = 0; d + 1 < dims.size(); ++d)
            if (space.reduces(d)) dims[d] = 1;
        add_moves({.layouts = space.layouts,
                   .dims = dims,
                   .program = of_totals,
                   .reduce_mask = 1 << (dims.size() - 1),
                   .order_by = plan.programs[size_t(of_totals)].ops.back().operand},
                  plan);
    }
    for (size_t i = first_total + 1; i < plan.steps.size(); ++i) plan.steps[i].together = Together::beside;
}

} // namespace

Plan split_sums(const DeviceRow& row, Plan plan) {
    if (row.processor()) return plan;
    const std::vector<Step> steps = std::exchange(plan.steps, {});
    int scratch = -1; // of the sums of all runs, which run one after the other
    for (size_t i = 0; i < steps.size();) {
        const Run run = run_of(row, plan, std::span(steps).subspan(i));
        i += run.steps.size();
        const int64_t parts = parts_of(row, plan, run);
        int64_t sums = 0;
        std::vector<Space> spaces;
        if (parts > 1) spaces = in_parts(plan, run, parts, sums);
        if (spaces.empty()) {
            plan.steps.insert(plan.steps.end(), run.steps.begin(), run.steps.end());
            continue;
        }
        if (scratch < 0) scratch = int(plan.scratch.size()), plan.scratch.push_back(0);
        add_parts(run, std::move(spaces), sums, scratch, plan);
    }
    return plan;
}

} // namespace tessera::gpu
