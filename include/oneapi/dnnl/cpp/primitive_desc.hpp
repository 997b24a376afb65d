// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors: an implementation chosen for one problem on one engine, with the layouts it
// wants and its compiled code. Creation is where the time goes, unless the primitive cache has an equal problem.
// Immutable; created from the parameters of the problem by the classes nested in the primitives.
//
// Every query has a defined answer where it does not apply: empty lists, 0, axis -1, undef, and the empty
// memory descriptor.
//
//     matmul::primitive_desc pd(eng, src_md, weights_md, dst_md);
//     memory::desc chosen = pd.weights_desc();

#ifndef ONEAPI_DNNL_CPP_PRIMITIVE_DESC_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVE_DESC_HPP

#include <initializer_list>

#include "oneapi/dnnl/cpp/attributes.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace dnnl {

/// What all primitive descriptors offer.
struct primitive_desc_base : public handle<dnnl_primitive_desc_t> {
    using handle<dnnl_primitive_desc_t>::handle;

    /// An empty descriptor.
    primitive_desc_base() = default;

    /// @returns The engine of the computation (weak: the descriptor keeps it alive).
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    engine get_engine() const { return query_engine(query::engine); }

    /// @returns Name of the chosen implementation, for people.
    /// @throws dnnl::error with the status of dnnl_primitive_desc_query() if that refuses.
    const char* impl_info_str() const {
        const char* text = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl_query_impl_info_str, 0, &text),
                          "could not get the name of an implementation");
        return text;
    }

    /// An integer answer of 64 bits, e.g. query::memory_consumption_s64; else 0.
    /// @param what The question.
    /// @returns The answer; 0 where there is none.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::dim query_s64(query what) const { return ask<dnnl_dim_t>(what, 0); }

    /// @returns Strides of the kernel, one per spatial dimension.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::dims get_strides() const { return query_dims(query::strides); }
    /// @returns Dilations of the kernel, one per spatial dimension; 0 is a dense kernel.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::dims get_dilations() const { return query_dims(query::dilations); }
    /// @returns Padding before (front, top, left).
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::dims get_padding_l() const { return query_dims(query::padding_l); }
    /// @returns Padding after (back, bottom, right).
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::dims get_padding_r() const { return query_dims(query::padding_r); }
    /// @returns Constant added to a variance, or to a norm.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    float get_epsilon() const { return query_f32(query::epsilon_f32); }
    /// @returns Flags of a normalization or recurrent cell.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    template <typename T = unsigned> T get_flags() const { return static_cast<T>(ask<unsigned>(query::flags, 0)); }
    /// @returns The algorithm.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    dnnl::algorithm get_algorithm() const { return query_alg(query::alg_kind); }
    /// @returns Parameter alpha.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    float get_alpha() const { return query_f32(query::alpha_f32); }
    /// @returns Parameter beta.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    float get_beta() const { return query_f32(query::beta_f32); }
    /// @returns The dimension of a softmax, shuffle or concat, from 0.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    int get_axis() const { return ask<int>(query::axis_s32, -1); }
    /// @returns Window of a local response normalization.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::dim get_local_size() const { return query_s64(query::local_size_s64); }
    /// @returns Parameter k of a local response normalization.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    float get_k() const { return query_f32(query::k_f32); }
    /// @returns Order of a norm.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    float get_p() const { return query_f32(query::p_f32); }
    /// @returns Factors of a resampling, one per spatial dimension.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    std::vector<float> get_factors() const {
        const float* values = ask<const float*>(query::factors, nullptr);
        return values ? std::vector<float>(values, values + spatial_ndims()) : std::vector<float>();
    }
    /// @returns Kind of a recurrent cell.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    dnnl::algorithm get_cell_kind() const { return query_alg(query::cell_kind); }
    /// @returns Direction of a recurrent layer.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    dnnl::rnn_direction get_direction() const {
        return static_cast<dnnl::rnn_direction>(ask<dnnl_rnn_direction_t>(query::direction, dnnl_rnn_direction_undef));
    }
    /// @returns Activation of a vanilla RNN.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    dnnl::algorithm get_activation_kind() const { return query_alg(query::activation_kind); }
    /// @returns Extents of a pooling window, one per spatial dimension.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::dims get_kernel() const { return query_dims(query::kernel); }
    /// @returns Groups of a shuffle or group normalization.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::dim get_group_size() const { return query_s64(query::group_size_s64); }
    /// @returns The propagation kind.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    dnnl::prop_kind get_prop_kind() const {
        return static_cast<dnnl::prop_kind>(ask<dnnl_prop_kind_t>(query::prop_kind, dnnl_prop_kind_undef));
    }

    /// The descriptor of a tensor: query::src_md etc. with its position, or query::exec_arg_md with a
    /// DNNL_ARG_* number. Empty if there is no such tensor; an error if `what` does not ask for one.
    /// @param what The question.
    /// @param idx Number of the tensor in its role, from 0; for query::exec_arg_md its DNNL_ARG_* number.
    /// @returns The descriptor; empty if there is no such tensor.
    /// @throws dnnl::error with dnnl_invalid_arguments for a question about something else, and if this descriptor is
    ///     empty.
    memory::desc query_md(query what, int idx = 0) const {
        switch (what) {
        case query::src_md:
        case query::diff_src_md:
        case query::weights_md:
        case query::diff_weights_md:
        case query::dst_md:
        case query::diff_dst_md:
        case query::workspace_md:
        case query::scratchpad_md:
        case query::exec_arg_md:
            break;
        default:
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "this query does not ask for a memory descriptor");
        }
        return detail::copy_of(dnnl_primitive_desc_query_md(get(), dnnl::convert_to_c(what), idx));
    }

    /// @param idx Number of the tensor in its role, from 0.
    /// @returns Source `idx`.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc src_desc(int idx) const { return query_md(query::src_md, idx); }
    /// @param idx Number of the tensor in its role, from 0.
    /// @returns Destination `idx`.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc dst_desc(int idx) const { return query_md(query::dst_md, idx); }
    /// @param idx Number of the tensor in its role, from 0.
    /// @returns Weights `idx`; 1 is the bias where there is one.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc weights_desc(int idx) const { return query_md(query::weights_md, idx); }
    /// @param idx Number of the tensor in its role, from 0.
    /// @returns Gradient of source `idx`.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_src_desc(int idx) const { return query_md(query::diff_src_md, idx); }
    /// @param idx Number of the tensor in its role, from 0.
    /// @returns Gradient of destination `idx`.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_dst_desc(int idx) const { return query_md(query::diff_dst_md, idx); }
    /// @param idx Number of the tensor in its role, from 0.
    /// @returns Gradient of weights `idx`.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_weights_desc(int idx) const { return query_md(query::diff_weights_md, idx); }
    /// @returns Source 0.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc src_desc() const { return src_desc(0); }
    /// @returns Destination 0.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc dst_desc() const { return dst_desc(0); }
    /// @returns Weights 0.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc weights_desc() const { return weights_desc(0); }
    /// @returns Gradient of source 0.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_src_desc() const { return diff_src_desc(0); }
    /// @returns Gradient of destination 0.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_dst_desc() const { return diff_dst_desc(0); }
    /// @returns Gradient of weights 0.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc diff_weights_desc() const { return diff_weights_desc(0); }
    /// @returns What forward training hands to backward, DNNL_ARG_WORKSPACE; empty if nothing.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc workspace_desc() const { return query_md(query::workspace_md, 0); }
    /// @returns Scratch memory, DNNL_ARG_SCRATCHPAD; empty in scratchpad_mode::library.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::desc scratchpad_desc() const { return query_md(query::scratchpad_md, 0); }
    /// @returns The engine scratch memory lives on (weak).
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    engine scratchpad_engine() const { return query_engine(query::scratchpad_engine); }

    /// @returns A copy of the attributes, with `any` layouts of binary post-ops resolved.
    /// @throws dnnl::error with the status of dnnl_primitive_desc_get_attr() if that refuses.
    primitive_attr get_primitive_attr() const {
        const_dnnl_primitive_attr_t c_attr = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_get_attr(get(), &c_attr), "could not get the attributes of a descriptor");
        dnnl_primitive_attr_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_clone(&copy, c_attr), "could not copy primitive attributes");
        return primitive_attr(copy);
    }

    /// @returns The kind of computation.
    /// @throws dnnl::error with the status of dnnl_primitive_desc_query() if that refuses.
    dnnl::primitive::kind get_kind() const {
        dnnl_primitive_kind_t kind = dnnl_undefined_primitive;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl_query_primitive_kind, 0, &kind),
                          "could not get the kind of a primitive descriptor");
        return static_cast<dnnl::primitive::kind>(kind);
    }

    /// @returns Key of the primitive's cache blob; empty where the engine has no blobs.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    std::vector<uint8_t> get_cache_blob_id() const {
        const memory::dim size = query_s64(query::cache_blob_id_size_s64);
        const uint8_t* id = size > 0 ? ask<const uint8_t*>(query::cache_blob_id, nullptr) : nullptr;
        return id ? std::vector<uint8_t>(id, id + size) : std::vector<uint8_t>();
    }

protected:
    using base = dnnl::primitive_desc_base;

    /// @param what The question.
    /// @returns The answer of a query of type float, else 0.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    float query_f32(query what) const { return ask<float>(what, 0.f); }
    /// @param what The question.
    /// @returns The answer of a query for an algorithm, else undef.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    dnnl::algorithm query_alg(query what) const {
        return static_cast<dnnl::algorithm>(ask<dnnl_alg_kind_t>(what, dnnl_alg_kind_undef));
    }
    /// @param what The question.
    /// @returns The answer of a query with one value per spatial dimension, else an empty list.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    memory::dims query_dims(query what) const {
        const dnnl_dim_t* values = ask<const dnnl_dim_t*>(what, nullptr);
        return values ? memory::dims(values, values + spatial_ndims()) : memory::dims();
    }
    /// @param what The question.
    /// @returns The answer of a query for an engine (weak), else an empty one.
    /// @throws dnnl::error with dnnl_invalid_arguments if this descriptor is empty.
    engine query_engine(query what) const { return engine(ask<dnnl_engine_t>(what, nullptr), true); }

    /// Becomes a copy of a C descriptor.
    /// @param pd Descriptor to copy.
    /// @throws dnnl::error with the status of dnnl_primitive_desc_clone() if that refuses.
    void reset_with_clone(const_dnnl_primitive_desc_t pd) {
        dnnl_primitive_desc_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_clone(&copy, pd), "could not copy a primitive descriptor");
        reset(copy);
    }

    /// A copy of a C descriptor, which must have this kind. Null gives an empty descriptor.
    /// @param pd Descriptor to copy, or null.
    /// @param prim_kind Kind it must have.
    /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind or propagation kind.
    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind prim_kind) { copy_checked(pd, prim_kind, {}); }
    /// As above; its propagation kind is checked, too.
    /// @param pd Descriptor to copy, or null.
    /// @param prim_kind Kind it must have.
    /// @param aprop_kind Propagation kind it must have.
    /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind or propagation kind.
    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind prim_kind, dnnl::prop_kind aprop_kind) {
        copy_checked(pd, prim_kind, {aprop_kind});
    }
    /// As above; either propagation kind will do.
    /// @param pd Descriptor to copy, or null.
    /// @param prim_kind Kind it must have.
    /// @param prop_kind1 Propagation kind it may have.
    /// @param prop_kind2 Another one it may have.
    /// @throws dnnl::error with dnnl_invalid_arguments if it is of another kind or propagation kind.
    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind prim_kind, dnnl::prop_kind prop_kind1,
                        dnnl::prop_kind prop_kind2) {
        copy_checked(pd, prim_kind, {prop_kind1, prop_kind2});
    }

    /// Attributes without any setting; shared by all calls that give none.
    /// @returns Attributes that live as long as the program.
    static const dnnl::primitive_attr& default_attr() {
        static const primitive_attr attr;
        return attr;
    }
    /// C form of an argument that may be absent: null for a null pointer.
    /// @param md Descriptor, or null.
    /// @returns Pointer for the C call.
    const_dnnl_memory_desc_t optional_arg(const memory::desc* md) { return md ? md->get() : nullptr; }
    /// C form of an argument that may be absent.
    /// @param dims List, or null.
    /// @returns Pointer for the C call.
    const dnnl_dim_t* optional_arg(const memory::dims* dims) { return dims ? dims->data() : nullptr; }
    /// C form of an argument that may be absent; an empty list counts as absent.
    /// @param arg List, or null.
    /// @returns Pointer for the C call.
    const float* optional_arg(const std::vector<float>* arg) { return arg && !arg->empty() ? arg->data() : nullptr; }

    /// An argument of a stored problem: the empty descriptor becomes an absent one, which C calls tell apart.
    /// @param md Descriptor; empty for none.
    /// @returns Pointer to the descriptor, null for the empty one.
    static const memory::desc* present(const memory::desc& md) { return md.is_zero() ? nullptr : &md; }

    /// Owns what a creating C call made. A failure is an error, or an empty descriptor if that is allowed.
    /// @param status What the call returned.
    /// @param pd What it made.
    /// @param allow_empty true: a failure leaves this object empty.
    /// @param message What could not be done, for the error.
    /// @throws dnnl::error with `status` unless that is dnnl_success or allow_empty is true.
    void take(dnnl_status_t status, dnnl_primitive_desc_t pd, bool allow_empty, const char* message) {
        if (!allow_empty) error::wrap_c_api(status, message);
        reset(status == dnnl_success ? pd : nullptr);
    }

    /// Length of a list for spatial_fit; absent (null) lists have none.
    /// @param list List, or null.
    /// @returns Number of values; -1 for an absent list.
    template <typename T> static long count(const std::vector<T>* list) {
        return list ? static_cast<long>(list->size()) : -1;
    }

    /// As above; an empty list of factors is absent, too.
    /// @param list List, or null.
    /// @returns Number of values; -1 for an absent list.
    static long count(const std::vector<float>* list) {
        return list && !list->empty() ? static_cast<long>(list->size()) : -1;
    }

    /// Checks that lists with one value per spatial dimension of `md` are long enough, before C code reads
    /// them. If not: an error, or false where an empty descriptor is allowed.
    /// @param md Descriptor of a tensor of the problem.
    /// @param counts Lengths of the lists; negative for those that are absent.
    /// @param allow_empty true: a misfit gives false instead of an error.
    /// @returns Whether they are.
    /// @throws dnnl::error with dnnl_invalid_arguments if one is too short or too long, unless allow_empty.
    static bool spatial_fit(const memory::desc& md, std::initializer_list<long> counts, bool allow_empty) {
        const long wanted = md.get_ndims() - 2;
        for (const long count : counts) {
            if (count < 0 || (count >= wanted && count <= DNNL_MAX_NDIMS)) continue;
            if (allow_empty) return false;
            const std::string text = "a list of strides, dilations, paddings, factors or kernel extents has " +
                                     detail::counted(count, "value") + "; the tensors have " +
                                     detail::counted(wanted, "spatial dimension") + ", and one value each is needed";
            DNNL_THROW_ERROR(dnnl_invalid_arguments, text.c_str());
        }
        return true;
    }

private:
    template <typename T> T ask(query what, T fallback) const {
        T value = fallback;
        return dnnl_primitive_desc_query(get(), dnnl::convert_to_c(what), 0, &value) == dnnl_success ? value : fallback;
    }

    int spatial_ndims() const {
        memory::desc md = src_desc(0);
        if (md.is_zero()) md = diff_src_desc(0);
        return md.get_ndims() > 2 ? md.get_ndims() - 2 : 0;
    }

    void copy_checked(dnnl_primitive_desc_t pd, dnnl::primitive::kind wanted,
                      std::initializer_list<dnnl::prop_kind> wanted_props) {
        if (!pd) return;
        const primitive_desc_base seen(pd, true);
        bool fits = seen.get_kind() == wanted;
        bool prop_fits = wanted_props.size() == 0;
        for (const dnnl::prop_kind prop : wanted_props) prop_fits = prop_fits || seen.get_prop_kind() == prop;
        if (!fits || !prop_fits) {
            const std::string is = dnnl_prim_kind2str(static_cast<dnnl_primitive_kind_t>(seen.get_kind()));
            const std::string prop = dnnl_prop_kind2str(static_cast<dnnl_prop_kind_t>(seen.get_prop_kind()));
            const std::string text = fits ? "the primitive descriptor is a " + is + " of propagation kind " + prop +
                                                "; this class takes others"
                                          : "the primitive descriptor is a " + is + "; this class takes a " +
                                                dnnl_prim_kind2str(static_cast<dnnl_primitive_kind_t>(wanted));
            DNNL_THROW_ERROR(dnnl_invalid_arguments, text.c_str());
        }
        reset_with_clone(pd);
    }
};

/// A descriptor with several possible implementations.
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;

    /// An empty descriptor.
    primitive_desc() = default;

    /// Moves on to the next implementation, if there is one; otherwise returns false and changes nothing.
    /// @returns Whether there was one.
    /// @throws dnnl::error with the status of dnnl_primitive_desc_next_impl() if that refuses.
    bool next_impl() {
        const dnnl_status_t status = dnnl_primitive_desc_next_impl(get());
        if (status == dnnl_last_impl_reached) return false;
        error::wrap_c_api(status, "could not get the next implementation");
        return true;
    }
};

inline primitive::primitive(const primitive_desc& pd) : primitive(pd.get()) {}

inline primitive::primitive(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob)
    : primitive(pd.get(), cache_blob) {}

inline engine::engine(const handle<::dnnl_primitive_desc*>& pd) {
    dnnl_engine_t c_engine = nullptr;
    error::wrap_c_api(dnnl_primitive_desc_query(pd.get(), dnnl_query_engine, 0, &c_engine),
                      "could not get the engine of a primitive descriptor");
    reset(c_engine, true);
}

/// @param mds Descriptors; they must outlive the result.
/// @returns Views of descriptors as C wants them in lists.
inline std::vector<const_dnnl_memory_desc_t> convert_to_c(const std::vector<memory::desc>& mds) {
    std::vector<const_dnnl_memory_desc_t> c_mds;
    c_mds.reserve(mds.size());
    for (const memory::desc& md : mds) c_mds.push_back(md.get());
    return c_mds;
}

} // namespace dnnl

#endif
