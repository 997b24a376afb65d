// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {

void eltwise_habit(Random& random, Problem& p) {
    static const Names algorithms = {"relu", "relu", "gelu_erf",    "gelu_tanh", "swish",     "tanh",      "logistic",
                                     "clip", "exp",  "log",         "elu",       "soft_relu", "hardswish", "square",
                                     "abs",  "sqrt", "hardsigmoid", "mish",      "pow",       "round",     "linear"};
    p.algorithm = random.pick(algorithms);
    p.src.type = any_type(random);
    p.direction = direction(random);
    const bool whole = p.src.type == "s8" || p.src.type == "u8" || p.src.type == "s32";
    if (whole) p.algorithm = random.percent(70) ? "relu" : random.one_in(2) ? "linear" : "clip";
    if (whole || p.algorithm == "round") p.direction = "FWD_I";
    p.alpha = p.algorithm == "relu" ? (random.one_in(3) ? .1 : 0) : p.algorithm == "clip" ? -1 : .5;
    p.beta = 1;
    if (p.algorithm == "pow") p.alpha = 1, p.beta = random.one_in(2) ? .5 : 2.5;
    if (p.algorithm == "round") p.src.type = "f32"; // the peer's alone
    const size_t rank = usual_rank(random, 1, 5);
    p.src.dims = tensor(random, rank);
    p.src.tag = layout(random, rank);
    if (p.src.tag == plain(rank) && rank > 1 && random.one_in(10)) add_row_gap(p.src, random.between(1, 16));
    p.dst = p.src;
    if (p.direction == "FWD_I" && !p.src.tag.empty() && random.one_in(8)) add_post_ops(random, p, 1);
    std::erase_if(p.post_ops, [](const auto& op) { return op.type.empty(); }); // those of two tensors alone
}

} // namespace hunt
