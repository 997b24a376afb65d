// in_nests: rewrites a plan without spaces. Every product becomes reductions over nests, one for each box of its
// layouts; other steps stay. For executors that do not multiply matrices, such as the interpreter of plans.
#pragma once

#include "core/plan/plan.hpp"

namespace tessera {

Plan in_nests(const Plan& plan);

} // namespace tessera
