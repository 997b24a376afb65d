// SPDX-License-Identifier: Apache-2.0
// Target: what tile builders may ask about the machine they build for. Only emitters know instructions.
#pragma once

#include <string>

#include "core/machine.hpp"

namespace tessera::cpu::jit {

struct Target {
    int vector_bytes = 64;    // W: 32 or 64
    int vectors = 32;         // registers
    bool masks = true;        // masked loads and stores, word permutes (AVX-512 BW)
    bool byte_permute = true; // permutes of bytes across a register (AVX-512 VBMI)
    bool bf16 = false;        // f32 to bf16 in one instruction, sums of products of bf16 (AVX-512 BF16)
    bool vnni = false;        // sums of products of bytes, of vector_bytes (AVX-512 VNNI, AVX-VNNI)
    bool amx = false;         // tiles, sums of products of bf16 and bytes over them; the process may use them
    bool amx_f16 = false;     // with amx: of f16, too (AMX-FP16)
    bool operator==(const Target&) const = default;
};

// Whether the machine has what generated code needs at least (AVX2, FMA, F16C), and the target for it.
inline constexpr uint32_t least_isa = 0x7; // bits of dnnl_cpu_isa_t
bool has_target(const Machine& machine);
Target target_of(const Machine& machine);
std::string key(const Target& target); // equal for equal targets

} // namespace tessera::cpu::jit
