// SPDX-License-Identifier: Apache-2.0
// Enumerations of the C++ interface that belong to no class: propagation kinds, algorithms, flags,
// queries and modes. Each enumerator has the number of its C twin, so conversion is a cast; the few old
// names without a C twin are marked and translated by convert_to_c().
//
//     dnnl_alg_kind_t c = dnnl::convert_to_c(dnnl::algorithm::eltwise_relu);

#ifndef ONEAPI_DNNL_CPP_ENUMS_HPP
#define ONEAPI_DNNL_CPP_ENUMS_HPP

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_common.hpp"

namespace dnnl {

/// Who provides the scratch memory of an execution.
enum class scratchpad_mode : int {
    // enumerators: scratchpad_mode
    library = dnnl_scratchpad_mode_library, ///< The library; then two threads must not execute one primitive.
    user = dnnl_scratchpad_mode_user,       ///< The user, as DNNL_ARG_SCRATCHPAD of pd.scratchpad_desc().
    // end of enumerators
};

/// @param mode Mode.
/// @returns The C number of a mode.
inline dnnl_scratchpad_mode_t convert_to_c(scratchpad_mode mode) { return static_cast<dnnl_scratchpad_mode_t>(mode); }

/// How f32 results become narrower floating-point values.
enum class rounding_mode : int {
    // enumerators: rounding_mode
    environment = dnnl_rounding_mode_environment, ///< By the floating-point environment: to nearest, ties to even.
    stochastic = dnnl_rounding_mode_stochastic, ///< Up or down with a probability given by the distance; needs a seed.
    // end of enumerators
};

/// @param mode Mode.
/// @returns The C number of a mode.
inline dnnl_rounding_mode_t convert_to_c(rounding_mode mode) { return static_cast<dnnl_rounding_mode_t>(mode); }

/// Where scales come from.
enum class quantization_mode : int {
    // enumerators: quantization_mode
    undef = dnnl_quantization_mode_undef,             ///< Not set; not a valid argument.
    static_sazp = dnnl_quantization_mode_static_sazp, ///< The user gives scales and zero points.
    dynamic_mx = dnnl_quantization_mode_dynamic_mx,   ///< Computed and written: groups of 32, e8m0 (powers of two).
    dynamic_fp = dnnl_quantization_mode_dynamic_fp,   ///< Computed and written: groups of 16, f8_e4m3.
    // end of enumerators
};

/// @param qmode Mode.
/// @returns The C number of a mode.
inline dnnl_quantization_mode_t convert_to_c(quantization_mode qmode) {
    return static_cast<dnnl_quantization_mode_t>(qmode);
}

/// Direction of a computation.
enum class prop_kind : int {
    // enumerators: prop_kind
    undef = dnnl_prop_kind_undef,               ///< Not set.
    forward_training = dnnl_forward_training,   ///< Forward; keeps what backward needs (workspace, statistics).
    forward_inference = dnnl_forward_inference, ///< Forward; keeps nothing.
    forward = dnnl_forward,                     ///< The same as forward_training.
    backward = dnnl_backward,                   ///< Gradients of everything.
    backward_data = dnnl_backward_data,         ///< Gradient of the source.
    backward_weights = dnnl_backward_weights,   ///< Gradient of weights and bias.
    backward_bias = dnnl_backward_bias,         ///< Gradient of the bias.
    // end of enumerators
    forward_scoring = dnnl_forward_inference, ///< v2 name of forward_inference.
};

/// @param akind Kind.
/// @returns The C number of a propagation kind.
inline dnnl_prop_kind_t convert_to_c(prop_kind akind) { return static_cast<dnnl_prop_kind_t>(akind); }

/// What a primitive computes, where its kind alone does not say. s is a source value, d a destination
/// value; a and b stand for alpha and beta.
enum class algorithm : int {
    // enumerators: algorithm
    undef = dnnl_alg_kind_undef,                          ///< Not set.
    convolution_auto = dnnl_convolution_auto,             ///< The library picks direct or winograd.
    convolution_direct = dnnl_convolution_direct,         ///< By the definition.
    convolution_winograd = dnnl_convolution_winograd,     ///< Winograd's transforms: fewer products, less accurate.
    deconvolution_direct = dnnl_deconvolution_direct,     ///< By the definition.
    deconvolution_winograd = dnnl_deconvolution_winograd, ///< Winograd's transforms.
    eltwise_relu = dnnl_eltwise_relu,                     ///< s > 0 ? s : a s
    eltwise_tanh = dnnl_eltwise_tanh,                     ///< tanh s
    eltwise_elu = dnnl_eltwise_elu,                       ///< s > 0 ? s : a (e^s - 1)
    eltwise_square = dnnl_eltwise_square,                 ///< s^2
    eltwise_abs = dnnl_eltwise_abs,                       ///< |s|
    eltwise_sqrt = dnnl_eltwise_sqrt,                     ///< square root of s
    eltwise_swish = dnnl_eltwise_swish,                   ///< s / (1 + e^-as)
    eltwise_linear = dnnl_eltwise_linear,                 ///< a s + b
    eltwise_soft_relu = dnnl_eltwise_soft_relu,           ///< ln(1 + e^as) / a
    eltwise_mish = dnnl_eltwise_mish,                     ///< s tanh(ln(1 + e^s))
    eltwise_logistic = dnnl_eltwise_logistic,             ///< 1 / (1 + e^-s)
    eltwise_exp = dnnl_eltwise_exp,                       ///< e^s
    eltwise_gelu_tanh = dnnl_eltwise_gelu_tanh,           ///< s/2 (1 + tanh(sqrt(2/pi) (s + 0.044715 s^3)))
    eltwise_gelu_erf = dnnl_eltwise_gelu_erf,             ///< s/2 (1 + erf(s / sqrt 2))
    eltwise_log = dnnl_eltwise_log,                       ///< ln s
    eltwise_clip = dnnl_eltwise_clip,                     ///< min(b, max(a, s)); gradient 0 at a, 1 at b
    eltwise_clip_v2 = dnnl_eltwise_clip_v2,               ///< min(b, max(a, s)); gradient 0 at both ends
    eltwise_pow = dnnl_eltwise_pow,                       ///< a s^b
    eltwise_round = dnnl_eltwise_round,                   ///< nearest integer, ties to even; forward only
    eltwise_hardswish = dnnl_eltwise_hardswish,           ///< s max(0, min(1, a s + b))
    eltwise_hardsigmoid = dnnl_eltwise_hardsigmoid,       ///< max(0, min(1, a s + b))
    eltwise_relu_use_dst_for_bwd = dnnl_eltwise_relu_use_dst_for_bwd,         ///< relu; backward from d, a >= 0
    eltwise_tanh_use_dst_for_bwd = dnnl_eltwise_tanh_use_dst_for_bwd,         ///< tanh; backward from d
    eltwise_elu_use_dst_for_bwd = dnnl_eltwise_elu_use_dst_for_bwd,           ///< elu; backward from d, a >= 0
    eltwise_sqrt_use_dst_for_bwd = dnnl_eltwise_sqrt_use_dst_for_bwd,         ///< sqrt; backward from d
    eltwise_logistic_use_dst_for_bwd = dnnl_eltwise_logistic_use_dst_for_bwd, ///< logistic; backward from d
    eltwise_exp_use_dst_for_bwd = dnnl_eltwise_exp_use_dst_for_bwd,           ///< exp; backward from d
    eltwise_clip_v2_use_dst_for_bwd = dnnl_eltwise_clip_v2_use_dst_for_bwd,   ///< clip_v2; backward from d
    lrn_across_channels = dnnl_lrn_across_channels,                           ///< Window over neighbouring channels.
    lrn_within_channel = dnnl_lrn_within_channel,                             ///< Window over the image of one channel.
    pooling_max = dnnl_pooling_max,                                           ///< Largest value of the window.
    pooling_avg_include_padding = dnnl_pooling_avg_include_padding,           ///< Sum over the window's full size.
    pooling_avg_exclude_padding = dnnl_pooling_avg_exclude_padding,           ///< Mean of the values inside the image.
    vanilla_rnn = dnnl_vanilla_rnn,                                           ///< Elman cell.
    vanilla_lstm = dnnl_vanilla_lstm,                                         ///< LSTM cell.
    vanilla_gru = dnnl_vanilla_gru,                                           ///< GRU cell.
    lbr_gru = dnnl_lbr_gru,                                                   ///< GRU cell, linear before reset.
    vanilla_augru = dnnl_vanilla_augru,                                       ///< GRU cell with attention.
    lbr_augru = dnnl_lbr_augru,                         ///< GRU cell with attention, linear before reset.
    binary_add = dnnl_binary_add,                       ///< s0 + s1
    binary_mul = dnnl_binary_mul,                       ///< s0 s1
    binary_max = dnnl_binary_max,                       ///< the larger
    binary_min = dnnl_binary_min,                       ///< the smaller
    binary_div = dnnl_binary_div,                       ///< s0 / s1
    binary_sub = dnnl_binary_sub,                       ///< s0 - s1
    binary_ge = dnnl_binary_ge,                         ///< s0 >= s1 ? 1 : 0
    binary_gt = dnnl_binary_gt,                         ///< s0 > s1 ? 1 : 0
    binary_le = dnnl_binary_le,                         ///< s0 <= s1 ? 1 : 0
    binary_lt = dnnl_binary_lt,                         ///< s0 < s1 ? 1 : 0
    binary_eq = dnnl_binary_eq,                         ///< s0 == s1 ? 1 : 0
    binary_ne = dnnl_binary_ne,                         ///< s0 != s1 ? 1 : 0
    binary_select = dnnl_binary_select,                 ///< s2 ? s0 : s1
    resampling_nearest = dnnl_resampling_nearest,       ///< Value of the nearest source point.
    resampling_linear = dnnl_resampling_linear,         ///< Linear in each spatial dimension.
    reduction_max = dnnl_reduction_max,                 ///< largest
    reduction_min = dnnl_reduction_min,                 ///< smallest
    reduction_sum = dnnl_reduction_sum,                 ///< sum
    reduction_mul = dnnl_reduction_mul,                 ///< product
    reduction_mean = dnnl_reduction_mean,               ///< sum over count
    reduction_norm_lp_max = dnnl_reduction_norm_lp_max, ///< max(sum |s|^p, eps)^(1/p)
    reduction_norm_lp_sum = dnnl_reduction_norm_lp_sum, ///< (sum |s|^p + eps)^(1/p)
    reduction_norm_lp_power_p_max = dnnl_reduction_norm_lp_power_p_max, ///< max(sum |s|^p, eps)
    reduction_norm_lp_power_p_sum = dnnl_reduction_norm_lp_power_p_sum, ///< sum |s|^p + eps
    softmax_accurate = dnnl_softmax_accurate,                           ///< e^(s - max) / sum of e^(s - max)
    softmax_log = dnnl_softmax_log,                                     ///< ln of softmax_accurate
    // end of enumerators
    eltwise_gelu = dnnl_eltwise_gelu_tanh,          ///< v2 name of eltwise_gelu_tanh.
    pooling_avg = dnnl_pooling_avg_exclude_padding, ///< v2 name of pooling_avg_exclude_padding.
    // No C twin; the numbers are outside of every range of the C enumeration.
    eltwise_bounded_relu = 0x7fff0001, ///< v2: min(a, max(0, s)); runs as eltwise_clip(0, a).
    eltwise_logsigmoid = 0x7fff0002,   ///< v2: -ln(1 + e^-s); runs as eltwise_soft_relu(-1).
};

/// @param aalgorithm Algorithm.
/// @returns The C number of an algorithm; of the two v2 names without one, the number of what runs instead.
inline dnnl_alg_kind_t convert_to_c(algorithm aalgorithm) {
    if (aalgorithm == algorithm::eltwise_bounded_relu) return dnnl_eltwise_clip;
    if (aalgorithm == algorithm::eltwise_logsigmoid) return dnnl_eltwise_soft_relu;
    return static_cast<dnnl_alg_kind_t>(aalgorithm);
}

/// Options of batch, group and layer normalization; bits that may be combined.
enum class normalization_flags : unsigned int {
    // enumerators: normalization_flags
    none = dnnl_normalization_flags_none,         ///< Mean and variance are computed, no scale, no shift.
    use_global_stats = dnnl_use_global_stats,     ///< Mean and variance are inputs.
    use_scale = dnnl_use_scale,                   ///< Multiply by DNNL_ARG_SCALE.
    use_shift = dnnl_use_shift,                   ///< Then add DNNL_ARG_SHIFT.
    fuse_norm_relu = dnnl_fuse_norm_relu,         ///< Then max(0, .); in training the mask is kept in the workspace.
    fuse_norm_add_relu = dnnl_fuse_norm_add_relu, ///< Then add DNNL_ARG_SRC_1 and max(0, .).
    rms_norm = dnnl_rms_norm,                     ///< Divide by the root mean square; no mean is subtracted.
    // end of enumerators
    /// v2 name. Scale and shift are two tensors of C values here, not one of 2 x C.
    use_scale_shift = dnnl_use_scale | dnnl_use_shift,
};

/// @param flags Flags.
/// @returns The C number of a set of flags.
inline dnnl_normalization_flags_t convert_to_c(normalization_flags flags) {
    return static_cast<dnnl_normalization_flags_t>(flags);
}

DNNL_DEFINE_BITMASK_OPS(normalization_flags)

/// Options of recurrent cells; bits that may be combined.
enum class rnn_flags : unsigned int {
    // enumerators: rnn_flags
    undef = dnnl_rnn_flags_undef, ///< None: gradients of weights are added to what the memory holds.
    diff_weights_overwrite = dnnl_rnn_flags_diff_weights_overwrite, ///< Gradients of weights are written, not added.
    // end of enumerators
};

/// @param flags Flags.
/// @returns The C number of a set of flags.
inline dnnl_rnn_flags_t convert_to_c(rnn_flags flags) { return static_cast<dnnl_rnn_flags_t>(flags); }

DNNL_DEFINE_BITMASK_OPS(rnn_flags)

/// In which order a recurrent layer walks the sequence.
enum class rnn_direction : int {
    // enumerators: rnn_direction
    undef = dnnl_rnn_direction_undef,                           ///< Not set.
    unidirectional_left2right = dnnl_unidirectional_left2right, ///< From the first step to the last.
    unidirectional_right2left = dnnl_unidirectional_right2left, ///< From the last step to the first.
    bidirectional_concat = dnnl_bidirectional_concat,           ///< Both; results side by side (2 x channels).
    bidirectional_sum = dnnl_bidirectional_sum,                 ///< Both; results added.
    // end of enumerators
    unidirectional = dnnl_unidirectional_left2right, ///< v2 name of unidirectional_left2right.
};

/// @param dir Direction.
/// @returns The C number of a direction.
inline dnnl_rnn_direction_t convert_to_c(rnn_direction dir) { return static_cast<dnnl_rnn_direction_t>(dir); }

/// What to ask a primitive or memory descriptor; the ending names the type of the answer.
enum class query : int {
    // enumerators: query
    undef = dnnl_query_undef,
    engine = dnnl_query_engine,
    primitive_kind = dnnl_query_primitive_kind,
    num_of_inputs_s32 = dnnl_query_num_of_inputs_s32,
    num_of_outputs_s32 = dnnl_query_num_of_outputs_s32,
    time_estimate_f64 = dnnl_query_time_estimate_f64,
    memory_consumption_s64 = dnnl_query_memory_consumption_s64,
    scratchpad_engine = dnnl_query_scratchpad_engine,
    reorder_src_engine = dnnl_query_reorder_src_engine,
    reorder_dst_engine = dnnl_query_reorder_dst_engine,
    impl_info_str = dnnl_query_impl_info_str,
    prop_kind = dnnl_query_prop_kind,
    cache_blob_id_size_s64 = dnnl_query_cache_blob_id_size_s64,
    cache_blob_id = dnnl_query_cache_blob_id,
    strides = dnnl_query_strides,
    dilations = dnnl_query_dilations,
    padding_l = dnnl_query_padding_l,
    padding_r = dnnl_query_padding_r,
    epsilon_f32 = dnnl_query_epsilon_f32,
    flags = dnnl_query_flags,
    alg_kind = dnnl_query_alg_kind,
    alpha_f32 = dnnl_query_alpha_f32,
    beta_f32 = dnnl_query_beta_f32,
    axis_s32 = dnnl_query_axis_s32,
    local_size_s64 = dnnl_query_local_size_s64,
    k_f32 = dnnl_query_k_f32,
    p_f32 = dnnl_query_p_f32,
    factors = dnnl_query_factors,
    cell_kind = dnnl_query_cell_kind,
    direction = dnnl_query_direction,
    activation_kind = dnnl_query_activation_kind,
    kernel = dnnl_query_kernel,
    group_size_s64 = dnnl_query_group_size_s64,
    src_md = dnnl_query_src_md,
    diff_src_md = dnnl_query_diff_src_md,
    weights_md = dnnl_query_weights_md,
    diff_weights_md = dnnl_query_diff_weights_md,
    dst_md = dnnl_query_dst_md,
    diff_dst_md = dnnl_query_diff_dst_md,
    workspace_md = dnnl_query_workspace_md,
    scratchpad_md = dnnl_query_scratchpad_md,
    exec_arg_md = dnnl_query_exec_arg_md,
    ndims_s32 = dnnl_query_ndims_s32,
    dims = dnnl_query_dims,
    data_type = dnnl_query_data_type,
    submemory_offset_s64 = dnnl_query_submemory_offset_s64,
    padded_dims = dnnl_query_padded_dims,
    padded_offsets = dnnl_query_padded_offsets,
    format_kind = dnnl_query_format_kind,
    inner_nblks_s32 = dnnl_query_inner_nblks_s32,
    inner_blks = dnnl_query_inner_blks,
    inner_idxs = dnnl_query_inner_idxs,
    sparse_encoding = dnnl_query_sparse_encoding,
    nnz_s64 = dnnl_query_nnz_s64,
    num_handles_s32 = dnnl_query_num_handles_s32,
    // end of enumerators
};

/// @param aquery Query.
/// @returns The C number of a query.
inline dnnl_query_t convert_to_c(query aquery) { return static_cast<dnnl_query_t>(aquery); }

} // namespace dnnl

#endif
