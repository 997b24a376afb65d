// Rows of the benchmark and their two forms: lines of a terminal and a page of Markdown.
#pragma once

#include <string>
#include <vector>

#include "cases.hpp"
#include "copy_limit.hpp"

namespace tessera::bench {

struct Row {
    std::string set, name;
    Measured measured;
    int64_t elements = 0;
    std::string refusal; // why the library does not do it; then nothing was measured
};

struct Summary {
    size_t count = 0, refused = 0;
    double least = 0, geomean = 0;                 // of the fractions of memcpy; refusals do not count
    double geomean_rate = 0, geomean_elements = 0; // GB/s; elements a second and core
};

Summary summarise(const std::vector<Row>& rows, const std::string& set);

void print_head();
void print(const Row& row);
void print(const std::string& set, const Summary& summary);
void print(const Call& call);
std::string markdown(const std::vector<Row>& rows, const std::vector<Call>& calls);

} // namespace tessera::bench
