// SPDX-License-Identifier: Apache-2.0
// run_code: calls emitted code and says whether it kept the registers it must keep. With it comes memory
// with guard pages around it.
//
//   EXPECT_TRUE(run_code(*emit(code), args));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cpu/jit/target.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera::cpu::jit {

std::string name_of(const Target& target); // "W64_byte_permute_bf16"

// False when rbx, rbp or r12-r15 came back changed.
bool run_code(std::span<const uint8_t> code, void* args);

} // namespace tessera::cpu::jit
