// SPDX-License-Identifier: Apache-2.0
// dot: how fast matrices are multiplied, against what arithmetic and reading allow, through the public interface.
//
//   dot                                       every set: squares, llm, batch, skinny, tiny, layouts,
//                                             inner_product, gemm, sparse, calls
//   dot --set squares --filter bf16           cases of one set whose name contains a text
//   dot --most 3                              cases of no more than 3 billion operations
//   dot --tsv FILE                            the results as a file too, for bench/report/page.py
//   dot --blas LIBRARY                        f32 cases by MKL or OpenBLAS, after a comparison (dot/blas.hpp);
//                                             what BLAS cannot say is left out
//
// limit=1 is the fraction of the limit (see dot/cases.hpp), and the letter says which it is: a, arithmetic; r, reading.
// Both are measured in turns with the case. Threads as OMP_NUM_THREADS says, instructions as ONEDNN_MAX_CPU_ISA. Run it
// with another libdnnl.so.3 in LD_LIBRARY_PATH and it measures that one.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "arguments.hpp"
#include "copy_limit.hpp"
#include "dot/blas.hpp"
#include "dot/cases.hpp"
#include "dot/matmul_calls.hpp"
#include "report.hpp"

using namespace tessera;
using namespace tessera::bench;
using dot::Blas;
using dot::Case;

namespace {

constexpr const char* calls_set = "calls";
constexpr const char* kind_names[] = {"f32", "bf16", "f16", "int8"};

std::vector<std::string> set_names() {
    std::vector<std::string> names;
    for (const dot::Set& set : dot::sets) names.push_back(set.name);
    names.push_back(calls_set);
    return names;
}

struct Options {
    std::vector<std::string> sets = set_names();
    std::string filter, tsv, blas;
    int turns = 5;
    double most = 1e6; // billions of operations
    bool list = false;
};

// The peaks of all kinds; each is made when its first case comes.
Arithmetic& arithmetic(Kind kind) {
    static std::array<std::optional<Arithmetic>, std::size(kind_names)> peaks;
    auto& peak = peaks[size_t(kind)];
    if (!peak) {
        peak.emplace(kind);
        for (int t = 0; t < 20; ++t) peak->turn();
        fmt::print("# {}: {}, {:.0f} billion operations a second of one thread, {:.0f} of {}\n",
                   kind_names[size_t(kind)], peak->instruction(), peak->rates().one * 1e-9,
                   std::max(peak->rates().one, peak->rates().team) * 1e-9, library_threads());
    }
    return *peak;
}

struct Result {
    const Case* what = nullptr;
    double best = std::numeric_limits<double>::infinity(), median = 0, arithmetic = 0, reading = 0, target = 0;
    int64_t bytes = 0;
    std::string refusal;
    double limit() const { return std::max(arithmetic, reading); }
    double fraction() const { return limit() / best; }
    bool missed() const { return refusal.empty() && fraction() < target; }
};

void measure_turns(const Case& c, const Work& work, int turns, Result& r) {
    Arithmetic& peak = arithmetic(c.kind);
    Reading reading(work.bytes);
    std::vector<double> times;
    const auto turn_limits = [&] {
        peak.turn();
        reading.turn();
    };
    turn_limits();
    const auto start = std::chrono::steady_clock::now();
    work.run();
    constexpr double long_enough = 1; // seconds: one call of such a case says what five would
    if (const double first = seconds_since(start); first > long_enough) {
        times.push_back(first);
        r.best = std::min(r.best, first);
    } else {
        const Timed timed(work.run);
        for (int t = 0; t < turns; ++t) {
            turn_limits();
            timed.turn(r.best, &times);
        }
    }
    r.bytes = work.bytes;
    r.arithmetic = peak.seconds(c.operations);
    r.reading = reading.seconds(double(work.bytes));
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    r.median = r.median > 0 ? std::min(r.median, median) : median;
}

Result measure(const Case& c, int turns, const std::optional<Blas>& blas) {
    Result r;
    r.what = &c;
    try {
        const Work work = blas ? blas->work(c) : c.make();
        r.target = arithmetic(c.kind).by_tiles() ? c.target.tiles : c.target.vectors;
        measure_turns(c, work, turns, r);
        // A little below its target: perhaps somebody else had the processor. Thrice at most, the best is kept.
        for (int again = 0; again < 3 && r.missed() && r.fraction() > 0.6 * r.target; ++again)
            measure_turns(c, work, turns, r);
    } catch (const dnnl::error& e) { r.refusal = e.what(); }
    return r;
}

void print_head() {
    fmt::print("{:>8} {:>8} {:>9} {:>8} {:>10} {:>10}  {}\n", "limit=1", "median", "Gop/s", "GB/s", "best us",
               "median us", "case");
}

void print(const Result& r) {
    const Case& c = *r.what;
    if (!r.refusal.empty())
        fmt::print("{:>58}  {} {}: {}\n", "refused", c.set, c.name, r.refusal);
    else
        fmt::print("{:>6.3f} {} {:>8.3f} {:>9.1f} {:>8.2f} {:>10.2f} {:>10.2f}  {} {}\n", r.fraction(),
                   r.reading > r.arithmetic ? 'r' : 'a', r.limit() / r.median, c.operations / r.best * 1e-9,
                   double(r.bytes) / r.best * 1e-9, r.best * 1e6, r.median * 1e6, c.set, c.name);
    std::fflush(stdout);
}

void print_summary(const std::vector<Result>& results, const std::string& set) {
    size_t count = 0, refused = 0, missed = 0;
    double least = std::numeric_limits<double>::infinity(), logarithms = 0;
    for (const Result& r : results) {
        if (r.what->set != set) continue;
        ++count;
        missed += r.missed();
        if (!r.refusal.empty()) {
            ++refused;
            continue;
        }
        least = std::min(least, r.fraction());
        logarithms += std::log(r.fraction());
    }
    if (count == refused) return;
    fmt::print("# {}: {} cases, {} refused; of the limit: least {:.3f}, geometric mean {:.3f}, {} below the target\n",
               set, count, refused, least, std::exp(logarithms / double(count - refused)), missed);
}

// The columns of movers: reading stands for memcpy, arithmetic for the flat conversion, operations for elements.
ResultRow row_of(const Result& r) {
    return {r.what->set,
            r.what->name,
            "us",
            r.refusal.empty() ? r.best * 1e6 : 0,
            r.median * 1e6,
            0,
            r.bytes,
            (long long)(r.what->operations),
            r.reading * 1e6,
            r.arithmetic * 1e6,
            r.target,
            r.refusal};
}

bool chosen(const Options& o, const char* set) { return std::find(o.sets.begin(), o.sets.end(), set) != o.sets.end(); }

std::vector<Case> chosen_cases(const Options& o) {
    std::vector<Case> cases;
    for (const dot::Set& set : dot::sets) {
        if (!chosen(o, set.name)) continue;
        for (Case& c : set.cases())
            if (c.name.find(o.filter) != std::string::npos && c.operations <= o.most * 1e9 &&
                (o.blas.empty() || c.plain))
                cases.push_back(std::move(c));
    }
    return cases;
}

Facts facts_of(const std::optional<Blas>& blas) {
    Facts facts = facts_of_this_run(library_threads());
    for (auto& [name, value] : facts)
        if (blas && name == "library") value = blas->version();
    return facts;
}

int run(const Options& o) {
    const auto cases = chosen_cases(o);
    if (o.list) {
        for (const Case& c : cases) fmt::print("{} {}\n", c.set, c.name);
        return 0;
    }
    std::optional<Blas> blas;
    if (!o.blas.empty()) blas.emplace(o.blas);
    std::vector<ResultRow> rows;
    if (chosen(o, calls_set) && !blas) { // first: the library has made nothing yet
        for (const Call& c : dot::time_calls()) {
            bench::print(c);
            rows.push_back(result(c));
        }
    }
    std::vector<Result> results;
    if (!cases.empty()) print_head();
    for (const Case& c : cases) {
        results.push_back(measure(c, o.turns, blas));
        print(results.back());
        rows.push_back(row_of(results.back()));
    }
    for (const auto& set : o.sets) print_summary(results, set);
    if (o.tsv.empty()) return 0;
    const std::string wrong = write_results(o.tsv, facts_of(blas), rows);
    if (wrong.empty()) return 0;
    fmt::print(stderr, "dot: {}\n", wrong);
    return 1;
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    CommandLine program("Matrix products against arithmetic and reading, in turns", "dot");
    program.option("--set", o.sets, "Sets to run").one_of(set_names());
    program.option("--filter", o.filter, "Only cases whose name contains this");
    program.option("--turns", o.turns, "Turns of case and limits").range(1, 1000).shows_default();
    program.option("--most", o.most, "Only cases of so many billion operations or fewer").range(0.0, 1e9);
    program.option("--tsv", o.tsv, "Write the results to this file too").type_name("FILE");
    program.option("--blas", o.blas, "Run f32 cases by this library of BLAS instead").type_name("FILE");
    program.flag("--list", o.list, "Print the cases, run nothing");
    if (const auto code = program.parse(argc, argv)) return *code;
    return run(o);
} catch (const std::exception& e) {
    fmt::print(stderr, "dot: {}\n", e.what());
    return 1;
}
