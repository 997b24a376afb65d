// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void batch_normalization_habit(Random& random, Problem& p) {
    const size_t rank = usual_rank(random, 2, 5);
    p.direction = direction(random, {"BWD", "BWD", "BWD_D"});
    const bool backward = p.direction[0] == 'B', inference = p.direction == "FWD_I";
    p.algorithm = inference && random.percent(75) ? "GCH" : random.percent(80) ? "CH" : "N";
    if (inference && random.one_in(3)) p.algorithm += "R";
    p.alpha = 1e-5;
    p.src.type = inference && random.one_in(6) ? "s8" : float_type(random);
    if (p.src.type == "s8" && p.algorithm[0] != 'G') p.algorithm = p.algorithm == "N" ? "G" : "G" + p.algorithm;
    p.src.dims = rank == 2 ? sequence(random, rank) : image(random, rank);
    p.src.tag = layout(random, rank);
    p.dst = p.src;
    p.other.dims = {p.src.dims[1]}, p.other.tag = "a";
    if (!backward && p.algorithm.back() != 'R' && random.one_in(5)) p.post_ops.push_back({"relu", 0, 0, "", ""});
}

} // namespace hunt
