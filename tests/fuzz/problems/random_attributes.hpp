// SPDX-License-Identifier: Apache-2.0
// What random problems of several primitives are made of: types, broadcasts, functions, post-ops.
#pragma once

#include "random_problem.hpp"

namespace tessera::fuzz {

inline constexpr int64_t most_products = 30000; // of one problem: the interpreter of plans does them one by one

DataType computed_type(Random& r); // what a primitive computes with
DataType float_type(Random& r);
// Of src and weights of an inner product or a convolution, integers among them or not; and of what is made of `type`.
struct FactorTypes {
    DataType src, weights;
};
FactorTypes factor_types(Random& r, bool integers);
DataType result_type(Random& r, DataType type);
// Some extents 1, for what is broadcast.
std::vector<int64_t> narrowed(Random& r, std::vector<int64_t> dims, int percent);
// A tensor written to: no strides of 0. Or left open.
MemoryDesc desc_or_open(Random& r, const std::vector<int64_t>& dims, DataType type);

struct Function {
    int alg;
    float alpha, beta;
};
Function random_function(Random& r, bool integers);
// Up to three of the kinds sum, eltwise, binary, and prelu if it is `prelu_possible`.
void add_post_ops(Random& r, Attr& attr, const std::vector<int64_t>& dims, bool prelu_possible);

} // namespace tessera::fuzz
