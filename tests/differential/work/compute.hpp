// SPDX-License-Identifier: Apache-2.0
// Runs a problem of the primitives with several operands; see execute.hpp for the answer. With bytes the answer of a
// primitive that computes has a last word, OFFSET:VALUE:SLACK:SPECIAL, for each element of the output: what formula.hpp
// expects there.
#pragma once
#include <string>

#include "../problems/problem.hpp"

namespace differential {

std::string execute_many(const Problem& problem, bool with_bytes);

} // namespace differential
