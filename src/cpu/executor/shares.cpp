// SPDX-License-Identifier: Apache-2.0
#include "cpu/executor/shares.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::cpu {

Shares::Shares(std::span<const Job> jobs, int64_t chunks) : chunks_(chunks) {
    const auto cost = [](const Job& job) { return double(std::max<int64_t>(job.cost, 1)); };
    double all = 0, before = 0;
    for (const Job& job : jobs) all += cost(job);
    jobs_.reserve(jobs.size());
    for (size_t first = 0, end; first < jobs.size(); first = end) { // interleaved ones
        double own = 0, within = 0;
        for (end = first; end < jobs.size() && (end == first || jobs[end].interleaved); ++end) own += cost(jobs[end]);
        const double begin = before / all * double(chunks);
        before += own;
        const double to = end == jobs.size() ? double(chunks) : before / all * double(chunks);
        for (size_t j = first; j < end; ++j) {
            const bool few = double(jobs[j].units) < to - begin; // than chunks
            const double phase = few ? (within + cost(jobs[j]) / 2) / own : 0.5;
            within += cost(jobs[j]);
            jobs_.push_back({begin, to, double(jobs[j].units) / (to - begin), phase, jobs[j].units});
        }
    }
}

// Unit u lies at (u + phase) / units of its stretch.
int64_t Shares::before(const Stretch& job, int64_t chunk) {
    const auto at = double(chunk);
    if (at <= job.begin) return 0;
    if (at >= job.end) return job.units;
    const auto count = int64_t(std::ceil((at - job.begin) * job.units_of_chunk - job.phase));
    return std::clamp<int64_t>(count, 0, job.units);
}

Shares::Jobs Shares::jobs(int64_t chunk) const {
    const auto from = std::ranges::partition_point(jobs_, [&](const Stretch& s) { return s.end <= double(chunk); });
    const auto to =
        std::partition_point(from, jobs_.end(), [&](const Stretch& s) { return s.begin < double(chunk + 1); });
    return {size_t(from - jobs_.begin()), size_t(to - jobs_.begin())};
}

} // namespace tessera::cpu
