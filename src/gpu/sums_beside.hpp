// SPDX-License-Identifier: Apache-2.0
// Sums of parts that need nothing of each other at the same time: those of the taps of a depthwise convolution's
// weights, each of which is followed by its total.
//
//   reduce   blocks of tap 0              reduce   blocks of tap 0
//   reduce   weights of tap 0             + reduce blocks of tap 1
//   reduce   blocks of tap 1              reduce   weights of tap 0
//   reduce   weights of tap 1             + reduce weights of tap 1
#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace tessera::gpu {

// Brings reductions to scratch memory behind those before them, as far as no step between them has to do with what they
// read and write. The result says, for each step, which number it had.
std::vector<size_t> gather_sums(Plan& plan);
// Marks reductions to scratch memory that run at the same time as the one before them.
void mark_sums(Plan& plan);

} // namespace tessera::gpu
