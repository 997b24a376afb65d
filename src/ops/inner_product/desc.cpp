// Validation of inner products: rows INP-03..08. Contradictions (invalid_arguments) are reported before missing
// support.
#include <algorithm>

#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/inner_product/inner_product.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "inner_product";

// The descriptors in their roles, with their names for reasons; bias is empty if there is none.
struct Sides {
    PropKind prop;
    MemoryDesc src, weights, bias, dst;
    InnerProductArgs args = inner_product_args(prop);

    std::string name(int id) const { return arg_name(id); }
    bool writes(int id) const {
        return prop == PropKind::backward_data      ? id == args.src
               : prop == PropKind::backward_weights ? id == args.weights || id == args.bias
                                                    : id == args.dst;
    }
};

// ---- shapes

Result<void> check_shapes(const Sides& s) {
    const std::string src_name = s.name(s.args.src), weights_name = s.name(s.args.weights);
    const MemoryDesc &src = s.src, &weights = s.weights, &dst = s.dst;
    if (src.ndims < 2 || src.ndims > 5)
        return invalid("inner_product: {} has {} dimensions, {}; N x C [x [[D x] H x] W] needs 2 to 5", src_name,
                       src.ndims, to_string(src.dims_span()));
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
        return invalid("inner_product: {} is {}; it has one element for each of the {} output channels: {}",
                       s.name(s.args.bias), to_string(s.bias.dims_span()), weights.dims[0], weights.dims[0]);
    return {};
}

// ---- types

using Types = std::vector<DataType>;

std::string list_of(const Types& types) {
    std::string text;
    for (const DataType type : types) text += (text.empty() ? "" : ", ") + std::string(name(type));
    return text;
}

Result<void> check_type(const Sides& s, int id, DataType type, const Types& possible, int of, DataType of_type) {
    if (std::ranges::find(possible, type) != possible.end()) return {};
    return unimplemented("inner_product: {} is {} where {} is {}; possible are {}", s.name(id), name(type), s.name(of),
                         name(of_type), list_of(possible));
}

// Types that the other factor may have beside `type`, which is a supported one.
Types factors_of(DataType type, bool forward) {
    if (is_integer(type)) return {DataType::s8};
    if (forward && type == DataType::f32) return {type, DataType::bf16, DataType::f16}; // CNV-50
    if (bits(type) == 8) return {DataType::f8_e5m2, DataType::f8_e4m3};
    return {type};
}

// Types of outputs and bias: the type itself and wider ones.
Types results_of(DataType type) {
    Types types{type};
    if (bits(type) == 8) types.insert(types.end(), {DataType::f16, DataType::bf16});
    if (type != DataType::f32) types.push_back(DataType::f32);
    return types;
}

Result<void> check_types(const Sides& s) {
    const bool back_to_src = s.prop == PropKind::backward_data, forward = !back_to_src && !s.writes(s.args.weights);
    // The type of one input decides: of src, or of weights if src is the output.
    const int first = back_to_src ? s.args.weights : s.args.src;
    const DataType type = back_to_src ? s.weights.type : s.src.type;
    if (bits(type) == 32 && is_integer(type))
        return unimplemented("inner_product: {} is {}; f32, bf16, f16, f8_e5m2, f8_e4m3, u8, s8 are possible",
                             s.name(first), name(type));
    if (!forward && is_integer(type))
        return unimplemented("inner_product: {} is {}; gradients are of f32, bf16, f16, f8_e5m2, f8_e4m3",
                             s.name(first), name(type));
    Types written = results_of(type), bias = written;
    if (is_integer(type)) {
        written = {DataType::u8, DataType::s8, DataType::s32, DataType::f32, DataType::bf16, DataType::f16};
        bias = written;
    } else if (forward) {
        written.insert(written.end(), {DataType::u8, DataType::s8});
    }
    Findings findings;
    const auto add = [&](int id, const MemoryDesc& md, const Types& possible) {
        if (!md.is_zero() && id != first) findings.add(check_type(s, id, md.type, possible, first, type));
    };
    add(s.args.src, s.src, s.writes(s.args.src) ? written : factors_of(type, forward));
    add(s.args.weights, s.weights, s.writes(s.args.weights) ? written : factors_of(type, forward));
    add(s.args.dst, s.dst, s.writes(s.args.dst) ? written : factors_of(type, forward));
    add(s.args.bias, s.bias, bias);
    return findings.result();
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
    std::vector<std::pair<int, MemoryDesc*>> tensors{{s.args.src, &s.src}, {s.args.weights, &s.weights}};
    if (!s.bias.is_zero()) tensors.push_back({s.args.bias, &s.bias});
    tensors.push_back({s.args.dst, &s.dst});
    Findings findings;
    for (const auto& [id, md] : tensors) findings.add(check_layout(primitive, s.name(id).c_str(), *md, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_shapes(s));
    for (const auto& [id, md] : tensors) {
        findings.add(check_computed_type(primitive, s.name(id).c_str(), *md));
        if (s.writes(id)) findings.add(check_written(primitive, s.name(id).c_str(), *md));
    }
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_types(s));
    findings.add(check_attr(s, attr));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    Problem p;
    p.kind = PrimitiveKind::inner_product;
    p.prop = s.prop;
    p.attr = attr;
    for (const auto& [id, md] : tensors) p.tensors.push_back({id, {}, s.writes(id), md->kind == FormatKind::any});
    if (auto ok = choose_inner_product_layouts(s.prop, s.src, s.weights, s.dst); !ok) return Refusal(ok.error());
    if (s.bias.kind == FormatKind::any) {
        auto made = make_desc_with_tag(s.bias.dims_span(), s.bias.type, "a");
        if (!made) return Refusal(made.error());
        s.bias = *made;
    }
    for (size_t i = 0; i < tensors.size(); ++i) p.tensors[i].md = *tensors[i].second;
    if (s.writes(s.args.dst))
        if (auto ok = add_attribute_tensors(p, s.dst); !ok) return Refusal(ok.error());
    return p;
}

} // namespace

InnerProductArgs inner_product_args(PropKind prop) {
    if (prop == PropKind::backward_data) return {arg::diff_src, arg::weights, 0, arg::diff_dst};
    if (prop == PropKind::backward_weights) return {arg::src, arg::diff_weights, arg::diff_bias, arg::diff_dst};
    return {arg::src, arg::weights, arg::bias, arg::dst};
}

Result<Problem> make_inner_product_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& weights,
                                           const MemoryDesc& bias, const MemoryDesc& dst, const Attr& attr) {
    if (prop != PropKind::forward_training && prop != PropKind::forward_inference)
        return invalid("inner_product: propagation kind {} is neither forward_training (64) nor forward_inference (96)",
                       int(prop));
    return make_inner_product({prop, src, weights, bias, dst}, attr);
}

Result<Problem> make_inner_product_backward_data(const MemoryDesc& diff_src, const MemoryDesc& weights,
                                                 const MemoryDesc& diff_dst, const Attr& attr) {
    return make_inner_product({PropKind::backward_data, diff_src, weights, {}, diff_dst}, attr);
}

Result<Problem> make_inner_product_backward_weights(const MemoryDesc& src, const MemoryDesc& diff_weights,
                                                    const MemoryDesc& diff_bias, const MemoryDesc& diff_dst,
                                                    const Attr& attr) {
    return make_inner_product({PropKind::backward_weights, src, diff_weights, diff_bias, diff_dst}, attr);
}

} // namespace tessera::ops
