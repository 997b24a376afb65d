// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "row.hpp"

namespace differential {
namespace {

const std::vector<std::string> types = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};

void generate(const Generator& make, Random& random, Problem& p) {
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    const size_t n = random.one_in(10) ? 1 + random.below(12) : 1 + random.below(4);
    const std::string common = random.pick(types), tag = make.pointwise_tag(random, rank);
    p.axis = int(random.percent(50) && rank > 1 ? 1 : random.below(rank));
    const auto axis = size_t(p.axis);
    p.dst.type = random.percent(70) ? common : random.pick(types);
    p.dst.tag = random.percent(60) ? tag : random.percent(70) ? "any" : make.pointwise_tag(random, rank);
    p.dst.dims = make.dims(random, {tag, p.dst.tag}, rank);
    for (size_t d = 0; d < rank; ++d)
        if (d != axis && n > 4) p.dst.dims[d] = std::min<int64_t>(p.dst.dims[d], 3);
    const Dims one = p.dst.dims;
    p.dst.dims[axis] = 0;
    for (size_t i = 0; i < n; ++i) {
        Side side{common, tag, one, {}, {}, {}};
        if (random.one_in(5)) side.tag = make.pointwise_tag(random, rank);
        if (i > 0) side.dims[axis] = random.one_in(12) ? 0 : random.one_in(3) ? 16 : 1 + int64_t(random.below(9));
        p.dst.dims[axis] += side.dims[axis];
        p.sources.push_back({side, 1});
    }
    if (random.one_in(40)) p.dst.dims[random.below(rank)] += 1;
    if (random.one_in(60)) p.sources.back().side.type = random.pick(types);
    if (random.one_in(60)) p.axis = int(rank);
    p.src.dims = p.dst.dims;
    p.src.type = common;
    for (size_t i = 0; i < n; ++i)
        if (random.one_in(12)) p.scales.push_back({"msrc" + std::to_string(i), random.one_in(30) ? 2 : 0, "", {}});
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(20);
}

} // namespace

constinit const Row concat_row = {
    .name = "concat",
    .has_sources = true,
    .has_axis = true,
    .generate = generate,
};

} // namespace differential
