// SPDX-License-Identifier: Apache-2.0
// Jobs of products, by tile (Seen::tile()): blocks of vectors, AMX, few rows or columns. Null where a kernel or a pack
// could not be made. What was seen is moved to the job.
#pragma once

#include "cpu/executor/job.hpp"
#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

std::unique_ptr<Job> make_dot_job(Seen& seen);
std::unique_ptr<Job> make_amx_job(Seen& seen);
std::unique_ptr<Job> make_few_job(Seen& seen);

} // namespace tessera::cpu
