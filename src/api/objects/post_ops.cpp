// SPDX-License-Identifier: Apache-2.0
// The C calls of post-op chains. Parameters are checked in core/attr/post_ops.cpp.
//
// Getters refuse an index out of range and an entry of another kind; null outputs are skipped. Descriptors they return
// are views that live as long as the entry.
#include "api/guard.hpp"
#include "api/objects/handles.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

using namespace tessera;

dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t* post_ops) {
    return guarded("dnnl_post_ops_create", [&]() -> Result<void> {
        if (auto ok = need(post_ops, "post_ops"); !ok) return ok;
        *post_ops = new dnnl_post_ops;
        return {};
    });
}

dnnl_status_t dnnl_post_ops_clone(dnnl_post_ops_t* post_ops, const_dnnl_post_ops_t existing_post_ops) {
    return guarded("dnnl_post_ops_clone", [&]() -> Result<void> {
        if (auto ok = need("post_ops", post_ops, "existing_post_ops", existing_post_ops); !ok) return ok;
        *post_ops = new dnnl_post_ops(*existing_post_ops);
        return {};
    });
}

dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops) {
    delete post_ops; // null is nothing to destroy
    return dnnl_success;
}

int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops) { return post_ops ? int(post_ops->value.entries.size()) : 0; }

dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index) {
    if (index < 0 || index >= dnnl_post_ops_len(post_ops)) return dnnl_undefined_primitive;
    return static_cast<dnnl_primitive_kind_t>(post_ops->value.entries[size_t(index)].kind);
}

namespace {

dnnl_status_t append(const char* function, dnnl_post_ops_t post_ops, PostOp entry) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need(post_ops, "post_ops"); !ok) return ok;
        return post_ops->value.append(std::move(entry));
    });
}

// Calls `read` with the entry if it is there and of the kind.
template <typename Read>
dnnl_status_t get(const char* function, const_dnnl_post_ops_t post_ops, int index, PostOpKind kind, Read read) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need(post_ops, "post_ops"); !ok) return ok;
        const auto& entries = post_ops->value.entries;
        if (index < 0 || size_t(index) >= entries.size())
            return invalid("index {} is outside of the {:entry|entries} of the chain", index, counted(entries.size()));
        const PostOp& entry = entries[size_t(index)];
        const auto word = [](PostOpKind k) { return dnnl_prim_kind2str(dnnl_primitive_kind_t(int(k))); };
        if (entry.kind != kind)
            return invalid("entry {} is of kind {}, not {}; dnnl_post_ops_get_kind tells", index, word(entry.kind),
                           word(kind));
        read(entry);
        return {};
    });
}

template <typename T, typename V> void put(T* out, const V& value) {
    if (out) *out = static_cast<T>(value);
}

} // namespace

dnnl_status_t dnnl_post_ops_append_sum(dnnl_post_ops_t post_ops, float scale, int32_t zero_point,
                                       dnnl_data_type_t data_type) {
    PostOp p;
    p.kind = PostOpKind::sum;
    p.scale = scale;
    p.zero_point = zero_point;
    p.type = DataType(int(data_type));
    return append("dnnl_post_ops_append_sum", post_ops, std::move(p));
}
dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index, float* scale, int32_t* zero_point,
                                           dnnl_data_type_t* data_type) {
    return get("dnnl_post_ops_get_params_sum", post_ops, index, PostOpKind::sum, [&](const PostOp& p) {
        put(scale, p.scale);
        put(zero_point, p.zero_point);
        put(data_type, p.type);
    });
}

dnnl_status_t dnnl_post_ops_append_eltwise(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha,
                                           float beta) {
    PostOp p;
    p.kind = PostOpKind::eltwise;
    p.alg = int(alg_kind);
    p.alpha = alpha;
    p.beta = beta;
    return append("dnnl_post_ops_append_eltwise", post_ops, std::move(p));
}
dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t* alg_kind,
                                               float* alpha, float* beta) {
    return get("dnnl_post_ops_get_params_eltwise", post_ops, index, PostOpKind::eltwise, [&](const PostOp& p) {
        put(alg_kind, p.alg);
        put(alpha, p.alpha);
        put(beta, p.beta);
    });
}

dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops, dnnl_data_type_t weights_data_type,
                                      dnnl_data_type_t bias_data_type, dnnl_data_type_t dst_data_type,
                                      dnnl_dim_t kernel_size, dnnl_dim_t stride_size, dnnl_dim_t padding_l_size) {
    PostOp p;
    p.kind = PostOpKind::convolution;
    p.weights_type = DataType(int(weights_data_type));
    p.bias_type = DataType(int(bias_data_type));
    p.dst_type = DataType(int(dst_data_type));
    p.kernel = kernel_size;
    p.stride = stride_size;
    p.padding = padding_l_size;
    return append("dnnl_post_ops_append_dw", post_ops, std::move(p));
}
dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
                                          dnnl_data_type_t* weights_data_type, dnnl_data_type_t* bias_data_type,
                                          dnnl_data_type_t* dst_data_type, dnnl_dim_t* kernel_size,
                                          dnnl_dim_t* stride_size, dnnl_dim_t* padding_l_size) {
    return get("dnnl_post_ops_get_params_dw", post_ops, index, PostOpKind::convolution, [&](const PostOp& p) {
        put(weights_data_type, p.weights_type);
        put(bias_data_type, p.bias_type);
        put(dst_data_type, p.dst_type);
        put(kernel_size, p.kernel);
        put(stride_size, p.stride);
        put(padding_l_size, p.padding);
    });
}

namespace {

dnnl_status_t append_binary(const char* function, dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg,
                            const_dnnl_memory_desc_t src1, const_dnnl_memory_desc_t src2) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need("post_ops", post_ops, "src1_desc", src1); !ok) return ok;
        PostOp p;
        p.kind = PostOpKind::binary;
        p.alg = int(alg);
        p.src1 = src1->md;
        if (src2) p.src2 = src2->md;
        return post_ops->value.append(std::move(p));
    });
}

dnnl_status_t get_binary(const char* function, const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t* alg_kind,
                         const_dnnl_memory_desc_t* src1_desc, const_dnnl_memory_desc_t* src2_desc) {
    return get(function, post_ops, index, PostOpKind::binary, [&](const PostOp& p) {
        put(alg_kind, p.alg);
        put(src1_desc, as_handle(p.src1));
        put(src2_desc, as_handle(p.src2));
    });
}

} // namespace

dnnl_status_t dnnl_post_ops_append_binary(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                          const_dnnl_memory_desc_t src1_desc) {
    return append_binary("dnnl_post_ops_append_binary", post_ops, alg_kind, src1_desc, nullptr);
}
dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                             const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc) {
    return append_binary("dnnl_post_ops_append_binary_v2", post_ops, alg_kind, src1_desc, src2_desc);
}
dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t* alg_kind,
                                              const_dnnl_memory_desc_t* src1_desc) {
    return get_binary("dnnl_post_ops_get_params_binary", post_ops, index, alg_kind, src1_desc, nullptr);
}
dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t* alg_kind,
                                                 const_dnnl_memory_desc_t* src1_desc,
                                                 const_dnnl_memory_desc_t* src2_desc) {
    return get_binary("dnnl_post_ops_get_params_binary_v2", post_ops, index, alg_kind, src1_desc, src2_desc);
}

dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask) {
    PostOp p;
    p.kind = PostOpKind::prelu;
    p.mask = mask;
    return append("dnnl_post_ops_append_prelu", post_ops, std::move(p));
}
dnnl_status_t dnnl_post_ops_get_params_prelu(const_dnnl_post_ops_t post_ops, int index, int* mask) {
    return get("dnnl_post_ops_get_params_prelu", post_ops, index, PostOpKind::prelu,
               [&](const PostOp& p) { put(mask, p.mask); });
}
