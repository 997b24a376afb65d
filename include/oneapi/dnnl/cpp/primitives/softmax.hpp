// Softmax and its logarithm. Arguments at execution: DNNL_ARG_SRC, _DST and DIFF_ forms of them.
//
//     softmax_forward::primitive_desc pd(eng, prop_kind::forward_inference, algorithm::softmax_accurate, md, md, 1);

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_SOFTMAX_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_SOFTMAX_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Softmax or its logarithm along one dimension, forward.
/// Shapes: src and dst alike, any number of dimensions; axis counts from 0. dst may be `any`, and the same memory
/// as src.
struct softmax_forward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;

        /// softmax_accurate; dst has the descriptor of src.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, int softmax_axis)
            : aprop_kind_(aprop_kind), aalgorithm_(algorithm::softmax_accurate), src_desc_(data_desc),
              dst_desc_(data_desc), axis_(softmax_axis) {}

        /// All arguments; in v2 this was softmax_v2_forward::desc.
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

        /// The problem.
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
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.aalgorithm_, adesc.src_desc_, adesc.dst_desc_,
                             adesc.axis_, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::softmax, prop_kind::forward_training,
                                   prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    softmax_forward() = default;
    /// Builds what `pd` chose.
    softmax_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from the bytes get_cache_blob() gave for an equal descriptor.
    softmax_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Softmax or its logarithm, gradient: diff_src from diff_dst and dst.
struct softmax_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;

        /// softmax_accurate; both gradients have the same descriptor.
        desc(const memory::desc& diff_data_desc, const memory::desc& data_desc, int softmax_axis)
            : aalgorithm_(algorithm::softmax_accurate), diff_src_desc_(diff_data_desc), diff_dst_desc_(diff_data_desc),
              dst_desc_(data_desc), axis_(softmax_axis) {}

        /// All arguments; in v2 this was softmax_v2_backward::desc.
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
        primitive_desc(const desc& adesc, const engine& aengine, const softmax_forward::primitive_desc& hint_fwd_pd,
                       bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const softmax_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.diff_src_desc_, adesc.diff_dst_desc_, adesc.dst_desc_,
                             adesc.axis_, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, primitive::kind::softmax, prop_kind::backward, prop_kind::backward_data) {}
    };

    /// An empty primitive.
    softmax_backward() = default;
    /// Builds what `pd` chose.
    softmax_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from the bytes get_cache_blob() gave for an equal descriptor.
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
        /// dst has the descriptor of src; the axis counts from 0.
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
    /// Builds what `pd` chose.
    logsoftmax_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    logsoftmax_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// v2: the logarithm of a softmax, gradient; a softmax_backward with algorithm::softmax_log.
struct logsoftmax_backward : public primitive {
    /// v2 operation descriptor.
    struct desc : public softmax_backward::desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;
        /// Both gradients have the same descriptor; `data_desc` is that of dst.
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
    /// Builds what `pd` chose.
    logsoftmax_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from a cache blob.
    logsoftmax_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
