// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../realistic.hpp"

namespace hunt {

void pooling_habit(Random& random, Problem& p) {
    static const Names algorithms = {"max", "max", "max", "avg_exclude_padding", "avg_include_padding"};
    p.algorithm = random.pick(algorithms);
    p.direction = direction(random);
    p.src.type = p.dst.type = p.direction == "BWD_D" ? float_type(random) : any_type(random);
    if (p.direction == "FWD_I" && random.one_in(10)) p.dst.type = "f32";
    const size_t rank = random.percent(80) ? 4 : 3 + 2 * random.below(2);
    p.src.dims = image(random, rank);
    p.src.tag = p.dst.tag = layout(random, rank);
    p.dst.dims = p.src.dims;
    static constexpr int64_t kernels[] = {2, 2, 2, 3, 3, 3, 3, 4, 5, 5, 6, 7, 7, 9, 11, 13};
    const int64_t usual = random.pick(kernels);
    const bool global = random.one_in(7), overlaps = random.one_in(2), padded = random.one_in(2);
    for (size_t d = 2; d < rank; ++d) {
        const int64_t size = p.src.dims[d], kernel = global ? size : random.percent(90) ? usual : random.pick(kernels);
        const int64_t stride = global     ? 1
                               : overlaps ? random.between(1, 2)
                                          : kernel,
                      dilation = random.one_in(25) ? 1 : 0;
        const int64_t reach = (kernel - 1) * (dilation + 1) + 1, before = padded && !global ? kernel / 2 : 0;
        const int64_t behind = std::max(before, reach - size - before);
        p.windows.push_back({kernel, stride, dilation, before, behind});
        p.dst.dims[d] = (size - reach + before + behind) / stride + 1;
    }
    if (p.direction == "FWD_I" && random.one_in(8)) add_post_ops(random, p, 1);
    std::erase_if(p.post_ops, [](const auto& op) { return op.kind == "sum"; });
}

} // namespace hunt
