// SPDX-License-Identifier: Apache-2.0
// The figures of a machine's row as text, for machines of which the built-in row is not the best: what `tessera doctor
// --measure` prints and TESSERA_MACHINE takes.
//
//   l1_bytes=48K l1_ways=12 l2_bytes=1M      blanks, commas or lines between; # to the end of a line is a comment
//
// A row is taken as a whole or not at all: an unknown or repeated key, a value out of its range and levels that shrink
// are refused.
#pragma once

#include <string>
#include <string_view>

#include "core/machine.hpp"
#include "core/status.hpp"

namespace tessera::cpu {

Result<Machine> with_row(const Machine& machine, std::string_view row);
Result<std::string> read_row_file(const char* path);
std::string row_of(const Machine& machine); // all keys, one blank between

} // namespace tessera::cpu
