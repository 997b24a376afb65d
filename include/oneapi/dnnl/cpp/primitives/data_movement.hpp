// SPDX-License-Identifier: Apache-2.0
// Reorder, concat and sum: primitives that move or add tensors of any layout.
// Arguments at execution: reorder DNNL_ARG_FROM, _TO; the others DNNL_ARG_MULTIPLE_SRC + i, _DST.
//
//     reorder(src, dst).execute(strm, src, dst);  // dst = src, in dst's layout and type

#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_DATA_MOVEMENT_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_DATA_MOVEMENT_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Copy between layouts and types: dst(x) = src(x) for every coordinate x, scaled and shifted by the
/// attributes. Shapes are equal. Narrower types saturate; rounding is to nearest, ties to even.
struct reorder : public primitive {
    /// Implementation chosen for one pair of tensors.
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;

        /// An empty descriptor.
        primitive_desc() = default;

        /// A reorder from `src_md` on one engine to `dst_md` on the same or another.
        /// @param src_engine Engine of the source.
        /// @param src_md Descriptor of the source; not `any`.
        /// @param dst_engine Engine of the destination.
        /// @param dst_md Descriptor of the destination, of the same shape; not `any`.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_reorder_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& src_engine, const memory::desc& src_md, const engine& dst_engine,
                       const memory::desc& dst_md, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false) {
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_reorder_primitive_desc_create(&pd, src_md.get(), src_engine.get(),
                                                                            dst_md.get(), dst_engine.get(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a reorder");
        }

        /// A reorder from the descriptor and engine of one memory to those of another.
        /// @param src Memory object to read.
        /// @param dst Memory object to write.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_reorder_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const memory& src, const memory& dst, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(src.get_engine(), src.get_desc(), dst.get_engine(), dst.get_desc(), attr, allow_empty) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd) : primitive_desc_base(pd, dnnl::primitive::kind::reorder) {}

        /// @returns The engine of the source (weak).
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        engine get_src_engine() const { return query_engine(query::reorder_src_engine); }
        /// @returns The engine of the destination (weak).
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        engine get_dst_engine() const { return query_engine(query::reorder_dst_engine); }
    };

    /// An empty primitive.
    reorder() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    reorder(const primitive_desc& pd) : primitive(pd.get()) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    reorder(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd.get(), cache_blob) {}
    /// A reorder from one memory to another; also creates the primitive descriptor.
    /// @param src Memory object to read.
    /// @param dst Memory object to write.
    /// @param attr Attributes; the default ones if left out.
    /// @throws dnnl::error with the status of dnnl_reorder_primitive_desc_create() if that refuses.
    reorder(const memory& src, const memory& dst, const primitive_attr& attr = primitive_attr())
        : primitive(primitive_desc(src, dst, attr).get()) {}

    using primitive::execute;

    /// Submits a copy of `src` to `dst`.
    /// @param astream Stream on the engine of the primitive.
    /// @param src Memory object to read.
    /// @param dst Memory object to write.
    /// @throws dnnl::error with the status of dnnl_primitive_execute() if that refuses.
    void execute(const stream& astream, memory& src, memory& dst) const {
        primitive::execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    }
};

/// Concatenation: n sources one after the other along one dimension.
/// Shapes: equal but for that dimension, whose extents add up to that of dst. Without a descriptor, or with
/// `any`, dst gets a layout that suits the sources.
struct concat : public primitive {
    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;

        /// An empty descriptor.
        primitive_desc() = default;

        /// A concat into `dst`.
        /// @param aengine Engine the primitive runs on.
        /// @param dst Descriptor of dst; may be `any`.
        /// @param concat_dimension Dimension along which sources are joined, from 0.
        /// @param srcs Descriptors of the sources, of one data type.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_concat_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, const memory::desc& dst, int concat_dimension,
                       const std::vector<memory::desc>& srcs, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, &dst, concat_dimension, srcs, attr, allow_empty) {}

        /// The same into a tensor that the library describes; see dst_desc().
        /// @param aengine Engine the primitive runs on.
        /// @param concat_dimension Dimension along which sources are joined, from 0.
        /// @param srcs Descriptors of the sources, of one data type.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_concat_primitive_desc_create() if that refuses, unless
        ///     allow_empty.
        primitive_desc(const engine& aengine, int concat_dimension, const std::vector<memory::desc>& srcs,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, nullptr, concat_dimension, srcs, attr, allow_empty) {}

        /// v2 spelling: the engine comes after the tensors.
        /// @param dst Descriptor of dst; may be `any`.
        /// @param concat_dimension Dimension along which sources are joined, from 0.
        /// @param srcs Descriptors of the sources, of one data type.
        /// @param aengine Engine the primitive runs on.
        /// @param attr Attributes; the default ones if left out.
        /// @throws dnnl::error with the status of dnnl_concat_primitive_desc_create() if that refuses.
        primitive_desc(const memory::desc& dst, int concat_dimension, const std::vector<memory::desc>& srcs,
                       const engine& aengine, const primitive_attr& attr = default_attr())
            : primitive_desc(aengine, &dst, concat_dimension, srcs, attr, false) {}

        /// v2 spelling: the engine comes after the tensors.
        /// @param concat_dimension Dimension along which sources are joined, from 0.
        /// @param srcs Descriptors of the sources, of one data type.
        /// @param aengine Engine the primitive runs on.
        /// @param attr Attributes; the default ones if left out.
        /// @throws dnnl::error with the status of dnnl_concat_primitive_desc_create() if that refuses.
        primitive_desc(int concat_dimension, const std::vector<memory::desc>& srcs, const engine& aengine,
                       const primitive_attr& attr = default_attr())
            : primitive_desc(aengine, nullptr, concat_dimension, srcs, attr, false) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd) : primitive_desc_base(pd, dnnl::primitive::kind::concat) {}

        /// @param idx Number of the tensor in its role, from 0.
        /// @returns Source `idx`.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc src_desc(int idx = 0) const { return base::src_desc(idx); }

    private:
        primitive_desc(const engine& aengine, const memory::desc* dst, int concat_dimension,
                       const std::vector<memory::desc>& srcs, const primitive_attr& attr, bool allow_empty) {
            const std::vector<const_dnnl_memory_desc_t> c_srcs = convert_to_c(srcs);
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status = dnnl_concat_primitive_desc_create(&pd, aengine.get(), optional_arg(dst),
                                                                           static_cast<int>(c_srcs.size()),
                                                                           concat_dimension, c_srcs.data(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a concat");
        }
    };

    /// An empty primitive.
    concat() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    concat(const primitive_desc& pd) : primitive(pd.get()) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    concat(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd.get(), cache_blob) {}
};

/// Weighted sum: dst = scales[0] src[0] + scales[1] src[1] + ...
/// Shapes are equal; layouts may differ. Without a descriptor, or with `any`, dst gets one that suits.
struct sum : public primitive {
    /// Implementation and layouts chosen for one problem.
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;

        /// An empty descriptor.
        primitive_desc() = default;

        /// A sum into `dst`.
        /// @param aengine Engine the primitive runs on.
        /// @param dst Descriptor of dst; may be `any`.
        /// @param scales One factor per source.
        /// @param srcs Descriptors of the sources, of one shape.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_sum_primitive_desc_create() if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, const memory::desc& dst, const std::vector<float>& scales,
                       const std::vector<memory::desc>& srcs, const primitive_attr& attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, &dst, scales, srcs, attr, allow_empty) {}

        /// The same into a tensor that the library describes; see dst_desc().
        /// @param aengine Engine the primitive runs on.
        /// @param scales One factor per source.
        /// @param srcs Descriptors of the sources, of one shape.
        /// @param attr Attributes; the default ones if left out.
        /// @param allow_empty true: a refusal leaves an empty descriptor instead of throwing.
        /// @throws dnnl::error with the status of dnnl_sum_primitive_desc_create() if that refuses, unless allow_empty.
        primitive_desc(const engine& aengine, const std::vector<float>& scales, const std::vector<memory::desc>& srcs,
                       const primitive_attr& attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, nullptr, scales, srcs, attr, allow_empty) {}

        /// v2 spelling: the engine comes after the tensors.
        /// @param dst Descriptor of dst; may be `any`.
        /// @param scales One factor per source.
        /// @param srcs Descriptors of the sources, of one shape.
        /// @param aengine Engine the primitive runs on.
        /// @param attr Attributes; the default ones if left out.
        /// @throws dnnl::error with the status of dnnl_sum_primitive_desc_create() if that refuses.
        primitive_desc(const memory::desc& dst, const std::vector<float>& scales, const std::vector<memory::desc>& srcs,
                       const engine& aengine, const primitive_attr& attr = default_attr())
            : primitive_desc(aengine, &dst, scales, srcs, attr, false) {}

        /// v2 spelling: the engine comes after the tensors.
        /// @param scales One factor per source.
        /// @param srcs Descriptors of the sources, of one shape.
        /// @param aengine Engine the primitive runs on.
        /// @param attr Attributes; the default ones if left out.
        /// @throws dnnl::error with the status of dnnl_sum_primitive_desc_create() if that refuses.
        primitive_desc(const std::vector<float>& scales, const std::vector<memory::desc>& srcs, const engine& aengine,
                       const primitive_attr& attr = default_attr())
            : primitive_desc(aengine, nullptr, scales, srcs, attr, false) {}

        /// A copy of a C descriptor, which must be of this kind.
        /// @param pd C descriptor to copy; it stays the caller's. Null gives an empty descriptor.
        /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind.
        primitive_desc(dnnl_primitive_desc_t pd) : primitive_desc_base(pd, dnnl::primitive::kind::sum) {}

        /// @param idx Number of the tensor in its role, from 0.
        /// @returns Source `idx`.
        /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
        memory::desc src_desc(int idx = 0) const { return base::src_desc(idx); }

    private:
        primitive_desc(const engine& aengine, const memory::desc* dst, const std::vector<float>& scales,
                       const std::vector<memory::desc>& srcs, const primitive_attr& attr, bool allow_empty) {
            if (scales.size() != srcs.size()) {
                if (allow_empty) return;
                const std::string text = "a sum has " + detail::counted(srcs.size(), "source") + " but " +
                                         detail::counted(scales.size(), "scale") + "; give one each";
                DNNL_THROW_ERROR(dnnl_invalid_arguments, text.c_str());
            }
            const std::vector<const_dnnl_memory_desc_t> c_srcs = convert_to_c(srcs);
            dnnl_primitive_desc_t pd = nullptr;
            const dnnl_status_t status =
                dnnl_sum_primitive_desc_create(&pd, aengine.get(), optional_arg(dst), static_cast<int>(c_srcs.size()),
                                               scales.data(), c_srcs.data(), attr.get());
            take(status, pd, allow_empty, "could not create a primitive descriptor of a sum");
        }
    };

    /// An empty primitive.
    sum() = default;
    /// The primitive that `pd` describes. This is cheap: the descriptor has the code.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with dnnl_invalid_arguments if `pd` is empty.
    sum(const primitive_desc& pd) : primitive(pd.get()) {}
    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    sum(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob) : primitive(pd.get(), cache_blob) {}
};

} // namespace dnnl

#endif
