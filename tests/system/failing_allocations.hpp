// SPDX-License-Identifier: Apache-2.0
// Makes allocations of the library fail and counts what is held: the test program replaces operator new, and is linked
// so that calls of malloc, mmap and their kin in the library's object files come here first
// (tests/system/CMakeLists.txt).
//
//   const int64_t made = run({.first = 7}, [&] { status = dnnl_primitive_execute(...); });   // the seventh fails
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::test {

struct Failures {
    int64_t first = -1;        // number of the allocation that fails, from 0; -1: none
    bool from_then_on = false; // and all that follow
    // Whether the calling thread asks for others, a driver for example: neither counted nor failed. The allocations of
    // other threads are not either, then.
    bool (*for_others)() = nullptr;
};

// The allocations of `body` that come from different places: the number of the first from each stack of calls. Those
// from one place fail alike, and creations of many steps ask for thousands.
std::vector<int64_t> places_of(const std::function<void()>& body);

// How many allocations `body` asked for, in all threads.
int64_t run(const Failures& failures, const std::function<void()>& body);
int64_t bytes_asked_for(); // of the heap, in the last run()

// What the program holds now: blocks of the heap, bytes that the library has mapped, open files.
struct Held {
    int64_t blocks, mapped, files;
    bool operator==(const Held&) const = default;
};
Held held();
std::string to_string(const Held& held);

} // namespace tessera::test
