// Primitive descriptors: an implementation chosen for one problem on one engine, with the layouts it
// wants. Immutable; created from the parameters of the problem by the classes nested in the primitives.
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

namespace dnnl {

/// What all primitive descriptors offer.
struct primitive_desc_base : public handle<dnnl_primitive_desc_t> {
    using handle<dnnl_primitive_desc_t>::handle;

    /// An empty descriptor.
    primitive_desc_base() = default;

    /// The engine of the computation (weak: the descriptor keeps it alive).
    engine get_engine() const { return query_engine(query::engine); }

    /// Name of the chosen implementation, for people.
    const char* impl_info_str() const {
        const char* text = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl_query_impl_info_str, 0, &text),
                          "could not get the name of an implementation");
        return text;
    }

    /// An integer answer of 64 bits, e.g. query::memory_consumption_s64; else 0.
    memory::dim query_s64(query what) const { return ask<dnnl_dim_t>(what, 0); }

    /// Strides of the kernel, one per spatial dimension.
    memory::dims get_strides() const { return query_dims(query::strides); }
    /// Dilations of the kernel, one per spatial dimension; 0 is a dense kernel.
    memory::dims get_dilations() const { return query_dims(query::dilations); }
    /// Padding before (front, top, left).
    memory::dims get_padding_l() const { return query_dims(query::padding_l); }
    /// Padding after (back, bottom, right).
    memory::dims get_padding_r() const { return query_dims(query::padding_r); }
    /// Constant added to a variance, or to a norm.
    float get_epsilon() const { return query_f32(query::epsilon_f32); }
    /// Flags of a normalization or recurrent cell.
    template <typename T = unsigned> T get_flags() const { return static_cast<T>(ask<unsigned>(query::flags, 0)); }
    /// The algorithm.
    dnnl::algorithm get_algorithm() const { return query_alg(query::alg_kind); }
    /// Parameter alpha.
    float get_alpha() const { return query_f32(query::alpha_f32); }
    /// Parameter beta.
    float get_beta() const { return query_f32(query::beta_f32); }
    /// The dimension of a softmax, shuffle or concat, from 0.
    int get_axis() const { return ask<int>(query::axis_s32, -1); }
    /// Window of a local response normalization.
    memory::dim get_local_size() const { return query_s64(query::local_size_s64); }
    /// Parameter k of a local response normalization.
    float get_k() const { return query_f32(query::k_f32); }
    /// Order of a norm.
    float get_p() const { return query_f32(query::p_f32); }
    /// Factors of a resampling, one per spatial dimension.
    std::vector<float> get_factors() const {
        const float* values = ask<const float*>(query::factors, nullptr);
        return values ? std::vector<float>(values, values + spatial_ndims()) : std::vector<float>();
    }
    /// Kind of a recurrent cell.
    dnnl::algorithm get_cell_kind() const { return query_alg(query::cell_kind); }
    /// Direction of a recurrent layer.
    dnnl::rnn_direction get_direction() const {
        return static_cast<dnnl::rnn_direction>(ask<dnnl_rnn_direction_t>(query::direction, dnnl_rnn_direction_undef));
    }
    /// Activation of a vanilla RNN.
    dnnl::algorithm get_activation_kind() const { return query_alg(query::activation_kind); }
    /// Extents of a pooling window, one per spatial dimension.
    memory::dims get_kernel() const { return query_dims(query::kernel); }
    /// Groups of a shuffle or group normalization.
    memory::dim get_group_size() const { return query_s64(query::group_size_s64); }
    /// The propagation kind.
    dnnl::prop_kind get_prop_kind() const {
        return static_cast<dnnl::prop_kind>(ask<dnnl_prop_kind_t>(query::prop_kind, dnnl_prop_kind_undef));
    }

    /// The descriptor of a tensor: query::src_md etc. with its position, or query::exec_arg_md with a
    /// DNNL_ARG_* number. Empty if there is no such tensor; an error if `what` does not ask for one.
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

    /// Source `idx`.
    memory::desc src_desc(int idx) const { return query_md(query::src_md, idx); }
    /// Destination `idx`.
    memory::desc dst_desc(int idx) const { return query_md(query::dst_md, idx); }
    /// Weights `idx`; 1 is the bias where there is one.
    memory::desc weights_desc(int idx) const { return query_md(query::weights_md, idx); }
    /// Gradient of source `idx`.
    memory::desc diff_src_desc(int idx) const { return query_md(query::diff_src_md, idx); }
    /// Gradient of destination `idx`.
    memory::desc diff_dst_desc(int idx) const { return query_md(query::diff_dst_md, idx); }
    /// Gradient of weights `idx`.
    memory::desc diff_weights_desc(int idx) const { return query_md(query::diff_weights_md, idx); }
    /// Source 0.
    memory::desc src_desc() const { return src_desc(0); }
    /// Destination 0.
    memory::desc dst_desc() const { return dst_desc(0); }
    /// Weights 0.
    memory::desc weights_desc() const { return weights_desc(0); }
    /// Gradient of source 0.
    memory::desc diff_src_desc() const { return diff_src_desc(0); }
    /// Gradient of destination 0.
    memory::desc diff_dst_desc() const { return diff_dst_desc(0); }
    /// Gradient of weights 0.
    memory::desc diff_weights_desc() const { return diff_weights_desc(0); }
    /// What forward training hands to backward, DNNL_ARG_WORKSPACE; empty if nothing.
    memory::desc workspace_desc() const { return query_md(query::workspace_md, 0); }
    /// Scratch memory, DNNL_ARG_SCRATCHPAD; empty in scratchpad_mode::library.
    memory::desc scratchpad_desc() const { return query_md(query::scratchpad_md, 0); }
    /// The engine scratch memory lives on (weak).
    engine scratchpad_engine() const { return query_engine(query::scratchpad_engine); }

    /// A copy of the attributes, with `any` layouts of binary post-ops resolved.
    primitive_attr get_primitive_attr() const {
        const_dnnl_primitive_attr_t c_attr = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_get_attr(get(), &c_attr), "could not get the attributes of a descriptor");
        dnnl_primitive_attr_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_clone(&copy, c_attr), "could not copy primitive attributes");
        return primitive_attr(copy);
    }

    /// The kind of computation.
    dnnl::primitive::kind get_kind() const {
        dnnl_primitive_kind_t kind = dnnl_undefined_primitive;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl_query_primitive_kind, 0, &kind),
                          "could not get the kind of a primitive descriptor");
        return static_cast<dnnl::primitive::kind>(kind);
    }

    /// Key of the primitive's cache blob; empty where the engine has no blobs.
    std::vector<uint8_t> get_cache_blob_id() const {
        const memory::dim size = query_s64(query::cache_blob_id_size_s64);
        const uint8_t* id = size > 0 ? ask<const uint8_t*>(query::cache_blob_id, nullptr) : nullptr;
        return id ? std::vector<uint8_t>(id, id + size) : std::vector<uint8_t>();
    }

protected:
    using base = dnnl::primitive_desc_base;

    /// The answer of a query of type float, else 0.
    float query_f32(query what) const { return ask<float>(what, 0.f); }
    /// The answer of a query for an algorithm, else undef.
    dnnl::algorithm query_alg(query what) const {
        return static_cast<dnnl::algorithm>(ask<dnnl_alg_kind_t>(what, dnnl_alg_kind_undef));
    }
    /// The answer of a query with one value per spatial dimension, else an empty list.
    memory::dims query_dims(query what) const {
        const dnnl_dim_t* values = ask<const dnnl_dim_t*>(what, nullptr);
        return values ? memory::dims(values, values + spatial_ndims()) : memory::dims();
    }
    /// The answer of a query for an engine (weak), else an empty one.
    engine query_engine(query what) const { return engine(ask<dnnl_engine_t>(what, nullptr), true); }

    /// Becomes a copy of a C descriptor.
    void reset_with_clone(const_dnnl_primitive_desc_t pd) {
        dnnl_primitive_desc_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_clone(&copy, pd), "could not copy a primitive descriptor");
        reset(copy);
    }

    /// A copy of a C descriptor, which must have this kind. Null gives an empty descriptor.
    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind prim_kind) { copy_checked(pd, prim_kind, {}); }
    /// As above; its propagation kind is checked, too.
    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind prim_kind, dnnl::prop_kind aprop_kind) {
        copy_checked(pd, prim_kind, {aprop_kind});
    }
    /// As above; either propagation kind will do.
    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind prim_kind, dnnl::prop_kind prop_kind1,
                        dnnl::prop_kind prop_kind2) {
        copy_checked(pd, prim_kind, {prop_kind1, prop_kind2});
    }

    /// Attributes without any setting; shared by all calls that give none.
    static const dnnl::primitive_attr& default_attr() {
        static const primitive_attr attr;
        return attr;
    }
    /// C form of an argument that may be absent: null for a null pointer.
    const_dnnl_memory_desc_t optional_arg(const memory::desc* md) { return md ? md->get() : nullptr; }
    /// C form of an argument that may be absent.
    const dnnl_dim_t* optional_arg(const memory::dims* dims) { return dims ? dims->data() : nullptr; }
    /// C form of an argument that may be absent; an empty list counts as absent.
    const float* optional_arg(const std::vector<float>* arg) { return arg && !arg->empty() ? arg->data() : nullptr; }

    /// An argument of a stored problem: the empty descriptor becomes an absent one, which C calls tell apart.
    static const memory::desc* present(const memory::desc& md) { return md.is_zero() ? nullptr : &md; }

    /// Owns what a creating C call made. A failure is an error, or an empty descriptor if that is allowed.
    void take(dnnl_status_t status, dnnl_primitive_desc_t pd, bool allow_empty, const char* message) {
        if (!allow_empty) error::wrap_c_api(status, message);
        reset(status == dnnl_success ? pd : nullptr);
    }

    /// Length of a list for spatial_fit; absent (null) lists have none.
    template <typename T> static long count(const std::vector<T>* list) {
        return list ? static_cast<long>(list->size()) : -1;
    }

    /// As above; an empty list of factors is absent, too.
    static long count(const std::vector<float>* list) {
        return list && !list->empty() ? static_cast<long>(list->size()) : -1;
    }

    /// Checks that lists with one value per spatial dimension of `md` are long enough, before C code reads
    /// them. If not: an error, or false where an empty descriptor is allowed.
    static bool spatial_fit(const memory::desc& md, std::initializer_list<long> counts, bool allow_empty) {
        const long wanted = md.get_ndims() - 2;
        for (const long count : counts) {
            if (count < 0 || (count >= wanted && count <= DNNL_MAX_NDIMS)) continue;
            if (allow_empty) return false;
            const std::string text = "a list of strides, dilations, paddings, factors or kernel extents has " +
                                     std::to_string(count) + " values; the tensors have " + std::to_string(wanted) +
                                     " spatial dimensions";
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
        if (!fits || !prop_fits)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                             fits ? "the C primitive descriptor has another propagation kind than this class"
                                  : "the C primitive descriptor is of another primitive kind than this class");
        reset_with_clone(pd);
    }
};

/// A descriptor with several possible implementations.
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;

    /// An empty descriptor.
    primitive_desc() = default;

    /// Moves on to the next implementation, if there is one; otherwise returns false and changes nothing.
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

/// Views of descriptors as C wants them in lists.
inline std::vector<const_dnnl_memory_desc_t> convert_to_c(const std::vector<memory::desc>& mds) {
    std::vector<const_dnnl_memory_desc_t> c_mds;
    c_mds.reserve(mds.size());
    for (const memory::desc& md : mds) c_mds.push_back(md.get());
    return c_mds;
}

} // namespace dnnl

#endif
