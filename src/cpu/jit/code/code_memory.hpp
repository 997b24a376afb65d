// SPDX-License-Identifier: Apache-2.0
// Code memory: generated functions live in segments that are mapped twice, once to be written and once to be executed;
// no page is both. place() copies position-independent code in, release() gives its place back. After fork() both sides
// run what there was, and neither overwrites it.
//
// Where the system refuses executable memory (hardened kernels), place() returns null and callers use other paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera::cpu::jit {

// Executable address, 64-byte aligned; null when there is none. Throws std::bad_alloc.
const void* place(std::span<const uint8_t> code);
void release(const void* address) noexcept;
size_t code_bytes(); // in use, alignment included

} // namespace tessera::cpu::jit
