// SPDX-License-Identifier: Apache-2.0
// Batch, group and layer normalization, and local response normalization.
// Arguments at execution: DNNL_ARG_SRC, _MEAN, _VARIANCE, _SCALE, _SHIFT, _DST, _WORKSPACE and DIFF_ forms.
//
//     batch_normalization_forward::primitive_desc pd(eng, prop_kind::forward_inference, md, md, 1e-5f,
//             normalization_flags::use_global_stats | normalization_flags::use_scale);

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_NORMALIZATION_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_NORMALIZATION_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Batch normalization, forward: dst = scale (src - mean) / sqrt(variance + epsilon) + shift.
/// Shapes: src and dst {N, C, [[D,] H,] W} or {N, C}; mean, variance, scale and shift {C}, f32. Mean and variance
/// are outputs in training, inputs with use_global_stats, and neither in inference without it.
/// f32, bf16, f16 throughout; s8 with use_global_stats. With fuse_norm_relu what is below 0 becomes 0, and training
/// writes a mask to the workspace. Attributes: one relu as a post-op.
struct batch_normalization_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem; dst has the descriptor of src. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param data_desc Descriptor of both src and dst.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, float epsilon, normalization_flags flags)
            : aprop_kind_(aprop_kind), src_desc_(data_desc), dst_desc_(data_desc), epsilon_(epsilon), flags_(flags) {}

        prop_kind aprop_kind_;
        memory::desc src_desc_;
        memory::desc dst_desc_;
        float epsilon_;
        normalization_flags flags_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem. epsilon is added to the variance.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, N x C [x [[D x] H x] W].
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& dst_desc, float epsilon, normalization_flags flags,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_batch_normalization_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(), epsilon,
                static_cast<unsigned>(flags), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a batch normalization (forward)");
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
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.src_desc_, adesc.dst_desc_, adesc.epsilon_, adesc.flags_,
                             attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::batch_normalization, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}

        /// @returns Mean: {C}.
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
    };

    /// An empty primitive.
    batch_normalization_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    batch_normalization_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    batch_normalization_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Batch normalization, gradients: diff_src, and with prop_kind::backward those of scale and shift, from diff_dst,
/// src, mean and variance. Flags as in the forward computation, whose descriptor is the hint.
/// f32, bf16, f16. With fuse_norm_relu the hint must be a forward of training with that flag.
struct batch_normalization_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Both data gradients have the same descriptor. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::backward for all gradients, prop_kind::backward_data for diff_src alone.
        /// @param diff_data_desc Descriptor of both diff_src and diff_dst.
        /// @param data_desc Descriptor of src.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        desc(prop_kind aprop_kind, const memory::desc& diff_data_desc, const memory::desc& data_desc, float epsilon,
             normalization_flags flags)
            : aprop_kind_(aprop_kind), diff_src_desc_(diff_data_desc), diff_dst_desc_(diff_data_desc),
              src_desc_(data_desc), epsilon_(epsilon), flags_(flags) {}

        prop_kind aprop_kind_;
        memory::desc diff_src_desc_;
        memory::desc diff_dst_desc_;
        memory::desc src_desc_;
        float epsilon_;
        normalization_flags flags_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::backward for all gradients, prop_kind::backward_data for diff_src alone.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C [x [[D x] H x] W]; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param src_desc Descriptor of src, N x C [x [[D x] H x] W].
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& src_desc, float epsilon,
                       normalization_flags flags, const batch_normalization_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_batch_normalization_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), diff_src_desc.get(), diff_dst_desc.get(),
                src_desc.get(), epsilon, static_cast<unsigned>(flags), hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty,
                 "could not create a primitive descriptor of a batch normalization (backward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine,
                       const batch_normalization_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const batch_normalization_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.diff_src_desc_, adesc.diff_dst_desc_, adesc.src_desc_,
                             adesc.epsilon_, adesc.flags_, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::batch_normalization, prop_kind::backward,
                                   prop_kind::backward_data) {}

        /// @returns Mean: {C}.
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
    };

    /// An empty primitive.
    batch_normalization_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    batch_normalization_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    batch_normalization_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Group normalization, forward: dst = scale (src - mean) / sqrt(variance + epsilon) + shift.
/// Shapes: src and dst {N, C, [[D,] H,] W}; C is a multiple of groups; mean and variance {N, groups}; scale and
/// shift {C}; all f32 but src and dst. Mean and variance are outputs in training, inputs with use_global_stats, and
/// neither in inference without it.
/// f32, bf16, f16, s8, u8 in any mix. Attributes: scales of src and dst, which are factors of the result, where one
/// of them is s8 or u8; post-ops eltwise, binary.
struct group_normalization_forward : public primitive {
    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem. epsilon is added to the variance.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param groups Number of groups of channels; a divisor of C.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& dst_desc, memory::dim groups, float epsilon, normalization_flags flags,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_group_normalization_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(), groups, epsilon,
                static_cast<unsigned>(flags), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a group normalization (forward)");
        }

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::group_normalization, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}

        /// @returns Mean: {N, groups}.
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
    };

    /// An empty primitive.
    group_normalization_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    group_normalization_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    group_normalization_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Group normalization, gradients: diff_src, and with prop_kind::backward those of scale and shift, from diff_dst,
/// src, mean and variance. Flags as in the forward computation, whose descriptor is the hint.
/// f32, bf16, f16 in any mix.
struct group_normalization_backward : public primitive {
    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::backward for all gradients, prop_kind::backward_data for diff_src alone.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param groups Number of groups of channels; a divisor of C.
        /// @param epsilon Constant added to the variance.
        /// @param flags normalization_flags as bits.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& src_desc, memory::dim groups,
                       float epsilon, normalization_flags flags,
                       const group_normalization_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_group_normalization_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), diff_src_desc.get(), diff_dst_desc.get(),
                src_desc.get(), groups, epsilon, static_cast<unsigned>(flags), hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty,
                 "could not create a primitive descriptor of a group normalization (backward)");
        }

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::group_normalization, prop_kind::backward,
                                   prop_kind::backward_data) {}

        /// @returns Mean: {N, groups}.
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
    };

    /// An empty primitive.
    group_normalization_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    group_normalization_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    group_normalization_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
