// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/executor/job.hpp"
#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

// Products of ProductTile::amx, in blocks of tiles or turned. Null where a kernel or a pack could not be made. What was
// seen is moved to the job.
std::unique_ptr<Job> make_amx_job(Seen& seen);
std::unique_ptr<Job> make_turned_job(Seen& seen);

} // namespace tessera::cpu
