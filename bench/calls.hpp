// Calls apart from the data they move: creation of primitives, their memory, execution of tiny ones.
//
//   const auto cold = time_first_calls();   // before anything else uses the library: forks
//   const auto calls = time_calls();        // before any case: the kernels of new types are not yet made
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

std::vector<Call> time_first_calls(); // the first creation in a process, over fresh processes
std::vector<Call> time_calls();

} // namespace tessera::bench
