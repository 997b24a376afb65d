// SPDX-License-Identifier: Apache-2.0
// Groups whose steps go along the same dense columns, a loop each: maps and reductions under the rows tile.
#pragma once

#include <memory>
#include <span>

#include "core/plan/rewrite/local_scratch.hpp"
#include "cpu/executor/job.hpp"

namespace tessera::cpu {

// Of a plan with one step, a group whose local scratch is `local` already; null where the tile does not do it.
std::unique_ptr<Job> make_rows_job(const Plan& plan, const Step& group, std::span<const LocalScratch> local,
                                   const jit::Target& target, const Context& context);

} // namespace tessera::cpu
