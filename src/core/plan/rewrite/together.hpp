// SPDX-License-Identifier: Apache-2.0
// together: which steps may run at the same time as the one before. They write different elements of one operand and
// read nothing that the others write: the boxes of one move, and the fills of its padding. An engine may then run the
// c-th part of each of them in one chunk, so that what shares a cache line is written while the line is cached.
#pragma once

#include "core/plan/plan.hpp"

namespace tessera {

void mark_together(Plan& plan); // sets Step::together

} // namespace tessera
