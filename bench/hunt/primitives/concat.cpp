// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void concat_habit(Random& random, Problem& p) {
    const size_t rank = usual_rank(random, 2, 5), n = random.percent(70) ? 2 : 3 + random.below(6);
    p.axis = random.percent(75) ? 1 : int(random.below(rank));
    const auto axis = size_t(p.axis);
    p.dst.type = any_type(random);
    const std::string common = random.one_in(8) ? any_type(random) : p.dst.type;
    p.dst.tag = layout(random, rank);
    p.dst.dims = tensor(random, rank);
    const int64_t first = p.dst.dims[axis];
    p.dst.dims[axis] = 0;
    for (size_t i = 0; i < n; ++i) {
        Side side{common, random.one_in(15) ? layout(random, rank) : p.dst.tag, p.dst.dims, {}, {}, {}};
        side.dims[axis] = i == 0 || random.percent(60) ? first : random.between(1, 2 * first);
        p.dst.dims[axis] += side.dims[axis];
        p.sources.push_back({side, 1});
    }
    if (random.one_in(8)) p.dst.tag = "any";
    p.src.dims = p.dst.dims, p.src.type = common;
    if (random.one_in(10)) p.scales.push_back({"msrc0", 0, "", {}});
}

} // namespace hunt
