// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/reduction.hpp"

namespace tessera::ops {

Reduction::Reduction(const Problem& problem)
    : alg(int(problem.params.at(query::alg_kind))), p(problem.float_params.at(query::p)),
      eps(problem.float_params.at(query::epsilon)) {
    const MemoryDesc &src = problem.md(arg::src), &dst = problem.md(arg::dst);
    for (size_t d = 0; d < size_t(src.ndims); ++d) {
        const bool reduced = src.dims[d] != dst.dims[d];
        mask |= int(reduced) << d;
        extents.push_back(reduced ? src.dims[d] : 1);
        count *= double(extents.back());
    }
    is_zero_of_none = count == 0 && is_integer(dst.type);
}

constinit const Row reduction_row = {
    .kind = PrimitiveKind::reduction,
    .lower = lower_reduction,
    .ref = ref_reduction,
    .shape = [](const Problem& p) { return p.shapes() + ":" + to_string(p.md(arg::dst).dims_span()); },
};

} // namespace tessera::ops
