// SPDX-License-Identifier: Apache-2.0
// Groups that are no single kernel: points that fit a cache, whose steps one thread runs one after the other.
#pragma once

#include <vector>

#include "core/plan/rewrite/local_scratch.hpp"
#include "cpu/select/selection.hpp"

namespace tessera::cpu {

// A step of a group, ready for the plan that runs.
struct SelectedPoints {
    Plan plan; // whose programs and operands the step names
    Step step;
    Choice choice;
    std::vector<LocalScratch> local; // memory of a point
};

// The group is alone in `plan`; `operands`: where the plan's are in the selection; `own`: its temporary operands that
// nothing else uses; `number`: of the group among the steps of the whole plan. Two steps where the last points are
// smaller. None where the whole group fits the cache, or none of its steps has a kernel: then they run apart.
Result<std::vector<SelectedPoints>> select_points(const Plan& plan, const std::vector<int>& operands,
                                                  const std::vector<int>& own, int number, const Context& context);

// What the steps of a point are selected with. `of_results`: the context of steps whose results no other step of the
// point reads. Whether they are streamed depends on what all points of the group store.
struct Point {
    int number;               // of the group among the steps of the whole plan
    std::vector<int> scratch; // operands that are memory of the point
    Context of_results;
};
// The steps of a point, which select_points() selects by what selects it (select.cpp).
Result<Selection> select_in_point(const Plan& plan, const Context& context, const Point& point);
// Whether nothing behind step i in its point reads what it writes.
bool is_result(const Plan& plan, size_t i);

} // namespace tessera::cpu
