// SPDX-License-Identifier: Apache-2.0
// Threads of the CPU engine, behind one call. Four run times implement it, a file of cpu/runtime each; a library is
// linked with one of them, and no other source knows which.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "core/engine.hpp"

namespace tessera::cpu {

enum class Runtime : unsigned { seq = 1, omp = 2, tbb = 4, threadpool = 8 }; // the numbers of DNNL_RUNTIME_*
Runtime runtime();

// How many threads a primitive that the calling thread creates is laid out for: the caller's OpenMP setting (THR-02);
// what its TBB arena and tbb::global_control allow (THR-03); with thread pools what set_max_threads() said on this
// thread, else the number of cores (THR-04); 1 without threads.
int max_threads();
void set_max_threads(int threads); // 1 or more; for thread pools, the others have their own settings

// Calls body(chunk) once for each chunk in [0, chunks), claimed one after the other by whichever thread is free: the
// split is fixed, so results do not depend on it, and a thread that the system takes away costs one chunk, not all.
// Runs on the caller alone when it is already inside of a parallel region of OpenMP or of its pool (THR-02). At most
// `most` threads of a pool take part; the team of OpenMP is the caller's setting at this moment, that of TBB the arena
// the caller is in, which nested calls share.
//
// No run time lets an exception leave a thread that is not the caller's. What a chunk throws is kept, the first of
// several; chunks that have not begun by then are left out, and it is thrown here when all others are over.
using ChunkBody = void (*)(const void* context, int64_t chunk); // throws nothing
void for_chunks(int64_t chunks, int most, const Threads& threads, ChunkBody body, const void* context);

template <typename Body> void for_chunks(int64_t chunks, int most, const Threads& threads, const Body& body) {
    struct Call {
        const Body& body;
        mutable std::atomic<bool> failed{false};
        mutable std::exception_ptr failure{};
    } call{body};
    for_chunks(
        chunks, most, threads,
        [](const void* context, int64_t chunk) {
            const Call& c = *static_cast<const Call*>(context);
            if (c.failed.load(std::memory_order_relaxed)) return;
            try {
                c.body(chunk);
            } catch (...) {
                if (!c.failed.exchange(true)) c.failure = std::current_exception();
            }
        },
        &call);
    if (call.failed) std::rethrow_exception(call.failure);
}

} // namespace tessera::cpu
