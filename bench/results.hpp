// SPDX-License-Identifier: Apache-2.0
// Results as a file: tab-separated values that bench/report/page.py turns into tables and plots.
//
//   # library 3.13.0                     facts of the run, one a line
//   set  case  unit  best  median  p90  bytes  elements  memcpy  flat  target  refusal
//
// Times are microseconds; `memcpy` and `flat` are those of the copy and of the flat conversion, 0 where not measured.
// An empty field says nothing; a row with a refusal has no numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera::bench {

struct ResultRow {
    std::string set, name, unit = "us";
    double best = 0, median = 0, p90 = 0;
    long long bytes = 0, elements = 0;
    double memcpy = 0, flat = 0, target = 0;
    std::string refusal;
};

using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts_of_this_run(int threads); // processor, caches, compiler, threads, library, limit of ISA

// Written whole or not at all; the text says why not, empty if it was.
std::string write_results(const std::string& path, const Facts& facts, const std::vector<ResultRow>& rows);

} // namespace tessera::bench
