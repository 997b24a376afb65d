// SPDX-License-Identifier: Apache-2.0
// Shuffle: a fixed permutation of one dimension, usually the channels.
// Arguments at execution: DNNL_ARG_SRC, _DST, _DIFF_SRC, _DIFF_DST.
//
//     shuffle_forward::primitive_desc pd(eng, prop_kind::forward_inference, md, md, 1, 4);  // axis 1, groups of 4

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_SHUFFLE_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_SHUFFLE_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Shuffle of one dimension, forward. Its C indices are seen as a matrix of C/G rows and G columns (G =
/// group_size), which is transposed: dst[u + v C/G] = src[u G + v] for 0 <= u < C/G, 0 <= v < G.
/// Shapes: src and dst alike, any number of dimensions; axis counts from 0; G divides C. Nothing is computed:
/// results are bitwise copies.
struct shuffle_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem; dst has the descriptor of src. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param data_desc Descriptor of both src and dst.
        /// @param axis Dimension that is shuffled; 0 to ndims - 1.
        /// @param group_size Number of columns G of the matrix that is transposed; a divisor of the extent of the axis.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, int axis, int group_size)
            : aprop_kind_(aprop_kind), src_desc_(data_desc), dst_desc_(data_desc), axis_(axis),
              group_size_(group_size) {}

        prop_kind aprop_kind_;
        memory::desc src_desc_;
        memory::desc dst_desc_;
        int axis_;
        int group_size_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem. dst may be `any`: the layout of src.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param src_desc Descriptor of src, 1 to 12 dimensions.
        /// @param dst_desc Descriptor of dst, the shape and type of src; may be `any`.
        /// @param axis Dimension that is shuffled; 0 to ndims - 1.
        /// @param group_size Number of columns G of the matrix that is transposed; a divisor of the extent of the axis.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_shuffle_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& dst_desc, int axis, int group_size,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_shuffle_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(), axis, group_size,
                attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a shuffle (forward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_shuffle_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_shuffle_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.src_desc_, adesc.dst_desc_, adesc.axis_,
                             adesc.group_size_, attr, allow_empty) {}

        /// v2 spelling of this primitive alone: attributes last.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_shuffle_forward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const primitive_attr& attr, bool allow_empty = false)
            : primitive_desc(adesc, attr, aengine, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::shuffle, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    shuffle_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    shuffle_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    shuffle_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Shuffle, gradient: the inverse permutation, diff_src[u G + v] = diff_dst[u + v C/G], with the axis and
/// group_size of the forward computation.
struct shuffle_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// The problem; both gradients have the same descriptor. Nothing is checked before a primitive_desc is made
        /// of it.
        /// @param diff_data_desc Descriptor of both diff_src and diff_dst.
        /// @param axis Dimension that is shuffled; 0 to ndims - 1.
        /// @param group_size Number of columns G of the matrix that is transposed; a divisor of the extent of the axis.
        desc(const memory::desc& diff_data_desc, int axis, int group_size)
            : diff_src_desc_(diff_data_desc), diff_dst_desc_(diff_data_desc), axis_(axis), group_size_(group_size) {}

        memory::desc diff_src_desc_;
        memory::desc diff_dst_desc_;
        int axis_;
        int group_size_;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem; the hint is the descriptor of the forward computation, of training or inference.
        /// @param aengine Engine the primitive runs on.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 12 dimensions; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape and type of src.
        /// @param axis Dimension that is shuffled; 0 to ndims - 1.
        /// @param group_size Number of columns G of the matrix that is transposed; a divisor of the extent of the axis.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_shuffle_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, const memory::desc& diff_src_desc, const memory::desc& diff_dst_desc,
                       int axis, int group_size, const shuffle_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_shuffle_backward_primitive_desc_create(
                &pd, aengine.get(), diff_src_desc.get(), diff_dst_desc.get(), axis, group_size, hint_fwd_pd.get(),
                attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a shuffle (backward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_shuffle_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const shuffle_forward::primitive_desc& hint_fwd_pd,
                       bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        /// @param adesc Operation descriptor: the problem.
        /// @param attr Attributes; the default ones if left out.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_shuffle_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const shuffle_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.diff_src_desc_, adesc.diff_dst_desc_, adesc.axis_, adesc.group_size_,
                             hint_fwd_pd, attr, allow_empty) {}

        /// v2 spelling of this primitive alone: attributes last.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_shuffle_backward_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const shuffle_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr, bool allow_empty = false)
            : primitive_desc(adesc, attr, aengine, hint_fwd_pd, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::shuffle, prop_kind::backward, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    shuffle_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    shuffle_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    shuffle_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
