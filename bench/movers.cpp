// movers: how fast reorder and shuffle move data, against a copy of the same bytes, through the public interface.
//
//   movers                                    every set: reorder (324), shuffle (180), transpose (28), calls
//   movers --set reorder --filter f32->s8     cases of one set whose name contains a text
//   movers --markdown FILE                    the same as a page
//
// Run it with another libdnnl.so.3 in LD_LIBRARY_PATH and it measures that one.
#include <algorithm>
#include <fstream>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cases.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "report.hpp"

using namespace tessera;
using namespace tessera::bench;

namespace {

struct Options {
    std::vector<std::string> sets = {"reorder", "shuffle", "transpose", "calls"};
    std::string filter, markdown;
    int turns = 5;
    bool list = false;
};

Row measure(const Case& c, int turns) {
    Row row{c.set, c.name, {}, 0, {}};
    try {
        const Work work = c.make();
        row.elements = work.elements;
        row.measured = measure_in_turns(work.run, work.bytes, turns);
        // Faster than a copy by half: somebody else had the processor during the copies. Measured again, thrice at
        // most.
        for (int again = 0; again < 3 && row.measured.fraction() > 1.5; ++again) {
            const Measured m = measure_in_turns(work.run, work.bytes, turns);
            row.measured.best = std::min(row.measured.best, m.best);
            row.measured.median = std::min(row.measured.median, m.median);
            row.measured.copy_best = std::min(row.measured.copy_best, m.copy_best);
        }
    } catch (const dnnl::error& e) { row.refusal = e.what(); }
    return row;
}

bool chosen(const Options& o, const char* set) { return std::find(o.sets.begin(), o.sets.end(), set) != o.sets.end(); }

std::vector<Case> chosen_cases(const Options& o) {
    std::vector<Case> cases;
    auto add = [&](const char* set, std::vector<Case> more) {
        if (!chosen(o, set)) return;
        for (Case& c : more)
            if (c.name.find(o.filter) != std::string::npos) cases.push_back(std::move(c));
    };
    add("reorder", reorder_cases());
    add("shuffle", shuffle_cases());
    add("transpose", transpose_cases());
    return cases;
}

int run(const Options& o) {
    const auto cases = chosen_cases(o);
    if (o.list) {
        for (const Case& c : cases) fmt::print("{} {}\n", c.set, c.name);
        return 0;
    }
    std::vector<Row> rows;
    if (!cases.empty()) print_head();
    for (const Case& c : cases) {
        rows.push_back(measure(c, o.turns));
        print(rows.back());
    }
    const auto calls = chosen(o, "calls") ? time_calls() : std::vector<Call>{};
    for (const auto& set : o.sets)
        if (const Summary s = summarise(rows, set); s.count > 0) print(set, s);
    for (const Call& c : calls) print(c);
    if (o.markdown.empty()) return 0;
    std::ofstream file(o.markdown);
    file << markdown(rows, calls);
    if (file.flush()) return 0;
    fmt::print(stderr, "movers: cannot write '{}'; does its folder exist?\n", o.markdown);
    return 1;
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    CLI::App app("Movers against memcpy, in turns");
    app.add_option("--set", o.sets, "Sets to run")->check(CLI::IsMember({"reorder", "shuffle", "transpose", "calls"}));
    app.add_option("--filter", o.filter, "Only cases whose name contains this");
    app.add_option("--turns", o.turns, "Turns of case and copy")->check(CLI::Range(5, 1000))->capture_default_str();
    app.add_option("--markdown", o.markdown, "Write the results to this file too");
    app.add_flag("--list", o.list, "Print the cases, run nothing");
    CLI11_PARSE(app, argc, argv);
    return run(o);
} catch (const dnnl::error& e) {
    fmt::print(stderr, "movers: {}\n", e.what());
    return 1;
}
