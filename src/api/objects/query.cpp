// SPDX-License-Identifier: Apache-2.0
// Queries of a primitive descriptor (RUN-06..09). A property that the operation lacks gives unimplemented, or the zero
// memory descriptor; an unknown query gives invalid_arguments, or null.
#include <algorithm>

#include "api/guard.hpp"
#include "api/log/named.hpp"
#include "api/objects/handles.hpp"

using namespace tessera;
#include "ops/ops.hpp"

namespace {

const MemoryDesc no_tensor;

bool is_md_query(int what) {
    return (what > dnnl_query_some_md && what <= dnnl_query_scratchpad_md) || what == dnnl_query_exec_arg_md;
}

// The tensor behind an execution argument; the zero descriptor for arguments the primitive does not take.
const MemoryDesc& md_of_argument(const Implementation& impl, int id) {
    if (const Tensor* t = impl.problem.find_described(id)) return t->md;
    for (size_t i = 0; i < impl.quants.size(); ++i)
        if (impl.quants[i].id == id) return impl.quant_mds[i];
    return no_tensor;
}

// Where normalizations have their mean and variance, scale and shift: as further sources or destinations, and as
// weights. An operation without mean or with one of scale and shift answers with the other, which is alike.
const MemoryDesc* md_of_normalization(const Problem& p, int what, int index) {
    const auto either = [&](int a, int b, bool output) {
        const Tensor* t = p.find_described(a) ? p.find_described(a) : p.find_described(b);
        return t && t->output == output ? &t->md : &no_tensor;
    };
    const bool first = index == 0 || index == 1;
    if ((what == dnnl_query_src_md || what == dnnl_query_dst_md) && (index == 1 || index == 2))
        return either(arg::mean + index - 1, arg::variance, what == dnnl_query_dst_md);
    if (what == dnnl_query_weights_md && first)
        return either(arg::scale + index, index == 0 ? arg::shift : arg::scale, false);
    if (what == dnnl_query_diff_weights_md && first)
        return either(arg::diff_scale + index, index == 0 ? arg::diff_shift : arg::diff_scale, true);
    return nullptr;
}

// Recurrent cells number the weights that there are: of layer and state, peephole, projection, bias.
const MemoryDesc* md_of_cell(const Problem& p, int what, int index) {
    if (what != dnnl_query_weights_md && what != dnnl_query_diff_weights_md) return nullptr;
    constexpr int weights[] = {arg::weights_layer, arg::weights_iter, arg::weights_peephole, arg::weights_projection,
                               arg::bias};
    for (const int id : weights)
        if (const Tensor* t = p.find(what == dnnl_query_weights_md ? id : arg::diff_of(id)); t && index-- == 0)
            return &t->md;
    return &no_tensor;
}

// Null for a workspace or scratchpad with another index than 0.
const MemoryDesc* md_of(const Implementation& impl, int what, int index) {
    const bool cell = impl.problem.params.count(query::cell_kind);
    if (cell)
        if (const MemoryDesc* md = md_of_cell(impl.problem, what, index)) return md;
    if (!cell && impl.problem.params.count(query::flags))
        if (const MemoryDesc* md = md_of_normalization(impl.problem, what, index)) return md;
    int id = 0; // argument of the tensor with index 0 in its role; 0 is the argument of no tensor
    switch (what) {
    case dnnl_query_exec_arg_md:
        return &md_of_argument(impl, index);
    case dnnl_query_scratchpad_md:
        return index == 0 ? &no_tensor : nullptr; // no primitive here needs one
    case dnnl_query_workspace_md:
        if (index != 0) return nullptr;
        id = arg::workspace;
        break;
    case dnnl_query_src_md: // src, src_1, src_2; or any number of sources
        if (index >= 0 && index < arg::multiple_src)
            id = impl.problem.find(arg::multiple_src) ? arg::multiple_src + index : index < 3 ? arg::src + index : 0;
        break;
    case dnnl_query_dst_md:
        id = arg::dst;
        break;
    case dnnl_query_diff_src_md:
        id = arg::diff_src;
        break;
    case dnnl_query_diff_dst_md:
        id = arg::diff_dst;
        break;
    case dnnl_query_weights_md:
        id = index == 1 ? arg::bias : arg::weights;
        break;
    case dnnl_query_diff_weights_md:
        id = index == 1 ? arg::diff_bias : arg::diff_weights;
        break;
    default:
        break;
    }
    const bool states = cell && index >= 0 && index < 3; // of layer, state and memory
    if (states && id != 0 && what != dnnl_query_src_md && what != dnnl_query_workspace_md) id += index;
    const bool numbered = what == dnnl_query_src_md || states ||
                          ((what == dnnl_query_weights_md || what == dnnl_query_diff_weights_md) && index == 1);
    const Tensor* t = id != 0 && (index == 0 || numbered) ? impl.problem.find(id) : nullptr;
    return t ? &t->md : &no_tensor;
}

template <typename T> Result<void> put(void* result, T value) {
    *static_cast<T*>(result) = value;
    return {};
}

Result<void> put_parameter(const Problem& p, int what, void* result) {
    // Keys from multiple_src on are the scales of a sum, stored under the argument ids of the sources; they are no
    // queries.
    if (const auto at = p.float_params.find(what); what < arg::multiple_src && at != p.float_params.end())
        return put(result, at->second);
    if (const auto at = p.list_params.find(what); at != p.list_params.end())
        return put<const dnnl_dim_t*>(result, at->second.data());
    const auto at = p.params.find(what);
    if (at == p.params.end()) {
        constexpr int first = dnnl_query_strides, last = dnnl_query_group_size_s64;
        if (what >= first && what <= last)
            return unimplemented("query {}: a {} has no such parameter", named_query(what), name(p.kind));
        return invalid("query {} is no question to a primitive descriptor; those from engine to exec_arg_md are",
                       named_query(what));
    }
    if (what == dnnl_query_alg_kind || what == dnnl_query_cell_kind || what == dnnl_query_activation_kind)
        return put(result, static_cast<dnnl_alg_kind_t>(at->second));
    if (what == dnnl_query_direction) return put(result, static_cast<dnnl_rnn_direction_t>(at->second));
    if (what == dnnl_query_axis_s32) return put(result, int(at->second));
    if (what == dnnl_query_flags) return put(result, unsigned(at->second));
    return put(result, dnnl_dim_t(at->second));
}

Result<void> answer(const dnnl_primitive_desc& pd, int what, int index, void* result) {
    const Implementation& impl = *pd.impl;
    const Problem& p = impl.problem;
    const auto outputs = std::ranges::count_if(p.tensors, [](const Tensor& t) { return t.output; });
    if (is_md_query(what)) {
        const MemoryDesc* md = md_of(impl, what, index);
        if (!md) return invalid("query {}: index {} is not 0, and there is one", named_query(what), index);
        return put(result, as_handle(*md));
    }
    switch (what) {
    case dnnl_query_engine:
    case dnnl_query_scratchpad_engine:
        return put<dnnl_engine_t>(result, pd.engine);
    case dnnl_query_primitive_kind:
        return put(result, static_cast<dnnl_primitive_kind_t>(p.kind));
    case dnnl_query_num_of_inputs_s32:
        return put(result, int(p.tensors.size() - size_t(outputs)));
    case dnnl_query_num_of_outputs_s32:
        return put(result, int(outputs));
    case dnnl_query_time_estimate_f64:
        return unimplemented("query time_estimate_f64: times are not estimated; measure an execution");
    case dnnl_query_memory_consumption_s64:
        return put(result, dnnl_dim_t(0));
    case dnnl_query_impl_info_str:
        return put(result, impl.name.c_str());
    case dnnl_query_reorder_src_engine:
    case dnnl_query_reorder_dst_engine:
        if (!ops::row(p.kind).two_engines)
            return unimplemented("query {}: a {} has one engine, which the query engine answers", named_query(what),
                                 name(p.kind));
        return put<dnnl_engine_t>(result, what == dnnl_query_reorder_src_engine ? pd.engine : pd.dst_engine);
    case dnnl_query_prop_kind:
        if (!ops::row(p.kind).has_prop)
            return unimplemented("query prop_kind: a {} has no propagation kind", name(p.kind));
        return put(result, static_cast<dnnl_prop_kind_t>(p.prop));
    case dnnl_query_factors:
        if (pd.factors[0] < 0) return put_parameter(p, what, result);
        return put<const float*>(result, pd.factors.data());
    case dnnl_query_cache_blob_id_size_s64:
        return put(result, dnnl_dim_t(impl.blob_id.size()));
    case dnnl_query_cache_blob_id:
        return put<const uint8_t*>(result, impl.blob_id.empty() ? nullptr : impl.blob_id.data());
    default:
        return put_parameter(p, what, result);
    }
}

} // namespace

dnnl_status_t dnnl_primitive_desc_query(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index,
                                        void* result) {
    return guarded("dnnl_primitive_desc_query", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "result", result); !ok) return ok;
        return answer(*primitive_desc, int(what), index, result);
    });
}

const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
                                                      int index) {
    if (!primitive_desc || !is_md_query(int(what))) return nullptr;
    const MemoryDesc* md = md_of(*primitive_desc->impl, int(what), index);
    return md ? as_handle(*md) : nullptr;
}

int dnnl_primitive_desc_query_s32(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index) {
    const bool is_s32 =
        what == dnnl_query_num_of_inputs_s32 || what == dnnl_query_num_of_outputs_s32 || what == dnnl_query_axis_s32;
    int result = 0;
    if (!primitive_desc || !is_s32 || !answer(*primitive_desc, int(what), index, &result)) return 0;
    return result;
}
