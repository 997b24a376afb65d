// SPDX-License-Identifier: Apache-2.0
// lrn: local response normalization, across channels or within a channel over the spatial dimensions (LRN-01..09).
//
//   omega = k + alpha / n * sum of the squares in the window around an element      n = size, or size ^ spatial dims
//   dst = src * omega ^ -beta
//   diff_src = diff_dst * omega ^ -beta
//              - 2 alpha beta / n * src * sum of diff_dst * src * omega ^ (-beta - 1) in the window
//
// A window has (size - 1) / 2 elements, rounded down, on each side, as far as there are any; n stays. So size 4 has the
// windows of size 3, and size 0 divides by 0.
//
//   1 1 1 1, size 3, alpha 3, beta 1, k 0  ->  1/2 1/3 1/3 1/2
//
// Squares and sums are f32, along one dim after the other, in the order of core/program/reduction.hpp. Powers of omega
// are those of power.hpp. Nothing is kept for backward: there is no workspace.
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp.
#pragma once

#include "core/program/lib/eltwise.hpp"
#include "ops/ops.hpp"

namespace tessera::ops {

struct LrnParameters {
    int64_t size;
    float alpha, beta, k;
};

// Check everything, answer complete problems; dst, diff_src and diff_dst may be `any`.
Result<Problem> make_lrn_forward(PropKind prop, int alg, const MemoryDesc& src, const MemoryDesc& dst,
                                 const LrnParameters& parameters, const Attr& attr);
Result<Problem> make_lrn_backward(int alg, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                  const MemoryDesc& src, const LrnParameters& parameters, const Attr& attr);

// What a problem normalizes, as its two ends and the tools' bounds need it.
struct Lrn {
    explicit Lrn(const Problem& problem);
    // f(coordinates) for the elements of the window around `at`.
    template <typename F> void each_neighbour(std::span<const int64_t> at, F&& f) const {
        std::vector<int64_t> place(at.begin(), at.end());
        const auto walk = [&](auto& self, size_t d) -> void {
            if (d == at.size()) return f(std::span<const int64_t>(place));
            const int64_t reach = mask >> d & 1 ? half : 0;
            for (int64_t i = std::max<int64_t>(at[d] - reach, 0); i <= std::min(at[d] + reach, src.dims[d] - 1); ++i) {
                place[d] = i;
                self(self, d + 1);
            }
        };
        walk(walk, 0);
    }

    bool backward;
    const MemoryDesc& src;
    LrnParameters parameters;
    int mask;       // dims of the window
    int64_t half;   // elements on each side
    double divisor; // n
    float share() const { return float(double(parameters.alpha) / divisor); }
};

Result<Plan> lower_lrn(const Problem& problem);
void ref_lrn(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
