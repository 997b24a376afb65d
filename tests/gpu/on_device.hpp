// SPDX-License-Identifier: Apache-2.0
// A plan on a device against the interpreter of plans, bit for bit.
#pragma once

#include <string>

#include "core/engine.hpp"
#include "core/problem/problem.hpp"
#include "problems/random_problem.hpp"

namespace tessera::test {

const Engine* device(); // the first one; null: there is none

// The first difference or the refusal, "" if all agrees. f64 on a device without is no difference.
std::string differs_on_device(const Problem& p, const Plan& plan, uint64_t seed, fuzz::Random& r);

} // namespace tessera::test
