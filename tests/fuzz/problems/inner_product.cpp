// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "ops/inner_product/inner_product.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

namespace {

using Extents = std::vector<int64_t>;

// Plain, channels last, open, or anything.
MemoryDesc tensor(Random& r, const Extents& dims, DataType type) {
    const auto open = make_desc_any(dims, type);
    if (open && chance(r, 40)) return *open;
    if (chance(r, 40)) return random_desc(r, dims, type);
    std::string tag = std::string("abcde").substr(0, dims.size());
    if (chance(r, 50)) std::rotate(tag.begin() + 1, tag.begin() + std::min<long>(2, std::ssize(tag)), tag.end());
    return *make_desc_with_tag(dims, type, tag);
}

void add_scale(Random& r, Attr& attr, int id, int masks) {
    if (!chance(r, 50)) return;
    Quant q;
    q.mask = int(below(r, masks));
    if (chance(r, 20)) q.type = DataType::bf16;
    (void)attr.set_scales(id, q);
}

} // namespace

Result<Problem> random_inner_product(Random& r) {
    const int64_t most[] = {1, 4, 20, 40, 80, 300};
    const auto extent = [&] { return 1 + below(r, most[below(r, 6)]); };
    Extents src{chance(r, 2) ? 0 : extent(), extent()};
    for (int64_t d = chance(r, 50) ? 0 : 1 + below(r, 3); d > 0; --d) src.push_back(1 + below(r, 4));
    if (chance(r, 15)) src = {src[0], 4}; // rows of weights of 4 bytes, which the kernels read as they lie
    int64_t outputs = extent(), products = std::max<int64_t>(src[0], 1) * outputs;
    for (size_t d = 1; d < src.size(); ++d) products *= src[d];
    while (products > most_products) {
        int64_t& largest = std::max({std::ref(src[0]), std::ref(src[1]), std::ref(outputs)}).get();
        products /= largest;
        products *= largest = (largest + 1) / 2;
    }
    Extents weights = src;
    weights[0] = outputs;
    const Extents dst{src[0], outputs};

    const int64_t direction = below(r, 4);
    const auto [a, b] = factor_types(r, direction < 2);
    const DataType to = result_type(r, a);
    const MemoryDesc bias = chance(r, 50) ? tensor(r, {outputs}, result_type(r, a)) : MemoryDesc();
    Attr attr;
    if (direction == 2)
        return ops::make_inner_product_backward_data(tensor(r, src, to), tensor(r, weights, b), tensor(r, dst, a),
                                                     attr);
    if (direction == 3)
        return ops::make_inner_product_backward_weights(tensor(r, src, a), tensor(r, weights, to), bias,
                                                        tensor(r, dst, a), attr);
    if (is_integer(a)) {
        add_scale(r, attr, arg::src, 1);
        add_scale(r, attr, arg::weights, 2);
        add_scale(r, attr, arg::dst, 1);
    }
    add_post_ops(r, attr, dst, true);
    return ops::make_inner_product_forward(PropKind::forward_inference, tensor(r, src, a), tensor(r, weights, b), bias,
                                           tensor(r, dst, to), attr);
}

} // namespace tessera::fuzz
