// SPDX-License-Identifier: Apache-2.0
// One launch for steps that run at the same time and have one kernel with other numbers, the borders of a convolution
// or the boxes of a move: a device runs all groups beside each other, where launches wait for each other. Steps may
// have other operands, too, as the sources of a concat are.
#pragma once

#include <span>

#include "gpu/source.hpp"

namespace tessera::gpu {

// No more parts than constant memory has room for, 64 KiB at least, and than a group looks through quickly.
bool may_join(std::span<const LaunchPart> parts, const LaunchPart& more);
// Gives a launch, which has its source, all of these numbers to run with. Groups find the part that they belong to
// (FIND_PART), those of large parts first.
//
//   nest     groups up to the end of part 0, where its nest and its tables start, its set of operands; of part 1, ..;
//            nest 0, nest 1, ..
//
// Where they may be `side_by_side` and are about as large, neighbouring groups are of different parts: sums of taps,
// which read the same memory, read it at the same time.
void set_parts(Launch& launch, std::span<const LaunchPart> parts, bool side_by_side = false);
// The number of these operands among the sets of a launch, behind which they are if they are not among them; -1: there
// are as many as arguments may be.
int64_t set_of(std::vector<std::vector<int>>& sets, const std::vector<int>& operands);
// Has a launch of parts take the operands of all sets; returns them in the order of its arguments.
std::vector<int> set_operands(Launch& launch, const std::vector<std::vector<int>>& sets);

} // namespace tessera::gpu
