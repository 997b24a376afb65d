// SPDX-License-Identifier: Apache-2.0
// Validation of inner products: rows INP-03..08. Contradictions (invalid_arguments) are reported before missing
// support.
#include <algorithm>

#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/inner_product/inner_product.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "inner_product";
constexpr PrimitiveKind kind = PrimitiveKind::inner_product;

// ---- shapes

Result<void> check_shapes(const Sides& s) {
    const std::string src_name = s.name(s.args.src), weights_name = s.name(s.args.weights);
    const MemoryDesc &src = s.src, &weights = s.weights, &dst = s.dst;
    if (src.ndims < 2 || src.ndims > 5)
        return invalid("inner_product: {} has {:dimension}, {}; N x C [x [[D x] H x] W] needs 2 to 5", src_name,
                       counted(src.ndims), to_string(src.dims_span()));
    if (weights.ndims != src.ndims)
        return invalid("inner_product: {} is {}, {} {}; both need as many dimensions", src_name,
                       to_string(src.dims_span()), weights_name, to_string(weights.dims_span()));
    for (size_t d = 1; d < size_t(src.ndims); ++d)
        if (src.dims[d] != weights.dims[d])
            return invalid("inner_product: dimension {} of {} is {}, of {} {}; both are summed over and must be equal",
                           d, src_name, src.dims[d], weights_name, weights.dims[d]);
    if (weights.has_zero_dim())
        return invalid("inner_product: {} is {}; only the batch may be empty", weights_name,
                       to_string(weights.dims_span()));
    if (dst.ndims != 2 || dst.dims[0] != src.dims[0] || dst.dims[1] != weights.dims[0])
        return invalid("inner_product: {} is {}; {} {} and {} {} make {}x{}", s.name(s.args.dst),
                       to_string(dst.dims_span()), src_name, to_string(src.dims_span()), weights_name,
                       to_string(weights.dims_span()), src.dims[0], weights.dims[0]);
    if (!s.bias.is_zero() && (s.bias.ndims != 1 || s.bias.dims[0] != weights.dims[0]))
        return invalid("inner_product: {} is {}; it has one element for each of the {:output channel}: {}",
                       s.name(s.args.bias), to_string(s.bias.dims_span()), counted(weights.dims[0]), weights.dims[0]);
    return {};
}

// ---- attributes

// INP-06: integer tensors have scales, one per tensor or, for weights, one per output channel.
Result<void> check_scale(const Sides& s, int id, const Quant& q) {
    if (id != s.args.src && id != s.args.weights && id != s.args.dst)
        return unimplemented("inner_product: scales of {} are not possible; src, weights, dst can have them",
                             arg_name(id));
    if (!is_integer(s.src.type))
        return unimplemented("inner_product: the scales of {} belong to integers, src is {}; a linear post-op scales "
                             "the result, too",
                             arg_name(id), name(s.src.type));
    if (q.mode != QuantizationMode::static_sazp)
        return unimplemented("inner_product: dynamic quantization of {} is a feature of matmul; give its scales",
                             arg_name(id));
    const bool of_weights = id == s.args.weights;
    if (!q.groups.empty() || (q.mask != 0 && !(of_weights && q.mask == 1)))
        return unimplemented("inner_product: the scales of {} have mask {}{}; possible {}", arg_name(id), q.mask,
                             q.groups.empty() ? "" : " and groups",
                             of_weights ? "are 0 and 1, one an output channel" : "is 0");
    return {};
}

Result<void> check_attr(const Sides& s, const Attr& attr) {
    const bool forward = s.writes(s.args.dst);
    Findings findings;
    AllowedAttributes allowed;
    allowed.own_quants = true;
    allowed.sum = allowed.eltwise = allowed.binary = allowed.prelu = forward;
    if (s.writes(s.args.src)) allowed.stochastic = {arg::diff_src};
    if (s.writes(s.args.weights)) allowed.stochastic = {arg::diff_weights};
    findings.add(check_attributes(primitive, attr, s.dst, allowed));
    for (const auto& [id, q] : attr.scales)
        findings.add(forward ? check_scale(s, id, q)
                             : unimplemented("inner_product: scales of {} are not possible in {}", arg_name(id),
                                             tessera::name(s.prop)));
    for (const auto& [id, q] : attr.zero_points)
        findings.add(unimplemented("inner_product: zero points of {} are not possible; matmul and convolution have "
                                   "them",
                                   arg_name(id)));
    for (const auto& [id, md] : {std::pair{s.args.src, &s.src}, {s.args.weights, &s.weights}})
        if (s.writes(id)) findings.add(check_rounding(primitive, attr, id, *md));
    return findings.result();
}

// ---- all of it

Result<Problem> make_inner_product(Sides s, const Attr& attr) {
    if (auto ok = check_layouts(s); !ok) return Refusal(ok.error());
    Findings findings;
    findings.add(check_shapes(s));
    findings.add(check_written_sides(s));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_types(s));
    findings.add(check_attr(s, attr));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    return problem_of(std::move(s), attr, choose_inner_product_layouts);
}

} // namespace

Result<Problem> make_inner_product_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& weights,
                                           const MemoryDesc& bias, const MemoryDesc& dst, const Attr& attr) {
    if (auto ok = check_forward(kind, prop); !ok) return Refusal(ok.error());
    return make_inner_product({kind, prop, src, weights, bias, dst}, attr);
}

Result<Problem> make_inner_product_backward_data(const MemoryDesc& diff_src, const MemoryDesc& weights,
                                                 const MemoryDesc& diff_dst, const Attr& attr) {
    return make_inner_product({kind, PropKind::backward_data, diff_src, weights, {}, diff_dst}, attr);
}

Result<Problem> make_inner_product_backward_weights(const MemoryDesc& src, const MemoryDesc& diff_weights,
                                                    const MemoryDesc& diff_bias, const MemoryDesc& diff_dst,
                                                    const Attr& attr) {
    return make_inner_product({kind, PropKind::backward_weights, src, diff_weights, diff_bias, diff_dst}, attr);
}

} // namespace tessera::ops
