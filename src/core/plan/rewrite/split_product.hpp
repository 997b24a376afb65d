// SPDX-License-Identifier: Apache-2.0
// split_dot: rewrites a product that a matrix kernel cannot run. Factors without strides (blocks, padding between
// flattened dims) are first copied to a strided layout in scratch memory, and an epilogue that is not strided along the
// rows of the product becomes a map over sums in scratch memory.
//
//   src aB16b x weights -> dst ba, a bias:   copy src; dot: sums = src * weights; map: dst = sums + bias
//
// split_depth (split-K): a long sum with few results, which a single block and so a single thread would compute, cut
// into parts of k that are added up in a fixed order, whatever the number of threads. k may be several dims, of which
// the outer ones are cut first. Steps that run at the same time, and batches, are parts already.
//
//   32x65536 x 65536x32:   eight times dot: sums[i] = src * weights; map: dst = ((sums[0] + sums[1]) + ...
//   3 images of 56 lines   3 x 3 parts: of an image 19, 19 and 18 lines
#pragma once

#include <optional>

#include "core/plan/plan.hpp"
#include "core/plan/steps/matrices.hpp"

namespace tessera {

struct DotParts {
    bool left = false, right = false, epilogue = false; // parts that become steps of their own
    bool any() const { return left || right || epilogue; }
    bool operator==(const DotParts&) const = default;
};

// `plan` has this step alone, `matrices` are its own. The result has its operands, then those in scratch memory, whose
// bytes are Plan::scratch in the same order. No result if a part cannot be split off.
std::optional<Plan> split_dot(const Plan& plan, const Step& step, const Matrices& matrices, DotParts parts);
// The product of split_dot() alone, for an engine that asks which parts it has to split off: no nests are made.
std::optional<Plan> product_within(const Plan& plan, const Step& step, const Matrices& matrices, DotParts parts);

// No result if there is too little to win or k cannot be cut. `steps`: products that run at the same time, this one
// included.
std::optional<Plan> split_depth(const Plan& plan, const Step& step, const Matrices& matrices, int64_t steps);

// Zero points of integers that vary along k, of one factor: what they take from the sums is a sum of its own, a number
// for each row or column of the other factor. No result for others.
//
//   (src - zero[c]) * weights    reduce: less[oc] = sum of zero[c] * weights;  dot: src * weights - less[oc]
std::optional<Plan> split_zeros(const Plan& plan, const Step& step, const Matrices& matrices);

// A sum with a single term (K = 1) as a map; no result for longer sums.
std::optional<Plan> without_sum(const Plan& plan, const Step& step, const Matrices& matrices);

} // namespace tessera
