// in_nests: a plan without spaces. Every product becomes a reduction over nests, one for each box of its layouts; other
// steps stay. What cannot multiply matrices, like the interpreter of plans, reads this.
#pragma once

#include "core/plan/plan.hpp"

namespace tessera {

Plan in_nests(const Plan& plan);

} // namespace tessera
