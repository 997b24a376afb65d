// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void group_normalization_habit(Random& random, Problem& p) {
    const size_t rank = usual_rank(random, 3, 5);
    p.direction = direction(random, {"BWD", "BWD", "BWD_D"});
    p.algorithm = random.percent(85) ? "CH" : "N";
    p.alpha = 1e-5;
    p.src.type = p.dst.type = float_type(random);
    p.src.dims = image(random, rank);
    static constexpr int64_t groups[] = {32, 32, 16, 8, 4, 2, 1};
    p.group = random.one_in(5) ? p.src.dims[1] : random.pick(groups); // one channel a group: instance normalization
    p.group = std::min(p.group, p.src.dims[1]);
    while (p.src.dims[1] % p.group) --p.group;
    p.src.tag = p.dst.tag = random.one_in(2) ? plain(rank) : channels_last(rank);
    p.dst.dims = p.src.dims;
    p.other.dims = {p.src.dims[1]}, p.other.tag = "a";
    if (p.direction[0] == 'F' && random.one_in(6)) p.post_ops.push_back({"swish", 1, 0, "", ""});
}

} // namespace hunt
