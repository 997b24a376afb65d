// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void shuffle_habit(Random& random, Problem& p) {
    const size_t rank = usual_rank(random, 3, 5);
    p.direction = direction(random);
    p.src.type = any_type(random);
    p.src.dims = image(random, rank);
    p.src.tag = layout(random, rank);
    p.axis = random.percent(90) ? 1 : int(random.below(rank));
    const int64_t size = p.src.dims[size_t(p.axis)];
    static constexpr int64_t groups[] = {2, 2, 3, 4, 8, 16};
    p.group = std::min(size, random.pick(groups));
    while (size % p.group) --p.group;
    p.dst = p.src;
}

} // namespace hunt
