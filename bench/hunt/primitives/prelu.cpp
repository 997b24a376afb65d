// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void prelu_habit(Random& random, Problem& p) {
    p.direction = direction(random, {"BWD"});
    const size_t rank = usual_rank(random, 2, 5);
    p.src.type = p.other.type = p.dst.type = float_type(random);
    p.src.dims = p.dst.dims = p.other.dims = tensor(random, rank);
    p.src.tag = p.dst.tag = layout(random, rank);
    const bool all = random.one_in(8), one = random.one_in(4);
    for (size_t d = 0; d < rank && !all; ++d)
        if (d != 1 || one) p.other.dims[d] = 1;
    p.other.tag = random.one_in(2) ? "any" : plain(rank);
}

} // namespace hunt
