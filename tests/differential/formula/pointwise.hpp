// SPDX-License-Identifier: Apache-2.0
// What eltwise and binary should compute: the formulas in double, and how far a result in f32 may lie from them.
//   slack = 4e-6 |value|       some thirty roundings of 2^-24 and 2 ulp approximations (the rule ELT-42 reports)
//         + 1e-6 largest term  cancellation: a term of size t carries an error of 2^-24 t for every operation on it
//         + 2^-124             kernels may flush denormals, of intermediate results too (CVT-04)
// On top of it `accepts` allows one step of a floating dst type (rounding), and for integers what rounding the two
// ends of the interval gives, so that ties alone are free.
// Example: eltwise_forward("tanh", 0, 0, 1) == {0.76159..., 3.05e-6, false}.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../problems/element.hpp"

namespace differential {

struct Algorithm {
    const char* name;
    int id; // dnnl_alg_kind_t
};

const std::vector<Algorithm>& eltwise_algorithms(); // *_use_dst_for_bwd carry the suffix _dst
const std::vector<Algorithm>& binary_algorithms();  // all but select
const Algorithm* find_algorithm(const std::vector<Algorithm>& all, const std::string& name);

struct Expected {
    double value = 0, slack = 0;
    bool special = false; // an input was NaN, infinite or an f32 denormal
};

Expected eltwise_forward(const std::string& algorithm, double alpha, double beta, double s);
Expected eltwise_backward(const std::string& algorithm, double alpha, double beta, double data, double diff_dst);
Expected binary(const std::string& algorithm, double left, double right);

bool accepts(const Type& type, const Expected& expected, uint64_t code);

} // namespace differential
