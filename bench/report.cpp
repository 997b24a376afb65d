// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tessera::bench {
namespace {

double elements_per_core(const Row& row) {
    return double(row.elements) / row.measured.best / double(std::max(library_threads(), 1));
}

double printed(const Call& c, double value) { return std::string_view(c.unit) == "us" ? value * 1e6 : value; }

} // namespace

Summary summarise(const std::vector<Row>& rows, const std::string& set) {
    Summary s;
    double fractions = 0, limits = 0, rates = 0, elements = 0;
    for (const Row& r : rows) {
        if (r.set != set) continue;
        ++s.count;
        if (!r.refusal.empty()) {
            ++s.refused;
            continue;
        }
        const double fraction = r.measured.fraction(), of_limit = r.measured.fraction_of_limit();
        const bool first = s.count - s.refused == 1;
        s.least = first ? fraction : std::min(s.least, fraction);
        s.least_of_limit = first ? of_limit : std::min(s.least_of_limit, of_limit);
        s.missed += r.missed();
        fractions += std::log(fraction);
        limits += std::log(of_limit);
        rates += std::log(r.measured.gigabytes_per_second());
        elements += std::log(elements_per_core(r));
    }
    if (const double n = double(s.count - s.refused); n > 0) {
        s.geomean = std::exp(fractions / n);
        s.geomean_of_limit = std::exp(limits / n);
        s.geomean_rate = std::exp(rates / n);
        s.geomean_elements = std::exp(elements / n);
    }
    return s;
}

void print_head() {
    fmt::print("{:>8} {:>8} {:>8} {:>8} {:>9} {:>9}  {}\n", "memcpy=1", "limit=1", "GB/s", "median", "Melem/s",
               "best us", "case");
}

void print(const Row& r) {
    if (!r.refusal.empty())
        fmt::print("{:>55}  {} {}: {}\n", "refused", r.set, r.name, r.refusal);
    else
        fmt::print("{:>8.3f} {:>8.3f} {:>8.2f} {:>8.2f} {:>9.1f} {:>9.1f}  {} {}\n", r.measured.fraction(),
                   r.measured.fraction_of_limit(), r.measured.gigabytes_per_second(),
                   double(r.measured.bytes) / r.measured.median * 1e-9, elements_per_core(r) * 1e-6,
                   r.measured.best * 1e6, r.set, r.name);
    std::fflush(stdout);
}

void print(const std::string& set, const Summary& s) {
    fmt::print("# {}: {} cases, {} refused; of memcpy: least {:.3f}, geometric mean {:.3f}; of the move limit: least "
               "{:.3f}, geometric mean {:.3f}, {} below the target; {:.2f} GB/s, {:.0f} million elements a second and "
               "core\n",
               set, s.count, s.refused, s.least, s.geomean, s.least_of_limit, s.geomean_of_limit, s.missed,
               s.geomean_rate, s.geomean_elements * 1e-6);
}

void print_missed(const std::vector<Row>& rows, const std::string& set) {
    std::vector<const Row*> missed;
    for (const Row& r : rows)
        if (r.set == set && r.missed()) missed.push_back(&r);
    std::sort(missed.begin(), missed.end(), [](const Row* a, const Row* b) {
        return a->measured.fraction_of_limit() / a->target < b->measured.fraction_of_limit() / b->target;
    });
    for (const Row* r : missed)
        fmt::print("# below {:.2f}: {:.3f} of the move limit, {:.3f} of memcpy: {} {}\n", r->target,
                   r->measured.fraction_of_limit(), r->measured.fraction(), r->set, r->name);
}

void print(const Call& c) {
    if (!c.refusal.empty())
        fmt::print("# {}: refused: {}\n", c.name, c.refusal);
    else if (c.best == c.p90)
        fmt::print("# {}: {:.0f} {}\n", c.name, printed(c, c.best), c.unit);
    else
        fmt::print("# {}: best {:.2f}, median {:.2f}, p90 {:.2f} {}\n", c.name, printed(c, c.best),
                   printed(c, c.median), printed(c, c.p90), c.unit);
}

ResultRow result(const Row& r) {
    const Measured& m = r.measured;
    return {r.set,    r.name,   "us",       m.best * 1e6,      m.median * 1e6,
            0,        m.bytes,  r.elements, m.copy_best * 1e6, m.flat_best * 1e6,
            r.target, r.refusal};
}

ResultRow result(const Call& c) {
    return {"calls", c.name, c.unit, printed(c, c.best), printed(c, c.median), printed(c, c.p90), 0, 0,
            0,       0,      0,      c.refusal};
}

} // namespace tessera::bench
