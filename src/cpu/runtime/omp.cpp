// SPDX-License-Identifier: Apache-2.0
// Threads by OpenMP: its team, or the library's own helpers where the team has no processors; decision 006.
#include "cpu/runtime/threads.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>

#include "cpu/runtime/float_environment.hpp"
#include "cpu/runtime/pool.hpp"
#include "cpu/runtime/ranges.hpp"
#include "cpu/runtime/stalls.hpp"

namespace tessera::cpu {

Runtime runtime() { return Runtime::omp; }

int max_threads() { return omp_get_max_threads(); }
void set_max_threads(int) {} // omp_set_num_threads() is the caller's

namespace {

using Clock = std::chrono::steady_clock;

constinit Stalls stalls;                               // see 006
constexpr auto stall = std::chrono::microseconds(500); // over what the last chunks of others may take

// A forked child has no team, and asking libgomp for one would hang.
const int forks = pthread_atfork(nullptr, nullptr, [] { stalls.forbid_team(); });

// libgomp ends the process where memory for a team is out, so that is asked first: malloc has to have what libgomp
// takes for a team of another size than the last (asking costs 40 ns, a parallel region 600), and the system the stacks
// of the threads that it would have to create.
bool room_for(int team) {
    thread_local int most = 1; // trivial: see pool.cpp
    void* const state = std::malloc(size_t(8 + team) << 10);
    std::free(state);
    if (!state) return false;
    if (team <= most) return true;
    pthread_attr_t attributes;
    size_t stack = 8 << 20;
    if (pthread_getattr_default_np(&attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &stack);
        pthread_attr_destroy(&attributes);
    }
    const size_t bytes = stack * size_t(team - most);
    void* const stacks = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stacks == MAP_FAILED) return false;
    munmap(stacks, bytes);
    most = team;
    return true;
}

// The team of OpenMP; notes when the caller waited for a member that had no processor.
void team_run(int64_t chunks, int team, ChunkBody body, const void* context) {
    Ranges ranges(chunks, team);
    const FloatEnvironment caller;
    const auto start = Clock::now();
    auto worked = start;
    int64_t mine = 0;
#pragma omp parallel num_threads(team)
    if (omp_get_thread_num() == 0) {
        mine = ranges.work(0, body, context);
        worked = Clock::now();
    } else {
        const BorrowedFloats floats(caller);
        ranges.work(omp_get_thread_num(), body, context);
    }
    const auto a_chunk = (worked - start) / std::max<int64_t>(mine, 1);
    stalls.note(Clock::now() - worked > stall + 4 * a_chunk);
}

} // namespace

void for_chunks(int64_t chunks, int, const Threads&, ChunkBody body, const void* context) {
    if (chunks <= 1 || omp_in_parallel() || omp_get_max_active_levels() < 1 || inside_shared_chunk())
        return run_here(chunks, body, context);
    const int team = int(std::min<int64_t>(chunks, std::min(omp_get_max_threads(), omp_get_thread_limit())));
    if (team <= 1) return run_here(chunks, body, context);
    if (stalls.allow_team() && room_for(team)) return team_run(chunks, team, body, context);
    share(chunks, team - 1, body, context);
}

} // namespace tessera::cpu
