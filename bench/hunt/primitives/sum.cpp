// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void sum_habit(Random& random, Problem& p) {
    const size_t rank = usual_rank(random, 1, 5), n = random.percent(70) ? 2 : 3 + random.below(4);
    p.dst.type = any_type(random);
    const std::string common = random.one_in(5) ? any_type(random) : p.dst.type, tag = layout(random, rank);
    p.dst.dims = p.src.dims = tensor(random, rank);
    p.dst.tag = random.percent(85) ? tag : "any";
    for (size_t i = 0; i < n; ++i)
        p.sources.push_back({{common, random.one_in(15) ? layout(random, rank) : tag, p.dst.dims, {}, {}, {}},
                             random.one_in(2) ? 1. : .5});
}

} // namespace hunt
