// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "../problems/vary.hpp"
#include "row.hpp"

namespace differential {
namespace {

const std::vector<std::string> types = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};

void generate(const Generator& make, Random& random, Problem& p) {
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_I", "BWD", "BWD"});
    const bool mixed = random.one_in(4);
    p.src.type = p.dst.type = random.pick(types);
    p.other.type = mixed ? random.pick(types) : p.src.type;
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(random.one_in(10) ? 6 : 5);
    p.src.tag = make.pointwise_tag(random, rank);
    p.other.tag = random.percent(50) ? "any" : random.one_in(2) ? p.src.tag : make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(75) ? p.src.tag : random.percent(90) ? "any" : make.pointwise_tag(random, rank);
    p.src.dims = p.other.dims = make.dims(random, {p.src.tag, p.other.tag, p.dst.tag}, rank);
    p.dst.dims = p.src.dims;
    const uint64_t mask = random.one_in(3) ? 2 : random.below(1u << rank);
    for (size_t d = 0; d < rank; ++d)
        if (!(mask >> d & 1)) p.other.dims[d] = 1;
    if (random.one_in(30)) p.other.dims[random.below(rank)] += 1;
    if (is_backward(p) && random.one_in(2)) p.want = "diff_weights";
    const bool alike = p.dst.tag == p.src.tag;
    if (random.one_in(3)) vary_layout(random, p.src, false);
    if (random.one_in(3) && p.other.tag != "any") vary_layout(random, p.other, false);
    p.in_place = !is_backward(p) && alike && p.src.parent.empty() && !p.src.tag.empty() && random.one_in(10);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(8);
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    const Tensor &src = inputs[0], &weights = inputs[1];
    std::vector<Expected> out;
    const auto n = int64_t(src.values.size());
    if (p.want != "diff_weights") {
        for (int64_t i = 0; i < n; ++i) {
            const double s = src.values[size_t(i)], w = weights.at(i, src.dims);
            if (!is_backward(p)) {
                out.push_back(prelu_value(s, w));
                continue;
            }
            const double dd = inputs[2].values[size_t(i)];
            out.push_back(s > 0 ? Expected{dd, 0, unusual(dd) || unusual(s) || unusual(w)} : binary("mul", dd, w));
            out.back().special |= unusual(s);
        }
        return out;
    }
    std::vector<Sum> sums(weights.values.size());
    Tensor places = weights; // each weight's own index
    for (size_t k = 0; k < places.values.size(); ++k) places.values[k] = double(k);
    for (int64_t i = 0; i < n; ++i) {
        const double s = src.values[size_t(i)], dd = inputs[2].values[size_t(i)];
        Sum& total = sums[size_t(places.at(i, src.dims))];
        total.add((std::isnan(s) ? s : std::min(s, 0.0)) * dd);
        total.special |= unusual(s) || unusual(dd);
    }
    for (const Sum& total : sums) out.push_back(total.expected());
    return out;
}

} // namespace

constinit const Row prelu_row = {
    .name = "prelu",
    .directed = true,
    .has_other = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
