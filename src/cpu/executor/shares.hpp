// SPDX-License-Identifier: Apache-2.0
// Shares: the units of jobs that may run at the same time, divided into chunks of equal cost.
//
// All jobs lie on a line, as long as they cost, which is cut into equal chunks: one behind the other, or interleaved
// with the job before, as the plan says (core/plan/rewrite/together.hpp). A unit belongs to the chunk in which its
// middle lies. Of interleaved jobs each one's units lie along the whole stretch of line that these jobs share; where
// they have fewer units than that has chunks, one begins behind the other.
//
//   A of 4 units and B of 2, costs 4 and 4, in 4 chunks:   A A | A A | B | B      interleaved:   A | A B | A | A B
//
// Laws: every unit is of one chunk, whatever the number of chunks. What the first c of n chunks cost is c/n of all, up
// to half of a unit; of interleaved jobs up to a unit of each. Units of interleaved jobs that are as far along their
// jobs run in the same chunk, or in neighbours where the cut between these passes through one of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera::cpu {

class Shares {
public:
    struct Job {
        int64_t units, cost;      // 1 unit at least; the cost is of all of them
        bool interleaved = false; // with the job before
    };
    struct Units {
        int64_t first, end;
    };

    Shares() = default;
    Shares(std::span<const Job> jobs, int64_t chunks);

    int64_t chunks() const { return chunks_; }
    // Of job j, those of a chunk; none where first is end.
    Units units(size_t j, int64_t chunk) const { return {before(jobs_[j], chunk), before(jobs_[j], chunk + 1)}; }
    // The jobs that may have units of a chunk: numbers from first to before end.
    struct Jobs {
        size_t first, end;
    };
    Jobs jobs(int64_t chunk) const;

private:
    struct Stretch {
        double begin, end; // in chunks
        double units_of_chunk, phase;
        int64_t units;
    };
    static int64_t before(const Stretch& job, int64_t chunk); // units whose middle lies before a chunk

    int64_t chunks_ = 1;
    std::vector<Stretch> jobs_; // neither their begins nor their ends decrease
};

} // namespace tessera::cpu
