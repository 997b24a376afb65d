// SPDX-License-Identifier: Apache-2.0
// A caller takes a slot and writes one word into it: (free seats, unclaimed chunks). Chunks are claimed by
// compare-and-swap of this word; a helper's first claim takes a seat as well. A helper reads the slot's job only while
// it holds a chunk, when the caller cannot return: it waits until that chunk is counted in `done`. A helper that comes
// late finds 0 unclaimed chunks, or validly claims one of the slot's next job: no generation counters, no reference
// counts.
#include "cpu/runtime/pool.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <memory>

#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu/runtime/float_environment.hpp"

namespace tessera::cpu {

namespace {

// How long the next job, or the end of a helper's chunk, is looked for before sleeping: by pausing, and then, for
// helpers, offering the core to others between the looks. 2 processes at once on 2 cores are 3.1 times slower than one
// with 5 + 200 us and 3.4 times with 20 + 0; sleeping at once would give about 2.6, but waking a sleeping helper costs
// the caller 7 us and the job 15 to 40 us, and 200 us bridge what a program does between two calls.
using Microseconds = std::chrono::microseconds;
constexpr Microseconds pausing(5), yielding(200);
constexpr int max_helpers = 1023, max_jobs = 16;

using Word = std::atomic<uint32_t>;
static_assert(sizeof(Word) == sizeof(uint32_t) && Word::is_always_lock_free, "the kernel looks at the word itself");

void sleep_while(Word& word, uint32_t value) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake(Word& word, int threads) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0); }

void pause() {
#if defined(__SSE__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Whether `ready` became true while pausing for 5 us and then yielding.
template <typename F> bool soon(const F& ready, Microseconds yields) {
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        for (int i = 0; i < 16; ++i) {
            if (ready()) return true;
            pause();
        }
        const auto passed = std::chrono::steady_clock::now() - start;
        if (passed < pausing) continue;
        if (passed >= pausing + yields) return false;
        sched_yield();
    }
}

// On the caller's stack.
struct Job {
    uint32_t chunks;
    ChunkBody body;
    const void* context;
    FloatEnvironment environment;
};

struct alignas(64) Slot {
    std::atomic<uint64_t> open{0}; // free seats << 32 | unclaimed chunks
    std::atomic<bool> taken{false};
    Job* job = nullptr;
    alignas(64) Word done{0};
    std::atomic<bool> caller_sleeps{false};

    // The unclaimed chunks before one was claimed; 0: none left (or no seat for a helper that has none yet).
    uint32_t claim(bool seat) {
        uint64_t now = open.load(std::memory_order_relaxed);
        for (;;) {
            if (uint32_t(now) == 0 || (seat && now >> 32 == 0)) return 0;
            if (open.compare_exchange_weak(now, now - 1 - (uint64_t(seat) << 32), std::memory_order_acquire))
                return uint32_t(now);
        }
    }
};

// Initialised before any code runs and never destroyed: threads that outlive the static destructors may still call.
struct Pool {
    alignas(64) Word posted{0}; // counts jobs; helpers sleep on it
    std::atomic<bool> stopped{false};
    alignas(64) std::atomic<int> sleeping{0}, looking{0};
    std::atomic<int> helpers{0};
    std::atomic<int> obtainable{max_helpers}; // less once the system has refused a thread
    std::atomic_flag growing{};
    pthread_t threads[max_helpers]{};
    Slot slots[max_jobs];
};
constinit Pool pool;

// Set in threads that are running a chunk. Not thread_local: a helper's first touch of one would wait for the loader's
// lock, which dlclose() holds while it joins; with initial-exec, libgomp finds no room after ten unloadings.
pthread_key_t in_chunk;
void mark_in_chunk(bool inside) { pthread_setspecific(in_chunk, inside ? &pool : nullptr); }

// Whether this helper found work in the slot.
bool help(Slot& slot) {
    uint32_t left = slot.claim(true);
    if (!left) return false;
    Job& job = *slot.job;
    job.environment.enter();
    const uint32_t chunks = job.chunks;
    uint32_t done = 0;
    for (; left; left = slot.claim(false), ++done) job.body(job.context, chunks - left);
    if (slot.done.fetch_add(done) + done == chunks && slot.caller_sleeps) wake(slot.done, 1); // job may be gone here
    return true;
}

// A new thread inherits the caller's processors, and OpenMP may have bound the caller to one of many: helpers may use
// all of its places.
void use_all_places() {
    cpu_set_t all;
    CPU_ZERO(&all);
    const int places = omp_get_num_places();
    for (int place = 0; place < places; ++place) {
        std::array<int, CPU_SETSIZE> processors; // no vector: nothing catches what a thread throws
        const int count = omp_get_place_num_procs(place);
        if (count > CPU_SETSIZE) continue;
        omp_get_place_proc_ids(place, processors.data());
        for (int i = 0; i < count; ++i)
            if (const int p = processors[size_t(i)]; p >= 0 && p < CPU_SETSIZE) CPU_SET(size_t(p), &all);
    }
    if (CPU_COUNT(&all)) sched_setaffinity(0, sizeof(all), &all);
}

void* work(void* index) {
    mark_in_chunk(true);
    use_all_places();
    const auto first = size_t(reinterpret_cast<uintptr_t>(index));
    for (bool worked = false;;) {
        const uint32_t seen = pool.posted;
        const auto changed = [&] { return pool.posted.load(std::memory_order_relaxed) != seen; };
        if (pool.stopped) return nullptr;
        bool found = false;
        for (size_t s = 0; s < max_jobs; ++s) found |= help(pool.slots[(first + s) % max_jobs]);
        worked |= found;
        if (found) continue; // another job may have come meanwhile
        if (worked) {
            ++pool.looking;
            const bool more = soon(changed, yielding);
            --pool.looking;
            if (more) continue;
            worked = false;
        }
        ++pool.sleeping;
        sleep_while(pool.posted, seen);
        --pool.sleeping;
    }
}

// Makes helpers until there are `wanted`, or the system refuses. A caller that meets another one at it goes on.
void grow(int wanted) {
    wanted = std::min(wanted, pool.obtainable.load());
    if (pool.helpers >= wanted || pool.growing.test_and_set()) return;
    sigset_t all, old; // the program's signals are for the program's threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (int h = pool.helpers; h < wanted && !pool.stopped; ++h) {
        if (pthread_create(&pool.threads[h], nullptr, work, reinterpret_cast<void*>(uintptr_t(h)))) {
            pool.obtainable = h;
            break;
        }
        pool.helpers = h + 1;
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    pool.growing.clear();
}

// From loading to unloading of the library.
struct Lifetime {
    Lifetime() {
        pool.stopped = pthread_key_create(&in_chunk, nullptr) != 0; // no helpers without
        pthread_atfork(nullptr, nullptr, [] {
            const bool stopped = pool.stopped;
            std::construct_at(&pool);
            pool.stopped = stopped;
        });
    }
    ~Lifetime() {
        if (pool.stopped.exchange(true)) return;
        while (pool.growing.test_and_set()) pause(); // for good: nobody grows any more
        ++pool.posted;
        wake(pool.posted, INT_MAX);
        for (int h = 0; h < pool.helpers; ++h) pthread_join(pool.threads[h], nullptr);
        pool.helpers = 0;
        pthread_key_delete(in_chunk);
    }
};
const Lifetime lifetime;

Slot* take_slot() {
    for (Slot& slot : pool.slots)
        if (!slot.taken.load(std::memory_order_relaxed) && !slot.taken.exchange(true, std::memory_order_acquire))
            return &slot;
    return nullptr;
}

} // namespace

bool inside_shared_chunk() { return pthread_getspecific(in_chunk) != nullptr; }

void share(int64_t chunks, int most_helpers, ChunkBody body, const void* context) {
    const int wanted = int(std::min<int64_t>({chunks - 1, most_helpers, max_helpers}));
    Slot* slot = nullptr;
    if (wanted > 0 && chunks <= INT_MAX && !inside_shared_chunk()) {
        if (pool.helpers < wanted) grow(wanted);
        if (pool.helpers > 0) slot = take_slot();
    }
    if (!slot) {
        for (int64_t c = 0; c < chunks; ++c) body(context, c);
        return;
    }
    Job job{uint32_t(chunks), body, context, {}};
    slot->job = &job;
    slot->done.store(0, std::memory_order_relaxed);
    slot->open.store(uint64_t(wanted) << 32 | job.chunks, std::memory_order_release);
    ++pool.posted;
    const int more = std::min(wanted - pool.looking, pool.sleeping.load());
    if (more > 0) wake(pool.posted, more);

    mark_in_chunk(true);
    uint32_t mine = 0;
    for (uint32_t left; (left = slot->claim(false)); ++mine) body(context, job.chunks - left);
    mark_in_chunk(false);

    uint32_t done = slot->done.fetch_add(mine) + mine;
    const auto all_done = [&] { return (done = slot->done) == job.chunks; };
    if (done != job.chunks && !soon(all_done, Microseconds(0))) {
        slot->caller_sleeps = true;
        while (!all_done()) sleep_while(slot->done, done);
        slot->caller_sleeps = false;
    }
    slot->taken.store(false, std::memory_order_release);
}

} // namespace tessera::cpu
