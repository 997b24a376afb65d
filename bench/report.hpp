// SPDX-License-Identifier: Apache-2.0
// Rows of the benchmark, as lines of a terminal and as results of a file.
#pragma once

#include <string>
#include <vector>

#include "calls.hpp"
#include "copy_limit.hpp"
#include "results.hpp"

namespace tessera::bench {

struct Row {
    std::string set, name;
    double target = 0; // fraction of the move limit
    Measured measured;
    int64_t elements = 0;
    std::string refusal; // why the library does not do it; then nothing was measured

    bool missed() const { return refusal.empty() && measured.fraction_of_limit() < target; }
};

struct Summary {
    size_t count = 0, refused = 0, missed = 0; // missed: below their target
    double least = 0, geomean = 0;             // of the fractions of memcpy; refusals do not count
    double least_of_limit = 0, geomean_of_limit = 0;
    double geomean_rate = 0, geomean_elements = 0; // GB/s; elements a second and core
};

Summary summarise(const std::vector<Row>& rows, const std::string& set);

void print_head();
void print(const Row& row);
void print(const std::string& set, const Summary& summary);
void print_missed(const std::vector<Row>& rows, const std::string& set); // those below their target, the worst first
void print(const Call& call);

ResultRow result(const Row& row);
ResultRow result(const Call& call);

} // namespace tessera::bench
