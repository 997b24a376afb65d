// SPDX-License-Identifier: Apache-2.0
#include "noise.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "copy_limit.hpp"
#include "team.hpp"

namespace tessera {
namespace {

// Each step waits for the one before: 3 to 4 cycles, whatever the caches hold.
void millisecond_of_work(int, int) {
    uint64_t x = 1;
    for (int step = 0; step < 1'000'000; ++step) {
        x *= 0x9e3779b97f4a7c15;
        asm volatile("" : "+r"(x));
    }
}

} // namespace

void Noise::probe() {
    const int threads = library_threads();
    on_team(threads, [](int, int) {}); // threads that sleep wake outside of the time
    for (int i = 0; i < 16; ++i) {
        const auto start = std::chrono::steady_clock::now();
        on_team(threads, millisecond_of_work);
        add(seconds_since(start));
    }
}

void Noise::add(double seconds) { seconds_.push_back(seconds); }

int Noise::disturbed() const {
    if (seconds_.empty()) return 0;
    const double limit = 1.2 * *std::min_element(seconds_.begin(), seconds_.end());
    return int(std::count_if(seconds_.begin(), seconds_.end(), [&](double s) { return s > limit; }));
}

double Noise::average() const {
    if (seconds_.empty()) return 1;
    const double sum = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
    return sum / double(seconds_.size()) / *std::min_element(seconds_.begin(), seconds_.end());
}

std::string Noise::text() const {
    return fmt::format("{} of {} probes took more than 1.2 times the best, {:.2f} on average", disturbed(),
                       seconds_.size(), average());
}

} // namespace tessera
