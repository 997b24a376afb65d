// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "../problems/vary.hpp"
#include "row.hpp"

namespace differential {
namespace {

const std::vector<std::string> types = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};

void generate(const Generator& make, Random& random, Problem& p) {
    p.algorithm = random.pick(binary_algorithms()).name;
    const bool mixed = random.one_in(2);
    p.src.type = random.pick(types);
    p.other.type = mixed ? random.pick(types) : p.src.type;
    p.dst.type = mixed ? random.pick(types) : p.src.type;
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    p.src.tag = make.pointwise_tag(random, rank);
    p.other.tag = random.percent(70) ? p.src.tag : make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(80) ? p.src.tag : random.one_in(2) ? "any" : make.pointwise_tag(random, rank);
    p.dst.dims = make.dims(random, {p.src.tag, p.other.tag, p.dst.tag}, rank);
    p.src.dims = p.other.dims = p.dst.dims;
    const bool by_channel = random.one_in(3), by_dim = random.one_in(3), left_too = random.one_in(5);
    for (size_t d = 0; d < rank && p.dst.dims[d] > 0; ++d) {
        if (by_channel ? d != 1 : by_dim && random.one_in(2)) p.other.dims[d] = 1;
        if (left_too && random.one_in(3)) p.src.dims[d] = 1;
        p.dst.dims[d] = std::max(p.src.dims[d], p.other.dims[d]);
    }
    if (random.one_in(30)) p.other.dims[random.below(rank)] += 1;
    if (random.one_in(10)) p.algorithm = "select";
    if (p.algorithm == "select" && random.percent(95)) p.other.dims = p.src.dims = p.dst.dims;
    if (random.one_in(3)) make.add_post_ops(random, p, false);
    if (random.one_in(3)) vary_layout(random, p.src, p.algorithm != "select");
    if (random.one_in(3)) vary_layout(random, p.other, true);
    if (random.one_in(3) && p.dst.tag != "any") vary_layout(random, p.dst, false);
    const bool dense = p.src.parent.empty() && p.dst.parent.empty() && !p.src.tag.empty();
    const bool alike = dense && p.dst.tag == p.src.tag && p.dst.type == p.src.type && p.dst.dims == p.src.dims;
    p.in_place = alike && random.one_in(6);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(8);
    if (random.one_in(4)) {
        if (random.percent(70)) p.scales.push_back({"src", 0, "", {}});
        if (random.percent(60)) p.scales.push_back({"src1", 0, "", {}});
        if (random.one_in(20)) p.scales.push_back({"dst", 0, "", {}});
        if (random.one_in(30) && !p.scales.empty()) p.scales[0].mask = 2;
        p.seed &= ~uint64_t(1); // a rounded product decides a comparison
    }
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    std::vector<Expected> out;
    for (int64_t i = 0; i < volume(p.dst.dims); ++i) {
        const double left = inputs[0].at(i, p.dst.dims), right = inputs[1].at(i, p.dst.dims);
        if (p.algorithm == "select") {
            const double chosen = inputs[2].at(i, p.dst.dims) != 0 ? left : right;
            out.push_back({chosen, 0, unusual(chosen)});
        } else {
            out.push_back(binary(p.algorithm, left, right));
        }
    }
    return out;
}

} // namespace

constinit const Row binary_row = {
    .name = "binary",
    .has_algorithm = true,
    .has_other = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
