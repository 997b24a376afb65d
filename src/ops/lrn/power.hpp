// SPDX-License-Identifier: Apache-2.0
// Powers of omega as programs: omega ^ -beta and, for the gradient, omega ^ (-beta - 1).
//
// omega ^ -0.75 takes two square roots and a division, 26 cycles of a Zen 4 for a vector of 16, which nothing hides.
// Where omega is no less than 2^-126 (k is not and the share is positive) it is a polynomial of what two steps of
// Newton's method leave of omega ^ -0.25, 17 operations, none of them long. Largest errors of all arguments in ulp: 3.8
// and 2.6.
#pragma once

#include "core/program/lib/expression.hpp"

namespace tessera::ops {

enum class OmegaRange { normal, above_minus_infinity, all };
struct OmegaPowers {
    Expression power;   // omega ^ -beta
    Expression inverse; // 1 / omega; without it that is `power`
};
OmegaPowers powers_of(Expression omega, float beta, OmegaRange range, bool with_inverse);

} // namespace tessera::ops
