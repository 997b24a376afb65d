// Random matmuls from a seed: types, batches, layouts, open ones more often than not, scales, zero points, post-ops.
#pragma once

#include "random_problem.hpp"

namespace tessera::fuzz {

Result<Problem> random_matmul(Random& r);

} // namespace tessera::fuzz
