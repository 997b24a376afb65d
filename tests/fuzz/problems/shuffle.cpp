// SPDX-License-Identifier: Apache-2.0
#include "ops/shuffle/shuffle.hpp"
#include "random_problem.hpp"

namespace tessera::fuzz {

Result<Problem> random_shuffle(Random& r) {
    auto dims = random_dims(r);
    const int axis = int(below(r, int64_t(dims.size())));
    const int64_t group = 1 + below(r, 5);
    if (chance(r, 80)) dims[size_t(axis)] = group * (1 + below(r, 9));
    const DataType type = random_type(r);
    const MemoryDesc src = random_source(r, dims, type);
    const MemoryDesc dst = chance(r, 50) ? src : random_desc(r, dims, type);
    constexpr PropKind kinds[] = {PropKind::forward_training, PropKind::forward_inference, PropKind::backward_data};
    return ops::make_shuffle(kinds[below(r, 3)], src, dst, axis, group, {});
}

} // namespace tessera::fuzz
