// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/executor/job.hpp"
#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

// Of a product whose way is dots or axpy, and tall. Null where a kernel or a pack could not be made. What was seen is
// moved to the job.
std::unique_ptr<Job> make_few_rows_job(Seen& seen);
std::unique_ptr<Job> make_tall_job(Seen& seen);

} // namespace tessera::cpu
