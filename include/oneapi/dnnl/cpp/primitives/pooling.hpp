// SPDX-License-Identifier: Apache-2.0
// Pooling: maximum or mean of windows. Arguments at execution: DNNL_ARG_SRC, _DST, _WORKSPACE and DIFF_ forms.
//
//     pooling_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::pooling_max, src_md, dst_md,
//             {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0});  // strides, kernel, dilation, padding before, after

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_POOLING_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_POOLING_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Maximum or mean of windows, forward.
/// Shapes: src {N, C, [[D,] H,] W}, dst {N, C, [[OD,] OH,] OW} with extents (I - ((K - 1)(dilation + 1) + 1) +
/// padding_l + padding_r) / stride + 1, rounded down. One value per spatial dimension in each list; dilation 0 is a
/// dense window. dst may be `any`. Training by maximum writes a workspace for backward. Types: src and dst each of f32,
/// bf16, f16, f8, s32, s8, u8. Attributes: post-ops eltwise, binary.
struct pooling_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem with dense windows. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::pooling_max, algorithm::pooling_avg_include_padding or
        ///     algorithm::pooling_avg_exclude_padding.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param dst_desc Descriptor of dst, N x C x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring window positions, >= 1; one value per spatial dimension.
        /// @param kernel Extents of the window in elements; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& dst_desc,
             const memory::dims& strides, const memory::dims& kernel, const memory::dims& padding_l,
             const memory::dims& padding_r)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), src_desc_(src_desc), dst_desc_(dst_desc),
              strides_(strides), kernel_(kernel), dilation_(kernel.size(), 0), padding_l_(padding_l),
              padding_r_(padding_r) {}

        /// The problem, all of its arguments; in v2 this was pooling_v2_forward::desc. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::pooling_max, algorithm::pooling_avg_include_padding or
        ///     algorithm::pooling_avg_exclude_padding.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param dst_desc Descriptor of dst, N x C x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring window positions, >= 1; one value per spatial dimension.
        /// @param kernel Extents of the window in elements; one value per spatial dimension.
        /// @param dilation Elements skipped between neighbours in the window, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& dst_desc,
             const memory::dims& strides, const memory::dims& kernel, const memory::dims& dilation,
             const memory::dims& padding_l, const memory::dims& padding_r)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), src_desc_(src_desc), dst_desc_(dst_desc),
              strides_(strides), kernel_(kernel), dilation_(dilation), padding_l_(padding_l), padding_r_(padding_r) {}

        prop_kind aprop_kind_;
        algorithm aalgorithm_;
        memory::desc src_desc_;
        memory::desc dst_desc_;
        memory::dims strides_;
        memory::dims kernel_;
        memory::dims dilation_;
        memory::dims padding_l_;
        memory::dims padding_r_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::pooling_max, algorithm::pooling_avg_include_padding or
        ///     algorithm::pooling_avg_exclude_padding.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param dst_desc Descriptor of dst, N x C x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring window positions, >= 1; one value per spatial dimension.
        /// @param kernel Extents of the window in elements; one value per spatial dimension.
        /// @param dilation Elements skipped between neighbours in the window, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, const memory::dims& strides, const memory::dims& kernel,
                       const memory::dims& dilation, const memory::dims& padding_l, const memory::dims& padding_r,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            if (!spatial_fit(src_desc,
                             {count(&strides), count(&kernel), count(&dilation), count(&padding_l), count(&padding_r)},
                             allow_empty))
                return;
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(aalgorithm), src_desc.get(),
                dst_desc.get(), strides.data(), kernel.data(), dilation.data(), padding_l.data(), padding_r.data(),
                attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a pooling (forward)");
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
                             adesc.strides_, adesc.kernel_, adesc.dilation_, adesc.padding_l_, adesc.padding_r_, attr,
                             allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::pooling, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    pooling_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    pooling_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    pooling_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Maximum or mean of windows, gradient: diff_src from diff_dst, and the workspace of the forward training
/// computation if by maximum, whose descriptor is the hint. diff_src or diff_dst may be `any`. No attributes.
struct pooling_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem with dense windows. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm algorithm::pooling_max, algorithm::pooling_avg_include_padding or
        ///     algorithm::pooling_avg_exclude_padding.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x C x [[OD x] OH x] OW.
        /// @param strides Elements between neighbouring window positions, >= 1; one value per spatial dimension.
        /// @param kernel Extents of the window in elements; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(algorithm aalgorithm, const memory::desc& diff_src_desc, const memory::desc& diff_dst_desc,
             const memory::dims& strides, const memory::dims& kernel, const memory::dims& padding_l,
             const memory::dims& padding_r)
            : aalgorithm_(aalgorithm), diff_src_desc_(diff_src_desc), diff_dst_desc_(diff_dst_desc), strides_(strides),
              kernel_(kernel), dilation_(kernel.size(), 0), padding_l_(padding_l), padding_r_(padding_r) {}

        /// The problem, all of its arguments; in v2 this was pooling_v2_backward::desc. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param aalgorithm algorithm::pooling_max, algorithm::pooling_avg_include_padding or
        ///     algorithm::pooling_avg_exclude_padding.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x C x [[OD x] OH x] OW.
        /// @param strides Elements between neighbouring window positions, >= 1; one value per spatial dimension.
        /// @param kernel Extents of the window in elements; one value per spatial dimension.
        /// @param dilation Elements skipped between neighbours in the window, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(algorithm aalgorithm, const memory::desc& diff_src_desc, const memory::desc& diff_dst_desc,
             const memory::dims& strides, const memory::dims& kernel, const memory::dims& dilation,
             const memory::dims& padding_l, const memory::dims& padding_r)
            : aalgorithm_(aalgorithm), diff_src_desc_(diff_src_desc), diff_dst_desc_(diff_dst_desc), strides_(strides),
              kernel_(kernel), dilation_(dilation), padding_l_(padding_l), padding_r_(padding_r) {}

        algorithm aalgorithm_;
        memory::desc diff_src_desc_;
        memory::desc diff_dst_desc_;
        memory::dims strides_;
        memory::dims kernel_;
        memory::dims dilation_;
        memory::dims padding_l_;
        memory::dims padding_r_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::pooling_max, algorithm::pooling_avg_include_padding or
        ///     algorithm::pooling_avg_exclude_padding.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x C x [[OD x] OH x] OW.
        /// @param strides Elements between neighbouring window positions, >= 1; one value per spatial dimension.
        /// @param kernel Extents of the window in elements; one value per spatial dimension.
        /// @param dilation Elements skipped between neighbours in the window, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::dims& strides, const memory::dims& kernel,
                       const memory::dims& dilation, const memory::dims& padding_l, const memory::dims& padding_r,
                       const pooling_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false) {
            if (!spatial_fit(diff_src_desc,
                             {count(&strides), count(&kernel), count(&dilation), count(&padding_l), count(&padding_r)},
                             allow_empty))
                return;
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_pooling_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                strides.data(), kernel.data(), dilation.data(), padding_l.data(), padding_r.data(), hint_fwd_pd.get(),
                attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a pooling (backward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const pooling_forward::primitive_desc& hint_fwd_pd,
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
                       const pooling_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.diff_src_desc_, adesc.diff_dst_desc_, adesc.strides_,
                             adesc.kernel_, adesc.dilation_, adesc.padding_l_, adesc.padding_r_, hint_fwd_pd, attr,
                             allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::pooling, prop_kind::backward, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    pooling_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    pooling_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    pooling_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// v2 name: the class that took dilations. pooling_forward::desc takes both forms.
using pooling_v2_forward = pooling_forward;
/// v2 name; see pooling_v2_forward.
using pooling_v2_backward = pooling_backward;

} // namespace dnnl

#endif
