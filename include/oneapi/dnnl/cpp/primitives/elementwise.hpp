// SPDX-License-Identifier: Apache-2.0
// Computations element by element: eltwise (one source), binary (two or three), prelu (learned slopes).
// Arguments at execution: DNNL_ARG_SRC or _SRC_0, _SRC_1, _SRC_2, _WEIGHTS, _DST and DIFF_ forms of them.
//
//     eltwise_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::eltwise_relu, md, md);

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_ELEMENTWISE_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_ELEMENTWISE_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// A function of each element, forward: dst = algorithm(src), with the parameters alpha and beta its formula names.
/// Shapes: src and dst have the same extents, any number of dimensions. dst may be `any` (the layout of src) and
/// may be the same memory as src. Fails with invalid_arguments if parameters make no sense (clip with beta <
/// alpha).
struct eltwise_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem; dst has the descriptor of src. In the old interface soft_relu and hardswish had no
        /// parameters: 0 stands for alpha = 1, and for alpha = 1/6 and beta = 1/2. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm An algorithm::eltwise_* function.
        /// @param data_desc Descriptor of both src and dst.
        /// @param alpha First parameter of the function, where its formula has one.
        /// @param beta Second parameter of the function, where its formula has one.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& data_desc, float alpha = 0, float beta = 0)
            : desc(aprop_kind, detail::eltwise_from_v2(aalgorithm, alpha, beta), data_desc) {}

        prop_kind aprop_kind_;
        algorithm aalgorithm_;
        memory::desc src_desc_;
        memory::desc dst_desc_;
        float alpha_;
        float beta_;

    private:
        desc(prop_kind aprop_kind, const detail::eltwise_call& call, const memory::desc& data_desc)
            : aprop_kind_(aprop_kind), aalgorithm_(static_cast<algorithm>(call.kind)), src_desc_(data_desc),
              dst_desc_(data_desc), alpha_(call.alpha), beta_(call.beta) {}
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with alpha and beta 0.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm An algorithm::eltwise_* function.
        /// @param src_desc Descriptor of src, 1 to 12 dimensions.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, dst_desc, 0.f, 0.f, attr, allow_empty) {}

        /// The problem with beta 0.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm An algorithm::eltwise_* function.
        /// @param src_desc Descriptor of src, 1 to 12 dimensions.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param alpha First parameter of the function, where its formula has one.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, float alpha, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, dst_desc, alpha, 0.f, attr, allow_empty) {}

        /// The problem with alpha and beta.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm An algorithm::eltwise_* function.
        /// @param src_desc Descriptor of src, 1 to 12 dimensions.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param alpha First parameter of the function, where its formula has one.
        /// @param beta Second parameter of the function, where its formula has one.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, float alpha, float beta,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            const detail::eltwise_call call = detail::eltwise_for_c(aalgorithm, alpha, beta);
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), call.kind, src_desc.get(), dst_desc.get(),
                call.alpha, call.beta, attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of an eltwise (forward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.aalgorithm_, adesc.src_desc_, adesc.dst_desc_,
                             adesc.alpha_, adesc.beta_, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::eltwise, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    eltwise_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    eltwise_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    eltwise_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// A function of each element, gradient: diff_src = diff_dst times the derivative. The data tensor is src
/// (DNNL_ARG_SRC), or dst (DNNL_ARG_DST) for the algorithms that end in use_dst_for_bwd.
struct eltwise_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem; both gradients have the same descriptor. Parameters as in eltwise_forward::desc. Nothing is
        /// checked before a primitive_desc is made of it.
        /// @param aalgorithm An algorithm::eltwise_* function.
        /// @param diff_data_desc Descriptor of both diff_src and diff_dst.
        /// @param data_desc Descriptor of src or, for the algorithms that use dst for the gradient, of dst.
        /// @param alpha First parameter of the function, where its formula has one.
        /// @param beta Second parameter of the function, where its formula has one.
        desc(algorithm aalgorithm, const memory::desc& diff_data_desc, const memory::desc& data_desc, float alpha = 0,
             float beta = 0)
            : desc(detail::eltwise_from_v2(aalgorithm, alpha, beta), diff_data_desc, data_desc) {}

        algorithm aalgorithm_;
        memory::desc diff_src_desc_;
        memory::desc diff_dst_desc_;
        memory::desc data_desc_;
        float alpha_;
        float beta_;

    private:
        desc(const detail::eltwise_call& call, const memory::desc& diff_data_desc, const memory::desc& data_desc)
            : aalgorithm_(static_cast<algorithm>(call.kind)), diff_src_desc_(diff_data_desc),
              diff_dst_desc_(diff_data_desc), data_desc_(data_desc), alpha_(call.alpha), beta_(call.beta) {}
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with alpha and beta 0.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm An algorithm::eltwise_* function.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 12 dimensions; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param data_desc Descriptor of src or, for the algorithms that use dst for the gradient, of dst.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& data_desc,
                       const eltwise_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src_desc, diff_dst_desc, data_desc, 0.f, 0.f, hint_fwd_pd, attr,
                             allow_empty) {}

        /// The problem with beta 0.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm An algorithm::eltwise_* function.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 12 dimensions; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param data_desc Descriptor of src or, for the algorithms that use dst for the gradient, of dst.
        /// @param alpha First parameter of the function, where its formula has one.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& data_desc, float alpha,
                       const eltwise_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src_desc, diff_dst_desc, data_desc, alpha, 0.f, hint_fwd_pd,
                             attr, allow_empty) {}

        /// The problem with alpha and beta.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm An algorithm::eltwise_* function.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 12 dimensions; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param data_desc Descriptor of src or, for the algorithms that use dst for the gradient, of dst.
        /// @param alpha First parameter of the function, where its formula has one.
        /// @param beta Second parameter of the function, where its formula has one.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& data_desc, float alpha, float beta,
                       const eltwise_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false) {
            const detail::eltwise_call call = detail::eltwise_for_c(aalgorithm, alpha, beta);
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_eltwise_backward_primitive_desc_create(
                &pd, aengine.get(), call.kind, diff_src_desc.get(), diff_dst_desc.get(), data_desc.get(), call.alpha,
                call.beta, hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of an eltwise (backward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const eltwise_forward::primitive_desc& hint_fwd_pd,
                       bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_eltwise_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const eltwise_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.diff_src_desc_, adesc.diff_dst_desc_, adesc.data_desc_,
                             adesc.alpha_, adesc.beta_, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::eltwise, prop_kind::backward, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    eltwise_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    eltwise_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    eltwise_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// A function of two elements: dst = algorithm(src0, src1); with binary_select of three: dst = src2 ? src0 : src1.
/// Shapes: as many dimensions in each tensor; each extent of src0 and src1 is that of dst, or 1 and then repeated.
/// src2 has the extents of dst. dst may be `any`, and may be the memory of src0.
struct binary : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;

        /// The problem with two sources. Nothing is checked before a primitive_desc is made of it.
        /// @param aalgorithm An algorithm::binary_* function.
        /// @param src0 Descriptor of the first source; each extent is that of dst, or 1 and then broadcast.
        /// @param src1 Descriptor of the second source, likewise; may be `any`.
        /// @param dst Descriptor of dst; may be `any`.
        desc(algorithm aalgorithm, const memory::desc& src0, const memory::desc& src1, const memory::desc& dst)
            : aalgorithm_(aalgorithm), src0_(src0), src1_(src1), src2_(), dst_(dst) {}

        algorithm aalgorithm_ = algorithm::undef;
        memory::desc src0_;
        memory::desc src1_;
        memory::desc src2_;
        memory::desc dst_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with two sources.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm An algorithm::binary_* function.
        /// @param src0 Descriptor of the first source; each extent is that of dst, or 1 and then broadcast.
        /// @param src1 Descriptor of the second source, likewise; may be `any`.
        /// @param dst Descriptor of dst; may be `any`.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_binary_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src0, const memory::desc& src1,
                       const memory::desc& dst, const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, src0, src1, nullptr, dst, attr, allow_empty) {}

        /// The problem with three sources.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm An algorithm::binary_* function.
        /// @param src0 Descriptor of the first source; each extent is that of dst, or 1 and then broadcast.
        /// @param src1 Descriptor of the second source, likewise; may be `any`.
        /// @param src2 Descriptor of the condition of binary_select: s8, shape of src0.
        /// @param dst Descriptor of dst; may be `any`.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_binary_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src0, const memory::desc& src1,
                       const memory::desc& src2, const memory::desc& dst, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, src0, src1, &src2, dst, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_binary_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_binary_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.src0_, adesc.src1_, present(adesc.src2_), adesc.dst_,
                             attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd) : dnnl::primitive_desc(pd, primitive::kind::binary) {}

        /// @param idx Number of the tensor in its role, from 0.
        /// @returns Source `idx`.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc src_desc(int idx = 0) const { return base::src_desc(idx); }
        /// @returns Source 0.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc src0_desc() const { return base::src_desc(0); }
        /// @returns Source 1.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc src1_desc() const { return base::src_desc(1); }
        /// @returns Source 2, the condition; empty with two sources.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc src2_desc() const { return base::src_desc(2); }

    private:
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src0, const memory::desc& src1,
                       const memory::desc* src2, const memory::desc& dst, const primitive_attr& attr,
                       bool allow_empty) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status =
                src2 ? dnnl_binary_primitive_desc_create_v2(&pd, aengine.get(), dnnl::convert_to_c(aalgorithm),
                                                            src0.get(), src1.get(), src2->get(), dst.get(), attr.get())
                     : dnnl_binary_primitive_desc_create(&pd, aengine.get(), dnnl::convert_to_c(aalgorithm), src0.get(),
                                                         src1.get(), dst.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a binary");
        }
    };

    /// An empty primitive.
    binary() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    binary(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    binary(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Leaky ReLU with learned slopes, forward: dst = src > 0 ? src : weights * src.
/// Shapes: src and dst alike; weights have as many dimensions, each extent that of src or 1 and then repeated. The
/// layout of weights may be `any`.
struct prelu_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem; dst has the descriptor of src. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param data_desc Descriptor of both src and dst.
        /// @param weight_desc Descriptor of weights, as many dimensions as src, each extent 1 or that of src.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, const memory::desc& weight_desc)
            : aprop_kind_(aprop_kind), src_desc_(data_desc), weight_desc_(weight_desc), dst_desc_(data_desc) {}

        prop_kind aprop_kind_;
        memory::desc src_desc_;
        memory::desc weight_desc_;
        memory::desc dst_desc_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, 1 to 5 dimensions.
        /// @param weight_desc Descriptor of weights, as many dimensions as src, each extent 1 or that of src.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_prelu_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& weight_desc, const memory::desc& dst_desc,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status =
                dnnl_prelu_forward_primitive_desc_create(&pd, aengine.get(), dnnl::convert_to_c(aprop_kind),
                                                         src_desc.get(), weight_desc.get(), dst_desc.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a prelu (forward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_prelu_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_prelu_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.src_desc_, adesc.weight_desc_, adesc.dst_desc_, attr,
                             allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::prelu, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    prelu_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    prelu_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    prelu_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Leaky ReLU with learned slopes, gradients: diff_src and diff_weights (summed over repeated dimensions) from src,
/// weights and diff_dst.
struct prelu_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Both data gradients have the same descriptor. Nothing is checked before a primitive_desc is made of it.
        /// @param data_desc Descriptor of src.
        /// @param weight_desc Descriptor of weights, as many dimensions as src, each extent 1 or that of src.
        /// @param diff_data_desc Descriptor of both diff_src and diff_dst.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: as many dimensions as src,
        ///     each extent 1 or that of src; may be `any`.
        desc(const memory::desc& data_desc, const memory::desc& weight_desc, const memory::desc& diff_data_desc,
             const memory::desc& diff_weights_desc)
            : src_desc_(data_desc), weight_desc_(weight_desc), diff_src_desc_(diff_data_desc),
              diff_weights_desc_(diff_weights_desc), diff_dst_desc_(diff_data_desc) {}

        memory::desc src_desc_;
        memory::desc weight_desc_;
        memory::desc diff_src_desc_;
        memory::desc diff_weights_desc_;
        memory::desc diff_dst_desc_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem; the hint is the descriptor of the forward computation.
        /// @param aengine Engine the primitive runs on.
        /// @param src_desc Descriptor of src, 1 to 5 dimensions.
        /// @param weight_desc Descriptor of weights, as many dimensions as src, each extent 1 or that of src.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 5 dimensions; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: as many dimensions as src,
        ///     each extent 1 or that of src; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_prelu_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, const memory::desc& src_desc, const memory::desc& weight_desc,
                       const memory::desc& diff_src_desc, const memory::desc& diff_weights_desc,
                       const memory::desc& diff_dst_desc, const prelu_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_prelu_backward_primitive_desc_create(
                &pd, aengine.get(), src_desc.get(), weight_desc.get(), diff_src_desc.get(), diff_weights_desc.get(),
                diff_dst_desc.get(), hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a prelu (backward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_prelu_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const prelu_forward::primitive_desc& hint_fwd_pd,
                       bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_prelu_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const prelu_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.src_desc_, adesc.weight_desc_, adesc.diff_src_desc_,
                             adesc.diff_weights_desc_, adesc.diff_dst_desc_, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::prelu, prop_kind::backward, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    prelu_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    prelu_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    prelu_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
