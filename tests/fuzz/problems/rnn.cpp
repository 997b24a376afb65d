// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/rnn.hpp"
#include "random_problem.hpp"

namespace tessera::fuzz {

namespace {

using namespace ops;

constexpr int cells[] = {alg::vanilla_rnn, alg::vanilla_lstm,  alg::vanilla_lstm, alg::vanilla_gru,
                         alg::lbr_gru,     alg::vanilla_augru, alg::lbr_augru};
constexpr int activations[] = {alg::eltwise_relu, alg::eltwise_tanh, alg::eltwise_logistic};

// Types of the tensors: of activations, states, weights, and what may stay in f32.
struct Types {
    DataType layer, iter, result, weights;
    DataType wide = DataType::f32;
};

Types random_types_of(Random& r, int cell, PropKind prop) {
    if (prop == PropKind::forward_inference && (cell == alg::vanilla_lstm || cell == alg::vanilla_gru) &&
        chance(r, 40)) {
        const DataType layer = chance(r, 70) ? DataType::u8 : DataType::s8;
        return {layer, chance(r, 70) ? layer : DataType::f32, chance(r, 70) ? layer : DataType::f32, DataType::s8};
    }
    constexpr DataType types[] = {DataType::f32, DataType::f32, DataType::bf16, DataType::f16};
    const DataType type = types[below(r, 4)];
    return {type, type, type, type, chance(r, 50) ? type : DataType::f32};
}

void add_qparams(Random& r, Attr& attr, const Types& types, const RnnSizes& s) {
    RnnQparams q;
    q.scale = float(1 + below(r, 128)), q.shift = types.layer == DataType::u8 ? float(below(r, 160)) : 0;
    const auto scales = [&](int64_t count) {
        std::vector<float> all;
        for (int64_t i = 0; i < count; ++i) all.push_back(float(1 + below(r, 64)) / 2);
        return all;
    };
    if (chance(r, 60)) q.weights_mask = 24;
    if (chance(r, 60)) q.projection_mask = 8;
    q.weights_scales = scales(q.weights_mask ? s.gates * s.dhc : 1);
    q.projection_scales = scales(q.projection_mask ? s.dic : 1);
    attr.rnn = q;
}

} // namespace

Result<Problem> random_rnn(Random& r) {
    RnnOptions o;
    o.cell = cells[below(r, 7)];
    o.activation = activations[below(r, 3)];
    o.alpha = chance(r, 50) ? 0 : float(below(r, 9)) / 8;
    const bool attention = o.cell == alg::vanilla_augru || o.cell == alg::lbr_augru;
    const bool lstm = o.cell == alg::vanilla_lstm;
    o.direction = attention ? Direction::left2right : Direction(1 + int(below(r, 4)));
    o.flags = unsigned(chance(r, 30));
    constexpr PropKind props[] = {PropKind::forward_training, PropKind::forward_inference, PropKind::backward};
    const PropKind prop = props[below(r, 3)];
    const auto channels = [&] { return 1 + below(r, chance(r, 30) ? 40 : 9); };
    RnnSizes s{};
    s.steps = chance(r, 3) ? 0 : chance(r, 30) ? 1 : 1 + below(r, 5);
    s.batch = chance(r, 3) ? 0 : 1 + below(r, chance(r, 30) ? 20 : 5);
    s.layers = attention || chance(r, 60) ? 1 : 2 + below(r, 2);
    s.directions = o.direction >= Direction::concat ? 2 : 1;
    s.gates = gates_of(o.cell);
    s.dhc = channels();
    const bool peephole = lstm && chance(r, 30), projection = lstm && chance(r, 30);
    s.dic = projection ? channels() : s.dhc;
    s.sic = s.steps == 1 && (lstm || o.cell == alg::vanilla_rnn) && chance(r, 50) ? channels() : s.dic;
    s.slc = s.layers > 1 ? s.dic : channels();
    s.dlc = s.dic * (o.direction == Direction::concat ? 2 : 1);
    const Types types = random_types_of(r, o.cell, prop);
    const bool int8 = is_integer(types.layer), src_iter = chance(r, 70), dst_iter = chance(r, 70);

    std::map<int, MemoryDesc> tensors;
    const auto describe = [&](int id, DataType type, bool read) {
        const auto dims = rnn_dims(id, o.cell, s);
        if (chance(r, 40)) return *make_desc_any(dims, type);
        return read ? random_source(r, dims, type) : random_desc(r, dims, type);
    };
    for (const RnnTensor& t : rnn_tensors()) {
        const bool iter_c = t.arg == arg::src_iter_c || t.arg == arg::dst_iter_c;
        const bool of_src = t.arg == arg::src_iter || t.arg == arg::src_iter_c;
        const bool of_dst = t.arg == arg::dst_iter || t.arg == arg::dst_iter_c;
        if ((iter_c && !lstm) || (of_src && !src_iter) || (of_dst && !dst_iter) ||
            (t.arg == arg::attention && !attention) || (t.arg == arg::weights_peephole && (!peephole || int8)) ||
            (t.arg == arg::weights_projection && !projection))
            continue;
        const bool weights =
            t.arg == arg::weights_layer || t.arg == arg::weights_iter || t.arg == arg::weights_projection;
        const DataType type = t.arg == arg::weights_peephole                       ? DataType::f32
                              : weights                                            ? types.weights
                              : iter_c || t.arg == arg::bias                       ? types.wide
                              : t.arg == arg::src_layer || t.arg == arg::attention ? types.layer
                              : t.arg == arg::dst_layer                            ? types.result
                                                                                   : types.iter;
        const bool backward = prop == PropKind::backward;
        tensors[t.arg] = describe(t.arg, type, !t.output || backward);
        if (backward) tensors[arg::diff_of(t.arg)] = describe(t.arg, DataType::f32, t.output);
    }
    Attr attr;
    if (int8) add_qparams(r, attr, types, s);
    return make_rnn(prop, o, tensors, nullptr, attr);
}

} // namespace tessera::fuzz
