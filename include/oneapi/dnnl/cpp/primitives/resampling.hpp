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
        /// Factors follow from the extents.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc, const memory::desc& dst_desc)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), factors_(), src_desc_(src_desc), dst_desc_(dst_desc) {}

        /// The extents of dst follow from the factors.
        desc(prop_kind aprop_kind, algorithm aalgorithm, const std::vector<float>& factors,
             const memory::desc& src_desc)
            : aprop_kind_(aprop_kind), aalgorithm_(aalgorithm), factors_(factors), src_desc_(src_desc), dst_desc_() {}

        /// Both.
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

        /// Factors follow from the extents.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, nullptr, src_desc, &dst_desc, attr, allow_empty) {}

        /// The extents of dst follow from the factors.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm,
                       const std::vector<float>& factors, const memory::desc& src_desc,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, &factors, src_desc, nullptr, attr, allow_empty) {}

        /// Both; the extents must fit the factors.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, algorithm aalgorithm,
                       const std::vector<float>& factors, const memory::desc& src_desc, const memory::desc& dst_desc,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, &factors, src_desc, &dst_desc, attr, allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind_, adesc.aalgorithm_, &adesc.factors_, adesc.src_desc_,
                             present(adesc.dst_desc_), attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
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
    /// Builds what `pd` chose.
    resampling_forward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from the bytes get_cache_blob() gave for an equal descriptor.
    resampling_forward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Resizing of the spatial dimensions, gradient: diff_src from diff_dst.
struct resampling_backward : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Factors follow from the extents.
        desc(algorithm aalgorithm, const memory::desc& diff_src_desc, const memory::desc& diff_dst_desc)
            : aalgorithm_(aalgorithm), factors_(), diff_src_desc_(diff_src_desc), diff_dst_desc_(diff_dst_desc) {}

        /// With factors.
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

        /// Factors follow from the extents.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, const resampling_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, nullptr, diff_src_desc, diff_dst_desc, hint_fwd_pd, attr,
                             allow_empty) {}

        /// With factors.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const std::vector<float>& factors,
                       const memory::desc& diff_src_desc, const memory::desc& diff_dst_desc,
                       const resampling_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, &factors, diff_src_desc, diff_dst_desc, hint_fwd_pd, attr,
                             allow_empty) {}

        /// v2 spelling: the problem of `adesc`.
        primitive_desc(const desc& adesc, const engine& aengine, const resampling_forward::primitive_desc& hint_fwd_pd,
                       bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, hint_fwd_pd, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine,
                       const resampling_forward::primitive_desc& hint_fwd_pd, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, &adesc.factors_, adesc.diff_src_desc_, adesc.diff_dst_desc_,
                             hint_fwd_pd, attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
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
    /// Builds what `pd` chose.
    resampling_backward(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from the bytes get_cache_blob() gave for an equal descriptor.
    resampling_backward(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

/// Reduction of dimensions to extent 1: maximum, minimum, sum, product, mean or a norm.
/// Shapes: as many dimensions in dst as in src; each extent of dst is that of src, or 1 and then reduced. p >= 1 is
/// the order of a norm, eps its lower bound or addend; both are ignored by the others. dst may be `any`.
struct reduction : public primitive {
    /// v2 operation descriptor: the arguments of the problem, kept until a primitive_desc is made of them.
    struct desc {
        /// Nothing yet; cannot make a primitive_desc.
        desc() = default;

        /// The problem.
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

        /// The problem.
        primitive_desc(const engine& aengine, algorithm aalgorithm, const memory::desc& src_desc,
                       const memory::desc& dst_desc, float p, float eps, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_reduction_primitive_desc_create(
                &pd, aengine.get(), dnnl::convert_to_c(aalgorithm), src_desc.get(), dst_desc.get(), p, eps, attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a reduction");
        }

        /// v2 spelling: the problem of `adesc`.
        primitive_desc(const desc& adesc, const engine& aengine, bool allow_empty = false)
            : primitive_desc(adesc, default_attr(), aengine, allow_empty) {}

        /// v2 spelling: the problem of `adesc`, with attributes.
        primitive_desc(const desc& adesc, const primitive_attr& attr, const engine& aengine, bool allow_empty = false)
            : primitive_desc(aengine, adesc.aalgorithm_, adesc.src_desc_, adesc.dst_desc_, adesc.p_, adesc.eps_, attr,
                             allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        primitive_desc(dnnl_primitive_desc_t pd) : dnnl::primitive_desc(pd, primitive::kind::reduction) {}
    };

    /// An empty primitive.
    reduction() = default;
    /// Builds what `pd` chose.
    reduction(const primitive_desc& pd) : primitive(pd) {}
    /// As above, from the bytes get_cache_blob() gave for an equal descriptor.
    reduction(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
