// Random matmuls and inner products from a seed: types, batches, layouts, open ones more often than not, scales, zero
// points, post-ops.
#pragma once

#include "random_problem.hpp"

namespace tessera::fuzz {

Result<Problem> random_matmul(Random& r);
Result<Problem> random_inner_product(Random& r); // and its gradients

} // namespace tessera::fuzz
