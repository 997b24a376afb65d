// SPDX-License-Identifier: Apache-2.0
#include "ops/group_normalization/group_normalization.hpp"

namespace tessera::ops {

Result<Plan> lower_group_normalization(const Problem& problem) { return lower_by_cells(problem, Sets::groups); }

} // namespace tessera::ops
