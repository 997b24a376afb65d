// SPDX-License-Identifier: Apache-2.0
// Appending to a chain of post-ops: parameters and length (PO-01..PO-06, ELT-31).
//
//   post_ops.append({.kind = PostOpKind::eltwise, .alg = clip, .alpha = 1, .beta = 0})
//       "post-op eltwise_clip: beta 0 is below alpha 1, so that its range is empty; alpha is its least value"
#include <bit>

#include "core/attr/attr.hpp"

namespace tessera {

namespace {

// Numbers of dnnl_alg_kind_t.
constexpr int eltwise_first = 0x20, eltwise_last = 0x34, use_dst_first = 0x100, use_dst_last = 0x106;
constexpr int clip = 0x2e, clip_v2 = 0x2f, relu_use_dst = 0x100, elu_use_dst = 0x102, clip_v2_use_dst = 0x106;
constexpr int binary_first = 0x1fff0, binary_last = 0x1fffc, binary_select = binary_last;

Result<void> check_eltwise(const PostOp& p) {
    const bool known =
        (p.alg >= eltwise_first && p.alg <= eltwise_last) || (p.alg >= use_dst_first && p.alg <= use_dst_last);
    if (!known)
        return invalid("post-op eltwise: algorithm {} is none of eltwise; those whose names begin with eltwise_ are",
                       alg_name(p.alg));
    if ((p.alg == clip || p.alg == clip_v2 || p.alg == clip_v2_use_dst) && p.beta < p.alpha)
        return invalid("post-op {}: beta {} is below alpha {}, so that its range is empty; alpha is its least value",
                       alg_name(p.alg), p.beta, p.alpha);
    if ((p.alg == relu_use_dst || p.alg == elu_use_dst) && p.alpha < 0)
        return invalid("post-op {}: alpha {} is negative; the algorithms that use dst need alpha >= 0", alg_name(p.alg),
                       p.alpha);
    return {};
}

Result<void> check_binary(const PostOp& p) {
    if (p.alg < binary_first || p.alg > binary_last)
        return invalid("post-op binary: algorithm {} is none of binary_add to binary_select", alg_name(p.alg));
    if (p.src1.is_zero() || !valid(p.src1.type))
        return invalid("post-op {}: src1 is an empty descriptor; give dims, a data type and a layout or `any`",
                       alg_name(p.alg));
    if (p.src1.kind != FormatKind::blocked && p.src1.kind != FormatKind::any && p.src1.kind != FormatKind::host_scalar)
        return invalid("post-op {}: src1 is {}; a tag, strides, `any` and a host scalar are possible", alg_name(p.alg),
                       to_token(p.src1));
    if (p.alg == binary_select && p.src2.is_zero())
        return invalid("post-op binary_select: the condition src2 is missing; it is an s8 tensor of the shape of dst");
    if (p.alg != binary_select && !p.src2.is_zero())
        return invalid("post-op {}: a src2 is given, which binary_select alone has", alg_name(p.alg));
    return {};
}

Result<void> check_depthwise(const PostOp& p) {
    if (!valid(p.weights_type) || !valid(p.dst_type))
        return invalid("post-op depthwise convolution: data types of weights ({}) and dst ({}) must be known",
                       named(p.weights_type), named(p.dst_type));
    if (p.bias_type != DataType::undef && !valid(p.bias_type))
        return invalid("post-op depthwise convolution: {} is no data type of a bias; undef means none",
                       named(p.bias_type));
    if (p.kernel < 1 || p.stride < 1 || p.padding < 0)
        return invalid("post-op depthwise convolution: kernel {}, stride {} must be positive, padding {} not negative",
                       p.kernel, p.stride, p.padding);
    if (p.padding >= p.kernel)
        return invalid("post-op depthwise convolution: padding {} must be smaller than the kernel, {}", p.padding,
                       p.kernel);
    return {};
}

Result<void> check(const PostOp& p) {
    switch (p.kind) {
    case PostOpKind::sum:
        if (p.type != DataType::undef && !valid(p.type))
            return invalid("post-op sum: {} is no data type; undef means that of dst", named(p.type));
        return {};
    case PostOpKind::eltwise:
        return check_eltwise(p);
    case PostOpKind::binary:
        return check_binary(p);
    case PostOpKind::prelu:
        if (p.mask < 0 || p.mask >> max_ndims)
            return invalid("post-op prelu: mask {} must name dimensions 0..{} by its bits", p.mask, max_ndims - 1);
        return {};
    case PostOpKind::convolution:
        return check_depthwise(p);
    case PostOpKind::undef:
        break;
    }
    return invalid("post-op: kind {} is none of sum, eltwise, binary, prelu, convolution", int(p.kind));
}

bool same_bits(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }

} // namespace

Result<void> PostOps::append(PostOp entry) {
    if (auto ok = check(entry); !ok) return ok;
    if (entries.size() >= size_t(max_post_ops))
        return out_of_memory("post-ops: the chain has {} entries already, which is the most there can be",
                             max_post_ops);
    // dnnl_post_ops_get_params_binary() hands out addresses of descriptors in here, so entries must not move as the
    // chain grows.
    if (entry.kind == PostOpKind::binary && entries.capacity() < size_t(max_post_ops))
        entries.reserve(size_t(max_post_ops));
    entries.push_back(std::move(entry));
    return {};
}

bool PostOp::operator==(const PostOp& o) const {
    return kind == o.kind && alg == o.alg && same_bits(scale, o.scale) && same_bits(alpha, o.alpha) &&
           same_bits(beta, o.beta) && zero_point == o.zero_point && type == o.type && src1 == o.src1 &&
           src2 == o.src2 && mask == o.mask && weights_type == o.weights_type && bias_type == o.bias_type &&
           dst_type == o.dst_type && kernel == o.kernel && stride == o.stride && padding == o.padding;
}

} // namespace tessera
