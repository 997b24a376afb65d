// SPDX-License-Identifier: Apache-2.0
// The C calls that create recurrent cells. The rules are in ops/rnn/desc.cpp.
#include "ops/rnn/rnn.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"
#include "ops/descriptors.hpp"

using namespace tessera;

namespace {

// The order in which calls take the tensors of forward, and then their gradients.
constexpr int of_rnn[] = {arg::src_layer, arg::src_iter,  arg::weights_layer, arg::weights_iter,
                          arg::bias,      arg::dst_layer, arg::dst_iter};
constexpr int of_lstm[] = {arg::src_layer,    arg::src_iter,         arg::src_iter_c,         arg::weights_layer,
                           arg::weights_iter, arg::weights_peephole, arg::weights_projection, arg::bias,
                           arg::dst_layer,    arg::dst_iter,         arg::dst_iter_c};
constexpr int of_augru[] = {arg::src_layer,    arg::src_iter, arg::attention, arg::weights_layer,
                            arg::weights_iter, arg::bias,     arg::dst_layer, arg::dst_iter};

using Given = std::initializer_list<const_dnnl_memory_desc_t>;

// Null descriptors are absent tensors; the rules say which may be. Backward has gradients.
dnnl_status_t create_cell(const char* function, dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                          dnnl_prop_kind_t prop_kind, const ops::RnnOptions& options, std::span<const int> arguments,
                          Given given, Given gradients, const_dnnl_primitive_desc_t hint,
                          const_dnnl_primitive_attr_t attr) {
    const bool forward = gradients.size() == 0;
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine); !ok) return ok;
        const auto prop = PropKind(int(prop_kind));
        if (forward)
            if (auto ok = ops::check_forward(PrimitiveKind::rnn, prop); !ok) return ok;
        if (!forward && prop != PropKind::backward)
            return invalid("rnn: propagation kind {} is not backward (all gradients)", named(prop));
        if (auto ok = check_hint(PrimitiveKind::rnn, hint); !ok) return ok;
        std::map<int, MemoryDesc> tensors;
        for (size_t i = 0; i < given.size(); ++i)
            if (given.begin()[i]) tensors[arguments[i]] = given.begin()[i]->md;
        for (size_t i = 0; i < gradients.size(); ++i)
            if (gradients.begin()[i]) tensors[arg::diff_of(arguments[i])] = gradients.begin()[i]->md;
        return create_primitive_desc(
            primitive_desc, engine, engine,
            ops::make_rnn(prop, options, tensors, hint ? &hint->impl->problem : nullptr, attr_or_default(attr)));
    });
}

} // namespace

dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags, float alpha,
    float beta, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_vanilla_rnn_forward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::vanilla_rnn, int(activation), ops::Direction(int(direction)), flags, alpha, beta}, of_rnn,
                       {src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                        dst_iter_desc},
                       {}, nullptr, attr);
}

dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
    const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags, float alpha, float beta,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_vanilla_rnn_backward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::vanilla_rnn, int(activation), ops::Direction(int(direction)), flags, alpha, beta}, of_rnn,
                       {src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                        dst_iter_desc},
                       {diff_src_layer_desc, diff_src_iter_desc, diff_weights_layer_desc, diff_weights_iter_desc,
                        diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc},
                       hint_fwd_pd, attr);
}

dnnl_status_t dnnl_lstm_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, unsigned int flags, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_lstm_forward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::vanilla_lstm, 0, ops::Direction(int(direction)), flags}, of_lstm,
                       {src_layer_desc, src_iter_desc, src_iter_c_desc, weights_layer_desc, weights_iter_desc,
                        weights_peephole_desc, weights_projection_desc, bias_desc, dst_layer_desc, dst_iter_desc,
                        dst_iter_c_desc},
                       {}, nullptr, attr);
}

dnnl_status_t dnnl_lstm_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_src_iter_c_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_weights_peephole_desc, const_dnnl_memory_desc_t diff_weights_projection_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
    const_dnnl_memory_desc_t diff_dst_iter_desc, const_dnnl_memory_desc_t diff_dst_iter_c_desc, unsigned int flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_lstm_backward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::vanilla_lstm, 0, ops::Direction(int(direction)), flags}, of_lstm,
                       {src_layer_desc, src_iter_desc, src_iter_c_desc, weights_layer_desc, weights_iter_desc,
                        weights_peephole_desc, weights_projection_desc, bias_desc, dst_layer_desc, dst_iter_desc,
                        dst_iter_c_desc},
                       {diff_src_layer_desc, diff_src_iter_desc, diff_src_iter_c_desc, diff_weights_layer_desc,
                        diff_weights_iter_desc, diff_weights_peephole_desc, diff_weights_projection_desc,
                        diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc, diff_dst_iter_c_desc},
                       hint_fwd_pd, attr);
}

dnnl_status_t dnnl_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    unsigned int flags, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_gru_forward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::vanilla_gru, 0, ops::Direction(int(direction)), flags}, of_rnn,
                       {src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                        dst_iter_desc},
                       {}, nullptr, attr);
}

dnnl_status_t dnnl_gru_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
    const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_gru_backward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::vanilla_gru, 0, ops::Direction(int(direction)), flags}, of_rnn,
                       {src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                        dst_iter_desc},
                       {diff_src_layer_desc, diff_src_iter_desc, diff_weights_layer_desc, diff_weights_iter_desc,
                        diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc},
                       hint_fwd_pd, attr);
}

dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    unsigned int flags, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_lbr_gru_forward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::lbr_gru, 0, ops::Direction(int(direction)), flags}, of_rnn,
                       {src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                        dst_iter_desc},
                       {}, nullptr, attr);
}

dnnl_status_t dnnl_lbr_gru_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc, const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
    const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_lbr_gru_backward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::lbr_gru, 0, ops::Direction(int(direction)), flags}, of_rnn,
                       {src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                        dst_iter_desc},
                       {diff_src_layer_desc, diff_src_iter_desc, diff_weights_layer_desc, diff_weights_iter_desc,
                        diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc},
                       hint_fwd_pd, attr);
}

dnnl_status_t dnnl_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_augru_forward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::vanilla_augru, 0, ops::Direction(int(direction)), flags}, of_augru,
                       {src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc, bias_desc,
                        dst_layer_desc, dst_iter_desc},
                       {}, nullptr, attr);
}

dnnl_status_t dnnl_augru_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_attention_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_augru_backward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::vanilla_augru, 0, ops::Direction(int(direction)), flags}, of_augru,
                       {src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc, bias_desc,
                        dst_layer_desc, dst_iter_desc},
                       {diff_src_layer_desc, diff_src_iter_desc, diff_attention_desc, diff_weights_layer_desc,
                        diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc},
                       hint_fwd_pd, attr);
}

dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_lbr_augru_forward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::lbr_augru, 0, ops::Direction(int(direction)), flags}, of_augru,
                       {src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc, bias_desc,
                        dst_layer_desc, dst_iter_desc},
                       {}, nullptr, attr);
}

dnnl_status_t dnnl_lbr_augru_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_attention_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_lbr_augru_backward_primitive_desc_create", primitive_desc, engine, prop_kind,
                       {alg::lbr_augru, 0, ops::Direction(int(direction)), flags}, of_augru,
                       {src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc, bias_desc,
                        dst_layer_desc, dst_iter_desc},
                       {diff_src_layer_desc, diff_src_iter_desc, diff_attention_desc, diff_weights_layer_desc,
                        diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc},
                       hint_fwd_pd, attr);
}
