// SPDX-License-Identifier: Apache-2.0
// The limit of the instruction set: ONEDNN_MAX_CPU_ISA or one call before anything asks for it (ISA-01).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::cpu {

bool set_isa_limit(uint32_t isa); // bits of dnnl_cpu_isa_t, 0 for no limit; false once the limit was set or read
uint32_t isa_limit();             // bits that may be used; fixes the limit
bool isa_in_use();                // isa_limit() has been asked

// "AVX2" -> 0x7, "avx512_core_bf16" -> 0xe7, "DEFAULT", "ALL" and "" -> all bits; none for words without meaning.
std::optional<uint32_t> parse_isa(std::string_view text);

} // namespace tessera::cpu
