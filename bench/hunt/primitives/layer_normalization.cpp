// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void layer_normalization_habit(Random& random, Problem& p) {
    const size_t rank = 2 + random.below(3);
    p.direction = direction(random, {"BWD", "BWD", "BWD_D"});
    p.algorithm = random.percent(85) ? "CH" : "N";
    p.alpha = 1e-5;
    p.src.type = p.dst.type = float_type(random);
    if (p.direction[0] == 'F' && random.one_in(6)) {
        p.dst.type = random.one_in(2) ? "s8" : float_type(random);
        if (p.dst.type == "s8") p.scales.push_back({"dst", 0, "", {}});
    }
    p.src.dims = sequence(random, rank);
    p.src.tag = p.dst.tag = plain(rank);
    if (rank == 3 && random.one_in(10)) p.src.tag = p.dst.tag = "bac";
    p.dst.dims = p.src.dims;
    if (random.one_in(10)) add_row_gap(p.src, random.between(1, 64));
    p.other.type = p.src.type != "f32" && random.one_in(4) ? p.src.type : "f32";
    p.other.dims = {p.src.dims.back()}, p.other.tag = "a";
}

} // namespace hunt
