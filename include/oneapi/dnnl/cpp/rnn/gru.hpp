// SPDX-License-Identifier: Apache-2.0
// The GRU cell, and its variant with linear before reset. Gates: update, reset, output.
// Shapes and letters are listed in primitive_desc.hpp. Arguments at execution: DNNL_ARG_SRC_LAYER, _SRC_ITER,
// _WEIGHTS_LAYER, _WEIGHTS_ITER, _BIAS, _DST_LAYER, _DST_ITER, _WORKSPACE and more; DIFF_ forms of them.
//
//     gru_forward::primitive_desc pd(eng, prop_kind::forward_inference, rnn_direction::unidirectional_left2right,
//             src_layer, src_iter, weights_layer, weights_iter, bias, dst_layer, dst_iter);

#ifndef ONEAPI_DNNL_CPP_RNN_GRU_HPP
#define ONEAPI_DNNL_CPP_RNN_GRU_HPP

#include "oneapi/dnnl/cpp/rnn/primitive_desc.hpp"

namespace dnnl {

/// GRU cell, forward. Shapes are listed at rnn_primitive_desc_base; src_iter and dst_iter may be empty.
/// Weights may be `any`.
struct gru_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem, all of its arguments. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training, which fills the workspace for backward, or
        ///     prop_kind::forward_inference.
        /// @param direction Order of the time steps; an rnn_direction.
        /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
        /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty
        ///     descriptor means zeros.
        /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be `any`.
        /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be `any`.
        /// @param bias_desc Descriptor of the bias, L x D x 3 x DHC; may be `any`.
        /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
        /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; an empty
        ///     descriptor means none.
        /// @param flags No flag has a meaning forward.
        desc(prop_kind aprop_kind, rnn_direction direction, const memory::desc& src_layer_desc,
             const memory::desc& src_iter_desc, const memory::desc& weights_layer_desc,
             const memory::desc& weights_iter_desc, const memory::desc& bias_desc, const memory::desc& dst_layer_desc,
             const memory::desc& dst_iter_desc, rnn_flags flags = rnn_flags::undef)
            : aprop_kind_(aprop_kind), direction_(direction), src_layer_desc_(src_layer_desc),
              src_iter_desc_(src_iter_desc), weights_layer_desc_(weights_layer_desc),
              weights_iter_desc_(weights_iter_desc), bias_desc_(bias_desc), dst_layer_desc_(dst_layer_desc),
              dst_iter_desc_(dst_iter_desc), flags_(flags) {}

        prop_kind aprop_kind_;
        rnn_direction direction_;
        memory::desc src_layer_desc_;
        memory::desc src_iter_desc_;
        memory::desc weights_layer_desc_;
        memory::desc weights_iter_desc_;
        memory::desc bias_desc_;
        memory::desc dst_layer_desc_;
        memory::desc dst_iter_desc_;
        rnn_flags flags_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training, which fills the workspace for backward, or
        ///     prop_kind::forward_inference.
        /// @param direction Order of the time steps; an rnn_direction.
        /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
        /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty
        ///     descriptor means zeros.
        /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be `any`.
        /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be `any`.
        /// @param bias_desc Descriptor of the bias, L x D x 3 x DHC; may be `any`.
        /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
        /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; an empty
        ///     descriptor means none.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, rnn_direction direction,
                       const memory::desc& src_layer_desc, const memory::desc& src_iter_desc,
                       const memory::desc& weights_layer_desc, const memory::desc& weights_iter_desc,
                       const memory::desc& bias_desc, const memory::desc& dst_layer_desc,
                       const memory::desc& dst_iter_desc, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : rnn_primitive_desc_base(aengine, algorithm::vanilla_gru, aprop_kind, algorithm::undef, direction,
                                      src_layer_desc, src_iter_desc, nullptr, nullptr, weights_layer_desc,
                                      weights_iter_desc, nullptr, nullptr, bias_desc, dst_layer_desc, dst_iter_desc,
                                      nullptr, rnn_flags::undef, 0.f, 0.f, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : rnn_primitive_desc_base(aengine, algorithm::vanilla_gru, adesc.aprop_kind_, algorithm::undef,
                                      adesc.direction_, adesc.src_layer_desc_, adesc.src_iter_desc_, nullptr, nullptr,
                                      adesc.weights_layer_desc_, adesc.weights_iter_desc_, nullptr, nullptr,
                                      adesc.bias_desc_, adesc.dst_layer_desc_, adesc.dst_iter_desc_, nullptr,
                                      adesc.flags_, 0.f, 0.f, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference,
                                      dnnl::algorithm::vanilla_gru) {}
    };

    /// An empty primitive.
    gru_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    gru_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    gru_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// GRU cell, gradients of all inputs. The hint is the descriptor of the forward training computation; its workspace
/// is DNNL_ARG_WORKSPACE.
struct gru_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem, all of its arguments. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::backward, the only one.
        /// @param direction Order of the time steps; an rnn_direction.
        /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
        /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty
        ///     descriptor means zeros.
        /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be `any`.
        /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be `any`.
        /// @param bias_desc Descriptor of the bias, L x D x 3 x DHC; may be `any`.
        /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
        /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; an empty
        ///     descriptor means none.
        /// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
        /// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N x
        ///     SIC; an empty descriptor means zeros.
        /// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 3 x
        ///     DHC; may be `any`.
        /// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x 3
        ///     x DHC; may be `any`.
        /// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 3 x DHC; may be `any`.
        /// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
        /// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
        ///     DHC; an empty descriptor means none.
        /// @param flags rnn_flags::diff_weights_overwrite or rnn_flags::undef (add to what the weight gradients hold).
        desc(prop_kind aprop_kind, rnn_direction direction, const memory::desc& src_layer_desc,
             const memory::desc& src_iter_desc, const memory::desc& weights_layer_desc,
             const memory::desc& weights_iter_desc, const memory::desc& bias_desc, const memory::desc& dst_layer_desc,
             const memory::desc& dst_iter_desc, const memory::desc& diff_src_layer_desc,
             const memory::desc& diff_src_iter_desc, const memory::desc& diff_weights_layer_desc,
             const memory::desc& diff_weights_iter_desc, const memory::desc& diff_bias_desc,
             const memory::desc& diff_dst_layer_desc, const memory::desc& diff_dst_iter_desc,
             rnn_flags flags = rnn_flags::undef)
            : aprop_kind_(aprop_kind), direction_(direction), src_layer_desc_(src_layer_desc),
              src_iter_desc_(src_iter_desc), weights_layer_desc_(weights_layer_desc),
              weights_iter_desc_(weights_iter_desc), bias_desc_(bias_desc), dst_layer_desc_(dst_layer_desc),
              dst_iter_desc_(dst_iter_desc), diff_src_layer_desc_(diff_src_layer_desc),
              diff_src_iter_desc_(diff_src_iter_desc), diff_weights_layer_desc_(diff_weights_layer_desc),
              diff_weights_iter_desc_(diff_weights_iter_desc), diff_bias_desc_(diff_bias_desc),
              diff_dst_layer_desc_(diff_dst_layer_desc), diff_dst_iter_desc_(diff_dst_iter_desc), flags_(flags) {}

        prop_kind aprop_kind_;
        rnn_direction direction_;
        memory::desc src_layer_desc_;
        memory::desc src_iter_desc_;
        memory::desc weights_layer_desc_;
        memory::desc weights_iter_desc_;
        memory::desc bias_desc_;
        memory::desc dst_layer_desc_;
        memory::desc dst_iter_desc_;
        memory::desc diff_src_layer_desc_;
        memory::desc diff_src_iter_desc_;
        memory::desc diff_weights_layer_desc_;
        memory::desc diff_weights_iter_desc_;
        memory::desc diff_bias_desc_;
        memory::desc diff_dst_layer_desc_;
        memory::desc diff_dst_iter_desc_;
        rnn_flags flags_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::backward, the only one.
        /// @param direction Order of the time steps; an rnn_direction.
        /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
        /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty
        ///     descriptor means zeros.
        /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be `any`.
        /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be `any`.
        /// @param bias_desc Descriptor of the bias, L x D x 3 x DHC; may be `any`.
        /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
        /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; an empty
        ///     descriptor means none.
        /// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
        /// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N x
        ///     SIC; an empty descriptor means zeros.
        /// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 3 x
        ///     DHC; may be `any`.
        /// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x 3
        ///     x DHC; may be `any`.
        /// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 3 x DHC; may be `any`.
        /// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
        /// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
        ///     DHC; an empty descriptor means none.
        /// @param hint_fwd_pd Descriptor of the forward training computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, rnn_direction direction,
                       const memory::desc& src_layer_desc, const memory::desc& src_iter_desc,
                       const memory::desc& weights_layer_desc, const memory::desc& weights_iter_desc,
                       const memory::desc& bias_desc, const memory::desc& dst_layer_desc,
                       const memory::desc& dst_iter_desc, const memory::desc& diff_src_layer_desc,
                       const memory::desc& diff_src_iter_desc, const memory::desc& diff_weights_layer_desc,
                       const memory::desc& diff_weights_iter_desc, const memory::desc& diff_bias_desc,
                       const memory::desc& diff_dst_layer_desc, const memory::desc& diff_dst_iter_desc,
                       const gru_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : rnn_primitive_desc_base(aengine, algorithm::vanilla_gru, aprop_kind, algorithm::undef, direction,
                                      src_layer_desc, src_iter_desc, nullptr, nullptr, weights_layer_desc,
                                      weights_iter_desc, nullptr, nullptr, bias_desc, dst_layer_desc, dst_iter_desc,
                                      nullptr, diff_src_layer_desc, diff_src_iter_desc, nullptr, nullptr,
                                      diff_weights_layer_desc, diff_weights_iter_desc, nullptr, nullptr, diff_bias_desc,
                                      diff_dst_layer_desc, diff_dst_iter_desc, nullptr, rnn_flags::undef, 0.f, 0.f,
                                      hint_fwd_pd, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward training computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const gru_forward::primitive_desc& hint_fwd_pd,
                       bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward training computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const gru_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : rnn_primitive_desc_base(aengine, algorithm::vanilla_gru, adesc.aprop_kind_, algorithm::undef,
                                      adesc.direction_, adesc.src_layer_desc_, adesc.src_iter_desc_, nullptr, nullptr,
                                      adesc.weights_layer_desc_, adesc.weights_iter_desc_, nullptr, nullptr,
                                      adesc.bias_desc_, adesc.dst_layer_desc_, adesc.dst_iter_desc_, nullptr,
                                      adesc.diff_src_layer_desc_, adesc.diff_src_iter_desc_, nullptr, nullptr,
                                      adesc.diff_weights_layer_desc_, adesc.diff_weights_iter_desc_, nullptr, nullptr,
                                      adesc.diff_bias_desc_, adesc.diff_dst_layer_desc_, adesc.diff_dst_iter_desc_,
                                      nullptr, adesc.flags_, 0.f, 0.f, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::prop_kind::backward, dnnl::algorithm::vanilla_gru) {}
    };

    /// An empty primitive.
    gru_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    gru_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    gru_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// GRU cell with linear before reset, forward. Shapes are listed at rnn_primitive_desc_base; src_iter and
/// dst_iter may be empty. Weights may be `any`.
struct lbr_gru_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem, all of its arguments. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training, which fills the workspace for backward, or
        ///     prop_kind::forward_inference.
        /// @param direction Order of the time steps; an rnn_direction.
        /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
        /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty
        ///     descriptor means zeros.
        /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be `any`.
        /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be `any`.
        /// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be `any`.
        /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
        /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; an empty
        ///     descriptor means none.
        /// @param flags No flag has a meaning forward.
        desc(prop_kind aprop_kind, rnn_direction direction, const memory::desc& src_layer_desc,
             const memory::desc& src_iter_desc, const memory::desc& weights_layer_desc,
             const memory::desc& weights_iter_desc, const memory::desc& bias_desc, const memory::desc& dst_layer_desc,
             const memory::desc& dst_iter_desc, rnn_flags flags = rnn_flags::undef)
            : aprop_kind_(aprop_kind), direction_(direction), src_layer_desc_(src_layer_desc),
              src_iter_desc_(src_iter_desc), weights_layer_desc_(weights_layer_desc),
              weights_iter_desc_(weights_iter_desc), bias_desc_(bias_desc), dst_layer_desc_(dst_layer_desc),
              dst_iter_desc_(dst_iter_desc), flags_(flags) {}

        prop_kind aprop_kind_;
        rnn_direction direction_;
        memory::desc src_layer_desc_;
        memory::desc src_iter_desc_;
        memory::desc weights_layer_desc_;
        memory::desc weights_iter_desc_;
        memory::desc bias_desc_;
        memory::desc dst_layer_desc_;
        memory::desc dst_iter_desc_;
        rnn_flags flags_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training, which fills the workspace for backward, or
        ///     prop_kind::forward_inference.
        /// @param direction Order of the time steps; an rnn_direction.
        /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
        /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty
        ///     descriptor means zeros.
        /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be `any`.
        /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be `any`.
        /// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be `any`.
        /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
        /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; an empty
        ///     descriptor means none.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, rnn_direction direction,
                       const memory::desc& src_layer_desc, const memory::desc& src_iter_desc,
                       const memory::desc& weights_layer_desc, const memory::desc& weights_iter_desc,
                       const memory::desc& bias_desc, const memory::desc& dst_layer_desc,
                       const memory::desc& dst_iter_desc, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : rnn_primitive_desc_base(aengine, algorithm::lbr_gru, aprop_kind, algorithm::undef, direction,
                                      src_layer_desc, src_iter_desc, nullptr, nullptr, weights_layer_desc,
                                      weights_iter_desc, nullptr, nullptr, bias_desc, dst_layer_desc, dst_iter_desc,
                                      nullptr, rnn_flags::undef, 0.f, 0.f, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : rnn_primitive_desc_base(aengine, algorithm::lbr_gru, adesc.aprop_kind_, algorithm::undef,
                                      adesc.direction_, adesc.src_layer_desc_, adesc.src_iter_desc_, nullptr, nullptr,
                                      adesc.weights_layer_desc_, adesc.weights_iter_desc_, nullptr, nullptr,
                                      adesc.bias_desc_, adesc.dst_layer_desc_, adesc.dst_iter_desc_, nullptr,
                                      adesc.flags_, 0.f, 0.f, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference,
                                      dnnl::algorithm::lbr_gru) {}
    };

    /// An empty primitive.
    lbr_gru_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    lbr_gru_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    lbr_gru_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// GRU cell with linear before reset, gradients of all inputs. The hint is the descriptor of the forward training
/// computation; its workspace is DNNL_ARG_WORKSPACE.
struct lbr_gru_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem, all of its arguments. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::backward, the only one.
        /// @param direction Order of the time steps; an rnn_direction.
        /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
        /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty
        ///     descriptor means zeros.
        /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be `any`.
        /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be `any`.
        /// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be `any`.
        /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
        /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; an empty
        ///     descriptor means none.
        /// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
        /// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N x
        ///     SIC; an empty descriptor means zeros.
        /// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 3 x
        ///     DHC; may be `any`.
        /// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x 3
        ///     x DHC; may be `any`.
        /// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 4 x DHC; may be `any`.
        /// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
        /// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
        ///     DHC; an empty descriptor means none.
        /// @param flags rnn_flags::diff_weights_overwrite or rnn_flags::undef (add to what the weight gradients hold).
        desc(prop_kind aprop_kind, rnn_direction direction, const memory::desc& src_layer_desc,
             const memory::desc& src_iter_desc, const memory::desc& weights_layer_desc,
             const memory::desc& weights_iter_desc, const memory::desc& bias_desc, const memory::desc& dst_layer_desc,
             const memory::desc& dst_iter_desc, const memory::desc& diff_src_layer_desc,
             const memory::desc& diff_src_iter_desc, const memory::desc& diff_weights_layer_desc,
             const memory::desc& diff_weights_iter_desc, const memory::desc& diff_bias_desc,
             const memory::desc& diff_dst_layer_desc, const memory::desc& diff_dst_iter_desc,
             rnn_flags flags = rnn_flags::undef)
            : aprop_kind_(aprop_kind), direction_(direction), src_layer_desc_(src_layer_desc),
              src_iter_desc_(src_iter_desc), weights_layer_desc_(weights_layer_desc),
              weights_iter_desc_(weights_iter_desc), bias_desc_(bias_desc), dst_layer_desc_(dst_layer_desc),
              dst_iter_desc_(dst_iter_desc), diff_src_layer_desc_(diff_src_layer_desc),
              diff_src_iter_desc_(diff_src_iter_desc), diff_weights_layer_desc_(diff_weights_layer_desc),
              diff_weights_iter_desc_(diff_weights_iter_desc), diff_bias_desc_(diff_bias_desc),
              diff_dst_layer_desc_(diff_dst_layer_desc), diff_dst_iter_desc_(diff_dst_iter_desc), flags_(flags) {}

        prop_kind aprop_kind_;
        rnn_direction direction_;
        memory::desc src_layer_desc_;
        memory::desc src_iter_desc_;
        memory::desc weights_layer_desc_;
        memory::desc weights_iter_desc_;
        memory::desc bias_desc_;
        memory::desc dst_layer_desc_;
        memory::desc dst_iter_desc_;
        memory::desc diff_src_layer_desc_;
        memory::desc diff_src_iter_desc_;
        memory::desc diff_weights_layer_desc_;
        memory::desc diff_weights_iter_desc_;
        memory::desc diff_bias_desc_;
        memory::desc diff_dst_layer_desc_;
        memory::desc diff_dst_iter_desc_;
        rnn_flags flags_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::backward, the only one.
        /// @param direction Order of the time steps; an rnn_direction.
        /// @param src_layer_desc Descriptor of the input of the layer, T x N x SLC.
        /// @param src_iter_desc Descriptor of the hidden state before the first step, L x D x N x SIC; an empty
        ///     descriptor means zeros.
        /// @param weights_layer_desc Descriptor of the weights of the input, L x D x SLC x 3 x DHC; may be `any`.
        /// @param weights_iter_desc Descriptor of the weights of the hidden state, L x D x SIC x 3 x DHC; may be `any`.
        /// @param bias_desc Descriptor of the bias, L x D x 4 x DHC; may be `any`.
        /// @param dst_layer_desc Descriptor of the result of the layer, T x N x DLC.
        /// @param dst_iter_desc Descriptor of the hidden state after the last step, L x D x N x DHC; an empty
        ///     descriptor means none.
        /// @param diff_src_layer_desc Descriptor of the gradient of the input of the layer, T x N x SLC.
        /// @param diff_src_iter_desc Descriptor of the gradient of the hidden state before the first step, L x D x N x
        ///     SIC; an empty descriptor means zeros.
        /// @param diff_weights_layer_desc Descriptor of the gradient of the weights of the input, L x D x SLC x 3 x
        ///     DHC; may be `any`.
        /// @param diff_weights_iter_desc Descriptor of the gradient of the weights of the hidden state, L x D x SIC x 3
        ///     x DHC; may be `any`.
        /// @param diff_bias_desc Descriptor of the gradient of the bias, L x D x 4 x DHC; may be `any`.
        /// @param diff_dst_layer_desc Descriptor of the gradient of the result of the layer, T x N x DLC.
        /// @param diff_dst_iter_desc Descriptor of the gradient of the hidden state after the last step, L x D x N x
        ///     DHC; an empty descriptor means none.
        /// @param hint_fwd_pd Descriptor of the forward training computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, rnn_direction direction,
                       const memory::desc& src_layer_desc, const memory::desc& src_iter_desc,
                       const memory::desc& weights_layer_desc, const memory::desc& weights_iter_desc,
                       const memory::desc& bias_desc, const memory::desc& dst_layer_desc,
                       const memory::desc& dst_iter_desc, const memory::desc& diff_src_layer_desc,
                       const memory::desc& diff_src_iter_desc, const memory::desc& diff_weights_layer_desc,
                       const memory::desc& diff_weights_iter_desc, const memory::desc& diff_bias_desc,
                       const memory::desc& diff_dst_layer_desc, const memory::desc& diff_dst_iter_desc,
                       const lbr_gru_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : rnn_primitive_desc_base(aengine, algorithm::lbr_gru, aprop_kind, algorithm::undef, direction,
                                      src_layer_desc, src_iter_desc, nullptr, nullptr, weights_layer_desc,
                                      weights_iter_desc, nullptr, nullptr, bias_desc, dst_layer_desc, dst_iter_desc,
                                      nullptr, diff_src_layer_desc, diff_src_iter_desc, nullptr, nullptr,
                                      diff_weights_layer_desc, diff_weights_iter_desc, nullptr, nullptr, diff_bias_desc,
                                      diff_dst_layer_desc, diff_dst_iter_desc, nullptr, rnn_flags::undef, 0.f, 0.f,
                                      hint_fwd_pd, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward training computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const lbr_gru_forward::primitive_desc& hint_fwd_pd,
                       bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward training computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const lbr_gru_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : rnn_primitive_desc_base(aengine, algorithm::lbr_gru, adesc.aprop_kind_, algorithm::undef,
                                      adesc.direction_, adesc.src_layer_desc_, adesc.src_iter_desc_, nullptr, nullptr,
                                      adesc.weights_layer_desc_, adesc.weights_iter_desc_, nullptr, nullptr,
                                      adesc.bias_desc_, adesc.dst_layer_desc_, adesc.dst_iter_desc_, nullptr,
                                      adesc.diff_src_layer_desc_, adesc.diff_src_iter_desc_, nullptr, nullptr,
                                      adesc.diff_weights_layer_desc_, adesc.diff_weights_iter_desc_, nullptr, nullptr,
                                      adesc.diff_bias_desc_, adesc.diff_dst_layer_desc_, adesc.diff_dst_iter_desc_,
                                      nullptr, adesc.flags_, 0.f, 0.f, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::prop_kind::backward, dnnl::algorithm::lbr_gru) {}
    };

    /// An empty primitive.
    lbr_gru_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    lbr_gru_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    lbr_gru_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
