// The AMX kinds of the dot tile; contract.hpp's functions call these.
#pragma once

#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu {

constexpr bool uses_tiles(const DotSpec& spec) {
    return spec.kind == DotKind::amx_bf16 || spec.kind == DotKind::amx_int8;
}
bool can_build_tiles(const jit::Target& target, const DotSpec& spec);
jit::Code build_tiles(const jit::Target& target, const DotSpec& spec);

} // namespace tessera::cpu
