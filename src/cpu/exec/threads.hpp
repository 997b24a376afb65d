// Threads of the CPU engine, behind one call, for the run time the library was built with (OMP, SEQ, THREADPOOL).
#pragma once

#include <cstdint>

#include "core/engine.hpp"

namespace tessera::cpu {

int max_threads(); // that a call from this thread may use

// Calls body(chunk) once for each chunk in [0, chunks), claimed one after the other by whichever thread is free: the
// split is fixed, so results do not depend on it, and a thread that the system takes away costs one chunk, not all.
// Runs on the caller alone when it is already inside of a parallel region (THR-02).
using ChunkBody = void (*)(const void* context, int64_t chunk);
void for_chunks(int64_t chunks, const Threads& threads, ChunkBody body, const void* context);

template <typename Body> void for_chunks(int64_t chunks, const Threads& threads, const Body& body) {
    for_chunks(
        chunks, threads, [](const void* context, int64_t chunk) { (*static_cast<const Body*>(context))(chunk); },
        &body);
}

} // namespace tessera::cpu
