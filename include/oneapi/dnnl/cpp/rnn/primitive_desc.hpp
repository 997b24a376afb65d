// SPDX-License-Identifier: Apache-2.0
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
    /// @param pd Descriptor to copy, or null.
    /// @param aprop_kind Propagation kind it must have.
    /// @param cell_kind Cell it must have.
    /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind or cell.
    rnn_primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::prop_kind aprop_kind, dnnl::algorithm cell_kind)
        : rnn_primitive_desc_base(pd, aprop_kind, aprop_kind, cell_kind) {}

    /// @returns Input of the layer: {T, N, SLC}, T steps.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc src_layer_desc() const { return exec_arg_desc(DNNL_ARG_SRC_LAYER); }
    /// @returns Attention: {T, N, 1}.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc augru_attention_desc() const { return exec_arg_desc(DNNL_ARG_AUGRU_ATTENTION); }
    /// @returns Initial hidden state: {L, D, N, SIC}, L layers, D directions; may be empty (zeros).
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc src_iter_desc() const { return exec_arg_desc(DNNL_ARG_SRC_ITER); }
    /// @returns Initial cell state of an LSTM: {L, D, N, DHC}.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc src_iter_c_desc() const { return exec_arg_desc(DNNL_ARG_SRC_ITER_C); }
    /// @returns Weights of the input: {L, D, SLC, G, DHC}, G gates.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc weights_layer_desc() const { return exec_arg_desc(DNNL_ARG_WEIGHTS_LAYER); }
    /// @returns Weights of the hidden state: {L, D, SIC, G, DHC}.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc weights_iter_desc() const { return exec_arg_desc(DNNL_ARG_WEIGHTS_ITER); }
    /// @returns Peephole weights of an LSTM: {L, D, 3, DHC}.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc weights_peephole_desc() const { return exec_arg_desc(DNNL_ARG_WEIGHTS_PEEPHOLE); }
    /// @returns Projection weights of an LSTM: {L, D, DHC, DIC}.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc weights_projection_desc() const { return exec_arg_desc(DNNL_ARG_WEIGHTS_PROJECTION); }
    /// @returns Bias: {L, D, G, DHC}, one more gate with linear before reset.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc bias_desc() const { return exec_arg_desc(DNNL_ARG_BIAS); }
    /// @returns Output of the layer: {T, N, DLC}.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc dst_layer_desc() const { return exec_arg_desc(DNNL_ARG_DST_LAYER); }
    /// @returns Final hidden state: {L, D, N, DIC}; may be empty.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc dst_iter_desc() const { return exec_arg_desc(DNNL_ARG_DST_ITER); }
    /// @returns Final cell state of an LSTM: {L, D, N, DHC}.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc dst_iter_c_desc() const { return exec_arg_desc(DNNL_ARG_DST_ITER_C); }
    /// @returns Gradient of src_layer_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_src_layer_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_SRC_LAYER); }
    /// @returns Gradient of augru_attention_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_augru_attention_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_AUGRU_ATTENTION); }
    /// @returns Gradient of src_iter_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_src_iter_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_SRC_ITER); }
    /// @returns Gradient of src_iter_c_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_src_iter_c_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_SRC_ITER_C); }
    /// @returns Gradient of weights_layer_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_weights_layer_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_WEIGHTS_LAYER); }
    /// @returns Gradient of weights_iter_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_weights_iter_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_WEIGHTS_ITER); }
    /// @returns Gradient of weights_peephole_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_weights_peephole_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE); }
    /// @returns Gradient of weights_projection_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_weights_projection_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_WEIGHTS_PROJECTION); }
    /// @returns Gradient of bias_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_bias_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_BIAS); }
    /// @returns Gradient of dst_layer_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_dst_layer_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_DST_LAYER); }
    /// @returns Gradient of dst_iter_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_dst_iter_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_DST_ITER); }
    /// @returns Gradient of dst_iter_c_desc().
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_dst_iter_c_desc() const { return exec_arg_desc(DNNL_ARG_DIFF_DST_ITER_C); }

protected:
    using rnn_base = rnn_primitive_desc_base;

    /// As above; either propagation kind will do.
    /// @param pd Descriptor to copy, or null.
    /// @param prop_kind1 Propagation kind it may have.
    /// @param prop_kind2 Another one it may have.
    /// @param cell_kind Cell it must have.
    /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind or cell.
    rnn_primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::prop_kind prop_kind1, dnnl::prop_kind prop_kind2,
                            dnnl::algorithm cell_kind)
        : primitive_desc(pd, dnnl::primitive::kind::rnn, prop_kind1, prop_kind2) {
        if (pd && get_cell_kind() != cell_kind)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                             "the C primitive descriptor is of another recurrent cell than this class");
    }

    /// Forward for any cell; null pointers are absent tensors.
    /// @param aengine Engine the primitive runs on.
    /// @param cell_kind Cell it must have.
    /// @param aprop_kind prop_kind::forward_training, which fills the workspace for backward, or
    ///     prop_kind::forward_inference.
    /// @param activation algorithm::eltwise_relu, algorithm::eltwise_tanh or algorithm::eltwise_logistic.
    /// @param direction Order of the time steps.
    /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
    /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty descriptor
    ///     means zeros.
    /// @param src_iter_c_desc Descriptor of the cell state before the first step, L x D x N x DHC; null for a cell
    ///     without it.
    /// @param attention_desc Descriptor of the attention, T x N x 1; null for a cell without it.
    /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x G x DHC; may be `any`.
    /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x G x DHC; may be `any`.
    /// @param weights_peephole_desc Descriptor of the peephole weights, L x D x 3 x DHC; may be `any`; null for a cell
    ///     without it.
    /// @param weights_projection_desc Descriptor of the projection weights, L x D x DHC x DIC; may be `any`; null for a
    ///     cell without it.
    /// @param bias_desc Descriptor of the bias, L x D x G x DHC; may be `any`.
    /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
    /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DIC; an empty descriptor
    ///     means none.
    /// @param dst_iter_c_desc Descriptor of the cell state after the last step, L x D x N x DHC; null for a cell
    ///     without it.
    /// @param flags No flag has a meaning forward.
    /// @param alpha Negative slope of a relu activation of the vanilla cell.
    /// @param beta Second parameter of the activation; not used by those there are.
    /// @param attr Attributes; the default ones if left out.
    /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
    /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
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
    /// @param aengine Engine the primitive runs on.
    /// @param cell_kind Cell it must have.
    /// @param aprop_kind prop_kind::backward, the only one.
    /// @param activation algorithm::eltwise_relu, algorithm::eltwise_tanh or algorithm::eltwise_logistic.
    /// @param direction Order of the time steps.
    /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
    /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty descriptor
    ///     means zeros.
    /// @param src_iter_c_desc Descriptor of the cell state before the first step, L x D x N x DHC; null for a cell
    ///     without it.
    /// @param attention_desc Descriptor of the attention, T x N x 1; null for a cell without it.
    /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x G x DHC; may be `any`.
    /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x G x DHC; may be `any`.
    /// @param weights_peephole_desc Descriptor of the peephole weights, L x D x 3 x DHC; may be `any`; null for a cell
    ///     without it.
    /// @param weights_projection_desc Descriptor of the projection weights, L x D x DHC x DIC; may be `any`; null for a
    ///     cell without it.
    /// @param bias_desc Descriptor of the bias, L x D x G x DHC; may be `any`.
    /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
    /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DIC; an empty descriptor
    ///     means none.
    /// @param dst_iter_c_desc Descriptor of the cell state after the last step, L x D x N x DHC; null for a cell
    ///     without it.
    /// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
    /// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N x SIC;
    ///     an empty descriptor means zeros.
    /// @param diff_src_iter_c_desc Descriptor of the gradient of the cell state before the first step, L x D x N x DHC;
    ///     null for a cell without it.
    /// @param diff_attention_desc Descriptor of the gradient of the attention, T x N x 1; null for a cell without it.
    /// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x G x DHC;
    ///     may be `any`.
    /// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x G x
    ///     DHC; may be `any`.
    /// @param diff_weights_peephole_desc Descriptor of the gradient of the peephole weights, L x D x 3 x DHC; may be
    ///     `any`; null for a cell without it.
    /// @param diff_weights_projection_desc Descriptor of the gradient of the projection weights, L x D x DHC x DIC; may
    ///     be `any`; null for a cell without it.
    /// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x G x DHC; may be `any`.
    /// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
    /// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x DIC;
    ///     an empty descriptor means none.
    /// @param diff_dst_iter_c_desc Descriptor of the gradient of the cell state after the last step, L x D x N x DHC;
    ///     null for a cell without it.
    /// @param flags rnn_flags::diff_weights_overwrite or rnn_flags::undef (add to what the weight gradients hold).
    /// @param alpha Negative slope of a relu activation of the vanilla cell.
    /// @param beta Second parameter of the activation; not used by those there are.
    /// @param hint_fwd_pd Descriptor of the forward training computation; must not be empty.
    /// @param attr Attributes; the default ones if left out.
    /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
    /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
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
