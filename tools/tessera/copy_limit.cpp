// SPDX-License-Identifier: Apache-2.0
// Copies and clocks.
#include "copy_limit.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

// Each thread copies its own run of whole cache lines.
template <typename Copy> void in_parallel(int threads, int64_t bytes, Copy copy) {
    if (threads <= 1) return copy(int64_t(0), bytes);
    on_team(threads, [&](int member, int members) {
        const int64_t share = (bytes / members + 63) / 64 * 64;
        const int64_t from = std::min(bytes, share * member);
        copy(from, std::min(share, bytes - from));
    });
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

CopyLimit::CopyLimit(int64_t bytes, int threads)
    : half_(std::max<int64_t>(bytes / 2, 1)), threads_(2 * half_ <= copy_team_bytes ? 1
                                                       : threads > 0                ? threads
                                                                                    : library_threads()),
      from_(size_t(half_), 1), to_(size_t(half_), 2) {}

template <typename Copy> double CopyLimit::timed(int threads, int repetitions, Copy copy) {
    const int groups =
        half_ < 1 << 15 ? 1 : repetitions; // long copies are timed one by one: the first have cold caches
    double best = std::numeric_limits<double>::infinity();
    for (int g = 0; g < groups; ++g) {
        const auto start = Clock::now();
        for (int r = 0; r < repetitions / groups; ++r) in_parallel(threads, half_, copy);
        best = std::min(best, seconds_since(start) / (repetitions / groups));
    }
    return best;
}

double CopyLimit::memcpy_seconds(int threads, int repetitions) {
    return timed(threads, repetitions, [this](int64_t at, int64_t bytes) {
        std::memcpy(to_.data() + at, from_.data() + at, size_t(bytes));
        asm volatile("" : : "r"(to_.data()) : "memory"); // keeps the compiler from removing the copy
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

// A group of calls fills 50 us, so that the clock's resolution and call overheads stay below a percent.
Timed::Timed(const std::function<void()>& f) : work(f) {
    work();
    group = std::clamp(int(50e-6 / std::max(of_group(), 1e-9)), 1, 10000);
}

double Timed::of_group() const {
    const auto begin = Clock::now();
    for (int r = 0; r < group; ++r) work();
    return seconds_since(begin) / group;
}

// Long enough that the work finds its own data in the caches, not those of what ran before it.
void Timed::turn(double& best, std::vector<double>* all) const {
    const auto begin = Clock::now();
    do {
        const double seconds = of_group();
        best = std::min(best, seconds);
        if (all) all->push_back(seconds);
    } while (seconds_since(begin) < 4e-3);
}

Measured measure_in_turns(const std::function<void()>& work, int64_t bytes, int turns,
                          const std::function<void()>& flat, const std::function<void()>& other_copy) {
    constexpr double never = std::numeric_limits<double>::infinity();
    Measured m;
    m.bytes = bytes;
    m.copy_best = m.best = never;
    CopyLimit copy(other_copy ? 0 : bytes);
    const Timed timed(work);
    std::optional<Timed> timed_flat, timed_copy;
    if (flat) timed_flat.emplace(flat);
    if (other_copy) timed_copy.emplace(other_copy);
    copy.best_seconds(1);
    const int copies = std::clamp(int(2e-3 / std::max(copy.best_seconds(1), 1e-9)), 1, 10000);

    std::vector<double> times;
    double converted = never;
    for (int t = 0; t < turns; ++t) {
        if (timed_copy)
            timed_copy->turn(m.copy_best);
        else
            m.copy_best = std::min(m.copy_best, copy.best_seconds(copies));
        timed.turn(m.best, &times);
        if (timed_flat) timed_flat->turn(converted);
    }
    if (timed_flat) m.flat_best = converted;
    std::sort(times.begin(), times.end());
    m.turns = int(times.size());
    m.median = times[times.size() / 2];
    return m;
}

double fork_join_seconds() {
    const int threads = library_threads();
    if (threads <= 1) return 0;
    double best = 1;
    for (int t = 0; t < 20; ++t) {
        const auto start = Clock::now();
        for (int r = 0; r < 100; ++r) on_team(threads, [](int, int) { asm volatile("" : : : "memory"); });
        best = std::min(best, seconds_since(start) / 100);
    }
    return best;
}

} // namespace tessera
