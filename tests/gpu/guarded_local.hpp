// SPDX-License-Identifier: Apache-2.0
// Local memory of kernels between pages that cannot be touched, on a processor that runs one group at a time: a
// kernel's arrays become pointers to memory of the host, each of which is as large as the array and ends at such a
// page, or begins at one.
#pragma once

#include <string>
#include <string_view>

namespace tessera::test {

//   local uint tile[2048] __attribute__((aligned(16)));
//   global uint* const tile = (global uint*)((0x200000500000ul - sizeof(uint) * (2048)) & ~(16 - 1ul));
//
// and `local` is `global` in all of the source. Arrays behind the last multiple of their alignment have a gap before
// the page. Throws where the memory cannot be had.
std::string with_guarded_arrays(std::string_view source, bool guard_in_front);

} // namespace tessera::test
