// Runs eltwise and binary problems as execute.hpp says. With bytes, a fifth word follows: what the formulas of
// pointwise.hpp expect, `index:value:slack:special` for each logical element of dst, joined by commas.
#pragma once
#include <string>

#include "problem.hpp"

namespace differential {

std::string execute_pointwise(const Problem& problem, bool with_bytes);

} // namespace differential
