// SPDX-License-Identifier: Apache-2.0
// Runs one problem on the linked library and answers in one line without blanks in its words:
//   ok HASH BEFORE [HEX]   executed; 64-bit hashes of the whole dst buffer after and before, its bytes on demand; where
//                          the primitive chose dst's layout, of its elements in logical order
//   STAGE:STATUS           refused: stage src, dst, attr, pd, primitive, memory or execute, e.g. pd:unimplemented
//   skip:WHAT              this library's C API cannot express the problem (no such tag, call or type)
//   overrun:BUFFER         executed, but bytes outside of that buffer were written
#pragma once
#include <string>

#include "../problems/problem.hpp"

namespace differential {

std::string execute(const Problem& problem, bool with_bytes);

} // namespace differential
