// SPDX-License-Identifier: Apache-2.0
// movers: how fast reorder, shuffle and pointwise work move data, against a copy of the same bytes, through the public
// interface.
//
//   movers                                    every set: reorder, shuffle, transpose, dram, shapes, pointwise, calls
//   movers --set reorder --filter f32->s8     cases of one set whose name contains a text
//   movers --tsv FILE                         the results as a file too, for bench/report/page.py
//
// memcpy=1 is the fraction of a copy of as many bytes; limit=1 that of the slower of the copy and the flat conversion
// of the same types. Run it with another libdnnl.so.3 in LD_LIBRARY_PATH and it measures that one.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "../report.hpp"
#include "arguments.hpp"
#include "cases.hpp"

using namespace tessera;
using namespace tessera::bench;

namespace {

constexpr const char* calls_set = "calls";

std::vector<std::string> set_names() {
    std::vector<std::string> names;
    for (const Set& set : sets) names.push_back(set.name);
    names.push_back(calls_set);
    return names;
}

struct Options {
    std::vector<std::string> sets = set_names();
    std::string filter, tsv;
    int turns = 5;
    bool list = false, first_call = false;
};

Measured measure_once(const Work& work, int turns) {
    Measured m = measure_in_turns(work.run, work.bytes, turns, work.flat);
    m.flat_best *= work.flat_scale;
    return m;
}

Row measure(const Case& c, int turns) {
    Row row{c.set, c.name, c.target, {}, 0, {}};
    try {
        const Work work = c.make();
        row.elements = work.elements;
        Measured& best = row.measured;
        best = measure_once(work, turns);
        // Faster than a copy by half: somebody else had the processor during the copies. Little below its target:
        // perhaps during the case. Measured again, thrice at most; of case, copy and conversion the best is kept.
        const auto doubtful = [&] {
            return best.fraction() > 1.5 || (row.missed() && best.fraction_of_limit() > 0.6 * row.target);
        };
        for (int again = 0; again < 3 && doubtful(); ++again) {
            const Measured m = measure_once(work, turns);
            best.best = std::min(best.best, m.best);
            best.median = std::min(best.median, m.median);
            best.copy_best = std::min(best.copy_best, m.copy_best);
            best.flat_best = std::min(best.flat_best, m.flat_best);
        }
    } catch (const dnnl::error& e) { row.refusal = e.what(); }
    return row;
}

bool chosen(const Options& o, const char* set) { return std::find(o.sets.begin(), o.sets.end(), set) != o.sets.end(); }

std::vector<Case> chosen_cases(const Options& o) {
    std::vector<Case> cases;
    for (const Set& set : sets) {
        if (!chosen(o, set.name)) continue;
        for (Case& c : set.cases())
            if (c.name.find(o.filter) != std::string::npos) cases.push_back(std::move(c));
    }
    return cases;
}

int run(const Options& o) {
    if (o.first_call) {
        fmt::print("{:.9f}\n", time_first_call());
        return 0;
    }
    const auto cases = chosen_cases(o);
    if (o.list) {
        for (const Case& c : cases) fmt::print("{} {}\n", c.set, c.name);
        return 0;
    }
    std::vector<ResultRow> results;
    if (chosen(o, calls_set)) { // first: the library has made nothing yet
        for (const Call& c : time_calls()) {
            print(c);
            results.push_back(result(c));
        }
    }
    std::vector<Row> rows;
    if (!cases.empty()) print_head();
    for (const Case& c : cases) {
        rows.push_back(measure(c, o.turns));
        print(rows.back());
        results.push_back(result(rows.back()));
    }
    for (const auto& set : o.sets) {
        const Summary s = summarise(rows, set);
        if (s.count == 0) continue;
        print(set, s);
        print_missed(rows, set);
    }
    if (o.tsv.empty()) return 0;
    const std::string wrong = write_results(o.tsv, facts_of_this_run(library_threads()), results);
    if (wrong.empty()) return 0;
    fmt::print(stderr, "movers: {}\n", wrong);
    return 1;
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    CommandLine program("Movers against memcpy, in turns", "movers");
    program.option("--set", o.sets, "Sets to run").one_of(set_names());
    program.option("--filter", o.filter, "Only cases whose name contains this");
    program.option("--turns", o.turns, "Turns of case and copy").range(5, 1000).shows_default();
    program.option("--tsv", o.tsv, "Write the results to this file too").type_name("FILE");
    program.flag("--list", o.list, "Print the cases, run nothing");
    program.flag("--first-call", o.first_call, "Print the seconds of one creation, the first in this process");
    if (const auto code = program.parse(argc, argv)) return *code;
    return run(o);
} catch (const dnnl::error& e) {
    fmt::print(stderr, "movers: {}\n", e.what());
    return 1;
}
