// SPDX-License-Identifier: Apache-2.0
// Which steps may run at the same time, and how they share the threads. Steps in a row run at the same time if they
// write different elements of one operand and read nothing that the others write: the boxes of one move, the fills of
// its padding, the slices of a concat, the borders of a convolution.
//
// Of these, steps whose bytes lie interleaved run in step: an engine does the c-th part of each of them in one chunk,
// so that what shares a cache line is written while the line is cached. Interleaved are steps between whose first and
// last written element another one of them begins; the others lie apart, and are done one behind the other. So are
// products wherever they write: they compute long for each byte, and few units of theirs would meet in few chunks.
//
//     map   channels 0..47 of nChw16c     dst [0, 37632)            one image: apart, more images would be interleaved
//   + map   channels 48..59               dst [37632, 50172)
//   & fill  channels 60..63, zeros        dst [37644, 50176)        in step with the step before
#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace tessera {

// Sets Step::together. Steps that run in step are brought behind each other, zeros last: the lines that they share are
// cached by then. Where `follows` says so a step is done by the one before it, and stays there. The result says, for
// each step, which number it had.
std::vector<size_t> mark_together(Plan& plan, const std::vector<bool>& follows);

} // namespace tessera
