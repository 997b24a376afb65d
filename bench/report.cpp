#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "oneapi/dnnl/dnnl.h"

namespace tessera::bench {
namespace {

double elements_per_core(const Row& row) {
    return double(row.elements) / row.measured.best / double(std::max(library_threads(), 1));
}

std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

std::vector<std::string> sets_of(const std::vector<Row>& rows) {
    std::vector<std::string> sets;
    for (const Row& r : rows)
        if (std::find(sets.begin(), sets.end(), r.set) == sets.end()) sets.push_back(r.set);
    return sets;
}

} // namespace

Summary summarise(const std::vector<Row>& rows, const std::string& set) {
    Summary s;
    double fractions = 0, rates = 0, elements = 0;
    for (const Row& r : rows) {
        if (r.set != set) continue;
        ++s.count;
        if (!r.refusal.empty()) {
            ++s.refused;
            continue;
        }
        const double fraction = r.measured.fraction();
        s.least = s.count - s.refused == 1 ? fraction : std::min(s.least, fraction);
        fractions += std::log(fraction);
        rates += std::log(r.measured.gigabytes_per_second());
        elements += std::log(elements_per_core(r));
    }
    if (const double n = double(s.count - s.refused); n > 0) {
        s.geomean = std::exp(fractions / n);
        s.geomean_rate = std::exp(rates / n);
        s.geomean_elements = std::exp(elements / n);
    }
    return s;
}

void print_head() {
    fmt::print("{:>8} {:>8} {:>8} {:>9} {:>9}  {}\n", "memcpy=1", "GB/s", "median", "Melem/s", "best us", "case");
}

void print(const Row& r) {
    if (!r.refusal.empty())
        fmt::print("{:>46}  {} {}: {}\n", "refused", r.set, r.name, r.refusal);
    else
        fmt::print("{:>8.3f} {:>8.2f} {:>8.2f} {:>9.1f} {:>9.1f}  {} {}\n", r.measured.fraction(),
                   r.measured.gigabytes_per_second(), double(r.measured.bytes) / r.measured.median * 1e-9,
                   elements_per_core(r) * 1e-6, r.measured.best * 1e6, r.set, r.name);
    std::fflush(stdout);
}

void print(const std::string& set, const Summary& s) {
    fmt::print(
        "# {}: {} cases, {} refused; of memcpy: least {:.3f}, geometric mean {:.3f}; {:.2f} GB/s, {:.0f} million "
        "elements a second and core\n",
        set, s.count, s.refused, s.least, s.geomean, s.geomean_rate, s.geomean_elements * 1e-6);
}

void print(const Call& c) {
    if (!c.refusal.empty())
        fmt::print("# {}: refused: {}\n", c.name, c.refusal);
    else
        fmt::print("# {}: best {:.2f} us, median {:.2f} us\n", c.name, c.best * 1e6, c.median * 1e6);
}

std::string markdown(const std::vector<Row>& rows, const std::vector<Call>& calls) {
    const auto* version = dnnl_version();
    std::string out = fmt::format(
        "# Movers against memcpy\n\n{}, {} threads, library {}.{}.{}. Fractions are of the better of memcpy and a copy "
        "with\n"
        "non-temporal stores of as many bytes on the same threads, measured in turns with the case, best over best.\n\n"
        "| set | cases | refused | least | geometric mean | GB/s | million elements a second and core |\n"
        "|---|---|---|---|---|---|---|\n",
        processor(), library_threads(), version->major, version->minor, version->patch);
    for (const auto& set : sets_of(rows)) {
        const Summary s = summarise(rows, set);
        out += fmt::format("| {} | {} | {} | {:.3f} | {:.3f} | {:.2f} | {:.0f} |\n", set, s.count, s.refused, s.least,
                           s.geomean, s.geomean_rate, s.geomean_elements * 1e-6);
    }
    if (!calls.empty()) out += "\n| call | best us | median us |\n|---|---|---|\n";
    for (const Call& c : calls)
        out += c.refusal.empty() ? fmt::format("| {} | {:.2f} | {:.2f} |\n", c.name, c.best * 1e6, c.median * 1e6)
                                 : fmt::format("| {} | refused: {} | |\n", c.name, c.refusal);
    for (const auto& set : sets_of(rows)) {
        out += fmt::format("\n## {}\n\n| case | memcpy = 1 | GB/s | median GB/s | best us |\n|---|---|---|---|---|\n",
                           set);
        for (const Row& r : rows) {
            if (r.set != set) continue;
            out += r.refusal.empty()
                       ? fmt::format("| {} | {:.3f} | {:.2f} | {:.2f} | {:.1f} |\n", r.name, r.measured.fraction(),
                                     r.measured.gigabytes_per_second(),
                                     double(r.measured.bytes) / r.measured.median * 1e-9, r.measured.best * 1e6)
                       : fmt::format("| {} | refused: {} | | | |\n", r.name, r.refusal);
        }
    }
    return out;
}

} // namespace tessera::bench
