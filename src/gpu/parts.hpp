// SPDX-License-Identifier: Apache-2.0
// One launch for steps that run at the same time and have one kernel with other numbers, the borders of a convolution
// or the boxes of a move: a device runs all groups beside each other, where launches wait for each other.
#pragma once

#include <span>

#include "gpu/source.hpp"

namespace tessera::gpu {

// No more parts than constant memory has room for, 64 KiB at least, and than a group looks through quickly.
bool may_join(std::span<const LaunchPart> parts, const LaunchPart& more);
// Gives a launch, which has its source, all of these numbers to run with. Groups find the part that they belong to
// (FIND_PART), those of large parts first.
//
//   nest     groups up to the end of part 0, where its nest and its tables start; of part 1, ..; nest 0, nest 1, ..
void set_parts(Launch& launch, std::span<const LaunchPart> parts);

} // namespace tessera::gpu
