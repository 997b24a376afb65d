// SPDX-License-Identifier: Apache-2.0
// Layer normalization and local response normalization.
// Arguments at execution: DNNL_ARG_SRC, _MEAN, _VARIANCE, _SCALE, _SHIFT, _DST, _WORKSPACE and DIFF_ forms.
//
//     layer_normalization_forward::primitive_desc pd(eng, prop_kind::forward_inference, md, md, 1e-5f,
//             normalization_flags::use_scale | normalization_flags::use_shift);

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_LAYER_NORMALIZATION_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_LAYER_NORMALIZATION_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Layer normalization, forward: dst = scale (src - mean) / sqrt(variance + epsilon) + shift.
/// Over the last dimension, C. Shapes: src and dst {..., C}, 2 to 5 dimensions; mean and variance have the others;
/// scale and shift {C}, f32 unless a type is given. Mean and variance are outputs in training, inputs with
/// use_global_stats, and neither in inference without it.
/// With rms_norm the mean is 0 and is no argument, and the variance is the mean of squares. f32, bf16, f16, s8, u8 in
/// any mix. Attributes: scales of src and dst, which are factors of the result, where one of them is s8 or u8;
/// post-ops eltwise, binary.
struct layer_normalization_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem; dst has the descriptor of src. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param data_desc Descriptor of both src and dst.
        /// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, const memory::desc& stat_desc, float epsilon,
             normalization_flags flags)
            : aprop_kind_(aprop_kind), src_desc_(data_desc), dst_desc_(data_desc), stat_desc_(stat_desc),
              scale_shift_data_type_(memory::data_type::f32), epsilon_(epsilon), flags_(flags) {}

        /// The problem; statistics are laid out as src without its last dimension. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param data_desc Descriptor of both src and dst.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, float epsilon, normalization_flags flags)
            : aprop_kind_(aprop_kind), src_desc_(data_desc), dst_desc_(data_desc), stat_desc_(),
              scale_shift_data_type_(memory::data_type::f32), epsilon_(epsilon), flags_(flags) {}

        prop_kind aprop_kind_;
        memory::desc src_desc_;
        memory::desc dst_desc_;
        memory::desc stat_desc_;
        memory::data_type scale_shift_data_type_;
        float epsilon_;
        normalization_flags flags_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with the layout of the statistics.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& dst_desc, const memory::desc& stat_desc, float epsilon,
                       normalization_flags flags, const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, &stat_desc, memory::data_type::f32, epsilon,
                             flags, attr, allow_empty) {}

        /// The problem; statistics are laid out as src without its last dimension.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& dst_desc, float epsilon, normalization_flags flags,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, nullptr, memory::data_type::f32, epsilon, flags,
                             attr, allow_empty) {}

        /// The problem with the layout of the statistics and the type of scale and shift.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32.
        /// @param scale_shift_data_type Type of scale and shift: f32, bf16 or f16.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& dst_desc, const memory::desc& stat_desc,
                       memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, &stat_desc, scale_shift_data_type, epsilon, flags,
                             attr, allow_empty) {}

        /// The problem with the type of scale and shift; statistics are laid out as src without its last dimension.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param scale_shift_data_type Type of scale and shift: f32, bf16 or f16.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& dst_desc, memory::data_type scale_shift_data_type, float epsilon,
                       normalization_flags flags, const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, nullptr, scale_shift_data_type, epsilon, flags,
                             attr, allow_empty) {}

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
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.src_desc_, adesc.dst_desc_, present(adesc.stat_desc_),
                             adesc.scale_shift_data_type_, adesc.epsilon_, adesc.flags_, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::layer_normalization, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}

        /// @returns Mean: {all dimensions of src but the last}.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc mean_desc() const { return statistic(1); }
        /// @returns Variance, shaped as the mean.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc variance_desc() const { return statistic(2); }
        /// @returns Flags of the normalization.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        normalization_flags get_flags() const { return base::get_flags<normalization_flags>(); }

    private:
        // Given statistics are inputs, computed ones outputs.
        memory::desc statistic(int idx) const {
            const bool given = (get_flags() & normalization_flags::use_global_stats) != normalization_flags::none;
            return given ? base::src_desc(idx) : base::dst_desc(idx);
        }
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& dst_desc, const memory::desc* stat_desc,
                       memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                       const primitive_attr& attr, bool allow_empty) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_layer_normalization_forward_primitive_desc_create_v2(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(),
                optional_arg(stat_desc), memory::convert_to_c(scale_shift_data_type), epsilon,
                static_cast<unsigned>(flags), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a layer normalization (forward)");
        }
    };

    /// An empty primitive.
    layer_normalization_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    layer_normalization_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    layer_normalization_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Layer normalization, gradients: diff_src, and with prop_kind::backward those of scale and shift, from diff_dst,
/// src, mean and variance. Flags as in the forward computation, whose descriptor is the hint.
/// f32, bf16, f16 in any mix. With rms_norm diff_src is the gradient of dst = scale src / sqrt(mean of squares +
/// epsilon): oneDNN also subtracts the mean of the gradients, as without rms_norm (doc/decisions/017).
struct layer_normalization_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Both data gradients have the same descriptor. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::backward for all gradients, prop_kind::backward_data for diff_src alone.
        /// @param diff_data_desc Descriptor of both diff_src and diff_dst.
        /// @param data_desc Descriptor of src.
        /// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        desc(prop_kind aprop_kind, const memory::desc& diff_data_desc, const memory::desc& data_desc,
             const memory::desc& stat_desc, float epsilon, normalization_flags flags)
            : aprop_kind_(aprop_kind), diff_src_desc_(diff_data_desc), diff_dst_desc_(diff_data_desc),
              src_desc_(data_desc), stat_desc_(stat_desc), diff_scale_shift_data_type_(memory::data_type::f32),
              scale_shift_data_type_(memory::data_type::f32), epsilon_(epsilon), flags_(flags) {}

        /// The problem; statistics are laid out as src without its last dimension. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param aprop_kind prop_kind::backward for all gradients, prop_kind::backward_data for diff_src alone.
        /// @param diff_data_desc Descriptor of both diff_src and diff_dst.
        /// @param data_desc Descriptor of src.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        desc(prop_kind aprop_kind, const memory::desc& diff_data_desc, const memory::desc& data_desc, float epsilon,
             normalization_flags flags)
            : aprop_kind_(aprop_kind), diff_src_desc_(diff_data_desc), diff_dst_desc_(diff_data_desc),
              src_desc_(data_desc), stat_desc_(), diff_scale_shift_data_type_(memory::data_type::f32),
              scale_shift_data_type_(memory::data_type::f32), epsilon_(epsilon), flags_(flags) {}

        prop_kind aprop_kind_;
        memory::desc diff_src_desc_;
        memory::desc diff_dst_desc_;
        memory::desc src_desc_;
        memory::desc stat_desc_;
        memory::data_type diff_scale_shift_data_type_;
        memory::data_type scale_shift_data_type_;
        float epsilon_;
        normalization_flags flags_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with the layout of the statistics.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::backward for all gradients, prop_kind::backward_data for diff_src alone.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 2 to 5 dimensions, the last is normalized;
        ///     may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
        /// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& src_desc, const memory::desc& stat_desc,
                       float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc, &stat_desc,
                             memory::data_type::f32, memory::data_type::f32, epsilon, flags, hint_fwd_pd, attr,
                             allow_empty) {}

        /// The problem; statistics are laid out as src without its last dimension.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::backward for all gradients, prop_kind::backward_data for diff_src alone.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 2 to 5 dimensions, the last is normalized;
        ///     may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& src_desc, float epsilon,
                       normalization_flags flags, const layer_normalization_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc, nullptr,
                             memory::data_type::f32, memory::data_type::f32, epsilon, flags, hint_fwd_pd, attr,
                             allow_empty) {}

        /// The problem with the layout of the statistics and the types of scale and shift and their gradients.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::backward for all gradients, prop_kind::backward_data for diff_src alone.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 2 to 5 dimensions, the last is normalized;
        ///     may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
        /// @param stat_desc Descriptor of mean and variance: the shape of src without its last dimension, f32.
        /// @param diff_scale_shift_data_type Type of the gradients of scale and shift: f32, bf16 or f16.
        /// @param scale_shift_data_type Type of scale and shift: f32, bf16 or f16.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& src_desc, const memory::desc& stat_desc,
                       memory::data_type diff_scale_shift_data_type, memory::data_type scale_shift_data_type,
                       float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc, &stat_desc,
                             diff_scale_shift_data_type, scale_shift_data_type, epsilon, flags, hint_fwd_pd, attr,
                             allow_empty) {}

        /// The problem with the types of scale and shift and their gradients; statistics are laid out as src
        /// without its last dimension.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::backward for all gradients, prop_kind::backward_data for diff_src alone.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 2 to 5 dimensions, the last is normalized;
        ///     may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param src_desc Descriptor of src, 2 to 5 dimensions, the last is normalized.
        /// @param diff_scale_shift_data_type Type of the gradients of scale and shift: f32, bf16 or f16.
        /// @param scale_shift_data_type Type of scale and shift: f32, bf16 or f16.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& src_desc,
                       memory::data_type diff_scale_shift_data_type, memory::data_type scale_shift_data_type,
                       float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc, nullptr,
                             diff_scale_shift_data_type, scale_shift_data_type, epsilon, flags, hint_fwd_pd, attr,
                             allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine,
                       const layer_normalization_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const layer_normalization_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.diff_src_desc_, adesc.diff_dst_desc_, adesc.src_desc_,
                             present(adesc.stat_desc_), adesc.diff_scale_shift_data_type_, adesc.scale_shift_data_type_,
                             adesc.epsilon_, adesc.flags_, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::layer_normalization, prop_kind::backward,
                                   prop_kind::backward_data) {}

        /// @returns Mean: {all dimensions of src but the last}.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc mean_desc() const { return statistic(1); }
        /// @returns Variance, shaped as the mean.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc variance_desc() const { return statistic(2); }
        /// @returns Flags of the normalization.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        normalization_flags get_flags() const { return base::get_flags<normalization_flags>(); }

    private:
        memory::desc statistic(int idx) const { return base::src_desc(idx); }
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& src_desc, const memory::desc* stat_desc,
                       memory::data_type diff_scale_shift_data_type, memory::data_type scale_shift_data_type,
                       float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr,
                       bool allow_empty) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_layer_normalization_backward_primitive_desc_create_v2(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), diff_src_desc.get(), diff_dst_desc.get(),
                src_desc.get(), optional_arg(stat_desc), memory::convert_to_c(diff_scale_shift_data_type),
                memory::convert_to_c(scale_shift_data_type), epsilon, static_cast<unsigned>(flags), hint_fwd_pd.get(),
                attr.get());
            take(status, pd, allow_empty,
                 "could not create a primitive descriptor of a layer normalization (backward)");
        }
    };

    /// An empty primitive.
    layer_normalization_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    layer_normalization_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    layer_normalization_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Local response normalization, forward: dst = src (k + alpha / n * sum of src^2 over the window)^-beta, n
/// elements in the window.
/// Shapes: src and dst {N, C, [[D,] H,] W}. The window has local_size neighbours per dimension it extends over:
/// channels, or space.
/// Types: f32, bf16, f16, the same of all tensors. There is no workspace. No attributes.
struct lrn_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem; dst has the descriptor of src. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::lrn_across_channels or algorithm::lrn_within_channel.
        /// @param data_desc Descriptor of both src and dst.
        /// @param local_size Extent of the window, in channels, or in pixels per spatial dimension; >= 0.
        /// @param alpha Factor of the sum of squares.
        /// @param beta Negated exponent.
        /// @param k Constant added to the scaled sum of squares.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& data_desc, memory::dim local_size,
             float alpha, float beta, float k = 1.f)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), src_desc_(data_desc), dst_desc_(data_desc),
              local_size_(local_size), alpha_(alpha), beta_(beta), k_(k) {}

        prop_kind aprop_kind_;
        algorithm aalgorithm_;
        memory::desc src_desc_;
        memory::desc dst_desc_;
        memory::dim local_size_;
        float alpha_;
        float beta_;
        float k_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::lrn_across_channels or algorithm::lrn_within_channel.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param local_size Extent of the window, in channels, or in pixels per spatial dimension; >= 0.
        /// @param alpha Factor of the sum of squares.
        /// @param beta Negated exponent.
        /// @param k Constant added to the scaled sum of squares.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, memory::dim local_size, float alpha, float beta, float k,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_lrn_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(aalgorithm), src_desc.get(),
                dst_desc.get(), local_size, alpha, beta, k, attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of an lrn (forward)");
        }

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
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.aalgorithm_, adesc.src_desc_, adesc.dst_desc_,
                             adesc.local_size_, adesc.alpha_, adesc.beta_, adesc.k_, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::lrn, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    lrn_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    lrn_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    lrn_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Local response normalization, gradient: diff_src from diff_dst and src. The hint is the descriptor of the
/// forward training computation.
/// Types: f32, bf16, f16, the same of all tensors. There is no workspace. No attributes.
struct lrn_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem; both gradients have the same descriptor. Nothing is checked before a primitive_desc is made
        /// of it.
        /// @param aalgorithm algorithm::lrn_across_channels or algorithm::lrn_within_channel.
        /// @param data_desc Descriptor of src.
        /// @param diff_data_desc Descriptor of both diff_src and diff_dst.
        /// @param local_size Extent of the window, in channels, or in pixels per spatial dimension; >= 0.
        /// @param alpha Factor of the sum of squares.
        /// @param beta Negated exponent.
        /// @param k Constant added to the scaled sum of squares.
        desc(algorithm aalgorithm, const memory::desc& data_desc, const memory::desc& diff_data_desc,
             memory::dim local_size, float alpha, float beta, float k = 1.f)
            : aalgorithm_(aalgorithm), diff_src_desc_(diff_data_desc), diff_dst_desc_(diff_data_desc),
              src_desc_(data_desc), local_size_(local_size), alpha_(alpha), beta_(beta), k_(k) {}

        algorithm aalgorithm_;
        memory::desc diff_src_desc_;
        memory::desc diff_dst_desc_;
        memory::desc src_desc_;
        memory::dim local_size_;
        float alpha_;
        float beta_;
        float k_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::lrn_across_channels or algorithm::lrn_within_channel.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param local_size Extent of the window, in channels, or in pixels per spatial dimension; >= 0.
        /// @param alpha Factor of the sum of squares.
        /// @param beta Negated exponent.
        /// @param k Constant added to the scaled sum of squares.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& src_desc, memory::dim local_size,
                       float alpha, float beta, float k, const lrn_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_lrn_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                src_desc.get(), local_size, alpha, beta, k, hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of an lrn (backward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const lrn_forward::primitive_desc& hint_fwd_pd,
                       bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const lrn_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.diff_src_desc_, adesc.diff_dst_desc_, adesc.src_desc_,
                             adesc.local_size_, adesc.alpha_, adesc.beta_, adesc.k_, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::lrn, prop_kind::backward, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    lrn_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    lrn_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    lrn_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
