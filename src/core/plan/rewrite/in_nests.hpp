// SPDX-License-Identifier: Apache-2.0
// in_nests: a plan of fills, maps and reductions alone (and sparse products). Every product becomes a reduction over
// nests, one for each box of its layouts, and every interpolation a map. What has no kernels for products and
// interpolations, like the interpreter of plans and the portable engine, runs this.
#pragma once

#include <functional>

#include "core/plan/plan.hpp"

namespace tessera {

Plan in_nests(const Plan& plan);
// But for the products that `stays` says yes to.
Plan in_nests(const Plan& plan, const std::function<bool(const Step&)>& stays);
// Of an interpolation: the map that does the same.
Plan as_map(const Plan& plan, const Step& step);

} // namespace tessera
