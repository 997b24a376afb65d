// SPDX-License-Identifier: Apache-2.0
// Calls apart from the data they move: creation of primitives, their memory, execution of tiny ones.
//
//   const auto calls = time_calls();   // before any case: the kernels of new types are not yet made
//
// Times are in seconds, memory in bytes.
#pragma once

#include <string>
#include <vector>

namespace tessera::bench {

struct Call {
    std::string name;
    const char* unit = "us"; // us: a time, printed so; B: bytes
    double best = 0, median = 0, p90 = 0;
    std::string refusal; // why not, if it was refused
};

std::vector<Call> time_calls();
double time_first_call(); // `movers --first-call`, which time_calls() runs for fresh processes

} // namespace tessera::bench
