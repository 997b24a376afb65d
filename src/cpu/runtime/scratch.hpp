// SPDX-License-Identifier: Apache-2.0
// Scratch: memory that a job needs while it runs, from a pool shared by all threads. Taking costs some tens of
// nanoseconds once the pool holds a buffer of the size; buffers stay until the process ends, as many as were ever in
// use at once. A thread gets the one that it had last, if it is idle. What a chunk throws reaches the caller
// (threads.hpp). Not thread_local: pool.cpp says why threads of the pool have none.
#pragma once

#include <cstddef>

namespace tessera::cpu {

// Whether jobs may keep little memory on their stack instead. Not in tests that guard scratch memory.
extern const bool stack_is_scratch;

class Scratch {
public:
    explicit Scratch(size_t bytes); // aligned to 64; throws std::bad_alloc
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    char* data() const { return data_; }

private:
    char* data_ = nullptr;
    size_t bytes_ = 0; // of the whole buffer, at least what was asked for
};

} // namespace tessera::cpu
