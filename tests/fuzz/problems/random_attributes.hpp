// Random problems of the point-wise primitives from a seed: functions, types, layouts, broadcasts, post-ops, scales.
#pragma once

#include "random_problem.hpp"

namespace tessera::fuzz {

DataType computed_type(Random& r);
// Some extents 1, for what is broadcast.
std::vector<int64_t> narrowed(Random& r, std::vector<int64_t> dims, int percent);
// Up to three of the kinds sum, eltwise, binary, and prelu if it is `prelu_possible`.
void add_post_ops(Random& r, Attr& attr, const std::vector<int64_t>& dims, bool prelu_possible);

Result<Problem> random_eltwise(Random& r);
Result<Problem> random_binary(Random& r);
Result<Problem> random_prelu(Random& r);
Result<Problem> random_sum(Random& r);
Result<Problem> random_concat(Random& r);
Result<Problem> random_resampling(Random& r);

} // namespace tessera::fuzz
