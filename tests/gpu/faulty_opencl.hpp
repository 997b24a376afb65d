// SPDX-License-Identifier: Apache-2.0
// OpenCL between the library and its loader: counts what is created, retained and released, and makes calls fail.
//
// The test program is linked so that the library's dlsym comes here (--wrap), and gets a function that counts in front
// of each of those in its table (gpu/opencl.hpp), whatever is in there.
//
//   plan_fault({.function = "clCreateBuffer", .first = 2, .error = CL_OUT_OF_RESOURCES});   // the third call from now
//   on
//   ...
//   const bool happened = end_of_fault();
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "gpu/opencl.hpp"

namespace tessera::test {

struct Fault {
    std::string function;      // "": any that can fail
    int64_t first = 0;         // number of the call that fails, from 0
    cl_int error = CL_SUCCESS; // CL_SUCCESS: the source of a program is spoiled instead
    bool from_then_on = false; // and all that follow
};
void plan_fault(const Fault& fault);
bool end_of_fault(); // whether a call has failed

// Since the last plan_fault().
std::map<std::string, int64_t> calls();

// The kernels that were queued since then: the events that each waits for, and its own. Handles alone: not retained.
struct Queued {
    std::vector<cl_event> after;
    cl_event made = nullptr;
};
std::vector<Queued> queued();

// What every device says is its driver's version from now on; "": the truth.
void pretend_driver(const std::string& version);

// Created and retained less released, by kind.
enum Kind { contexts, queues, buffers, programs, kernels, events, devices, shared_memory, kinds };
std::array<int64_t, kinds> alive();

bool in_opencl(); // whether this thread is inside of a call

} // namespace tessera::test
