// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void lrn_habit(Random& random, Problem& p) {
    p.algorithm = random.one_in(6) ? "within_channel" : "across_channels";
    p.direction = direction(random);
    p.src.type = p.dst.type = float_type(random);
    p.alpha = 1e-4, p.beta = random.percent(80) ? .75 : .5;
    p.group = random.percent(75) ? 5 : 3 + 2 * int64_t(random.below(3));
    const size_t rank = random.percent(85) ? 4 : 3;
    p.src.dims = p.dst.dims = image(random, rank);
    p.src.tag = p.dst.tag = layout(random, rank);
}

} // namespace hunt
