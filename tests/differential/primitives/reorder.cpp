// SPDX-License-Identifier: Apache-2.0
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "../problems/vary.hpp"
#include "row.hpp"

namespace differential {
namespace {

void generate(const Generator& make, Random& random, Problem& p) {
    static const std::vector<std::string> common = {"f32", "bf16", "f16", "s32", "s8", "u8"};
    static const std::vector<std::string> all = {"f32",     "bf16",    "f16", "s32",     "s8",   "u8",
                                                 "f8_e5m2", "f8_e4m3", "s4",  "u4",      "e8m0", "f4_e2m1",
                                                 "f4_e3m0", "f64",     "s64", "boolean", "undef"};
    const size_t rank = random.percent(90) ? 1 + random.below(6) : 7 + random.below(6);
    p.src.type = random.pick(random.percent(78) ? common : all);
    p.dst.type = random.pick(random.percent(78) ? common : all);
    p.src.tag = make.tag(random, rank);
    p.dst.tag = random.percent(15) ? p.src.tag : make.tag(random, rank);
    p.src.dims = p.dst.dims = make.dims(random, {p.src.tag, p.dst.tag}, rank);
    if (random.percent(30)) make.add_attributes(random, p);
    if (random.percent(4)) {
        p.runtime_mask = 1 + int(random.below((1u << rank) - 1));
        return;
    }
    vary_layout(random, p.src, true);
    vary_layout(random, p.dst, false);
    const bool arithmetic = !p.scales.empty() || !p.zero_points.empty() || !p.post_ops.empty();
    p.special = !arithmetic && random.one_in(20);
}

} // namespace

constinit const Row reorder_row = {
    .name = "reorder",
    .copies = true,
    .generate = generate,
};

} // namespace differential
