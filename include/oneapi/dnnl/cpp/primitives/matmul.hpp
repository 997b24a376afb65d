// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication and the inner product layer.
// Arguments at execution: DNNL_ARG_SRC, _WEIGHTS, _BIAS, _DST and DIFF_ forms of them.
//
//     matmul::primitive_desc pd(eng, src_md, weights_md, dst_md);  // {M, K} {K, N} {M, N}

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_MATMUL_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_MATMUL_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Matrix multiplication: dst = src weights + bias, for each index of the leading (batch) dimensions.
/// Shapes: src {..., M, K}, weights {..., K, N}, dst {..., M, N}, 2 to 12 dimensions, as many in each. A batch
/// dimension of src or weights may be 1 and is then repeated. bias has the dimensions of dst, each of extent 1 or
/// that of dst.
/// Extents may be DNNL_RUNTIME_DIM_VAL, wherever a tensor shares them; layouts may be `any` if none is.
struct matmul : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem without a bias. Nothing is checked before a primitive_desc is made of it.
        /// @param src_desc Descriptor of src, .. x M x K; may be `any` unless an extent is DNNL_RUNTIME_DIM_VAL.
        /// @param weights_desc Descriptor of weights, .. x K x N; may be `any` unless an extent is
        ///     DNNL_RUNTIME_DIM_VAL.
        /// @param dst_desc Descriptor of dst, .. x M x N; may be `any` unless an extent is DNNL_RUNTIME_DIM_VAL.
        desc(const memory::desc& src_desc, const memory::desc& weights_desc, const memory::desc& dst_desc)
            : src_desc_(src_desc), weights_desc_(weights_desc), bias_desc_(), dst_desc_(dst_desc) {}

        /// The problem with a bias. Nothing is checked before a primitive_desc is made of it.
        /// @param src_desc Descriptor of src, .. x M x K; may be `any` unless an extent is DNNL_RUNTIME_DIM_VAL.
        /// @param weights_desc Descriptor of weights, .. x K x N; may be `any` unless an extent is
        ///     DNNL_RUNTIME_DIM_VAL.
        /// @param bias_desc Descriptor of bias, as many dimensions as dst, each extent 1 or that of dst; may be `any`
        ///     unless an extent is DNNL_RUNTIME_DIM_VAL; an empty descriptor means no bias.
        /// @param dst_desc Descriptor of dst, .. x M x N; may be `any` unless an extent is DNNL_RUNTIME_DIM_VAL.
        desc(const memory::desc& src_desc, const memory::desc& weights_desc, const memory::desc& bias_desc,
             const memory::desc& dst_desc)
            : src_desc_(src_desc), weights_desc_(weights_desc), bias_desc_(bias_desc), dst_desc_(dst_desc) {}

        memory::desc src_desc_;
        memory::desc weights_desc_;
        memory::desc bias_desc_;
        memory::desc dst_desc_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem without a bias.
        /// @param aengine Engine the primitive runs on.
        /// @param src_desc Descriptor of src, .. x M x K; may be `any` unless an extent is DNNL_RUNTIME_DIM_VAL.
        /// @param weights_desc Descriptor of weights, .. x K x N; may be `any` unless an extent is
        ///     DNNL_RUNTIME_DIM_VAL.
        /// @param dst_desc Descriptor of dst, .. x M x N; may be `any` unless an extent is DNNL_RUNTIME_DIM_VAL.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_matmul_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, const memory::desc& src_desc, const memory::desc& weights_desc,
                       const memory::desc& dst_desc, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, src_desc, weights_desc, nullptr, dst_desc, attr, allow_empty) {}

        /// The problem with a bias.
        /// @param aengine Engine the primitive runs on.
        /// @param src_desc Descriptor of src, .. x M x K; may be `any` unless an extent is DNNL_RUNTIME_DIM_VAL.
        /// @param weights_desc Descriptor of weights, .. x K x N; may be `any` unless an extent is
        ///     DNNL_RUNTIME_DIM_VAL.
        /// @param bias_desc Descriptor of bias, as many dimensions as dst, each extent 1 or that of dst; may be `any`
        ///     unless an extent is DNNL_RUNTIME_DIM_VAL; an empty descriptor means no bias.
        /// @param dst_desc Descriptor of dst, .. x M x N; may be `any` unless an extent is DNNL_RUNTIME_DIM_VAL.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_matmul_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, const memory::desc& src_desc, const memory::desc& weights_desc,
                       const memory::desc& bias_desc, const memory::desc& dst_desc,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, src_desc, weights_desc, &bias_desc, dst_desc, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_matmul_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_matmul_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.src_desc_, adesc.weights_desc_, present(adesc.bias_desc_), adesc.dst_desc_,
                             attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd) : dnnl::primitive_desc(pd, primitive::kind::matmul) {}

        /// @returns Bias; empty without one.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc bias_desc() const { return base::weights_desc(1); }

    private:
        primitive_desc(const engine& aengine, const memory::desc& src_desc, const memory::desc& weights_desc,
                       const memory::desc* bias_desc, const memory::desc& dst_desc, const primitive_attr& attr,
                       bool allow_empty) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status =
                dnnl_matmul_primitive_desc_create(&pd, aengine.get(), src_desc.get(), weights_desc.get(),
                                                  optional_arg(bias_desc), dst_desc.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a matmul");
        }
    };

    /// An empty primitive.
    matmul() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    matmul(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    matmul(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Inner product (fully connected layer), forward: dst[n, o] = bias[o] + sum over i and space of src[n, i, ...]
/// weights[o, i, ...].
/// Shapes: src {N, IC, [[D,] H,] W} or {N, IC}, weights {OC, IC, ...} with the spatial extents of src, bias {OC},
/// dst {N, OC}. Layouts may be `any`.
struct inner_product_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem with a bias. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be `any`.
        /// @param weights_desc Descriptor of weights, O x I [x [[D x] H x] W]; may be `any`.
        /// @param bias_desc Descriptor of bias, O; may be `any`; an empty descriptor means no bias.
        /// @param dst_desc Descriptor of dst, N x O; may be `any`.
        desc(prop_kind aprop_kind, const memory::desc& src_desc, const memory::desc& weights_desc,
             const memory::desc& bias_desc, const memory::desc& dst_desc)
            : aprop_kind_(aprop_kind), src_desc_(src_desc), weights_desc_(weights_desc), bias_desc_(bias_desc),
              dst_desc_(dst_desc) {}

        /// The problem without a bias. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be `any`.
        /// @param weights_desc Descriptor of weights, O x I [x [[D x] H x] W]; may be `any`.
        /// @param dst_desc Descriptor of dst, N x O; may be `any`.
        desc(prop_kind aprop_kind, const memory::desc& src_desc, const memory::desc& weights_desc,
             const memory::desc& dst_desc)
            : aprop_kind_(aprop_kind), src_desc_(src_desc), weights_desc_(weights_desc), bias_desc_(),
              dst_desc_(dst_desc) {}

        prop_kind aprop_kind_;
        memory::desc src_desc_;
        memory::desc weights_desc_;
        memory::desc bias_desc_;
        memory::desc dst_desc_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with a bias.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be `any`.
        /// @param weights_desc Descriptor of weights, O x I [x [[D x] H x] W]; may be `any`.
        /// @param bias_desc Descriptor of bias, O; may be `any`; an empty descriptor means no bias.
        /// @param dst_desc Descriptor of dst, N x O; may be `any`.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_forward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& weights_desc, const memory::desc& bias_desc, const memory::desc& dst_desc,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, weights_desc, &bias_desc, dst_desc, attr, allow_empty) {}

        /// The problem without a bias.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be `any`.
        /// @param weights_desc Descriptor of weights, O x I [x [[D x] H x] W]; may be `any`.
        /// @param dst_desc Descriptor of dst, N x O; may be `any`.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_forward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& weights_desc, const memory::desc& dst_desc,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, weights_desc, nullptr, dst_desc, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_forward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_forward_primitive_desc_create() if that refuses,
        ///     unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.src_desc_, adesc.weights_desc_,
                             present(adesc.bias_desc_), adesc.dst_desc_, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::inner_product, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}

        /// @returns Bias; empty without one.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc bias_desc() const { return base::weights_desc(1); }

    private:
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& weights_desc, const memory::desc* bias_desc, const memory::desc& dst_desc,
                       const primitive_attr& attr, bool allow_empty) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_inner_product_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), src_desc.get(), weights_desc.get(),
                optional_arg(bias_desc), dst_desc.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of an inner product (forward)");
        }
    };

    /// An empty primitive.
    inner_product_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    inner_product_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    inner_product_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Inner product, gradient of the source: diff_src from diff_dst and weights. Shapes as in inner_product_forward.
struct inner_product_backward_data : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem. Nothing is checked before a primitive_desc is made of it.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x I [x [[D x] H x] W]; may be `any`.
        /// @param weights_desc Descriptor of weights, O x I [x [[D x] H x] W]; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x O; may be `any`.
        desc(const memory::desc& diff_src_desc, const memory::desc& weights_desc, const memory::desc& diff_dst_desc)
            : diff_src_desc_(diff_src_desc), weights_desc_(weights_desc), diff_dst_desc_(diff_dst_desc) {}

        memory::desc diff_src_desc_;
        memory::desc weights_desc_;
        memory::desc diff_dst_desc_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem; the hint is the descriptor of the forward computation.
        /// @param aengine Engine the primitive runs on.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: N x I [x [[D x] H x] W]; may be `any`.
        /// @param weights_desc Descriptor of weights, O x I [x [[D x] H x] W]; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x O; may be `any`.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_backward_data_primitive_desc_create() if that
        ///     refuses, unless allow_empty.
        primitive_desc(const engine& aengine, const memory::desc& diff_src_desc, const memory::desc& weights_desc,
                       const memory::desc& diff_dst_desc, const inner_product_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_inner_product_backward_data_primitive_desc_create(
                &pd, aengine.get(), diff_src_desc.get(), weights_desc.get(), diff_dst_desc.get(), hint_fwd_pd.get(),
                attr.get());
            take(status, pd, allow_empty,
                 "could not create a primitive descriptor of an inner product (backward by data)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_backward_data_primitive_desc_create() if that
        ///     refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine,
                       const inner_product_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_backward_data_primitive_desc_create() if that
        ///     refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const inner_product_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.diff_src_desc_, adesc.weights_desc_, adesc.diff_dst_desc_, hint_fwd_pd,
                             attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::inner_product, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    inner_product_backward_data() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    inner_product_backward_data(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    inner_product_backward_data(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Inner product, gradients of weights and bias, from src and diff_dst. They are written, not added.
struct inner_product_backward_weights : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem with a bias. Nothing is checked before a primitive_desc is made of it.
        /// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: O x I [x [[D x] H x] W]; may
        ///     be `any`.
        /// @param diff_bias_desc Descriptor of diff_bias, the gradient of bias: O; may be `any`; an empty descriptor
        ///     means no bias.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x O; may be `any`.
        desc(const memory::desc& src_desc, const memory::desc& diff_weights_desc, const memory::desc& diff_bias_desc,
             const memory::desc& diff_dst_desc)
            : src_desc_(src_desc), diff_weights_desc_(diff_weights_desc), diff_bias_desc_(diff_bias_desc),
              diff_dst_desc_(diff_dst_desc) {}

        /// The problem without a bias. Nothing is checked before a primitive_desc is made of it.
        /// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: O x I [x [[D x] H x] W]; may
        ///     be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x O; may be `any`.
        desc(const memory::desc& src_desc, const memory::desc& diff_weights_desc, const memory::desc& diff_dst_desc)
            : src_desc_(src_desc), diff_weights_desc_(diff_weights_desc), diff_bias_desc_(),
              diff_dst_desc_(diff_dst_desc) {}

        memory::desc src_desc_;
        memory::desc diff_weights_desc_;
        memory::desc diff_bias_desc_;
        memory::desc diff_dst_desc_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem with a bias.
        /// @param aengine Engine the primitive runs on.
        /// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: O x I [x [[D x] H x] W]; may
        ///     be `any`.
        /// @param diff_bias_desc Descriptor of diff_bias, the gradient of bias: O; may be `any`; an empty descriptor
        ///     means no bias.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x O; may be `any`.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_backward_weights_primitive_desc_create() if that
        ///     refuses, unless allow_empty.
        primitive_desc(const engine& aengine, const memory::desc& src_desc, const memory::desc& diff_weights_desc,
                       const memory::desc& diff_bias_desc, const memory::desc& diff_dst_desc,
                       const inner_product_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, src_desc, diff_weights_desc, &diff_bias_desc, diff_dst_desc, hint_fwd_pd, attr,
                             allow_empty) {}

        /// The problem without a bias.
        /// @param aengine Engine the primitive runs on.
        /// @param src_desc Descriptor of src, N x I [x [[D x] H x] W]; may be `any`.
        /// @param diff_weights_desc Descriptor of diff_weights, the gradient of weights: O x I [x [[D x] H x] W]; may
        ///     be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: N x O; may be `any`.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_backward_weights_primitive_desc_create() if that
        ///     refuses, unless allow_empty.
        primitive_desc(const engine& aengine, const memory::desc& src_desc, const memory::desc& diff_weights_desc,
                       const memory::desc& diff_dst_desc, const inner_product_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, src_desc, diff_weights_desc, nullptr, diff_dst_desc, hint_fwd_pd, attr,
                             allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_backward_weights_primitive_desc_create() if that
        ///     refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine,
                       const inner_product_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_inner_product_backward_weights_primitive_desc_create() if that
        ///     refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const inner_product_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.src_desc_, adesc.diff_weights_desc_, present(adesc.diff_bias_desc_),
                             adesc.diff_dst_desc_, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::inner_product, prop_kind::backward_weights) {}

        /// @returns Gradient of the bias; empty without one.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc diff_bias_desc() const { return base::diff_weights_desc(1); }

    private:
        primitive_desc(const engine& aengine, const memory::desc& src_desc, const memory::desc& diff_weights_desc,
                       const memory::desc* diff_bias_desc, const memory::desc& diff_dst_desc,
                       const inner_product_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr,
                       bool allow_empty) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_inner_product_backward_weights_primitive_desc_create(
                &pd, aengine.get(), src_desc.get(), diff_weights_desc.get(), optional_arg(diff_bias_desc),
                diff_dst_desc.get(), hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty,
                 "could not create a primitive descriptor of an inner product (backward by weights)");
        }
    };

    /// An empty primitive.
    inner_product_backward_weights() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    inner_product_backward_weights(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    inner_product_backward_weights(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
