// SPDX-License-Identifier: Apache-2.0
// The laws of Shares (shares.hpp), over random jobs and all small numbers of chunks.
#include "cpu/executor/shares.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cpu {

namespace {

using Jobs = std::vector<Shares::Job>;

std::vector<Jobs> batches() {
    std::vector<Jobs> all{{{1, 1}},
                          {{16, 4096}},
                          {{1, 0}, {1, 0, true}},
                          {{2, 100}, {2, 9000}, {2, 100}},
                          {{26, 26000}, {13, 9750, true}, {26, 3250, true}},
                          Jobs(9, {1, 1000}),
                          Jobs(300, {3, 500, true}),
                          {{int64_t(1) << 40, int64_t(1) << 50}, {7, int64_t(1) << 44, true}, {1, 1}}};
    std::minstd_rand random(5);
    for (int i = 0; i < 300; ++i) {
        Jobs& jobs = all.emplace_back();
        for (size_t j = 0, count = 1 + random() % 12; j < count; ++j)
            jobs.push_back({int64_t(1 + random() % (random() % 2 ? 3 : 200)), int64_t(random() % 100000),
                            random() % 2 == 0 && j > 0});
    }
    return all;
}

const int64_t chunk_counts[] = {1, 2, 3, 7, 16, 17, 64, 1000};

double cost(const Shares::Job& job) { return double(std::max<int64_t>(job.cost, 1)); }
double cost_of_unit(const Shares::Job& job) { return cost(job) / double(job.units); }

} // namespace

TEST(Shares, every_unit_runs_once) {
    for (const Jobs& jobs : batches())
        for (const int64_t chunks : chunk_counts) {
            const Shares shares(jobs, chunks);
            std::vector<int64_t> next(jobs.size());
            for (int64_t c = 0; c < chunks; ++c) {
                const Shares::Jobs some = shares.jobs(c);
                for (size_t j = 0; j < jobs.size(); ++j) {
                    const Shares::Units units = shares.units(j, c);
                    ASSERT_EQ(units.first, next[j]);
                    ASSERT_LE(units.first, units.end);
                    next[j] = units.end;
                    const bool looked_at = some.first <= j && j < some.end;
                    ASSERT_TRUE(looked_at || units.first == units.end) << j << " of chunk " << c;
                }
            }
            for (size_t j = 0; j < jobs.size(); ++j) ASSERT_EQ(next[j], jobs[j].units) << j << " of " << jobs.size();
        }
}

TEST(Shares, chunks_cost_the_same) {
    for (const Jobs& jobs : batches())
        for (const int64_t chunks : chunk_counts) {
            const Shares shares(jobs, chunks);
            double all = 0, before = 0;
            for (const Shares::Job& job : jobs) all += cost(job);
            for (int64_t c = 0; c < chunks; ++c) {
                for (size_t j = 0; j < jobs.size(); ++j) {
                    const Shares::Units units = shares.units(j, c);
                    before += double(units.end - units.first) * cost_of_unit(jobs[j]);
                }
                // The jobs of the stretch that the cut behind this chunk divides, if that lies within one.
                const double cut = all * double(c + 1) / double(chunks);
                double end = 0, most = 0;
                for (size_t first = 0, next; first < jobs.size() && end < cut; first = next) {
                    double units = 0;
                    for (next = first; next < jobs.size() && (next == first || jobs[next].interleaved); ++next)
                        end += cost(jobs[next]), units += cost_of_unit(jobs[next]);
                    most = next - first == 1 ? units / 2 : units;
                }
                ASSERT_NEAR(before, cut, most + 1e-9 * all) << "chunk " << c << " of " << chunks;
            }
        }
}

// As far along their jobs: their parts of the jobs overlap, so no cut between chunks lies between them.
TEST(Shares, interleaved_jobs_meet) {
    for (const Jobs& jobs : batches())
        for (const int64_t chunks : chunk_counts) {
            const Shares shares(jobs, chunks);
            for (int64_t c = 1; c < chunks; ++c)
                for (size_t j = 1; j < jobs.size(); ++j) {
                    if (!jobs[j].interleaved) continue;
                    const auto at = [&](size_t job, int64_t units) { return double(units) / double(jobs[job].units); };
                    const int64_t mine = shares.units(j, c).first, other = shares.units(j - 1, c).first;
                    // The cut passes through a unit of each job, or between two.
                    EXPECT_LE(at(j, mine - 1), at(j - 1, other + 1));
                    EXPECT_LE(at(j - 1, other - 1), at(j, mine + 1));
                }
        }
}

TEST(Shares, jobs_of_one_unit_spread) {
    const Jobs jobs(9, {1, 1000});
    for (const bool interleaved : {false, true}) {
        Jobs own = jobs;
        for (size_t j = 1; j < own.size(); ++j) own[j].interleaved = interleaved;
        const Shares shares(own, 9);
        for (size_t j = 0; j < own.size(); ++j) EXPECT_EQ(shares.units(j, int64_t(j)).end, 1) << j;
    }
}

// A padded convolution: small borders around the inner part, whose units are one for each of two threads.
TEST(Shares, borders_go_to_the_nearest_thread) {
    const Jobs jobs{{1, 10}, {2, 600}, {1, 10}, {2, 600}, {2, 36000}, {2, 600}, {1, 10}, {2, 600}, {1, 10}};
    const Shares shares(jobs, 2);
    EXPECT_EQ(shares.units(4, 0).end, 1);
    EXPECT_EQ(shares.units(3, 0).end, 2);
    EXPECT_EQ(shares.units(5, 0).end, 0);
}

} // namespace tessera::cpu
