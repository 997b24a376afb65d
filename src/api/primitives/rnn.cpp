// The C calls that create recurrent cells. The rules are in ops/rnn/desc.cpp.
#include "ops/rnn/rnn.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"
#include "ops/sides.hpp"

using namespace tessera;

namespace {

struct Given {
    int arg;
    const_dnnl_memory_desc_t desc;
};

// Null descriptors are absent tensors; the rules say which may be.
dnnl_status_t create_cell(const char* function, dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                          bool forward, dnnl_prop_kind_t prop_kind, const ops::RnnOptions& options,
                          std::initializer_list<Given> given, const_dnnl_primitive_desc_t hint,
                          const_dnnl_primitive_attr_t attr) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine); !ok) return ok;
        const auto prop = PropKind(int(prop_kind));
        if (forward)
            if (auto ok = ops::check_forward(PrimitiveKind::rnn, prop); !ok) return ok;
        if (!forward && prop != PropKind::backward)
            return invalid("rnn: propagation kind {} is not backward (128: all gradients)", int(prop));
        if (auto ok = check_hint(PrimitiveKind::rnn, hint); !ok) return ok;
        std::map<int, MemoryDesc> tensors;
        for (const Given& g : given)
            if (g.desc) tensors[g.arg] = g.desc->md;
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
    return create_cell("dnnl_vanilla_rnn_forward_primitive_desc_create", primitive_desc, engine, true, prop_kind,
                       {alg::vanilla_rnn, int(activation), ops::Direction(int(direction)), flags, alpha, beta},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc}},
                       nullptr, attr);
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
    return create_cell("dnnl_vanilla_rnn_backward_primitive_desc_create", primitive_desc, engine, false, prop_kind,
                       {alg::vanilla_rnn, int(activation), ops::Direction(int(direction)), flags, alpha, beta},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc},
                        {arg::diff_of(arg::src_layer), diff_src_layer_desc},
                        {arg::diff_of(arg::src_iter), diff_src_iter_desc},
                        {arg::diff_of(arg::weights_layer), diff_weights_layer_desc},
                        {arg::diff_of(arg::weights_iter), diff_weights_iter_desc},
                        {arg::diff_of(arg::bias), diff_bias_desc},
                        {arg::diff_of(arg::dst_layer), diff_dst_layer_desc},
                        {arg::diff_of(arg::dst_iter), diff_dst_iter_desc}},
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
    return create_cell("dnnl_lstm_forward_primitive_desc_create", primitive_desc, engine, true, prop_kind,
                       {alg::vanilla_lstm, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::src_iter_c, src_iter_c_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::weights_peephole, weights_peephole_desc},
                        {arg::weights_projection, weights_projection_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc},
                        {arg::dst_iter_c, dst_iter_c_desc}},
                       nullptr, attr);
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
    return create_cell("dnnl_lstm_backward_primitive_desc_create", primitive_desc, engine, false, prop_kind,
                       {alg::vanilla_lstm, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::src_iter_c, src_iter_c_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::weights_peephole, weights_peephole_desc},
                        {arg::weights_projection, weights_projection_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc},
                        {arg::dst_iter_c, dst_iter_c_desc},
                        {arg::diff_of(arg::src_layer), diff_src_layer_desc},
                        {arg::diff_of(arg::src_iter), diff_src_iter_desc},
                        {arg::diff_of(arg::src_iter_c), diff_src_iter_c_desc},
                        {arg::diff_of(arg::weights_layer), diff_weights_layer_desc},
                        {arg::diff_of(arg::weights_iter), diff_weights_iter_desc},
                        {arg::diff_of(arg::weights_peephole), diff_weights_peephole_desc},
                        {arg::diff_of(arg::weights_projection), diff_weights_projection_desc},
                        {arg::diff_of(arg::bias), diff_bias_desc},
                        {arg::diff_of(arg::dst_layer), diff_dst_layer_desc},
                        {arg::diff_of(arg::dst_iter), diff_dst_iter_desc},
                        {arg::diff_of(arg::dst_iter_c), diff_dst_iter_c_desc}},
                       hint_fwd_pd, attr);
}

dnnl_status_t dnnl_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    unsigned int flags, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_gru_forward_primitive_desc_create", primitive_desc, engine, true, prop_kind,
                       {alg::vanilla_gru, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc}},
                       nullptr, attr);
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
    return create_cell("dnnl_gru_backward_primitive_desc_create", primitive_desc, engine, false, prop_kind,
                       {alg::vanilla_gru, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc},
                        {arg::diff_of(arg::src_layer), diff_src_layer_desc},
                        {arg::diff_of(arg::src_iter), diff_src_iter_desc},
                        {arg::diff_of(arg::weights_layer), diff_weights_layer_desc},
                        {arg::diff_of(arg::weights_iter), diff_weights_iter_desc},
                        {arg::diff_of(arg::bias), diff_bias_desc},
                        {arg::diff_of(arg::dst_layer), diff_dst_layer_desc},
                        {arg::diff_of(arg::dst_iter), diff_dst_iter_desc}},
                       hint_fwd_pd, attr);
}

dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    unsigned int flags, const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_lbr_gru_forward_primitive_desc_create", primitive_desc, engine, true, prop_kind,
                       {alg::lbr_gru, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc}},
                       nullptr, attr);
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
    return create_cell("dnnl_lbr_gru_backward_primitive_desc_create", primitive_desc, engine, false, prop_kind,
                       {alg::lbr_gru, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc},
                        {arg::diff_of(arg::src_layer), diff_src_layer_desc},
                        {arg::diff_of(arg::src_iter), diff_src_iter_desc},
                        {arg::diff_of(arg::weights_layer), diff_weights_layer_desc},
                        {arg::diff_of(arg::weights_iter), diff_weights_iter_desc},
                        {arg::diff_of(arg::bias), diff_bias_desc},
                        {arg::diff_of(arg::dst_layer), diff_dst_layer_desc},
                        {arg::diff_of(arg::dst_iter), diff_dst_iter_desc}},
                       hint_fwd_pd, attr);
}

dnnl_status_t dnnl_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_augru_forward_primitive_desc_create", primitive_desc, engine, true, prop_kind,
                       {alg::vanilla_augru, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::attention, attention_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc}},
                       nullptr, attr);
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
    return create_cell("dnnl_augru_backward_primitive_desc_create", primitive_desc, engine, false, prop_kind,
                       {alg::vanilla_augru, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::attention, attention_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc},
                        {arg::diff_of(arg::src_layer), diff_src_layer_desc},
                        {arg::diff_of(arg::src_iter), diff_src_iter_desc},
                        {arg::diff_of(arg::attention), diff_attention_desc},
                        {arg::diff_of(arg::weights_layer), diff_weights_layer_desc},
                        {arg::diff_of(arg::weights_iter), diff_weights_iter_desc},
                        {arg::diff_of(arg::bias), diff_bias_desc},
                        {arg::diff_of(arg::dst_layer), diff_dst_layer_desc},
                        {arg::diff_of(arg::dst_iter), diff_dst_iter_desc}},
                       hint_fwd_pd, attr);
}

dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned int flags,
    const_dnnl_primitive_attr_t attr) {
    return create_cell("dnnl_lbr_augru_forward_primitive_desc_create", primitive_desc, engine, true, prop_kind,
                       {alg::lbr_augru, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::attention, attention_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc}},
                       nullptr, attr);
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
    return create_cell("dnnl_lbr_augru_backward_primitive_desc_create", primitive_desc, engine, false, prop_kind,
                       {alg::lbr_augru, 0, ops::Direction(int(direction)), flags},
                       {{arg::src_layer, src_layer_desc},
                        {arg::src_iter, src_iter_desc},
                        {arg::attention, attention_desc},
                        {arg::weights_layer, weights_layer_desc},
                        {arg::weights_iter, weights_iter_desc},
                        {arg::bias, bias_desc},
                        {arg::dst_layer, dst_layer_desc},
                        {arg::dst_iter, dst_iter_desc},
                        {arg::diff_of(arg::src_layer), diff_src_layer_desc},
                        {arg::diff_of(arg::src_iter), diff_src_iter_desc},
                        {arg::diff_of(arg::attention), diff_attention_desc},
                        {arg::diff_of(arg::weights_layer), diff_weights_layer_desc},
                        {arg::diff_of(arg::weights_iter), diff_weights_iter_desc},
                        {arg::diff_of(arg::bias), diff_bias_desc},
                        {arg::diff_of(arg::dst_layer), diff_dst_layer_desc},
                        {arg::diff_of(arg::dst_iter), diff_dst_iter_desc}},
                       hint_fwd_pd, attr);
}
