// Copies and clocks.
#include "copy_limit.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#if defined(TESSERA_RUNTIME_OMP)
#include <omp.h>
#endif
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

// Each thread copies its own run of whole cache lines.
template <typename Copy> void in_parallel(int threads, int64_t bytes, Copy copy) {
#if defined(TESSERA_RUNTIME_OMP)
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
        {
            const int64_t share = (bytes / omp_get_num_threads() + 63) / 64 * 64;
            const int64_t from = std::min(bytes, share * omp_get_thread_num());
            copy(from, std::min(share, bytes - from));
        }
        return;
    }
#endif
    (void)threads;
    copy(int64_t(0), bytes);
}

void copy_non_temporal(uint8_t* to, const uint8_t* from, int64_t bytes) {
#if defined(__x86_64__)
    const int64_t head = std::min<int64_t>(int64_t(-reinterpret_cast<uintptr_t>(to) & 63), bytes);
    std::memcpy(to, from, size_t(head));
    int64_t at = head;
    for (; at + 64 <= bytes; at += 64)
        for (int piece = 0; piece < 64; piece += 16)
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + piece),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + piece)));
    std::memcpy(to + at, from + at, size_t(bytes - at));
    _mm_sfence();
#else
    std::memcpy(to, from, size_t(bytes));
#endif
}

} // namespace

int library_threads() {
#if defined(TESSERA_RUNTIME_OMP)
    return omp_get_max_threads();
#else
    return 1;
#endif
}

CopyLimit::CopyLimit(int64_t bytes, int threads)
    : half_(std::max<int64_t>(bytes / 2, 1)), threads_(2 * half_ <= copy_team_bytes ? 1
                                                       : threads > 0                ? threads
                                                                                    : library_threads()),
      from_(size_t(half_), 1), to_(size_t(half_), 2) {}

template <typename Copy> double CopyLimit::timed(int threads, int repetitions, Copy copy) {
    const auto start = Clock::now();
    for (int r = 0; r < repetitions; ++r) in_parallel(threads, half_, copy);
    return seconds_since(start) / repetitions;
}

double CopyLimit::memcpy_seconds(int threads, int repetitions) {
    return timed(threads, repetitions, [this](int64_t at, int64_t bytes) {
        std::memcpy(to_.data() + at, from_.data() + at, size_t(bytes));
        asm volatile("" : : "r"(to_.data()) : "memory"); // the copy is not dead
    });
}

double CopyLimit::non_temporal_seconds(int threads, int repetitions) {
    return timed(threads, repetitions,
                 [this](int64_t at, int64_t bytes) { copy_non_temporal(to_.data() + at, from_.data() + at, bytes); });
}

double CopyLimit::best_seconds(int repetitions) {
    // Non-temporal stores never win inside the second-level cache; below 1 MiB they are not tried.
    const auto of = [&](int threads) {
        const double plain = memcpy_seconds(threads, repetitions);
        return half_ < 1 << 19 ? plain : std::min(plain, non_temporal_seconds(threads, repetitions));
    };
    return threads_ == 1 ? of(1) : std::min(of(threads_), of(1));
}

// Seconds of one call, over as many as fill a turn of at least 200 us, so that the clock's resolution and call
// overheads stay below a percent. Made after a first call, which touches the memory.
struct Timed {
    const std::function<void()>& work;
    int repetitions = 1;

    explicit Timed(const std::function<void()>& f) : work(f) {
        work();
        repetitions = std::clamp(int(200e-6 / std::max(seconds(), 1e-9)), 1, 10000);
    }
    double seconds() const {
        const auto begin = Clock::now();
        for (int r = 0; r < repetitions; ++r) work();
        return seconds_since(begin) / repetitions;
    }
};

Measured measure_in_turns(const std::function<void()>& work, int64_t bytes, int turns,
                          const std::function<void()>& flat) {
    Measured m;
    m.bytes = bytes;
    CopyLimit copy(bytes);
    const Timed timed(work);
    std::optional<Timed> timed_flat;
    if (flat) timed_flat.emplace(flat);
    copy.best_seconds(1);
    const int copy_repetitions = std::clamp(int(200e-6 / std::max(copy.best_seconds(1), 1e-9)), 1, 10000);

    std::vector<double> times;
    // At least `turns`; short work goes on for a tenth of a second, where a busy neighbour matters most.
    const auto begun = Clock::now();
    for (int t = 0; t < turns || (t < 200 && seconds_since(begun) < 0.1); ++t) {
        const double copied = copy.best_seconds(copy_repetitions);
        m.copy_best = t == 0 ? copied : std::min(m.copy_best, copied);
        times.push_back(timed.seconds());
        if (!timed_flat) continue;
        const double converted = timed_flat->seconds();
        m.flat_best = t == 0 ? converted : std::min(m.flat_best, converted);
    }
    std::sort(times.begin(), times.end());
    m.turns = int(times.size());
    m.best = times.front();
    m.median = times[times.size() / 2];
    return m;
}

double fork_join_seconds() {
#if defined(TESSERA_RUNTIME_OMP)
    double best = 1;
    for (int t = 0; t < 20; ++t) {
        const auto start = Clock::now();
        for (int r = 0; r < 100; ++r) {
#pragma omp parallel
            asm volatile("" : : : "memory");
        }
        best = std::min(best, seconds_since(start) / 100);
    }
    return best;
#else
    return 0;
#endif
}

} // namespace tessera
