// SPDX-License-Identifier: Apache-2.0
// jitdump: the file from which `perf inject --jit` learns the bytes, names and times of generated functions.
//
//   <directory>/.debug/jit/dnnl.XXXXXX/jit-<pid>.dump: a header of 40 bytes, then a record for each function
//     id:u32 = 0  size:u32  time:u64  pid:u32  tid:u32  address:u64 twice  bytes:u64  index:u64  name\0  code
//
// The file is made by the first function; a child of fork() makes its own. Times are those of `perf record -k mono`,
// or time stamp counts (flag 1 of the header).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/status.hpp"

namespace tessera::cpu::jit {

// `directory` and `counts` matter to the call that makes the file.
Result<void> append_to_jitdump(const std::string& directory, bool counts, const std::string& name, const void* address,
                               std::span<const uint8_t> code);

} // namespace tessera::cpu::jit
