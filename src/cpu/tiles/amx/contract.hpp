// SPDX-License-Identifier: Apache-2.0
// The AMX kinds of the dot tile; contract.hpp's functions call these.
#pragma once

#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu {

bool can_build_tiles(const jit::Target& target, const DotSpec& spec);
jit::Code build_tiles(const jit::Target& target, const DotSpec& spec);

} // namespace tessera::cpu
