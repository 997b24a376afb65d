// SPDX-License-Identifier: Apache-2.0
// The kernels of each kind of step; launch_of() in source.hpp takes the one that a step needs.
#pragma once

#include <span>

#include "core/plan/rewrite/local_scratch.hpp"
#include "core/program/reduction.hpp"
#include "gpu/source.hpp"

namespace tessera::gpu {

Launch launch_of_map(const DeviceRow& row, const Plan& plan, const Step& step); // fills, too
Launch launch_of_reduction(const DeviceRow& row, const Plan& plan, const Step& step);
// Of products that has_product_kernel() and run at the same time, each alone in a plan of the same operands: one for
// all that a kernel can run together.
std::vector<Launch> launches_of_products(const DeviceRow& row, std::span<const Plan* const> products);

// Of a group, whose operands `local` are memory of a point. `local`: of make_local().
bool has_group_kernel(const DeviceRow& row, const Plan& plan, const Step& group, std::span<const LocalScratch> local);
Launch launch_of_group(const DeviceRow& row, const Plan& plan, const Step& group, std::span<const LocalScratch> local);
// How many passes of the group's innermost loop should be one point (widened()), so that all work-items have points and
// all units groups; `least` still read whole cache lines.
struct Passes {
    int64_t most = 1, least = 1;
};
Passes passes_of_a_point(const DeviceRow& row, const Plan& plan, const Step& group);

// Whether work-items beside each other take neighbouring results of a reduction, rather than neighbouring points of
// one: along the loop in which more of what it reads is dense.
bool results_are_beside(const ReductionParts& parts, std::span<const Loop> results, std::span<const Loop> sums,
                        size_t operands);
// What a reduction without pairs combines, as values and as 16 of them alike: their type, and the value of a and b.
std::string_view type_of_values(const ReductionParts& parts);
std::string_view combination(const ReductionParts& parts);

} // namespace tessera::gpu
