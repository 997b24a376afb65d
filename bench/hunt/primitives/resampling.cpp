// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../realistic.hpp"

namespace hunt {

void resampling_habit(Random& random, Problem& p) {
    p.algorithm = random.one_in(2) ? "nearest" : "linear";
    p.direction = direction(random);
    p.src.type = p.dst.type = p.direction == "BWD_D" ? float_type(random) : any_type(random);
    if (p.direction != "BWD_D" && random.one_in(8)) p.dst.type = any_type(random);
    const size_t rank = random.percent(80) ? 4 : 3 + 2 * random.below(2);
    p.src.dims = image(random, rank);
    for (size_t d = 2; d < rank; ++d) p.src.dims[d] = std::min<int64_t>(p.src.dims[d], 512);
    p.dst.dims = p.src.dims;
    static constexpr double factors[] = {2, 2, 2, 4, .5, 3, 1.5, 8, .25, 1.25};
    static constexpr int64_t sizes[] = {7, 14, 32, 33, 65, 112, 128, 129, 224, 256, 300, 416, 513};
    const double factor = random.pick(factors);
    const int64_t size = random.pick(sizes);
    const bool to_size = random.one_in(3);
    for (size_t d = 2; d < rank; ++d)
        p.dst.dims[d] = to_size ? size : std::max<int64_t>(1, int64_t(double(p.src.dims[d]) * factor));
    while (differential::volume(p.dst.dims) > 16000000 && p.src.dims[1] > 1)
        p.src.dims[1] = p.dst.dims[1] = (p.dst.dims[1] + 1) / 2;
    p.src.tag = p.dst.tag = layout(random, rank);
    if (p.direction != "BWD_D" && random.one_in(6)) add_post_ops(random, p, 1);
}

} // namespace hunt
