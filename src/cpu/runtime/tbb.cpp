// SPDX-License-Identifier: Apache-2.0
// Threads by oneTBB: those of the arena in which the caller is, no others, so that the program keeps its say over their
// number and place. A call from inside of a task or of another chunk shares the arena's threads with everything else in
// it: no more threads, so no oversubscription.
//
// Like a team of OpenMP the tasks are as many as the arena has slots, one range of chunks each, but nothing waits for a
// slot that nobody fills: its range is claimed by the others, and the caller takes back tasks that nobody began.
#include "cpu/runtime/threads.hpp"

#include <algorithm>
#include <atomic>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <pthread.h>

#include "cpu/runtime/float_environment.hpp"
#include "cpu/runtime/ranges.hpp"

namespace tessera::cpu {

namespace {

// A forked child has none of TBB's threads, and its locks may be held by one that is gone: the child works alone and
// asks TBB nothing.
std::atomic<bool> forked{false};
const int forks = pthread_atfork(nullptr, nullptr, [] { forked = true; });

int slots() { return forked.load(std::memory_order_relaxed) ? 1 : tbb::this_task_arena::max_concurrency(); }

} // namespace

Runtime runtime() { return Runtime::tbb; }

// An arena that was made under a wider limit keeps its slots; the limit of now leaves some of them empty.
int max_threads() {
    const int most = slots();
    if (most <= 1) return 1;
    const size_t limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    return int(std::min<size_t>(size_t(most), std::max<size_t>(limit, 1)));
}
void set_max_threads(int) {} // arenas and tbb::global_control are the caller's

void for_chunks(int64_t chunks, int, const Threads&, ChunkBody body, const void* context) {
    const int team = chunks <= 1 ? 1 : int(std::min<int64_t>(chunks, slots()));
    if (team <= 1) return run_here(chunks, body, context);
    Ranges ranges(chunks, team);
    const FloatEnvironment caller;
    // Of its own: in the group of the caller's task, its cancellation would leave out chunks of ours.
    tbb::task_group_context group(tbb::task_group_context::isolated);
    const auto member = [&](int) {
        const BorrowedFloats floats(caller);
        ranges.work(tbb::this_task_arena::current_thread_index(), body, context);
    };
    // Isolated: a caller that waits for its members must not begin a task of the program's meanwhile, which could want
    // a lock that the caller holds.
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, team, member, tbb::static_partitioner(), group); });
}

} // namespace tessera::cpu
