// SPDX-License-Identifier: Apache-2.0
// A plan on a device against the interpreter of plans, bit for bit. Products on GPUs, whose sums have an order of their
// own, are compared with the reference within the bounds of sums in any order, and bit for bit where their sums are
// exact; they give the same bits again.
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
