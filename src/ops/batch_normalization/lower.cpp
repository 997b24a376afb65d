// SPDX-License-Identifier: Apache-2.0
#include "ops/batch_normalization/batch_normalization.hpp"

namespace tessera::ops {

Result<Plan> lower_batch_normalization(const Problem& problem) { return lower_by_cells(problem, Sets::channels); }

} // namespace tessera::ops
