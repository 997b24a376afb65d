// SPDX-License-Identifier: Apache-2.0
// Threads of a pool that the caller brings with the stream; without one, the calling thread.
#include "cpu/runtime/threads.hpp"

#include <algorithm>
#include <functional>
#include <thread>

#include "cpu/runtime/float_environment.hpp"
#include "cpu/runtime/ranges.hpp"
#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

namespace tessera::cpu {

namespace {
thread_local int max_concurrency = 0; // 0: not set
}

Runtime runtime() { return Runtime::threadpool; }

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

} // namespace tessera::cpu
