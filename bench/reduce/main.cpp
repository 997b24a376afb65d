// SPDX-License-Identifier: Apache-2.0
// reduce: how fast reductions, softmax, normalisations, pooling and LRN are, against a copy of the bytes that they read
// and write, through the public interface.
//
//   reduce                                    every set: reduction, softmax, norm, pool, lrn, creation
//   reduce --set softmax --filter bf16        cases of one set whose name contains a text
//   reduce --tsv FILE                         the results as a file too, for bench/report/page.py
//
// memcpy=1 is the fraction of a copy of as many bytes, measured in turns with the case. Run it with another
// libdnnl.so.3 in LD_LIBRARY_PATH and it measures that one; what a library refuses is printed with its words.
#include <algorithm>

#include <fmt/format.h>

#include "../report.hpp"
#include "arguments.hpp"
#include "cases.hpp"
#include "creation.hpp"

using namespace tessera;
using namespace tessera::bench;

namespace {

constexpr const char* creation_set = "creation";

std::vector<std::string> set_names() {
    std::vector<std::string> names;
    for (const reduce::Set& set : reduce::sets) names.push_back(set.name);
    names.push_back(creation_set);
    return names;
}

struct Options {
    std::vector<std::string> sets = set_names();
    std::string filter, tsv;
    int turns = 5;
    bool list = false;
};

Row measure(const reduce::Case& c, int turns) {
    Row row{c.set, c.name, 0, {}, 0, {}};
    try {
        const Work work = c.make();
        row.elements = work.elements;
        row.measured = measure_in_turns(work.run, work.bytes, turns);
    } catch (const dnnl::error& e) { row.refusal = e.what(); }
    return row;
}

int run(const Options& o) {
    const auto chosen = [&](const char* set) { return std::find(o.sets.begin(), o.sets.end(), set) != o.sets.end(); };
    std::vector<reduce::Case> cases;
    for (const reduce::Set& set : reduce::sets) {
        if (!chosen(set.name)) continue;
        for (reduce::Case& c : set.cases())
            if (c.name.find(o.filter) != std::string::npos) cases.push_back(std::move(c));
    }
    if (o.list) {
        for (const reduce::Case& c : cases) fmt::print("{} {}\n", c.set, c.name);
        return 0;
    }
    std::vector<Row> rows;
    std::vector<ResultRow> results;
    if (chosen(creation_set))
        for (const Call& c : reduce::time_creations(o.filter)) {
            print(c);
            results.push_back(result(c));
        }
    if (!cases.empty()) print_head();
    for (const reduce::Case& c : cases) {
        rows.push_back(measure(c, o.turns));
        print(rows.back());
        results.push_back(result(rows.back()));
    }
    for (const auto& set : o.sets)
        if (const Summary s = summarise(rows, set); s.count) print(set, s);
    if (o.tsv.empty()) return 0;
    const std::string wrong = write_results(o.tsv, facts_of_this_run(library_threads()), results);
    if (wrong.empty()) return 0;
    fmt::print(stderr, "reduce: {}\n", wrong);
    return 1;
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    CommandLine program("Reductions, softmax, normalisations, pooling and LRN against memcpy, in turns", "reduce");
    program.option("--set", o.sets, "Sets to run").one_of(set_names());
    program.option("--filter", o.filter, "Only cases whose name contains this");
    program.option("--turns", o.turns, "Turns of case and copy").range(1, 1000).shows_default();
    program.option("--tsv", o.tsv, "Write the results to this file too").type_name("FILE");
    program.flag("--list", o.list, "Print the cases, run nothing");
    if (const auto code = program.parse(argc, argv)) return *code;
    return run(o);
} catch (const dnnl::error& e) {
    fmt::print(stderr, "reduce: {}\n", e.what());
    return 1;
}
