// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/target.hpp"

#include <fmt/format.h>

namespace tessera::cpu::jit {

bool has_target(const Machine& machine) { return (machine.isa & least_isa) == least_isa; }

Target target_of(const Machine& machine) {
    const auto has = [&](uint32_t bits) { return (machine.isa & bits) == bits; };
    if (!has(0x27)) return {32, 16, false, false, false, has(0xf)};
    return {64, 32, true, machine.byte_permute, has(0xe7), has(0x67), has(0xe27), has(0x1e27)};
}

std::string key(const Target& t) {
    return fmt::format("{}{}{}{}{}{}{}{}", t.vector_bytes, t.masks ? "m" : "", t.byte_permute ? "b" : "",
                       t.bf16 ? "f" : "", t.vnni ? "v" : "", t.amx ? "a" : "", t.amx_f16 ? "h" : "", t.vectors);
}

} // namespace tessera::cpu::jit
