// SPDX-License-Identifier: Apache-2.0
// Resampling (resizing of images) and reduction (of dimensions to extent 1).
// Arguments at execution: DNNL_ARG_SRC, _DST and DIFF_ forms of them.
//
//     reduction::primitive_desc pd(eng, algorithm::reduction_mean, src_md, dst_md, 0.f, 0.f);

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_RESAMPLING_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_RESAMPLING_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Resizing of the spatial dimensions, forward.
/// Shapes: src {N, C, [[D,] H,] W}, dst {N, C, [[OD,] OH,] OW}. Factors, one per spatial dimension, are O / I;
/// without dst they give its extents, rounded down.
struct resampling_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem without factors, which follow from the extents. Nothing is checked before a primitive_desc
        /// is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param dst_desc Descriptor of dst, N x C x [[OD x] OH x] OW; may be `any`.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& dst_desc)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), factors_(), src_desc_(src_desc), dst_desc_(dst_desc) {}

        /// The problem without dst, whose extents follow from the factors. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param factors Ratio of the extents of dst and src, > 0; one value per spatial dimension.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const std::vector<float>& factors,
             const memory::desc& src_desc)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), factors_(factors), src_desc_(src_desc), dst_desc_() {}

        /// The problem with factors and dst; the extents must fit the factors. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param factors Ratio of the extents of dst and src, > 0; one value per spatial dimension.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param dst_desc Descriptor of dst, N x C x [[OD x] OH x] OW; may be `any`.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const std::vector<float>& factors,
             const memory::desc& src_desc, const memory::desc& dst_desc)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), factors_(factors), src_desc_(src_desc),
              dst_desc_(dst_desc) {}

        prop_kind aprop_kind_;
        algorithm aalgorithm_;
        std::vector<float> factors_;
        memory::desc src_desc_;
        memory::desc dst_desc_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem without factors, which follow from the extents.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param dst_desc Descriptor of dst, N x C x [[OD x] OH x] OW; may be `any`.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_resampling_forward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, nullptr, src_desc, &dst_desc, attr, allow_empty) {}

        /// The problem without dst, whose extents follow from the factors.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param factors Ratio of the extents of dst and src, > 0; one value per spatial dimension.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_resampling_forward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm,
                       const std::vector<float>& factors, const memory::desc& src_desc,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, &factors, src_desc, nullptr, attr, allow_empty) {}

        /// The problem with factors and dst; the extents must fit the factors.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param factors Ratio of the extents of dst and src, > 0; one value per spatial dimension.
        /// @param src_desc Descriptor of src, N x C x [[D x] H x] W.
        /// @param dst_desc Descriptor of dst, N x C x [[OD x] OH x] OW; may be `any`.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_resampling_forward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm,
                       const std::vector<float>& factors, const memory::desc& src_desc, const memory::desc& dst_desc,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, &factors, src_desc, &dst_desc, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_resampling_forward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_resampling_forward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.aalgorithm_, &adesc.factors_, adesc.src_desc_,
                             present(adesc.dst_desc_), attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::resampling, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}

    private:
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm,
                       const std::vector<float>* factors, const memory::desc& src_desc, const memory::desc* dst_desc,
                       const primitive_attr& attr, bool allow_empty) {
            if (!spatial_fit(src_desc, {count(factors)}, allow_empty)) return;
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_resampling_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(aalgorithm),
                optional_arg(factors), src_desc.get(), optional_arg(dst_desc), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a resampling (forward)");
        }
    };

    /// An empty primitive.
    resampling_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    resampling_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    resampling_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Resizing of the spatial dimensions, gradient: diff_src from diff_dst.
struct resampling_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem without factors, which follow from the extents. Nothing is checked before a primitive_desc
        /// is made of it.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x C x [[OD x] OH x] OW.
        desc(algorithm aalgorithm, const memory::desc& diff_src_desc, const memory::desc& diff_dst_desc)
            : aalgorithm_(aalgorithm), factors_(), diff_src_desc_(diff_src_desc), diff_dst_desc_(diff_dst_desc) {}

        /// The problem with factors. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param factors Ratio of the extents of dst and src, > 0; one value per spatial dimension.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x C x [[OD x] OH x] OW.
        desc(algorithm aalgorithm, const std::vector<float>& factors, const memory::desc& diff_src_desc,
             const memory::desc& diff_dst_desc)
            : aalgorithm_(aalgorithm), factors_(factors), diff_src_desc_(diff_src_desc), diff_dst_desc_(diff_dst_desc) {
        }

        algorithm aalgorithm_;
        std::vector<float> factors_;
        memory::desc diff_src_desc_;
        memory::desc diff_dst_desc_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem without factors, which follow from the extents.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x C x [[OD x] OH x] OW.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_resampling_backward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const resampling_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, nullptr, diff_src_desc, diff_dst_desc, hint_fwd_pd, attr,
                             allow_empty) {}

        /// The problem with factors.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::resampling_nearest or algorithm::resampling_linear.
        /// @param factors Ratio of the extents of dst and src, > 0; one value per spatial dimension.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x C x [[D x] H x] W; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x C x [[OD x] OH x] OW.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_resampling_backward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const std::vector<float>& factors,
                       const memory::desc& diff_src_desc, const memory::desc& diff_dst_desc,
                       const resampling_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, &factors, diff_src_desc, diff_dst_desc, hint_fwd_pd, attr,
                             allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_resampling_backward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const resampling_forward::primitive_desc& hint_fwd_pd,
                       bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_resampling_backward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const resampling_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, &adesc.factors_, adesc.diff_src_desc_, adesc.diff_dst_desc_,
                             hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::resampling, prop_kind::backward, prop_kind::backward_data) {}

    private:
        primitive_desc(const engine& aengine, algorithm aalgorithm, const std::vector<float>* factors,
                       const memory::desc& diff_src_desc, const memory::desc& diff_dst_desc,
                       const resampling_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr,
                       bool allow_empty) {
            if (!spatial_fit(diff_src_desc, {count(factors)}, allow_empty)) return;
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_resampling_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aalgorithm), optional_arg(factors), diff_src_desc.get(),
                diff_dst_desc.get(), hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a resampling (backward)");
        }
    };

    /// An empty primitive.
    resampling_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    resampling_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    resampling_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Reduction of dimensions to extent 1: maximum, minimum, sum, product, mean or a norm.
/// Shapes: as many dimensions in dst as in src; each extent of dst is that of src, or 1 and then reduced. p >= 1 is
/// the order of a norm, eps its lower bound or addend; both are ignored by the others. dst may be `any`. max and min
/// are NaN where an element is. Norms have a floating-point src. Attributes: post-ops sum, eltwise, binary.
struct reduction : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;

        /// The problem. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm An algorithm::reduction_* function.
        /// @param src_desc Descriptor of src, 1 to 12 dimensions.
        /// @param dst_desc Descriptor of dst, as many dimensions as src, each extent that of src, or 1 where it is
        ///     reduced; may be `any`.
        /// @param p Order of a norm, >= 1; ignored by other algorithms.
        /// @param eps Lower bound of a norm, or what is added to it; ignored by other algorithms.
        desc(algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& dst_desc, float p, float eps)
            : aalgorithm_(aalgorithm), src_desc_(src_desc), dst_desc_(dst_desc), p_(p), eps_(eps) {}

        algorithm aalgorithm_ = algorithm::undef;
        memory::desc src_desc_;
        memory::desc dst_desc_;
        float p_ = 0.f;
        float eps_ = 0.f;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm An algorithm::reduction_* function.
        /// @param src_desc Descriptor of src, 1 to 12 dimensions.
        /// @param dst_desc Descriptor of dst, as many dimensions as src, each extent that of src, or 1 where it is
        ///     reduced; may be `any`.
        /// @param p Order of a norm, >= 1; ignored by other algorithms.
        /// @param eps Lower bound of a norm, or what is added to it; ignored by other algorithms.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, float p, float eps, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_reduction_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aalgorithm), src_desc.get(), dst_desc.get(), p, eps, attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a reduction");
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
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.src_desc_, adesc.dst_desc_, adesc.p_, adesc.eps_, attr,
                             allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd) : dnnl::primitive_desc(pd, primitive::kind::reduction) {}
    };

    /// An empty primitive.
    reduction() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    reduction(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    reduction(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
