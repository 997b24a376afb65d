// SPDX-License-Identifier: Apache-2.0
// Instruction sets: what the processor and the operating system allow, in the numbers of dnnl_cpu_isa_t.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::cpu {

uint32_t detect_isa();                   // 0 where nothing of x86 is there
bool detect_byte_permute();              // AVX-512 VBMI
bool detect_paths_of_64_bytes();         // AMD from Zen 5 on: Machine::two_shuffles, spare_vector_pipes, follows_rows
bool detect_fast_bf16_products();        // AVX-512 BF16 of AMD: CPUID has the instructions, not their rate
bool amx_permitted();                    // the kernel saves this process's tiles; asks it the first time
std::string_view isa_name(uint32_t isa); // the largest row of isa.def contained in it; "portable"
uint32_t largest_isa(uint32_t isa);      // the bits of that row; 0

} // namespace tessera::cpu
