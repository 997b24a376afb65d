// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm. Arguments at execution: DNNL_ARG_SRC, _DST and DIFF_ forms of them.
//
//     softmax_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::softmax_accurate, md, md, 1);

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_SOFTMAX_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_SOFTMAX_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Softmax or its logarithm along one dimension, forward.
/// Shapes: src and dst alike, any number of dimensions; axis counts from 0. dst may be `any`, and the same memory
/// as src. A NaN or an infinity is NaN in dst and makes the rest of its row 0 (of the logarithm -infinity).
/// Attributes: post-ops eltwise, binary; dropout; scales of src (it multiplies the result) and dst, one each, where
/// either is an integer.
struct softmax_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;

        /// softmax_accurate; dst has the descriptor of src. Nothing is checked before a primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param data_desc Descriptor of both src and dst.
        /// @param softmax_axis Dimension whose elements sum up to 1; 0 to ndims - 1.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, int softmax_axis)
            : aprop_kind_(aprop_kind), aalgorithm_(algorithm::softmax_accurate), src_desc_(data_desc),
              dst_desc_(data_desc), axis_(softmax_axis) {}

        /// The problem, all of its arguments; in v2 this was softmax_v2_forward::desc. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::softmax_accurate or algorithm::softmax_log.
        /// @param src_desc Descriptor of src, 1 to 12 dimensions.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param softmax_axis Dimension whose elements sum up to 1; 0 to ndims - 1.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& dst_desc,
             int softmax_axis)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), src_desc_(src_desc), dst_desc_(dst_desc),
              axis_(softmax_axis) {}

        prop_kind aprop_kind_ = prop_kind::undef;
        algorithm aalgorithm_ = algorithm::undef;
        memory::desc src_desc_;
        memory::desc dst_desc_;
        int axis_ = 0;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem, all of its arguments.
        /// @param aengine Engine the primitive runs on.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param aalgorithm algorithm::softmax_accurate or algorithm::softmax_log.
        /// @param src_desc Descriptor of src, 1 to 12 dimensions.
        /// @param dst_desc Descriptor of dst, the shape of src; may be `any`.
        /// @param axis Dimension whose elements sum up to 1; 0 to ndims - 1.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, int axis, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_softmax_forward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aprop_kind), dnnl::convert_to_c(aalgorithm), src_desc.get(),
                dst_desc.get(), axis, attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a softmax (forward)");
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
                             adesc.axis_, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::softmax, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    softmax_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    softmax_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    softmax_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Softmax or its logarithm, gradient: diff_src from diff_dst and dst.
struct softmax_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;

        /// softmax_accurate; both gradients have the same descriptor. Nothing is checked before a primitive_desc is
        /// made of it.
        /// @param diff_data_desc Descriptor of both diff_src and diff_dst.
        /// @param data_desc Descriptor of dst, the result of the forward computation.
        /// @param softmax_axis Dimension whose elements sum up to 1; 0 to ndims - 1.
        desc(const memory::desc& diff_data_desc, const memory::desc& data_desc, int softmax_axis)
            : aalgorithm_(algorithm::softmax_accurate), diff_src_desc_(diff_data_desc), diff_dst_desc_(diff_data_desc),
              dst_desc_(data_desc), axis_(softmax_axis) {}

        /// The problem, all of its arguments; in v2 this was softmax_v2_backward::desc. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param aalgorithm algorithm::softmax_accurate or algorithm::softmax_log.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 12 dimensions; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param dst_desc Descriptor of dst, the shape of src.
        /// @param softmax_axis Dimension whose elements sum up to 1; 0 to ndims - 1.
        desc(algorithm aalgorithm, const memory::desc& diff_src_desc, const memory::desc& diff_dst_desc,
             const memory::desc& dst_desc, int softmax_axis)
            : aalgorithm_(aalgorithm), diff_src_desc_(diff_src_desc), diff_dst_desc_(diff_dst_desc),
              dst_desc_(dst_desc), axis_(softmax_axis) {}

        algorithm aalgorithm_ = algorithm::undef;
        memory::desc diff_src_desc_;
        memory::desc diff_dst_desc_;
        memory::desc dst_desc_;
        int axis_ = 0;
    };

    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// The problem; the hint is the descriptor of the forward computation.
        /// @param aengine Engine the primitive runs on.
        /// @param aalgorithm algorithm::softmax_accurate or algorithm::softmax_log.
        /// @param diff_src_desc Descriptor of diff_src, the gradient of src: 1 to 12 dimensions; may be `any`.
        /// @param diff_dst_desc Descriptor of diff_dst, the gradient of dst: the shape of src; may be `any`.
        /// @param dst_desc Descriptor of dst, the shape of src.
        /// @param axis Dimension whose elements sum up to 1; 0 to ndims - 1.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const memory::desc& dst_desc, int axis,
                       const softmax_forward::primitive_desc& hint_fwd_pd, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_softmax_backward_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                dst_desc.get(), axis, hint_fwd_pd.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a softmax (backward)");
        }

        /// v2 spelling: the problem of `adesc`.
        /// @param adesc Operation descriptor: the problem.
        /// @param aengine Engine the primitive runs on.
        /// @param hint_fwd_pd Descriptor of the forward computation; must not be empty.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of the C call if that refuses, unless allow_empty.
        primitive_desc(const desc& adesc, const engine& aengine, const softmax_forward::primitive_desc& hint_fwd_pd,
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
                       const softmax_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.diff_src_desc_, adesc.diff_dst_desc_, adesc.dst_desc_,
                             adesc.axis_, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::softmax, prop_kind::backward, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    softmax_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    softmax_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    softmax_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// v2 name: the class that took an algorithm. softmax_forward::desc takes both forms.
using softmax_v2_forward = softmax_forward;
/// v2 name; see softmax_v2_forward.
using softmax_v2_backward = softmax_backward;

/// v2: the logarithm of a softmax, forward; a softmax_forward with algorithm::softmax_log.
struct logsoftmax_forward : public primitive {
    /// v2 operation descriptor.
    struct desc : public softmax_forward::desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;
        /// dst has the descriptor of src; the axis counts from 0. Nothing is checked before a primitive_desc is made of
        /// it.
        /// @param aprop_kind prop_kind::forward_training or prop_kind::forward_inference.
        /// @param data_desc Descriptor of both src and dst.
        /// @param logsoftmax_axis Dimension whose elements sum up to 1; 0 to ndims - 1.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, int logsoftmax_axis)
            : softmax_forward::desc(aprop_kind, algorithm::softmax_log, data_desc, data_desc, logsoftmax_axis) {}
    };

    /// The descriptor of the softmax.
    struct primitive_desc : public softmax_forward::primitive_desc {
        using softmax_forward::primitive_desc::primitive_desc;
        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    logsoftmax_forward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    logsoftmax_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    logsoftmax_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// v2: the logarithm of a softmax, gradient; a softmax_backward with algorithm::softmax_log.
struct logsoftmax_backward : public primitive {
    /// v2 operation descriptor.
    struct desc : public softmax_backward::desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;
        /// Both gradients have the same descriptor; `data_desc` is that of dst. Nothing is checked before a
        /// primitive_desc is made of it.
        /// @param diff_data_desc Descriptor of both diff_src and diff_dst.
        /// @param data_desc Descriptor of dst, the result of the forward computation.
        /// @param logsoftmax_axis Dimension whose elements sum up to 1; 0 to ndims - 1.
        desc(const memory::desc& diff_data_desc, const memory::desc& data_desc, int logsoftmax_axis)
            : softmax_backward::desc(algorithm::softmax_log, diff_data_desc, diff_data_desc, data_desc,
                                     logsoftmax_axis) {}
    };

    /// The descriptor of the softmax. The hint may be that of either forward class.
    struct primitive_desc : public softmax_backward::primitive_desc {
        using softmax_backward::primitive_desc::primitive_desc;
        /// An empty descriptor.
        primitive_desc() = default;
    };

    /// An empty primitive.
    logsoftmax_backward() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    logsoftmax_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    logsoftmax_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
