// SPDX-License-Identifier: Apache-2.0
// The taps of each output, in integer arithmetic: x = ((2o + 1) I - O) / 2O.
//
//   linear, 3 -> 6:  left 0 0 0 1 1 2   right 0 1 1 2 2 2   weight 1/2 1/4 3/4 1/4 3/4 1/2
#include <algorithm>

#include "ops/resampling/resampling.hpp"

namespace tessera::ops {

Taps taps_of(int alg, int64_t inputs, int64_t outputs) {
    Taps t;
    t.inputs = inputs, t.outputs = outputs;
    t.left.reserve(size_t(outputs)), t.right.reserve(size_t(outputs)), t.weight.reserve(size_t(outputs));
    for (int64_t o = 0; o < outputs; ++o) {
        const int64_t places = (2 * o + 1) * inputs; // (x + 1/2) in units of 1 / 2O
        if (alg == resampling_nearest) {
            const int64_t i = places / (2 * outputs); // floor(x + 1/2), within the inputs for every o
            t.left.push_back(i), t.right.push_back(i), t.weight.push_back(0.5f);
            continue;
        }
        const int64_t x = places - outputs; // in units of 1 / 2O
        const int64_t left = x < 0 ? 0 : x / (2 * outputs), rest = x < 0 ? 0 : x % (2 * outputs);
        const int64_t right = std::min(left + (rest > 0), inputs - 1);
        t.left.push_back(left), t.right.push_back(right);
        t.weight.push_back(left == right ? 0.5f : float(double(rest) / double(2 * outputs)));
        t.single = t.single && left == right;
    }
    return t;
}

int alg_of_resampling(const Problem& p) { return int(p.params.at(query::alg_kind)); }

std::vector<Taps> taps_of(const Problem& p) {
    const bool backward = p.prop == PropKind::backward_data;
    const MemoryDesc& src = p.md(backward ? arg::diff_src : arg::src);
    const MemoryDesc& dst = p.md(backward ? arg::diff_dst : arg::dst);
    std::vector<Taps> taps;
    for (size_t d = 2; d < size_t(src.ndims); ++d)
        taps.push_back(taps_of(alg_of_resampling(p), src.dims[d], dst.dims[d]));
    return taps;
}

} // namespace tessera::ops
