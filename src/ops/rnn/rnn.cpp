// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/rnn.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::ops {

int64_t gates_of(int cell) { return cell == alg::vanilla_rnn ? 1 : cell == alg::vanilla_lstm ? 4 : 3; }

Rnn::Rnn(const Problem& p)
    : cell(int(p.params.at(query::cell_kind))), activation(int(p.params.at(query::activation_kind))),
      alpha(p.float_params.at(query::alpha)), direction(Direction(int(p.params.at(query::direction)))),
      backward(p.prop == PropKind::backward), training(p.prop == PropKind::forward_training),
      overwrite((p.params.at(query::flags) & diff_weights_overwrite) != 0),
      has_projection(p.find(arg::weights_projection) != nullptr), type(p.md(arg::src_layer).type) {
    const Dims &src = p.md(arg::src_layer).dims, &w = p.md(arg::weights_layer).dims;
    steps = src[0], batch = src[1], slc = src[2];
    layers = w[0], directions = w[1], gates = w[3], dhc = w[4];
    sic = p.md(arg::weights_iter).dims[2];
    dic = has_projection ? p.md(arg::weights_projection).dims[3] : dhc;
    dlc = p.md(arg::dst_layer).dims[2];
}

namespace {

// "l1t2mb3sic4slc5dhc6dic6"
std::string shape_of_rnn(const Problem& p) {
    const Rnn r(p);
    return fmt::format("l{}t{}mb{}sic{}slc{}dhc{}dic{}", r.layers, r.steps, r.batch, r.sic, r.slc, r.dhc, r.dic);
}

std::vector<VerboseToken> tokens_of_rnn(const Problem& p) {
    std::vector<VerboseToken> all;
    for (const bool gradients : {false, true})
        for (const RnnTensor& t : rnn_tensors())
            if (const int id = gradients ? arg::diff_of(t.arg) : t.arg; p.find(id))
                all.push_back({gradients ? t.diff_word : t.word, id, true});
    return all;
}

Problem forward_of(const Problem& backward) {
    Problem p = backward;
    p.prop = PropKind::forward_training;
    std::erase_if(p.tensors, [](const Tensor& t) { return t.arg >= arg::diff_of(0); });
    for (Tensor& t : p.tensors)
        t.output = t.arg == arg::workspace || std::ranges::any_of(rnn_tensors(), [&](const RnnTensor& known) {
                       return known.arg == t.arg && known.output;
                   });
    return p;
}

// States of a layer are read before its first step and written behind its last one, gradients as well.
int written_over(int input) {
    switch (input) {
    case arg::src_iter:
        return arg::dst_iter;
    case arg::src_iter_c:
        return arg::dst_iter_c;
    case arg::diff_of(arg::dst_iter):
        return arg::diff_of(arg::src_iter);
    case arg::diff_of(arg::dst_iter_c):
        return arg::diff_of(arg::src_iter_c);
    default:
        return -1;
    }
}

} // namespace

constinit const Row rnn_row = {
    .kind = PrimitiveKind::rnn,
    .lower = lower_rnn,
    .ref = ref_rnn,
    .has_prop = true,
    .forward_of = forward_of,
    .written_over = written_over,
    .shape = shape_of_rnn,
    .tokens = tokens_of_rnn,
};

} // namespace tessera::ops
