// Threads of the CPU engine, behind one call, for the run time the library was built with (OMP, SEQ, THREADPOOL).
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "core/engine.hpp"

namespace tessera::cpu {

// How many threads a primitive that the calling thread creates is laid out for: the caller's OpenMP setting (THR-02);
// with thread pools what set_max_threads() said on this thread, else the number of cores (THR-04); 1 without threads.
int max_threads();
#if defined(TESSERA_RUNTIME_THREADPOOL)
void set_max_threads(int threads); // 1 or more
#endif

// Calls body(chunk) once for each chunk in [0, chunks), claimed one after the other by whichever thread is free: the
// split is fixed, so results do not depend on it, and a thread that the system takes away costs one chunk, not all.
// Runs on the caller alone when it is already inside of a parallel region (THR-02). At most `most` threads of a pool
// take part; the team of OpenMP is the caller's setting at this moment.
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
