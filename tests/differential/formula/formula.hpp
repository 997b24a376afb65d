// SPDX-License-Identifier: Apache-2.0
// What the output of a problem should hold, element by element in logical order: the formulas of all primitives that
// compute, on inputs that are f32 already. Those of eltwise and binary are in pointwise.hpp; the others add, and n
// additions of f32 in any order lie within (n + 2) 2^-24 of the sum of their absolute terms.
//   resampling, linear     weights from (o + .5) I / O - .5 in f32 have errors up to 4 2^-24 I per dim: slack of twice
//                          that times the largest neighbour, the next element on either side included
//   matmul, inner_product  terms of up to four factors: n + 4; sums of integers are exact but for scales and bias
//   post-ops               of a value with slack: the function at both ends of its interval and in the middle
// Example: expected_output(sum of 2 and 3 with scales 1 and .5) == {{3.5, 8.3e-7, false}}.
#pragma once
#include <vector>

#include "../problems/problem.hpp"
#include "pointwise.hpp"

namespace differential {

struct Tensor {
    Dims dims;
    std::vector<double> values; // by logical index

    // The element under `linear` of a tensor of `outer` dims, where a dim of 1 is broadcast.
    double at(int64_t linear, const Dims& outer) const;
};

// `inputs` in the order of operands_of (operands.hpp); of products without zero points and scaled, and the bias if
// there is one.
std::vector<Expected> expected_output(const Problem& problem, const std::vector<Tensor>& inputs);

void quantize(double scale, double zero_point, Expected& x); // x / scale + zero_point

struct PostOpInputs {
    double old = 0;         // what dst held
    double operand = 0;     // of binary and prelu
    bool condition = false; // of select
};
void apply_post_op(const PostOp& op, const PostOpInputs& inputs, Expected& x);

} // namespace differential
