// SPDX-License-Identifier: Apache-2.0
#include "random_normalization.hpp"

namespace tessera::fuzz {

RandomNormalization::RandomNormalization(Random& r, unsigned possible) : flags(unsigned(below(r, 64)) & possible) {
    constexpr PropKind props[] = {PropKind::forward_training, PropKind::forward_inference, PropKind::backward,
                                  PropKind::backward_data};
    constexpr float epsilons[] = {1e-5f, 1e-5f, 1e-3f, 1.f};
    prop = props[below(r, 4)];
    backward = prop == PropKind::backward || prop == PropKind::backward_data;
    epsilon = epsilons[below(r, 4)];
}

std::vector<int64_t> dims_of_normalization(Random& r, size_t most) {
    std::vector<int64_t> dims = random_dims(r);
    while (dims.size() < 2) dims.push_back(1 + below(r, 9));
    if (dims.size() > most) dims.resize(most);
    return dims;
}

DataType float_of_normalization(Random& r) {
    constexpr DataType types[] = {DataType::f32, DataType::f32, DataType::bf16, DataType::f16};
    return types[below(r, 4)];
}

DataType type_of_normalization(Random& r) {
    return chance(r, 60) ? float_of_normalization(r) : chance(r, 50) ? DataType::s8 : DataType::u8;
}

void add_attributes(Random& r, Attr& attr, const std::vector<int64_t>& dims, bool int8) {
    add_post_ops(r, attr, dims, false);
    std::erase_if(attr.post_ops.entries, [](const PostOp& p) { return p.kind == PostOpKind::sum; });
    for (const int id : {arg::src, arg::dst})
        if (int8 && chance(r, 40)) attr.scales[id] = Quant{0, {}, DataType::f32, false};
}

} // namespace tessera::fuzz
