// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void reduction_habit(Random& random, Problem& p) {
    static const Names algorithms = {"mean", "mean", "sum", "sum",         "max",
                                     "max",  "min",  "mul", "norm_lp_sum", "norm_lp_power_p_sum"};
    p.algorithm = random.pick(algorithms);
    if (p.algorithm[0] == 'n') p.alpha = random.percent(70) ? 2 : 1, p.beta = 0;
    const size_t rank = usual_rank(random, 2, 5);
    p.src.type = p.algorithm[0] == 'n' ? float_type(random) : any_type(random);
    p.dst.type = random.percent(75) ? p.src.type : "f32";
    p.src.dims = p.dst.dims = tensor(random, rank);
    p.src.tag = layout(random, rank);
    p.dst.tag = random.one_in(2) ? p.src.tag : random.one_in(2) ? "any" : plain(rank);
    uint64_t mask = ((1u << rank) - 1) & ~3u; // what global pooling is
    if (random.one_in(2) || mask == 0) mask = 1u << random.below(rank);
    if (random.one_in(6)) mask = 1 + random.below((1u << rank) - 1);
    for (size_t d = 0; d < rank; ++d)
        if (mask >> d & 1) p.dst.dims[d] = 1;
    if (p.dst.dims == p.src.dims) p.src.dims.back() += 1, p.dst.dims.back() = 1; // nothing would be reduced
    if (random.one_in(6)) add_post_ops(random, p, 1);
}

} // namespace hunt
