// SPDX-License-Identifier: Apache-2.0
// emit: vcode with its registers to machine code of x86-64.
//
// emit() is position independent: constants follow the code and are addressed relative to rip. The function keeps the
// callee-saved registers of the System V ABI and ends with vzeroupper. The lists of instructions are in
// emit_avx2.cpp and emit_avx512.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cpu/jit/regalloc.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu::jit {

// No result when the code asks for what the target lacks or does not fit its registers.
std::optional<std::vector<uint8_t>> emit(const Code& code);

// Written to `room`, aligned to 64, or to the heap where it is empty; Xbyak::ERR_CODE_IS_TOO_BIG or
// ERR_OFFSET_IS_TOO_BIG where it is too small.
std::optional<std::vector<uint8_t>> emit_avx2(const Code& code, const Allocation& allocation, std::span<uint8_t> room);
std::optional<std::vector<uint8_t>> emit_avx512(const Code& code, const Allocation& allocation,
                                                std::span<uint8_t> room);

} // namespace tessera::cpu::jit
