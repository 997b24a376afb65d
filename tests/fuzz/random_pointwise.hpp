// Random problems of the point-wise primitives from a seed: functions, types, layouts, broadcasts, post-ops, scales.
#pragma once

#include "random_problem.hpp"

namespace tessera::fuzz {

Result<Problem> random_eltwise(Random& r);
Result<Problem> random_binary(Random& r);
Result<Problem> random_prelu(Random& r);
Result<Problem> random_sum(Random& r);
Result<Problem> random_concat(Random& r);
Result<Problem> random_resampling(Random& r);

} // namespace tessera::fuzz
