// SPDX-License-Identifier: Apache-2.0
// Checks of the memory objects of an execution, one by one (RUN-05, OBJ-09, decision 005).
//
// The primitive's descriptor says how a buffer is read and written, the memory's descriptor how many bytes the buffer
// has. A memory is taken if its bytes cover what the primitive reaches, whatever else its descriptor says:
//
//   primitive   f32 acdb 2x8x4x4                memory   f32 abcd 2x8x4x4     taken, 1024 bytes for 1024
//   primitive   f32 ab 4x3, columns 5.. of 4x8  memory   f32 ab 4x8           taken, 128 bytes for 128
//   primitive   s32 ab 4x8                      memory   s8 ab 4x8            refused, 32 bytes for 128
//
// With strict execution (settings.hpp) a descriptor that differs is refused.
#pragma once

#include <span>
#include <string>

#include "api/objects/handles.hpp"

namespace tessera {

// "reorder: argument DNNL_ARG_TO (17)", the beginning of every reason.
std::string subject(const Implementation& impl, int id);
std::string c_name(PrimitiveKind kind, int id); // "DNNL_ARG_TO"
std::string described(const MemoryDesc& md);    // "f32::blocked:ab::f0 2x3"

Result<void> check_tensor(const Implementation& impl, const Tensor& tensor, const dnnl_memory& memory);
// For scales, zero points and the like: the values are dense in the order of the buffer.
Result<void> check_quant(const Implementation& impl, const QuantArg& q, const dnnl_memory& memory);

// One verbose line each for arguments that the primitive does not read.
void log_unused(const Implementation& impl, std::span<const dnnl_exec_arg_t> args);

} // namespace tessera
