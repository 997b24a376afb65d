// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/executor/job.hpp"
#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

// Products of ProductTile::few. Null where a kernel or a pack could not be made. What was seen is moved to the job.
std::unique_ptr<Job> make_few_job(Seen& seen);

} // namespace tessera::cpu
