// SPDX-License-Identifier: Apache-2.0
// The CPU engine: compiles plans for the machine it runs on.
#pragma once

#include <memory>

#include "core/engine.hpp"

namespace tessera::cpu {

const Machine& this_machine(); // read once from CPUID and the operating system
// A row from what distinguishes instruction sets; caches are those of no machine in particular.
Machine machine_of(uint32_t isa, bool byte_permute, bool fast_bf16_products);
// For tests: what this_machine() is from now on, and how many threads it has; null is the real one again. Primitives in
// the cache stay what they are.
void set_stand_in(const Context* context);
const Context* stand_in();

std::shared_ptr<Engine> make_engine(); // all CPU engines are interchangeable

// Who is told about kernels generated from now on: src/cpu/jit/code/inspection.hpp.
void set_jit_dump(bool on);
void set_jit_profiling(unsigned profilers); // DNNL_JIT_PROFILE_*
void set_jitdump_directory(const std::string& directory);
void keep_vcode(bool on);

} // namespace tessera::cpu
