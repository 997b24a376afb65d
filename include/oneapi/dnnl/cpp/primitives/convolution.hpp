// SPDX-License-Identifier: Apache-2.0
// Convolution, forward and its two gradients.
// Contract: a primitive_desc fixes the problem and picks an implementation; the primitive runs it. Arguments
// at execution: DNNL_ARG_SRC, _WEIGHTS, _BIAS, _DST and DIFF_ forms of them.
//
//     convolution_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::convolution_auto,
//             src_md, weights_md, bias_md, dst_md, {1, 1}, {1, 1}, {1, 1});  // strides, padding before, after

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_CONVOLUTION_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_CONVOLUTION_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Convolution, forward: dst = src convolved with weights, plus bias.
/// Shapes: src {N, IC, [[D,] H,] W}, weights {[G,] OC/G, IC/G, [[KD,] KH,] KW}, bias {OC}, dst {N, OC, [[OD,] OH,]
/// OW}. A leading dimension G in weights makes the problem grouped.
/// The extent of dst is (I - ((K - 1)(dilation + 1) + 1) + padding_l + padding_r) / stride + 1, rounded down.
/// Strides, dilations (0 is a dense kernel) and paddings have one value per spatial dimension, in elements. Layouts
/// may be `any`; the chosen ones are queried.
/// Fails with invalid_arguments if the extents do not fit each other, and with unimplemented if no implementation
/// has the combination of types and attributes.
struct convolution_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem with a bias, with a dense kernel. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param bias_desc Descriptor of bias, G*O; may be `any`; an empty descriptor means no bias.
        /// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& weights_desc,
             const memory::desc& bias_desc, const memory::desc& dst_desc, const memory::dims& strides,
             const memory::dims& padding_l, const memory::dims& padding_r)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), src_desc_(src_desc), weights_desc_(weights_desc),
              bias_desc_(bias_desc), dst_desc_(dst_desc), strides_(strides), dilates_(strides.size(), 0),
              padding_l_(padding_l), padding_r_(padding_r) {}

        /// The problem without a bias, with a dense kernel. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& weights_desc,
             const memory::desc& dst_desc, const memory::dims& strides, const memory::dims& padding_l,
             const memory::dims& padding_r)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), src_desc_(src_desc), weights_desc_(weights_desc),
              bias_desc_(), dst_desc_(dst_desc), strides_(strides), dilates_(strides.size(), 0), padding_l_(padding_l),
              padding_r_(padding_r) {}

        /// The problem with a bias, with dilations. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param bias_desc Descriptor of bias, G*O; may be `any`; an empty descriptor means no bias.
        /// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& weights_desc,
             const memory::desc& bias_desc, const memory::desc& dst_desc, const memory::dims& strides,
             const memory::dims& dilates, const memory::dims& padding_l, const memory::dims& padding_r)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), src_desc_(src_desc), weights_desc_(weights_desc),
              bias_desc_(bias_desc), dst_desc_(dst_desc), strides_(strides), dilates_(dilates), padding_l_(padding_l),
              padding_r_(padding_r) {}

        /// The problem without a bias, with dilations. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& weights_desc,
             const memory::desc& dst_desc, const memory::dims& strides, const memory::dims& dilates,
             const memory::dims& padding_l, const memory::dims& padding_r)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), src_desc_(src_desc), weights_desc_(weights_desc),
              bias_desc_(), dst_desc_(dst_desc), strides_(strides), dilates_(dilates), padding_l_(padding_l),
              padding_r_(padding_r) {}

        prop_kind aprop_kind_;
        algorithm aalgorithm_;
        memory::desc src_desc_;
        memory::desc weights_desc_;
        memory::desc bias_desc_;
        memory::desc dst_desc_;
        memory::dims strides_;
        memory::dims dilates_;
        memory::dims padding_l_;
        memory::dims padding_r_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with a bias, with a dense kernel.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param bias_desc Descriptor of bias, G*O; may be `any`; an empty descriptor means no bias.
        /// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& weights_desc, const memory::desc& bias_desc, const memory::desc& dst_desc,
                       const memory::dims& strides, const memory::dims& padding_l, const memory::dims& padding_r,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, weights_desc, &bias_desc, dst_desc, strides,
                             nullptr, padding_l, padding_r, attr, allow_empty) {}

        /// The problem without a bias, with a dense kernel.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& weights_desc, const memory::desc& dst_desc, const memory::dims& strides,
                       const memory::dims& padding_l, const memory::dims& padding_r,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, weights_desc, nullptr, dst_desc, strides,
                             nullptr, padding_l, padding_r, attr, allow_empty) {}

        /// The problem with a bias, with dilations.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param bias_desc Descriptor of bias, G*O; may be `any`; an empty descriptor means no bias.
        /// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& weights_desc, const memory::desc& bias_desc, const memory::desc& dst_desc,
                       const memory::dims& strides, const memory::dims& dilates, const memory::dims& padding_l,
                       const memory::dims& padding_r, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, weights_desc, &bias_desc, dst_desc, strides,
                             &dilates, padding_l, padding_r, attr, allow_empty) {}

        /// The problem without a bias, with dilations.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param dst_desc Descriptor of dst, N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& weights_desc, const memory::desc& dst_desc, const memory::dims& strides,
                       const memory::dims& dilates, const memory::dims& padding_l, const memory::dims& padding_r,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, weights_desc, nullptr, dst_desc, strides,
                             &dilates, padding_l, padding_r, attr, allow_empty) {}

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
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.aalgorithm_, adesc.src_desc_, adesc.weights_desc_,
                             present(adesc.bias_desc_), adesc.dst_desc_, adesc.strides_, &adesc.dilates_,
                             adesc.padding_l_, adesc.padding_r_, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::convolution, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}

        /// @returns Bias; empty without one.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc bias_desc() const { return base::weights_desc(1); }

    private:
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& weights_desc, const memory::desc* bias_desc, const memory::desc& dst_desc,
                       const memory::dims& strides, const memory::dims* dilates, const memory::dims& padding_l,
                       const memory::dims& padding_r, const primitive_attr& attr, bool allow_empty) {
            if (!spatial_fit(src_desc, {count(&strides), count(dilates), count(&padding_l), count(&padding_r)},
                             allow_empty))
                return;
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(aalgorithm), src_desc.get(),
                weights_desc.get(), optional_arg(bias_desc), dst_desc.get(), strides.data(), optional_arg(dilates),
                padding_l.data(), padding_r.data(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a convolution (forward)");
        }
    };

    /// An empty primitive.
    convolution_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    convolution_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    convolution_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Convolution, gradient of the source: diff_src from diff_dst and weights. Shapes as in convolution_forward. The
/// hint is the descriptor of the forward computation.
struct convolution_backward_data : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem with a dense kernel. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(algorithm aalgorithm, const memory::desc& diff_src_desc, const memory::desc& weights_desc,
             const memory::desc& diff_dst_desc, const memory::dims& strides, const memory::dims& padding_l,
             const memory::dims& padding_r)
            : aalgorithm_(aalgorithm), diff_src_desc_(diff_src_desc), weights_desc_(weights_desc),
              diff_dst_desc_(diff_dst_desc), strides_(strides), dilates_(strides.size(), 0), padding_l_(padding_l),
              padding_r_(padding_r) {}

        /// The problem with dilations. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(algorithm aalgorithm, const memory::desc& diff_src_desc, const memory::desc& weights_desc,
             const memory::desc& diff_dst_desc, const memory::dims& strides, const memory::dims& dilates,
             const memory::dims& padding_l, const memory::dims& padding_r)
            : aalgorithm_(aalgorithm), diff_src_desc_(diff_src_desc), weights_desc_(weights_desc),
              diff_dst_desc_(diff_dst_desc), strides_(strides), dilates_(dilates), padding_l_(padding_l),
              padding_r_(padding_r) {}

        algorithm aalgorithm_;
        memory::desc diff_src_desc_;
        memory::desc weights_desc_;
        memory::desc diff_dst_desc_;
        memory::dims strides_;
        memory::dims dilates_;
        memory::dims padding_l_;
        memory::dims padding_r_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with a dense kernel.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& weights_desc, const memory::desc& diff_dst_desc, const memory::dims& strides,
                       const memory::dims& padding_l, const memory::dims& padding_r,
                       const convolution_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src_desc, weights_desc, diff_dst_desc, strides, nullptr,
                             padding_l, padding_r, hint_fwd_pd, attr, allow_empty) {}

        /// The problem with dilations.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x G*I x [[D x] H x] W; may be `any`.
        /// @param weights_desc Descriptor of weights, [G x] O x I x [[KD x] KH x] KW; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
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
                       const memory::desc& weights_desc, const memory::desc& diff_dst_desc, const memory::dims& strides,
                       const memory::dims& dilates, const memory::dims& padding_l, const memory::dims& padding_r,
                       const convolution_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src_desc, weights_desc, diff_dst_desc, strides, &dilates,
                             padding_l, padding_r, hint_fwd_pd, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const convolution_forward::primitive_desc& hint_fwd_pd,
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
                       const convolution_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.diff_src_desc_, adesc.weights_desc_,
                             adesc.diff_dst_desc_, adesc.strides_, &adesc.dilates_, adesc.padding_l_, adesc.padding_r_,
                             hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::convolution, prop_kind::backward_data) {}

    private:
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& weights_desc, const memory::desc& diff_dst_desc, const memory::dims& strides,
                       const memory::dims* dilates, const memory::dims& padding_l, const memory::dims& padding_r,
                       const convolution_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr,
                       bool allow_empty) {
            if (!spatial_fit(diff_src_desc, {count(&strides), count(dilates), count(&padding_l), count(&padding_r)},
                             allow_empty))
                return;
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_convolution_backward_data_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aalgorithm), diff_src_desc.get(), weights_desc.get(),
                diff_dst_desc.get(), strides.data(), optional_arg(dilates), padding_l.data(), padding_r.data(),
                hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty,
                 "could not create a primitive descriptor of a convolution (backward by data)");
        }
    };

    /// An empty primitive.
    convolution_backward_data() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    convolution_backward_data(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    convolution_backward_data(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Convolution, gradients of weights and bias: diff_weights and diff_bias from src and diff_dst. They are written,
/// not added. Shapes as in convolution_forward.
struct convolution_backward_weights : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem with a bias, with a dense kernel. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
        ///     KW; may be `any`.
        /// @param diff_bias_desc Descriptor of diff_bias, the gradient of bias: G*O; may be `any`; an empty descriptor
        ///     means no bias.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& diff_weights_desc,
             const memory::desc& diff_bias_desc, const memory::desc& diff_dst_desc, const memory::dims& strides,
             const memory::dims& padding_l, const memory::dims& padding_r)
            : aalgorithm_(aalgorithm), src_desc_(src_desc), diff_weights_desc_(diff_weights_desc),
              diff_bias_desc_(diff_bias_desc), diff_dst_desc_(diff_dst_desc), strides_(strides),
              dilates_(strides.size(), 0), padding_l_(padding_l), padding_r_(padding_r) {}

        /// The problem without a bias, with a dense kernel. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
        ///     KW; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& diff_weights_desc,
             const memory::desc& diff_dst_desc, const memory::dims& strides, const memory::dims& padding_l,
             const memory::dims& padding_r)
            : aalgorithm_(aalgorithm), src_desc_(src_desc), diff_weights_desc_(diff_weights_desc), diff_bias_desc_(),
              diff_dst_desc_(diff_dst_desc), strides_(strides), dilates_(strides.size(), 0), padding_l_(padding_l),
              padding_r_(padding_r) {}

        /// The problem with a bias, with dilations. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
        ///     KW; may be `any`.
        /// @param diff_bias_desc Descriptor of diff_bias, the gradient of bias: G*O; may be `any`; an empty descriptor
        ///     means no bias.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& diff_weights_desc,
             const memory::desc& diff_bias_desc, const memory::desc& diff_dst_desc, const memory::dims& strides,
             const memory::dims& dilates, const memory::dims& padding_l, const memory::dims& padding_r)
            : aalgorithm_(aalgorithm), src_desc_(src_desc), diff_weights_desc_(diff_weights_desc),
              diff_bias_desc_(diff_bias_desc), diff_dst_desc_(diff_dst_desc), strides_(strides), dilates_(dilates),
              padding_l_(padding_l), padding_r_(padding_r) {}

        /// The problem without a bias, with dilations. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
        ///     KW; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        desc(algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& diff_weights_desc,
             const memory::desc& diff_dst_desc, const memory::dims& strides, const memory::dims& dilates,
             const memory::dims& padding_l, const memory::dims& padding_r)
            : aalgorithm_(aalgorithm), src_desc_(src_desc), diff_weights_desc_(diff_weights_desc), diff_bias_desc_(),
              diff_dst_desc_(diff_dst_desc), strides_(strides), dilates_(dilates), padding_l_(padding_l),
              padding_r_(padding_r) {}

        algorithm aalgorithm_;
        memory::desc src_desc_;
        memory::desc diff_weights_desc_;
        memory::desc diff_bias_desc_;
        memory::desc diff_dst_desc_;
        memory::dims strides_;
        memory::dims dilates_;
        memory::dims padding_l_;
        memory::dims padding_r_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with a bias, with a dense kernel.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
        ///     KW; may be `any`.
        /// @param diff_bias_desc Descriptor of diff_bias, the gradient of bias: G*O; may be `any`; an empty descriptor
        ///     means no bias.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& diff_weights_desc, const memory::desc& diff_bias_desc,
                       const memory::desc& diff_dst_desc, const memory::dims& strides, const memory::dims& padding_l,
                       const memory::dims& padding_r, const convolution_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, src_desc, diff_weights_desc, &diff_bias_desc, diff_dst_desc, strides,
                             nullptr, padding_l, padding_r, hint_fwd_pd, attr, allow_empty) {}

        /// The problem without a bias, with a dense kernel.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
        ///     KW; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& diff_weights_desc, const memory::desc& diff_dst_desc,
                       const memory::dims& strides, const memory::dims& padding_l, const memory::dims& padding_r,
                       const convolution_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, src_desc, diff_weights_desc, nullptr, diff_dst_desc, strides, nullptr,
                             padding_l, padding_r, hint_fwd_pd, attr, allow_empty) {}

        /// The problem with a bias, with dilations.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
        ///     KW; may be `any`.
        /// @param diff_bias_desc Descriptor of diff_bias, the gradient of bias: G*O; may be `any`; an empty descriptor
        ///     means no bias.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& diff_weights_desc, const memory::desc& diff_bias_desc,
                       const memory::desc& diff_dst_desc, const memory::dims& strides, const memory::dims& dilates,
                       const memory::dims& padding_l, const memory::dims& padding_r,
                       const convolution_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, src_desc, diff_weights_desc, &diff_bias_desc, diff_dst_desc, strides,
                             &dilates, padding_l, padding_r, hint_fwd_pd, attr, allow_empty) {}

        /// The problem without a bias, with dilations.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::convolution_direct, algorithm::convolution_winograd or
        ///     algorithm::convolution_auto.
        /// @param src_desc Descriptor of src, N x G*I x [[D x] H x] W; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: [G x] O x I x [[KD x] KH x]
        ///     KW; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x G*O x [[OD x] OH x] OW; may be `any`.
        /// @param strides Elements between neighbouring kernel positions, >= 1; one value per spatial dimension.
        /// @param dilates Elements skipped between neighbours in the kernel, >= 0, 0 is dense; one value per spatial
        ///     dimension.
        /// @param padding_l Elements of padding in front, on top and on the left, >= 0; one value per spatial
        ///     dimension.
        /// @param padding_r Elements of padding behind, at the bottom and on the right, >= 0; one value per spatial
        ///     dimension.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& diff_weights_desc, const memory::desc& diff_dst_desc,
                       const memory::dims& strides, const memory::dims& dilates, const memory::dims& padding_l,
                       const memory::dims& padding_r, const convolution_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, src_desc, diff_weights_desc, nullptr, diff_dst_desc, strides,
                             &dilates, padding_l, padding_r, hint_fwd_pd, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const convolution_forward::primitive_desc& hint_fwd_pd,
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
                       const convolution_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.src_desc_, adesc.diff_weights_desc_,
                             present(adesc.diff_bias_desc_), adesc.diff_dst_desc_, adesc.strides_, &adesc.dilates_,
                             adesc.padding_l_, adesc.padding_r_, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::convolution, prop_kind::backward_weights) {}

        /// @returns Gradient of the bias; empty without one.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc diff_bias_desc() const { return base::diff_weights_desc(1); }

    private:
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& diff_weights_desc, const memory::desc* diff_bias_desc,
                       const memory::desc& diff_dst_desc, const memory::dims& strides, const memory::dims* dilates,
                       const memory::dims& padding_l, const memory::dims& padding_r,
                       const convolution_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr,
                       bool allow_empty) {
            if (!spatial_fit(src_desc, {count(&strides), count(dilates), count(&padding_l), count(&padding_r)},
                             allow_empty))
                return;
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_convolution_backward_weights_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aalgorithm), src_desc.get(), diff_weights_desc.get(),
                optional_arg(diff_bias_desc), diff_dst_desc.get(), strides.data(), optional_arg(dilates),
                padding_l.data(), padding_r.data(), hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty,
                 "could not create a primitive descriptor of a convolution (backward by weights)");
        }
    };

    /// An empty primitive.
    convolution_backward_weights() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    convolution_backward_weights(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    convolution_backward_weights(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
