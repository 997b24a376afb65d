// SPDX-License-Identifier: Apache-2.0
// reduction: combines src along the dimensions in which dst has extent 1 and src has not (RED-01..13).
//
//   max, min       the largest, smallest s; NaN are passed over, and it starts at the lowest, highest finite f32;
//                  where that is zero and src has zeros of both signs, it is one of them
//   sum, mul       sum of s, product of s
//   mean           (sum of s) / n, n elements of src for each of dst
//   norm_lp_max    max(sum of |s|^p, eps) ^ (1/p)         norm_lp_power_p_max   without the root
//   norm_lp_sum    (sum of |s|^p + eps) ^ (1/p)           norm_lp_power_p_sum   without the root
//
//   sum of {2,3} to {2,1}:  1 2 3 -> 6
//                           4 5 6    15
//
// Terms, sums and products are f32, combined in the order of core/program/reduction.hpp; roots have the exponent 1/p
// rounded to f32. NaN in src makes a sum, a product or a norm NaN. A dimension of extent 0 leaves what no elements
// give: the start of max and min, 0, 1, eps for norms, and for a mean NaN, or 0 where dst is of integers.
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp.
#pragma once

#include "core/program/lib/eltwise.hpp"
#include "ops/ops.hpp"

namespace tessera::ops {

// Checks everything, answers a complete problem; dst may be `any`. `p` and `eps` are those of norms.
Result<Problem> make_reduction(int alg, const MemoryDesc& src, const MemoryDesc& dst, float p, float eps,
                               const Attr& attr);

// What a problem reduces, as its two ends and the tools' bounds need it.
struct Reduction {
    explicit Reduction(const Problem& problem);
    bool is_norm() const { return alg >= alg::reduction_norm_lp_max && alg <= alg::reduction_norm_lp_power_p_sum; }
    bool has_root() const { return alg == alg::reduction_norm_lp_max || alg == alg::reduction_norm_lp_sum; }
    bool bounds_norm() const { // eps is the least that a norm can be, not added to it
        return alg == alg::reduction_norm_lp_max || alg == alg::reduction_norm_lp_power_p_max;
    }

    int alg;
    float p, eps;
    int mask = 0;                 // dims that are reduced
    std::vector<int64_t> extents; // of those dims, 1 elsewhere: the elements of src for one of dst
    double count = 1;             // their number; exact up to 2^53
    bool is_zero_of_none = false; // a mean of no elements, in integers
};

Result<Plan> lower_reduction(const Problem& problem);
void ref_reduction(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
