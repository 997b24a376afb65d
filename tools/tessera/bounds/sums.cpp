// SPDX-License-Identifier: Apache-2.0
#include "bounds/sums.hpp"

#include <algorithm>
#include <limits>

namespace tessera {

Interval anything() {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    Interval all;
    all.add(-infinity);
    all.add(infinity);
    all.nan = true;
    return all;
}

std::vector<Interval> extremes_of(bool max, std::span<const Interval> elements, float of_nothing) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    float most = elements.empty() ? of_nothing : max ? -infinity : infinity;
    for (const Interval& x : elements) {
        if (x.nan) return {x};
        if (max ? x.low > most : x.low < most) most = x.low;
    }
    std::vector<Interval> either(most == 0 ? 2 : 1);
    either[0].add(most);
    if (most == 0) either[1].add(-most);
    return either;
}

Interval sum_of(std::span<const Interval> terms) {
    constexpr double half_ulp = 0x1p-24, largest = std::numeric_limits<float>::max();
    double low = 0, high = 0, magnitudes = 0;
    Interval sum;
    for (const Interval& t : terms) {
        if (t.nan) sum.nan = true;
        if (t.empty()) continue;
        low += double(t.low), high += double(t.high);
        const double size = std::max(std::abs(double(t.low)), std::abs(double(t.high)));
        if (std::isfinite(size)) magnitudes += size;
    }
    if (sum.nan) return sum;
    const bool of_one_sign = low >= 0; // then what overflows is +infinity in any order
    if (magnitudes > largest && !of_one_sign) return anything();
    const double error = double(terms.size() > 1 ? terms.size() - 1 : 0) * half_ulp * magnitudes;
    sum.add(low, error);
    sum.add(high, error);
    return sum;
}

} // namespace tessera
