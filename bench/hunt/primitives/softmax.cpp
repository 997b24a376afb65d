// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void softmax_habit(Random& random, Problem& p) {
    p.algorithm = random.percent(75) ? "accurate" : "log";
    p.direction = direction(random);
    const size_t rank = usual_rank(random, 1, 5);
    p.src.type = p.dst.type = float_type(random);
    if (p.direction == "FWD_I" && random.one_in(6)) p.dst.type = random.one_in(2) ? "u8" : "f32";
    p.src.dims = p.dst.dims = random.percent(65) ? sequence(random, rank) : tensor(random, rank);
    p.src.tag = p.dst.tag = layout(random, rank);
    p.axis = random.percent(60) ? int(rank) - 1 : rank > 1 && random.percent(70) ? 1 : int(random.below(rank));
    if (p.dst.type == "u8") p.scales.push_back({"dst", 0, "", {}});
}

} // namespace hunt
