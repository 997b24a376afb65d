// SPDX-License-Identifier: Apache-2.0
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "../problems/vary.hpp"
#include "row.hpp"

namespace differential {
namespace {

void generate(const Generator& make, Random& random, Problem& p) {
    static const std::vector<std::string> types = {"f32", "bf16", "s32", "s8", "u8", "f16", "e8m0", "f8_e4m3"};
    static const std::vector<std::string> directions = {"FWD_D", "FWD_I", "BWD_D"};
    const size_t rank = 1 + random.below(6);
    p.direction = random.pick(directions);
    p.src.type = random.pick(types);
    p.src.tag = make.tag(random, rank);
    p.src.dims = make.dims(random, {p.src.tag}, rank);
    p.axis = int(random.below(rank + (random.one_in(40) ? 1 : 0)));
    const int64_t size = size_t(p.axis) < rank ? p.src.dims[size_t(p.axis)] : 4;
    std::vector<int64_t> divisors;
    for (int64_t g = 1; g <= size; ++g)
        if (size % g == 0) divisors.push_back(g);
    p.group = divisors.empty() || random.one_in(25) ? random.between(-1, 5) : random.pick(divisors);
    vary_layout(random, p.src, false);
    const Dims dims = p.src.dims;
    p.dst = p.src;
    p.dst.dims = dims;
    if (random.percent(25)) {
        p.dst = Side{};
        p.dst.type = p.src.type;
        p.dst.tag = "any";
        p.dst.dims = dims;
    }
}

} // namespace

constinit const Row shuffle_row = {
    .name = "shuffle",
    .copies = true,
    .directed = true,
    .dst_follows = true,
    .has_axis = true,
    .has_group = true,
    .generate = generate,
};

} // namespace differential
