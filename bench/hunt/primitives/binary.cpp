// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void binary_habit(Random& random, Problem& p) {
    static const Names algorithms = {"add", "add", "add", "mul", "mul", "sub", "div", "max", "min", "ge", "select"};
    p.algorithm = random.pick(algorithms);
    const size_t rank = usual_rank(random, 1, 5);
    p.src.type = p.other.type = p.dst.type = any_type(random);
    if (random.one_in(6)) p.other.type = any_type(random);
    if (random.one_in(8)) p.dst.type = any_type(random);
    p.src.dims = p.other.dims = p.dst.dims = tensor(random, rank);
    p.src.tag = p.other.tag = p.dst.tag = layout(random, rank);
    if (random.one_in(12)) p.other.tag = layout(random, rank);
    if (random.one_in(12)) p.dst.tag = "any";
    if (p.algorithm != "select" && random.percent(55)) { // by channel, by row, by pixel, one number
        const uint64_t kept = random.percent(50) ? 1 : random.below(rank + 1);
        for (size_t d = 0; d < rank; ++d)
            if (d != kept && (kept != rank - 1 || random.one_in(2))) p.other.dims[d] = 1;
        if (random.one_in(8)) std::swap(p.src.dims, p.other.dims);
    }
    if (random.one_in(4)) add_post_ops(random, p);
    if (random.one_in(8)) p.scales = {{"src", 0, "", {}}, {"src1", 0, "", {}}};
}

} // namespace hunt
