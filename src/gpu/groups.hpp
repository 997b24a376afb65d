// SPDX-License-Identifier: Apache-2.0
// What a group of steps is for its kernel (group_source.cpp): the steps of a point, and how each adds up its sums.
#pragma once

#include <optional>

#include "core/plan/unit.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

inline constexpr int64_t fewest_lanes = 32; // the work-items that a GPU runs at once

// A step within a point: what its loops are for.
struct Phase {
    const Step* step;
    std::optional<ReductionParts> parts; // of a reduction
    std::vector<Loop> results, sums;     // outer loops and those that are summed over, a map's are all results
    int64_t first_loop = 0;              // where they stand in the kernel's list: outer loops but the last, then sums

    int partials() const { return partials_of(step->in_order); } // of a result
    int64_t count() const { return iterations(sums); }
    int64_t points() const { return iterations(results) * count(); }
    bool beside(size_t operands) const { return results_are_beside(*parts, results, sums, operands); }
};
std::vector<Phase> phases_of(const Plan& plan, const Step& group); // none if one of them has no kernel
int64_t lanes_of(const DeviceRow& row, std::span<const Phase> phases);

// How a reduction is added up.
enum class Adding : uint8_t {
    many,     // 16 work-items a result, or one in order, which read their points
    alone,    // one, which has all 16 partial sums
    together, // of all results from local memory
    few       // a result after the other, from local memory
};
Adding adding_of(const Phase& p, int64_t lanes, size_t operands);
// Whether a result has 16 work-items where all are added up together, and how far apart rows of points are: neighbours
// read from different banks of local memory.
bool has_own_lanes(const Phase& p, int64_t lanes);
int64_t pitch_of(const Phase& p, int64_t lanes);
int64_t staged_points(std::span<const Phase> phases, int64_t lanes, size_t operands); // in local memory

} // namespace tessera::gpu
