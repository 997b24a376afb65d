#include "cpu/exec/threads.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#if defined(TESSERA_RUNTIME_OMP)
#include <chrono>

#include <omp.h>
#include <pthread.h>

#include "cpu/exec/float_environment.hpp"
#include "cpu/exec/pool.hpp"
#elif defined(TESSERA_RUNTIME_THREADPOOL)
#include <functional>
#include <thread>

#include "cpu/exec/float_environment.hpp"
#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"
#endif

namespace tessera::cpu {

namespace {

void run_here(int64_t chunks, ChunkBody body, const void* context) {
    for (int64_t c = 0; c < chunks; ++c) body(context, c);
}

#if defined(TESSERA_RUNTIME_OMP) || defined(TESSERA_RUNTIME_THREADPOOL)
// The chunks, cut into a range for each member of a team: a member claims those of its own range, then what is left of
// the others'. Neighbours share lines and pages, so they should share a core, and the same one in the next call.
class Ranges {
public:
    Ranges(int64_t chunks, int team) : chunks_(chunks), count_(std::min(team, most)) {
        for (int r = 0; r < count_; ++r) range_[r].next.store(begin(r), std::memory_order_relaxed);
    }
    int64_t work(int member, ChunkBody body, const void* context) {
        int64_t done = 0;
        for (int i = 0; i < count_; ++i) {
            const int r = (member + i) % count_;
            auto& next = range_[r].next;
            const int64_t end = begin(r + 1);
            for (int64_t c; (c = next.fetch_add(1, std::memory_order_relaxed)) < end; ++done) body(context, c);
        }
        return done;
    }

private:
    static constexpr int most = 64; // more members share ranges
    int64_t begin(int r) const { return chunks_ * r / count_; }
    int64_t chunks_;
    int count_;
    struct alignas(64) Range {
        std::atomic<int64_t> next;
    } range_[most];
};
#endif

} // namespace

#if defined(TESSERA_RUNTIME_OMP)

int max_threads() { return omp_get_max_threads(); }

namespace {

using Clock = std::chrono::steady_clock;

// Calls that go to the library's own helpers before the OpenMP team is tried again; see 006.
std::atomic<int> helper_calls{0};
constexpr int calls_after_a_stall = 256;
constexpr auto stall = std::chrono::microseconds(500); // over what the last chunks of others may take

// A forked child has no team, and asking libgomp for one would hang.
const int forks = pthread_atfork(nullptr, nullptr, [] { helper_calls = std::numeric_limits<int>::max(); });

// The team of OpenMP; notes when the caller waited for a member that had no processor.
void team_run(int64_t chunks, int team, ChunkBody body, const void* context) {
    Ranges ranges(chunks, team);
    const FloatEnvironment caller;
    const auto start = Clock::now();
    auto worked = start;
    int64_t mine = 0;
#pragma omp parallel num_threads(team)
    {
        if (omp_get_thread_num() == 0) {
            mine = ranges.work(0, body, context);
            worked = Clock::now();
        } else {
            const BorrowedFloats floats(caller);
            ranges.work(omp_get_thread_num(), body, context);
        }
    }
    const auto a_chunk = (worked - start) / std::max<int64_t>(mine, 1);
    if (Clock::now() - worked > stall + 4 * a_chunk && helper_calls < calls_after_a_stall)
        helper_calls = calls_after_a_stall;
}

} // namespace

void for_chunks(int64_t chunks, int, const Threads&, ChunkBody body, const void* context) {
    if (chunks <= 1 || omp_in_parallel() || omp_get_max_active_levels() < 1 || inside_shared_chunk())
        return run_here(chunks, body, context);
    const int team = int(std::min<int64_t>(chunks, std::min(omp_get_max_threads(), omp_get_thread_limit())));
    if (team <= 1) return run_here(chunks, body, context);
    if (helper_calls.load(std::memory_order_relaxed) <= 0) return team_run(chunks, team, body, context);
    if (helper_calls != std::numeric_limits<int>::max()) --helper_calls;
    share(chunks, team - 1, body, context);
}

#elif defined(TESSERA_RUNTIME_THREADPOOL)

namespace {
thread_local int max_concurrency = 0; // 0: not set
}

int max_threads() { return max_concurrency ? max_concurrency : std::max(1, int(std::thread::hardware_concurrency())); }

void set_max_threads(int threads) { max_concurrency = threads; }

void for_chunks(int64_t chunks, int most, const Threads& threads, ChunkBody body, const void* context) {
    auto* pool = static_cast<dnnl::threadpool_interop::threadpool_iface*>(threads.pool);
    if (!pool || pool->get_in_parallel()) return run_here(chunks, body, context);
    const int team = int(std::min<int64_t>(chunks, std::min(most, pool->get_num_threads())));
    if (team <= 1) return run_here(chunks, body, context);
    Ranges ranges(chunks, team);
    // Named, so that it lives until wait(): a pool may keep the reference instead of a copy.
    const FloatEnvironment caller;
    const std::function<void(int, int)> member = [&](int member, int) {
        const BorrowedFloats floats(caller);
        ranges.work(member, body, context);
    };
    pool->parallel_for(team, member);
    if (pool->get_flags() & dnnl::threadpool_interop::threadpool_iface::ASYNCHRONOUS) pool->wait();
}

#else

int max_threads() { return 1; }

void for_chunks(int64_t chunks, int, const Threads&, ChunkBody body, const void* context) {
    run_here(chunks, body, context);
}

#endif

} // namespace tessera::cpu
