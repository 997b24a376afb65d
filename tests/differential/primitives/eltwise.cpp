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

bool whole(const std::string& t) { return type(t)->kind != Kind::floating; }

void generate(const Generator& make, Random& random, Problem& p) {
    p.algorithm = random.pick(eltwise_algorithms()).name;
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_I", "BWD_D"});
    p.src.type = random.pick(types);
    if (whole(p.src.type) && random.percent(85)) {
        p.algorithm = random.pick(std::vector<std::string>{"relu", "linear", "clip"});
        p.direction = random.one_in(20) ? "BWD_D" : "FWD_D";
    }
    static constexpr double numbers[] = {0, 0, 1, .5, -.5, .25, 2, -1, .125, 3, -2, 1.5};
    p.alpha = random.pick(numbers);
    p.beta = random.pick(numbers);
    if (p.algorithm == "soft_relu" && p.alpha == 0) p.alpha = 1; // 0/0 (ELT-30)
    if (p.algorithm.rfind("clip", 0) == 0 && p.beta < p.alpha && !random.one_in(10)) std::swap(p.alpha, p.beta);
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    p.src.tag = make.pointwise_tag(random, rank);
    p.src.dims = make.dims(random, {p.src.tag}, rank);
    vary_layout(random, p.src, false);
    p.dst = p.src;
    if (random.one_in(8)) p.dst = {p.src.type, "any", p.src.dims, {}, {}, {}};
    if (random.percent(p.direction == "BWD_D" ? 2 : 20)) make.add_post_ops(random, p, !random.one_in(10));
    p.in_place = p.dst.tag == p.src.tag && random.one_in(8);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(8);
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    const auto alpha = double(float(p.alpha)), beta = double(float(p.beta));
    std::vector<Expected> out;
    for (int64_t i = 0; i < volume(p.dst.dims); ++i) {
        const double data = inputs[0].at(i, p.dst.dims);
        out.push_back(is_backward(p) ? eltwise_backward(p.algorithm, alpha, beta, data, inputs[1].at(i, p.dst.dims))
                                     : eltwise_forward(p.algorithm, alpha, beta, data));
    }
    return out;
}

} // namespace

constinit const Row eltwise_row = {
    .name = "eltwise",
    .directed = true,
    .has_algorithm = true,
    .dst_follows = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
