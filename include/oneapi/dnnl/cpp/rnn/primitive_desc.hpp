// What the primitive descriptors of all recurrent cells share: their tensors and their creation.
// Letters in shapes: T steps, N batch, L layers, D directions (1 or 2), G gates, and channels: SLC and SIC of the
// inputs of layer and state, DHC of the hidden state, DIC of the state handed on (DHC, or the projection's), DLC
// of the result (2 x DIC with bidirectional_concat).

#ifndef ONEAPI_DNNL_CPP_RNN_PRIMITIVE_DESC_HPP
#define ONEAPI_DNNL_CPP_RNN_PRIMITIVE_DESC_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// What the descriptors of all recurrent cells share. Absent tensors have empty descriptors.
struct rnn_primitive_desc_base : public primitive_desc {
    using primitive_desc::primitive_desc;

    /// An empty descriptor.
    rnn_primitive_desc_base() = default;

    /// A copy of a C descriptor, which must have this propagation kind and cell.
    rnn_primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::prop_kind aprop_kind, dnnl::algorithm cell_kind)
        : rnn_primitive_desc_base(pd, aprop_kind, aprop_kind, cell_kind) {}

    /// Input of the layer: {T, N, SLC}, T steps.
    memory::desc src_layer_desc() const { return exec_arg_desc(DNNL_ARG_SRC_LAYER); }
    /// Attention: {T, N, 1}.
    memory::desc augru_attention_desc() const { return exec_arg_desc(DNNL_ARG_AUGRU_ATTENTION); }
    /// Initial hidden state: {L, D, N, SIC}, L layers, D directions; may be empty (zeros).
    memory::desc src_iter_desc() const { return exec_arg_desc(DNNL_ARG_SRC_ITER); }
    /// Initial cell state of an LSTM: {L, D, N, DHC}.
    memory::desc src_iter_c_desc() const { return exec_arg_desc(DNNL_ARG_SRC_ITER_C); }
    /// Weights of the input: {L, D, SLC, G, DHC}, G gates.
    memory::desc weights_layer_desc() const { return exec_arg_desc(DNNL_ARG_WEIGHTS_LAYER); }
    /// Weights of the hidden state: {L, D, SIC, G, DHC}.
    memory::desc weights_iter_desc() const { return exec_arg_desc(DNNL_ARG_WEIGHTS_ITER); }
    /// Peephole weights of an LSTM: {L, D, 3, DHC}.
    memory::desc weights_peephole_desc() const { return exec_arg_desc(DNNL_ARG_WEIGHTS_PEEPHOLE); }
    /// Projection weights of an LSTM: {L, D, DHC, DIC}.
    memory::desc weights_projection_desc() const { return exec_arg_desc(DNNL_ARG_WEIGHTS_PROJECTION); }
    /// Bias: {L, D, G, DHC}, one more gate with linear before reset.
    memory::desc bias_desc() const { return exec_arg_desc(DNNL_ARG_BIAS); }
    /// Output of the layer: {T, N, DLC}.
    memory::desc dst_layer_desc() const { return exec_arg_desc(DNNL_ARG_DST_LAYER); }
    /// Final hidden state: {L, D, N, DIC}; may be empty.
    memory::desc dst_iter_desc() const { return exec_arg_desc(DNNL_ARG_DST_ITER); }
    /// Final cell state of an LSTM: {L, D, N, DHC}.
    memory::desc dst_iter_c_desc() const { return exec_arg_desc(DNNL_ARG_DST_ITER_C); }
    /// Gradient of src_layer_desc().
    memory::desc diff_src_layer_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_SRC_LAYER); }
    /// Gradient of augru_attention_desc().
    memory::desc diff_augru_attention_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_AUGRU_ATTENTION); }
    /// Gradient of src_iter_desc().
    memory::desc diff_src_iter_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_SRC_ITER); }
    /// Gradient of src_iter_c_desc().
    memory::desc diff_src_iter_c_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_SRC_ITER_C); }
    /// Gradient of weights_layer_desc().
    memory::desc diff_weights_layer_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_WEIGHTS_LAYER); }
    /// Gradient of weights_iter_desc().
    memory::desc diff_weights_iter_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_WEIGHTS_ITER); }
    /// Gradient of weights_peephole_desc().
    memory::desc diff_weights_peephole_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE); }
    /// Gradient of weights_projection_desc().
    memory::desc diff_weights_projection_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_WEIGHTS_PROJECTION); }
    /// Gradient of bias_desc().
    memory::desc diff_bias_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_BIAS); }
    /// Gradient of dst_layer_desc().
    memory::desc diff_dst_layer_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_DST_LAYER); }
    /// Gradient of dst_iter_desc().
    memory::desc diff_dst_iter_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_DST_ITER); }
    /// Gradient of dst_iter_c_desc().
    memory::desc diff_dst_iter_c_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_DST_ITER_C); }

protected:
    using rnn_base = rnn_primitive_desc_base;

    /// As above; either propagation kind will do.
    rnn_primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::prop_kind prop_kind1, dnnl::prop_kind prop_kind2,
                            dnnl::algorithm cell_kind)
        : primitive_desc(pd, dnnl::primitive::kind::rnn, prop_kind1, prop_kind2) {
        if (pd && get_cell_kind() != cell_kind)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                             "the C primitive descriptor is of another recurrent cell than this class");
    }

    /// Forward for any cell; null pointers are absent tensors.
    rnn_primitive_desc_base(const engine& aengine, algorithm cell_kind, prop_kind aprop_kind, algorithm activation,
                            rnn_direction direction, const memory::desc& src_layer_desc,
                            const memory::desc& src_iter_desc, const memory::desc* src_iter_c_desc,
                            const memory::desc* attention_desc, const memory::desc& weights_layer_desc,
                            const memory::desc& weights_iter_desc, const memory::desc* weights_peephole_desc,
                            const memory::desc* weights_projection_desc, const memory::desc& bias_desc,
                            const memory::desc& dst_layer_desc, const memory::desc& dst_iter_desc,
                            const memory::desc* dst_iter_c_desc, rnn_flags flags, float alpha, float beta,
                            const primitive_attr& attr, bool allow_empty) {
        dnnl_primitive_desc_t pd = nullptr;
        dnnl_status_t status = dnnl_invalid_arguments;
        switch (cell_kind) {
        case algorithm::vanilla_rnn:
            status = dnnl_vanilla_rnn_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(activation),
                dnnl::convert_to_c(direction), src_layer_desc.get(), src_iter_desc.get(), weights_layer_desc.get(),
                weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(),
                static_cast<unsigned>(flags), alpha, beta, attr.get());
            break;
        case algorithm::vanilla_lstm:
            status = dnnl_lstm_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), optional_arg(src_iter_c_desc), weights_layer_desc.get(), weights_iter_desc.get(),
                optional_arg(weights_peephole_desc), optional_arg(weights_projection_desc), bias_desc.get(),
                dst_layer_desc.get(), dst_iter_desc.get(), optional_arg(dst_iter_c_desc), static_cast<unsigned>(flags),
                attr.get());
            break;
        case algorithm::vanilla_gru:
            status = dnnl_gru_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), weights_layer_desc.get(), weights_iter_desc.get(), bias_desc.get(),
                dst_layer_desc.get(), dst_iter_desc.get(), static_cast<unsigned>(flags), attr.get());
            break;
        case algorithm::lbr_gru:
            status = dnnl_lbr_gru_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), weights_layer_desc.get(), weights_iter_desc.get(), bias_desc.get(),
                dst_layer_desc.get(), dst_iter_desc.get(), static_cast<unsigned>(flags), attr.get());
            break;
        case algorithm::vanilla_augru:
            status = dnnl_augru_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), optional_arg(attention_desc), weights_layer_desc.get(), weights_iter_desc.get(),
                bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(), static_cast<unsigned>(flags), attr.get());
            break;
        case algorithm::lbr_augru:
            status = dnnl_lbr_augru_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), optional_arg(attention_desc), weights_layer_desc.get(), weights_iter_desc.get(),
                bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(), static_cast<unsigned>(flags), attr.get());
            break;
        default:
            break;
        }
        take(status, pd, allow_empty, "could not create a primitive descriptor of an RNN (forward)");
    }

    /// Backward for any cell; null pointers are absent tensors.
    rnn_primitive_desc_base(const engine& aengine, algorithm cell_kind, prop_kind aprop_kind, algorithm activation,
                            rnn_direction direction, const memory::desc& src_layer_desc,
                            const memory::desc& src_iter_desc, const memory::desc* src_iter_c_desc,
                            const memory::desc* attention_desc, const memory::desc& weights_layer_desc,
                            const memory::desc& weights_iter_desc, const memory::desc* weights_peephole_desc,
                            const memory::desc* weights_projection_desc, const memory::desc& bias_desc,
                            const memory::desc& dst_layer_desc, const memory::desc& dst_iter_desc,
                            const memory::desc* dst_iter_c_desc, const memory::desc& diff_src_layer_desc,
                            const memory::desc& diff_src_iter_desc, const memory::desc* diff_src_iter_c_desc,
                            const memory::desc* diff_attention_desc, const memory::desc& diff_weights_layer_desc,
                            const memory::desc& diff_weights_iter_desc, const memory::desc* diff_weights_peephole_desc,
                            const memory::desc* diff_weights_projection_desc, const memory::desc& diff_bias_desc,
                            const memory::desc& diff_dst_layer_desc, const memory::desc& diff_dst_iter_desc,
                            const memory::desc* diff_dst_iter_c_desc, rnn_flags flags, float alpha, float beta,
                            const rnn_primitive_desc_base& hint_fwd_pd, const primitive_attr& attr, bool allow_empty) {
        dnnl_primitive_desc_t pd = nullptr;
        dnnl_status_t status = dnnl_invalid_arguments;
        switch (cell_kind) {
        case algorithm::vanilla_rnn:
            status = dnnl_vanilla_rnn_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(activation),
                dnnl::convert_to_c(direction), src_layer_desc.get(), src_iter_desc.get(), weights_layer_desc.get(),
                weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(),
                diff_src_layer_desc.get(), diff_src_iter_desc.get(), diff_weights_layer_desc.get(),
                diff_weights_iter_desc.get(), diff_bias_desc.get(), diff_dst_layer_desc.get(), diff_dst_iter_desc.get(),
                static_cast<unsigned>(flags), alpha, beta, hint_fwd_pd.get(), attr.get());
            break;
        case algorithm::vanilla_lstm:
            status = dnnl_lstm_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), optional_arg(src_iter_c_desc), weights_layer_desc.get(), weights_iter_desc.get(),
                optional_arg(weights_peephole_desc), optional_arg(weights_projection_desc), bias_desc.get(),
                dst_layer_desc.get(), dst_iter_desc.get(), optional_arg(dst_iter_c_desc), diff_src_layer_desc.get(),
                diff_src_iter_desc.get(), optional_arg(diff_src_iter_c_desc), diff_weights_layer_desc.get(),
                diff_weights_iter_desc.get(), optional_arg(diff_weights_peephole_desc),
                optional_arg(diff_weights_projection_desc), diff_bias_desc.get(), diff_dst_layer_desc.get(),
                diff_dst_iter_desc.get(), optional_arg(diff_dst_iter_c_desc), static_cast<unsigned>(flags),
                hint_fwd_pd.get(), attr.get());
            break;
        case algorithm::vanilla_gru:
            status = dnnl_gru_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), weights_layer_desc.get(), weights_iter_desc.get(), bias_desc.get(),
                dst_layer_desc.get(), dst_iter_desc.get(), diff_src_layer_desc.get(), diff_src_iter_desc.get(),
                diff_weights_layer_desc.get(), diff_weights_iter_desc.get(), diff_bias_desc.get(),
                diff_dst_layer_desc.get(), diff_dst_iter_desc.get(), static_cast<unsigned>(flags), hint_fwd_pd.get(),
                attr.get());
            break;
        case algorithm::lbr_gru:
            status = dnnl_lbr_gru_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), weights_layer_desc.get(), weights_iter_desc.get(), bias_desc.get(),
                dst_layer_desc.get(), dst_iter_desc.get(), diff_src_layer_desc.get(), diff_src_iter_desc.get(),
                diff_weights_layer_desc.get(), diff_weights_iter_desc.get(), diff_bias_desc.get(),
                diff_dst_layer_desc.get(), diff_dst_iter_desc.get(), static_cast<unsigned>(flags), hint_fwd_pd.get(),
                attr.get());
            break;
        case algorithm::vanilla_augru:
            status = dnnl_augru_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), optional_arg(attention_desc), weights_layer_desc.get(), weights_iter_desc.get(),
                bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(), diff_src_layer_desc.get(),
                diff_src_iter_desc.get(), optional_arg(diff_attention_desc), diff_weights_layer_desc.get(),
                diff_weights_iter_desc.get(), diff_bias_desc.get(), diff_dst_layer_desc.get(), diff_dst_iter_desc.get(),
                static_cast<unsigned>(flags), hint_fwd_pd.get(), attr.get());
            break;
        case algorithm::lbr_augru:
            status = dnnl_lbr_augru_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(direction), src_layer_desc.get(),
                src_iter_desc.get(), optional_arg(attention_desc), weights_layer_desc.get(), weights_iter_desc.get(),
                bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(), diff_src_layer_desc.get(),
                diff_src_iter_desc.get(), optional_arg(diff_attention_desc), diff_weights_layer_desc.get(),
                diff_weights_iter_desc.get(), diff_bias_desc.get(), diff_dst_layer_desc.get(), diff_dst_iter_desc.get(),
                static_cast<unsigned>(flags), hint_fwd_pd.get(), attr.get());
            break;
        default:
            break;
        }
        take(status, pd, allow_empty, "could not create a primitive descriptor of an RNN (backward)");
    }

private:
    memory::desc exec_arg_desc(int arg) const { return query_md(query::exec_arg_md, arg); }
};

} // namespace dnnl

#endif
