// SPDX-License-Identifier: Apache-2.0
// The yardstick: the time of a plain copy of the same number of bytes, measured alternately with the work itself.
//
//   Measured m = measure_in_turns([&] { experiment.execute(); }, experiment.bytes());
//   m.best  m.median seconds of one call;  m.fraction()
//
// If src and dst have elements of different width, memcpy is no limit, because reads and writes are no longer equal in
// number. The limit is then the flat conversion of the same types, if that is slower than memcpy: measure_in_turns()
// measures it, too, and m.fraction_of_limit() is the fraction of the slower of the two.
//
// The bytes read and written by the copy add up to `bytes`. The copy is the fastest of memcpy and non-temporal stores,
// on all threads of the library and on one of them: on a busy host a team waits milliseconds for a preempted thread.
// Both sides are the best of at least five alternating turns (A B A B ...), so that other load on the host does not
// distort the ratio.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "team.hpp"

namespace tessera {

struct Measured {
    int64_t bytes = 0;
    int turns = 0;
    double best = 0, median = 0, copy_best = 0;
    double flat_best = 0; // 0: none was given
    double gigabytes_per_second() const { return best > 0 ? double(bytes) / best * 1e-9 : 0; }
    double fraction() const { return best > 0 ? copy_best / best : 0; }
    double fraction_of_limit() const { return best > 0 ? (flat_best > copy_best ? flat_best : copy_best) / best : 0; }
};

// Up to this many bytes (read + written) a copy stays on one thread, as a step of the library does
// (Machine::parallel_bytes; a test compares the two constants, because the benchmarks link no internals).
inline constexpr int64_t copy_team_bytes = 256 << 10;

// `other_copy`: of as many bytes, in place of memcpy, for work on a device.
Measured measure_in_turns(const std::function<void()>& work, int64_t bytes, int turns = 7,
                          const std::function<void()>& flat = {}, const std::function<void()>& other_copy = {});

// Measures the seconds of one call in turns; to be made after a first call, which touches the memory.
struct Timed {
    const std::function<void()>& work;
    int group = 1; // calls between two readings of the clock

    explicit Timed(const std::function<void()>& f);
    double of_group() const;
    void turn(double& best, std::vector<double>* all = nullptr) const; // 4 ms of groups; each group's time joins `all`
};

// Two buffers and the loops that copy one to the other.
class CopyLimit {
public:
    explicit CopyLimit(int64_t bytes, int threads = 0); // read + written; threads 0: all of the library
    double best_seconds(int repetitions);               // of one copy: the best way, a team's or one thread's
    double memcpy_seconds(int repetitions) { return memcpy_seconds(threads_, repetitions); }
    double non_temporal_seconds(int repetitions) { return non_temporal_seconds(threads_, repetitions); }

private:
    template <typename Copy> double timed(int threads, int repetitions, Copy copy);
    double memcpy_seconds(int threads, int repetitions);
    double non_temporal_seconds(int threads, int repetitions);
    int64_t half_;
    int threads_;
    std::vector<uint8_t> from_, to_;
};

double fork_join_seconds(); // an empty parallel region, best of many; 0 where the library has no threads of its own

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace tessera
