// SPDX-License-Identifier: Apache-2.0
// vcode_interpreter: executes vcode one instruction at a time, straight from vcode.def, on real memory and on any host.
//
// It knows no instruction set: what an emitter makes of a Code must do what interpret() does.
#pragma once

#include "cpu/jit/vcode.hpp"

namespace tessera::cpu::jit {

void interpret(const Code& code, void* args);

} // namespace tessera::cpu::jit
