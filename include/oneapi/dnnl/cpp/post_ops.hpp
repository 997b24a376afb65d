// SPDX-License-Identifier: Apache-2.0
// dnnl::post_ops: a list of up to 32 operations applied to each result element x, in f32 and in order,
// before it is stored. Entry i reads its tensors from DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_....
//
//     post_ops ops;
//     ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);  // x = max(0, x)
//     ops.append_sum();                                       // x = x + what dst held before
//
// The old interface scaled eltwise entries and gave values for depthwise scales; see the marked members.

#ifndef ONEAPI_DNNL_CPP_POST_OPS_HPP
#define ONEAPI_DNNL_CPP_POST_OPS_HPP

#include "oneapi/dnnl/cpp/primitive.hpp"

namespace dnnl {

/// Helpers of the wrappers; not for users.
namespace detail {

/// An eltwise call as the C ABI takes it.
struct eltwise_call {
    dnnl_alg_kind_t kind;
    float alpha;
    float beta;
};

/// Replaces the two old algorithms without a C twin: bounded_relu(a) = clip(0, a) and
/// logsigmoid = soft_relu(-1), since ln(1 + e^-s) / -1 = -ln(1 + e^-s).
inline eltwise_call eltwise_for_c(algorithm aalgorithm, float alpha, float beta) {
    if (aalgorithm == algorithm::eltwise_bounded_relu) return {dnnl_eltwise_clip, 0.f, alpha};
    if (aalgorithm == algorithm::eltwise_logsigmoid) return {dnnl_eltwise_soft_relu, -1.f, 0.f};
    return {convert_to_c(aalgorithm), alpha, beta};
}

/// As above for a call in the old interface, where two algorithms had fixed parameters:
/// soft_relu a = 1, hardswish a = 1/6 and b = 1/2.
inline eltwise_call eltwise_from_v2(algorithm aalgorithm, float alpha, float beta) {
    if (aalgorithm == algorithm::eltwise_soft_relu && alpha == 0.f) alpha = 1.f;
    if (aalgorithm == algorithm::eltwise_hardswish && alpha == 0.f && beta == 0.f) {
        alpha = 1.f / 6.f;
        beta = 0.5f;
    }
    return eltwise_for_c(aalgorithm, alpha, beta);
}

} // namespace detail

template <> struct handle_traits<dnnl_post_ops_t> {
    static dnnl_status_t destructor(dnnl_post_ops_t p) { return dnnl_post_ops_destroy(p); }
};

/// Operations chained after the primitive's own. Copies share the list.
struct post_ops : public handle<dnnl_post_ops_t> {
    using handle<dnnl_post_ops_t>::handle;

    /// An empty list.
    /// @throws dnnl::error with the status of dnnl_post_ops_create() if that refuses.
    post_ops() {
        dnnl_post_ops_t result = nullptr;
        error::wrap_c_api(dnnl_post_ops_create(&result), "could not create post-ops");
        reset(result);
    }

    /// Takes over a C list.
    /// @param ops C list; the new object destroys it.
    post_ops(dnnl_post_ops_t ops) : handle<dnnl_post_ops_t>(ops) {}

    /// @returns Number of entries.
    /// @throws dnnl::error with dnnl_invalid_arguments if this object is empty.
    int len() const { return dnnl_post_ops_len(get()); }

    /// What entry `index` is: sum, eltwise, convolution (depthwise), binary or prelu.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @returns Sum, eltwise, convolution (depthwise), binary or prelu.
    /// @throws dnnl::error with dnnl_invalid_arguments for an index out of range.
    primitive::kind kind(int index) const {
        error::wrap_c_api(index < len() && index >= 0 ? dnnl_success : dnnl_invalid_arguments,
                          "there is no post-op with this index");
        return static_cast<primitive::kind>(dnnl_post_ops_get_kind(get(), index));
    }

    /// x = x + scale * (old dst - zero_point), reading dst as `data_type` (undef: dst's own type; any other
    /// must have its size). A zero point needs an integral type.
    /// @param scale Factor of the old dst.
    /// @param zero_point Subtracted from the old dst.
    /// @param data_type Type as which the old dst is read; undef: dst's own.
    /// @throws dnnl::error with the status of dnnl_post_ops_append_sum() if that refuses.
    void append_sum(float scale = 1.f, int32_t zero_point = 0, memory::data_type data_type = memory::data_type::undef) {
        error::wrap_c_api(dnnl_post_ops_append_sum(get(), scale, zero_point, memory::convert_to_c(data_type)),
                          "could not append a sum post-op");
    }

    /// v2 spelling of append_sum(scale, 0, data_type).
    /// @param scale Factor of the old dst.
    /// @param data_type Type as which the old dst is read; undef: dst's own.
    /// @throws dnnl::error with the status of dnnl_post_ops_append_sum() if that refuses.
    void append_sum(float scale, memory::data_type data_type) { append_sum(scale, 0, data_type); }

    /// Reads a sum entry.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param scale Gets the factor.
    /// @throws dnnl::error with the status of dnnl_post_ops_get_params_sum() if that refuses.
    void get_params_sum(int index, float& scale) const {
        error::wrap_c_api(dnnl_post_ops_get_params_sum(get(), index, &scale, nullptr, nullptr),
                          "could not get the parameters of a sum post-op");
    }
    /// Reads a sum entry.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param scale Gets the factor.
    /// @param data_type Gets the type as which dst is read.
    /// @throws dnnl::error with the status of dnnl_post_ops_get_params_sum() if that refuses.
    void get_params_sum(int index, float& scale, memory::data_type& data_type) const {
        dnnl_data_type_t c_type = dnnl_data_type_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_sum(get(), index, &scale, nullptr, &c_type),
                          "could not get the parameters of a sum post-op");
        data_type = static_cast<memory::data_type>(c_type);
    }
    /// Reads a sum entry.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param scale Gets the factor.
    /// @param zero_point Gets the zero point.
    /// @param data_type Gets the type as which dst is read.
    /// @throws dnnl::error with the status of dnnl_post_ops_get_params_sum() if that refuses.
    void get_params_sum(int index, float& scale, int32_t& zero_point, memory::data_type& data_type) const {
        dnnl_data_type_t c_type = dnnl_data_type_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_sum(get(), index, &scale, &zero_point, &c_type),
                          "could not get the parameters of a sum post-op");
        data_type = static_cast<memory::data_type>(c_type);
    }

    /// x = algorithm(x) with its alpha and beta.
    /// @param aalgorithm An algorithm::eltwise_* function.
    /// @param alpha Its first parameter, where its formula has one.
    /// @param beta Its second parameter, where its formula has one.
    /// @throws dnnl::error with the status of dnnl_post_ops_append_eltwise() if that refuses.
    void append_eltwise(algorithm aalgorithm, float alpha, float beta) {
        append(detail::eltwise_for_c(aalgorithm, alpha, beta));
    }

    /// v2 spelling: x = scale * algorithm(x). A scale other than 1 becomes a linear entry of its own, so
    /// the list then grows by two.
    /// @param scale Factor of the result.
    /// @param aalgorithm An algorithm::eltwise_* function.
    /// @param alpha Its first parameter, where its formula has one.
    /// @param beta Its second parameter, where its formula has one.
    /// @throws dnnl::error with the status of dnnl_post_ops_append_eltwise() if that refuses.
    void append_eltwise(float scale, algorithm aalgorithm, float alpha, float beta) {
        append(detail::eltwise_from_v2(aalgorithm, alpha, beta));
        if (scale != 1.f) append_eltwise(algorithm::eltwise_linear, scale, 0.f);
    }

    /// Reads an eltwise entry.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param aalgorithm Gets the function.
    /// @param alpha Gets its first parameter.
    /// @param beta Gets its second parameter.
    /// @throws dnnl::error with the status of dnnl_post_ops_get_params_eltwise() if that refuses.
    void get_params_eltwise(int index, algorithm& aalgorithm, float& alpha, float& beta) const {
        dnnl_alg_kind_t c_algorithm = dnnl_alg_kind_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_eltwise(get(), index, &c_algorithm, &alpha, &beta),
                          "could not get the parameters of an eltwise post-op");
        aalgorithm = static_cast<algorithm>(c_algorithm);
    }

    /// v2 spelling; the scale is always 1 (see append_eltwise).
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param scale Gets 1.
    /// @param aalgorithm Gets the function.
    /// @param alpha Gets its first parameter.
    /// @param beta Gets its second parameter.
    /// @throws dnnl::error with dnnl_invalid_arguments if there is no such entry, or it has another kind.
    void get_params_eltwise(int index, float& scale, algorithm& aalgorithm, float& alpha, float& beta) const {
        scale = 1.f;
        get_params_eltwise(index, aalgorithm, alpha, beta);
    }

    /// A depthwise convolution over the result of a 1x1 convolution: square kernel of kernel_size, equal
    /// strides, left padding padding_l_size. Weights are G x 1 x 1 x k x k of `weights_data_type`; a bias
    /// type of undef means no bias; the stored result has `dst_data_type`.
    /// @param weights_data_type Type of the weights.
    /// @param bias_data_type Type of the bias; undef: no bias.
    /// @param dst_data_type Type of the stored result.
    /// @param kernel_size Extent of the kernel along each dimension.
    /// @param stride_size Stride along each dimension.
    /// @param padding_l_size Padding on top and on the left.
    /// @throws dnnl::error with the status of dnnl_post_ops_append_dw() if that refuses.
    void append_dw(memory::data_type weights_data_type, memory::data_type bias_data_type,
                   memory::data_type dst_data_type, memory::dim kernel_size, memory::dim stride_size,
                   memory::dim padding_l_size) {
        error::wrap_c_api(dnnl_post_ops_append_dw(
                              get(), memory::convert_to_c(weights_data_type), memory::convert_to_c(bias_data_type),
                              memory::convert_to_c(dst_data_type), kernel_size, stride_size, padding_l_size),
                          "could not append a depthwise post-op");
    }

    /// Reads a depthwise entry.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param weights_data_type Gets the type of the weights.
    /// @param bias_data_type Gets the type of the bias.
    /// @param dst_data_type Gets the type of the stored result.
    /// @param kernel_size Gets the extent of the kernel.
    /// @param stride_size Gets the stride.
    /// @param padding_l_size Gets the padding.
    /// @throws dnnl::error with the status of dnnl_post_ops_get_params_dw() if that refuses.
    void get_params_dw(int index, memory::data_type& weights_data_type, memory::data_type& bias_data_type,
                       memory::data_type& dst_data_type, memory::dim& kernel_size, memory::dim& stride_size,
                       memory::dim& padding_l_size) const {
        dnnl_data_type_t c_weights = dnnl_data_type_undef;
        dnnl_data_type_t c_bias = dnnl_data_type_undef;
        dnnl_data_type_t c_dst = dnnl_data_type_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_dw(get(), index, &c_weights, &c_bias, &c_dst, &kernel_size,
                                                      &stride_size, &padding_l_size),
                          "could not get the parameters of a depthwise post-op");
        weights_data_type = static_cast<memory::data_type>(c_weights);
        bias_data_type = static_cast<memory::data_type>(c_bias);
        dst_data_type = static_cast<memory::data_type>(c_dst);
    }

    /// v2 spelling. Only scales that are all 1 (or none) have a meaning in the list; others are now given
    /// by primitive_attr::set_scales_mask(DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, mask) and an
    /// execution argument, and are refused here with unimplemented.
    /// @param weights_data_type Type of the weights.
    /// @param bias_data_type Type of the bias; undef: no bias.
    /// @param dst_data_type Type of the stored result.
    /// @param kernel_size Extent of the kernel along each dimension.
    /// @param stride_size Stride along each dimension.
    /// @param padding_l_size Padding on top and on the left.
    /// @param mask Not used.
    /// @param scales None, or all 1.
    /// @throws dnnl::error with dnnl_unimplemented for other values.
    void append_dw(memory::data_type weights_data_type, memory::data_type bias_data_type,
                   memory::data_type dst_data_type, memory::dim kernel_size, memory::dim stride_size,
                   memory::dim padding_l_size, int mask, const std::vector<float>& scales) {
        static_cast<void>(mask);
        for (float scale : scales)
            if (scale != 1.f)
                DNNL_THROW_ERROR(dnnl_unimplemented,
                                 "a depthwise post-op cannot hold scales; use primitive_attr::set_scales_mask("
                                 "DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, mask) and pass them at execution");
        append_dw(weights_data_type, bias_data_type, dst_data_type, kernel_size, stride_size, padding_l_size);
    }
    /// v2 spelling; there are never scales in the list.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param weights_data_type Gets the type of the weights.
    /// @param bias_data_type Gets the type of the bias.
    /// @param dst_data_type Gets the type of the stored result.
    /// @param kernel_size Gets the extent of the kernel.
    /// @param stride_size Gets the stride.
    /// @param padding_l_size Gets the padding.
    /// @param mask Gets 0.
    /// @param scales Gets no values.
    /// @throws dnnl::error with dnnl_invalid_arguments if there is no such entry, or it has another kind.
    void get_params_dw(int index, memory::data_type& weights_data_type, memory::data_type& bias_data_type,
                       memory::data_type& dst_data_type, memory::dim& kernel_size, memory::dim& stride_size,
                       memory::dim& padding_l_size, int& mask, std::vector<float>& scales) const {
        get_params_dw(index, weights_data_type, bias_data_type, dst_data_type, kernel_size, stride_size,
                      padding_l_size);
        mask = 0;
        scales.clear();
    }
    /// v2 spelling of append_dw with kernel 3, stride 1, padding 1.
    /// @param weights_data_type Type of the weights.
    /// @param bias_data_type Type of the bias; undef: no bias.
    /// @param dst_data_type Type of the stored result.
    /// @param mask Not used.
    /// @param scales None, or all 1.
    /// @throws dnnl::error with dnnl_unimplemented for other scales; with the status of dnnl_post_ops_append_dw() if
    ///     that refuses.
    void append_dw_k3s1p1(memory::data_type weights_data_type, memory::data_type bias_data_type,
                          memory::data_type dst_data_type, int mask, const std::vector<float>& scales) {
        append_dw(weights_data_type, bias_data_type, dst_data_type, 3, 1, 1, mask, scales);
    }
    /// v2 spelling; fails unless the entry has kernel 3, stride 1, padding 1.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param weights_data_type Gets the type of the weights.
    /// @param bias_data_type Gets the type of the bias.
    /// @param dst_data_type Gets the type of the stored result.
    /// @param mask Gets 0.
    /// @param scales Gets no values.
    /// @throws dnnl::error with dnnl_invalid_arguments if there is no such entry, or it has another kind or kernel.
    void get_params_dw_k3s1p1(int index, memory::data_type& weights_data_type, memory::data_type& bias_data_type,
                              memory::data_type& dst_data_type, int& mask, std::vector<float>& scales) const {
        get_params_dw_k3(index, weights_data_type, bias_data_type, dst_data_type, 1, mask, scales);
    }
    /// v2 spelling of append_dw with kernel 3, stride 2, padding 1.
    /// @param weights_data_type Type of the weights.
    /// @param bias_data_type Type of the bias; undef: no bias.
    /// @param dst_data_type Type of the stored result.
    /// @param mask Not used.
    /// @param scales None, or all 1.
    /// @throws dnnl::error with dnnl_unimplemented for other scales; with the status of dnnl_post_ops_append_dw() if
    ///     that refuses.
    void append_dw_k3s2p1(memory::data_type weights_data_type, memory::data_type bias_data_type,
                          memory::data_type dst_data_type, int mask, const std::vector<float>& scales) {
        append_dw(weights_data_type, bias_data_type, dst_data_type, 3, 2, 1, mask, scales);
    }
    /// v2 spelling; fails unless the entry has kernel 3, stride 2, padding 1.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param weights_data_type Gets the type of the weights.
    /// @param bias_data_type Gets the type of the bias.
    /// @param dst_data_type Gets the type of the stored result.
    /// @param mask Gets 0.
    /// @param scales Gets no values.
    /// @throws dnnl::error with dnnl_invalid_arguments if there is no such entry, or it has another kind or kernel.
    void get_params_dw_k3s2p1(int index, memory::data_type& weights_data_type, memory::data_type& bias_data_type,
                              memory::data_type& dst_data_type, int& mask, std::vector<float>& scales) const {
        get_params_dw_k3(index, weights_data_type, bias_data_type, dst_data_type, 2, mask, scales);
    }

    /// x = algorithm(x, src1): extents of src1 are 1 (broadcast) or those of dst. Its layout may be `any`.
    /// @param aalgorithm An algorithm::binary_* function.
    /// @param src1_desc Descriptor of src1.
    /// @throws dnnl::error with the status of dnnl_post_ops_append_binary() if that refuses.
    void append_binary(algorithm aalgorithm, const memory::desc& src1_desc) {
        error::wrap_c_api(dnnl_post_ops_append_binary(get(), convert_to_c(aalgorithm), src1_desc.get()),
                          "could not append a binary post-op");
    }

    /// x = src2 ? x : src1 (binary_select), or as above with an empty src2_desc.
    /// @param aalgorithm An algorithm::binary_* function.
    /// @param src1_desc Descriptor of src1.
    /// @param src2_desc Descriptor of the condition: s8, shape of dst; empty for other algorithms than binary_select.
    /// @throws dnnl::error with the status of dnnl_post_ops_append_binary_v2() if that refuses.
    void append_binary(algorithm aalgorithm, const memory::desc& src1_desc, const memory::desc& src2_desc) {
        error::wrap_c_api(
            dnnl_post_ops_append_binary_v2(get(), convert_to_c(aalgorithm), src1_desc.get(), src2_desc.get()),
            "could not append a binary post-op with three inputs");
    }

    /// Reads a binary entry.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param aalgorithm Gets the function.
    /// @param src1_desc Gets the descriptor of src1.
    /// @throws dnnl::error with the status of dnnl_post_ops_get_params_binary() if that refuses.
    void get_params_binary(int index, algorithm& aalgorithm, memory::desc& src1_desc) const {
        dnnl_alg_kind_t c_algorithm = dnnl_alg_kind_undef;
        const_dnnl_memory_desc_t c_src1 = nullptr;
        error::wrap_c_api(dnnl_post_ops_get_params_binary(get(), index, &c_algorithm, &c_src1),
                          "could not get the parameters of a binary post-op");
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = detail::copy_of(c_src1);
    }

    /// Reads a binary entry; src2_desc becomes empty if it has two inputs.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param aalgorithm Gets the function.
    /// @param src1_desc Gets the descriptor of src1.
    /// @param src2_desc Gets the descriptor of the condition.
    /// @throws dnnl::error with the status of dnnl_post_ops_get_params_binary_v2() if that refuses.
    void get_params_binary(int index, algorithm& aalgorithm, memory::desc& src1_desc, memory::desc& src2_desc) const {
        dnnl_alg_kind_t c_algorithm = dnnl_alg_kind_undef;
        const_dnnl_memory_desc_t c_src1 = nullptr;
        const_dnnl_memory_desc_t c_src2 = nullptr;
        error::wrap_c_api(dnnl_post_ops_get_params_binary_v2(get(), index, &c_algorithm, &c_src1, &c_src2),
                          "could not get the parameters of a binary post-op with three inputs");
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = detail::copy_of(c_src1);
        src2_desc = detail::copy_of(c_src2);
    }

    /// x = x > 0 ? x : weight * x. Bit d of `mask`: the weights vary along dst's dimension d.
    /// @param mask Bit d: weights vary along dimension d of dst; 0: one value for all.
    /// @throws dnnl::error with the status of dnnl_post_ops_append_prelu() if that refuses.
    void append_prelu(int mask) {
        error::wrap_c_api(dnnl_post_ops_append_prelu(get(), mask), "could not append a prelu post-op");
    }

    /// Reads a prelu entry.
    /// @param index Number of the entry, 0 to len() - 1.
    /// @param mask Gets the mask.
    /// @throws dnnl::error with the status of dnnl_post_ops_get_params_prelu() if that refuses.
    void get_params_prelu(int index, int& mask) const {
        error::wrap_c_api(dnnl_post_ops_get_params_prelu(get(), index, &mask),
                          "could not get the parameters of a prelu post-op");
    }

private:
    void append(const detail::eltwise_call& call) {
        error::wrap_c_api(dnnl_post_ops_append_eltwise(get(), call.kind, call.alpha, call.beta),
                          "could not append an eltwise post-op");
    }

    void get_params_dw_k3(int index, memory::data_type& weights_data_type, memory::data_type& bias_data_type,
                          memory::data_type& dst_data_type, memory::dim wanted_stride, int& mask,
                          std::vector<float>& scales) const {
        memory::dim kernel = 0;
        memory::dim stride = 0;
        memory::dim padding = 0;
        get_params_dw(index, weights_data_type, bias_data_type, dst_data_type, kernel, stride, padding, mask, scales);
        if (kernel != 3 || stride != wanted_stride || padding != 1)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                             "the depthwise post-op has another kernel, stride or padding; get_params_dw() reads any");
    }
};

} // namespace dnnl

#endif
