#include "operands.hpp"

#include <dlfcn.h>

#include "../answer.hpp"
#include "../pointwise.hpp"

namespace differential {
namespace {

bool differentiates_from_dst(const std::string& a) { return a.size() > 4 && a.rfind("_dst") == a.size() - 4; }

Side of_type(Side side, const std::string& type) {
    side.type = type;
    return side;
}

// The layout of `side`, where it is open the plain one.
Side concrete(Side side) {
    if (side.tag != "any" && side.tag != "none") return side;
    side.tag.clear();
    for (size_t d = 0; d < side.dims.size(); ++d) side.tag += char('a' + d);
    return side;
}

dnnl_alg_kind_t algorithm_of(const Problem& p) {
    if (p.primitive == "resampling") return p.algorithm == "linear" ? dnnl_resampling_linear : dnnl_resampling_nearest;
    if (p.algorithm == "select") return dnnl_binary_select;
    const Algorithm* found =
        find_algorithm(p.primitive == "binary" ? binary_algorithms() : eltwise_algorithms(), p.algorithm);
    return found ? dnnl_alg_kind_t(found->id) : dnnl_alg_kind_undef;
}

dnnl_prop_kind_t forward_of(const Problem& p) {
    return p.direction == "FWD_I" ? dnnl_forward_inference : dnnl_forward_training;
}

using SelectCreator = dnnl_status_t (*)(dnnl_primitive_desc_t*, dnnl_engine_t, dnnl_alg_kind_t,
                                        const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,
                                        const_dnnl_memory_desc_t, const_dnnl_primitive_attr_t);

dnnl_status_t create_select(const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                            std::string& skip) {
    // Older libraries of the same ABI lack the call: find it at run time.
    const auto creator = reinterpret_cast<SelectCreator>(dlsym(RTLD_DEFAULT, "dnnl_binary_primitive_desc_create_v2"));
    if (!creator) skip = "select";
    return creator ? creator(&pd.value, cpu().engine, dnnl_binary_select, o.inputs[0].md(), o.inputs[1].md(),
                             o.inputs[2].md(), o.outputs[0].md(), attr)
                   : dnnl_success;
}

dnnl_status_t create_many(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr,
                          PrimitiveDescriptor& pd) {
    std::vector<const_dnnl_memory_desc_t> sources;
    std::vector<float> scales;
    for (const Operand& input : o.inputs) sources.push_back(input.md());
    for (const Source& source : p.sources) scales.push_back(float(source.scale));
    const int n = int(sources.size());
    if (p.primitive == "concat")
        return dnnl_concat_primitive_desc_create(&pd.value, cpu().engine, o.outputs[0].md(), n, p.axis, sources.data(),
                                                 attr);
    return dnnl_sum_primitive_desc_create(&pd.value, cpu().engine, o.outputs[0].md(), n, scales.data(), sources.data(),
                                          attr);
}

dnnl_status_t create_prelu(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr,
                           PrimitiveDescriptor& pd) {
    const auto engine = cpu().engine;
    const_dnnl_memory_desc_t src = o.inputs[0].md(), weights = o.inputs[1].md();
    if (!is_backward(p))
        return dnnl_prelu_forward_primitive_desc_create(&pd.value, engine, forward_of(p), src, weights,
                                                        o.outputs[0].md(), attr);
    PrimitiveDescriptor hint;
    const auto status = dnnl_prelu_forward_primitive_desc_create(&hint.value, engine, dnnl_forward_training, src,
                                                                 weights, src, nullptr);
    if (status != dnnl_success) return status;
    const size_t by_weights = p.want == "diff_weights" ? 0 : 1;
    return dnnl_prelu_backward_primitive_desc_create(&pd.value, engine, src, weights, o.outputs[1 - by_weights].md(),
                                                     o.outputs[by_weights].md(), o.inputs[2].md(), hint.value, attr);
}

dnnl_status_t create_resampling(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr,
                                PrimitiveDescriptor& pd) {
    const auto engine = cpu().engine;
    const std::vector<float> factors(p.factors.begin(), p.factors.end());
    const float* given = factors.empty() ? nullptr : factors.data();
    if (!is_backward(p))
        return dnnl_resampling_forward_primitive_desc_create(&pd.value, engine, forward_of(p), algorithm_of(p), given,
                                                             o.inputs[0].md(), o.outputs[0].md(), attr);
    PrimitiveDescriptor hint;
    const Described src = describe(concrete(p.src), 0);
    const auto status = dnnl_resampling_forward_primitive_desc_create(
        &hint.value, engine, dnnl_forward_training, algorithm_of(p), given, src.md(), o.inputs[0].md(), nullptr);
    if (status != dnnl_success) return status;
    return dnnl_resampling_backward_primitive_desc_create(&pd.value, engine, algorithm_of(p), given, o.outputs[0].md(),
                                                          o.inputs[0].md(), hint.value, attr);
}

// The forward problem of a gradient, in the type that is multiplied, all layouts open.
dnnl_status_t inner_product_hint(const Problem& p, PrimitiveDescriptor& hint) {
    const auto open = [&](Side side) {
        side.type = p.dst.type, side.tag = "any";
        side.strides.clear(), side.offsets.clear(), side.parent.clear();
        return describe(side, 0);
    };
    const Described src = open(p.src), weights = open(p.other), dst = open(p.dst);
    Described bias;
    if (!p.sources.empty()) bias = describe(p.sources[0].side, 0);
    return dnnl_inner_product_forward_primitive_desc_create(&hint.value, cpu().engine, dnnl_forward_training, src.md(),
                                                            weights.md(), bias.md(), dst.md(), nullptr);
}

dnnl_status_t create_inner_product(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr,
                                   PrimitiveDescriptor& pd) {
    const auto engine = cpu().engine;
    const const_dnnl_memory_desc_t first = o.inputs[0].md(), second = o.inputs[1].md(), written = o.outputs[0].md();
    if (!is_backward(p))
        return dnnl_inner_product_forward_primitive_desc_create(&pd.value, engine, forward_of(p), first, second,
                                                                o.inputs.size() > 2 ? o.inputs[2].md() : nullptr,
                                                                written, attr);
    PrimitiveDescriptor hint;
    if (const auto status = inner_product_hint(p, hint); status != dnnl_success) return status;
    if (p.direction == "BWD_D")
        return dnnl_inner_product_backward_data_primitive_desc_create(&pd.value, engine, written, second, first,
                                                                      hint.value, attr);
    const bool bias_first = p.want == "diff_bias";
    const const_dnnl_memory_desc_t other = o.outputs.size() > 1 ? o.outputs[1].md() : nullptr;
    return dnnl_inner_product_backward_weights_primitive_desc_create(
        &pd.value, engine, first, bias_first ? other : written, bias_first ? written : other, second, hint.value, attr);
}

void add_prelu(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    inputs.push_back({DNNL_ARG_SRC, p.src, {}});
    inputs.push_back({DNNL_ARG_WEIGHTS, p.other, {}});
    if (!is_backward(p)) {
        outputs.push_back({DNNL_ARG_DST, p.dst, {}});
        return;
    }
    inputs.push_back({DNNL_ARG_DIFF_DST, of_type(p.src, p.dst.type), {}});
    outputs.push_back({DNNL_ARG_DIFF_SRC, p.dst, {}});
    outputs.push_back({DNNL_ARG_DIFF_WEIGHTS, p.other, {}});
    if (p.want == "diff_weights") std::swap(outputs[0], outputs[1]);
}

void add_inner_product(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    const bool with_bias = !p.sources.empty();
    if (p.direction == "BWD_D") {
        inputs.push_back({DNNL_ARG_DIFF_DST, p.dst, {}});
        inputs.push_back({DNNL_ARG_WEIGHTS, p.other, {}});
        outputs.push_back({DNNL_ARG_DIFF_SRC, p.src, {}});
    } else if (p.direction == "BWD_W") {
        inputs.push_back({DNNL_ARG_SRC, p.src, {}});
        inputs.push_back({DNNL_ARG_DIFF_DST, p.dst, {}});
        outputs.push_back({DNNL_ARG_DIFF_WEIGHTS, p.other, {}});
        if (with_bias) outputs.push_back({DNNL_ARG_DIFF_BIAS, p.sources[0].side, {}});
        if (p.want == "diff_bias") std::swap(outputs[0], outputs[1]);
    } else {
        inputs.push_back({DNNL_ARG_SRC, p.src, {}});
        inputs.push_back({DNNL_ARG_WEIGHTS, p.other, {}});
        if (with_bias) inputs.push_back({DNNL_ARG_BIAS, p.sources[0].side, {}});
        outputs.push_back({DNNL_ARG_DST, p.dst, {}});
    }
}

} // namespace

bool Operand::is_condition() const {
    constexpr int place = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) - 1; // the bits below the index of a post-op
    return (argument & place) == DNNL_ARG_SRC_2;
}

const_dnnl_memory_desc_t Operand::resolved(const_dnnl_primitive_desc_t pd) const {
    return is_open() ? dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, argument) : md();
}

Operands operands_of(const Problem& p) {
    Operands o;
    auto& [inputs, outputs, answer] = o;
    const bool backward = is_backward(p);
    if (p.primitive == "eltwise") {
        const bool from_dst = backward && differentiates_from_dst(p.algorithm);
        inputs.push_back({from_dst ? DNNL_ARG_DST : DNNL_ARG_SRC, p.src, {}});
        if (backward) inputs.push_back({DNNL_ARG_DIFF_DST, p.src, {}});
        outputs.push_back({backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, p.dst, {}});
    } else if (p.primitive == "binary") {
        inputs.push_back({DNNL_ARG_SRC_0, p.src, {}});
        inputs.push_back({DNNL_ARG_SRC_1, p.other, {}});
        if (p.algorithm == "select") inputs.push_back({DNNL_ARG_SRC_2, of_type(p.src, "s8"), {}});
        outputs.push_back({DNNL_ARG_DST, p.dst, {}});
    } else if (p.primitive == "prelu") {
        add_prelu(p, inputs, outputs);
    } else if (p.primitive == "inner_product") {
        add_inner_product(p, inputs, outputs);
    } else if (p.primitive == "matmul") {
        inputs.push_back({DNNL_ARG_SRC, p.src, {}});
        inputs.push_back({DNNL_ARG_WEIGHTS, p.other, {}});
        if (!p.sources.empty()) inputs.push_back({DNNL_ARG_BIAS, p.sources[0].side, {}});
        outputs.push_back({DNNL_ARG_DST, p.dst, {}});
    } else if (p.primitive == "resampling") {
        inputs.push_back({backward ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC, backward ? p.dst : p.src, {}});
        outputs.push_back({backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, backward ? p.src : p.dst, {}});
    } else {
        for (size_t i = 0; i < p.sources.size(); ++i)
            inputs.push_back({DNNL_ARG_MULTIPLE_SRC + int(i), p.sources[i].side, {}});
        outputs.push_back({DNNL_ARG_DST, p.dst, {}});
    }
    for (auto* list : {&inputs, &outputs})
        for (Operand& operand : *list) {
            if (operand.side.tag == "none") continue;
            operand.described = describe(operand.side, 0);
            if (!operand.described.skip.empty()) answer = "skip:" + operand.described.skip;
            if (answer.empty() && operand.described.status != dnnl_success)
                answer = refused("md", operand.described.status);
        }
    return o;
}

dnnl_status_t create(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                     std::string& skip) {
    if (p.primitive == "prelu") return create_prelu(p, o, attr, pd);
    if (p.primitive == "resampling") return create_resampling(p, o, attr, pd);
    if (p.primitive == "sum" || p.primitive == "concat") return create_many(p, o, attr, pd);
    if (p.primitive == "inner_product") return create_inner_product(p, o, attr, pd);
    if (p.primitive == "matmul")
        return dnnl_matmul_primitive_desc_create(&pd.value, cpu().engine, o.inputs[0].md(), o.inputs[1].md(),
                                                 o.inputs.size() > 2 ? o.inputs[2].md() : nullptr, o.outputs[0].md(),
                                                 attr);
    if (p.algorithm == "select") return create_select(o, attr, pd, skip);
    const auto engine = cpu().engine;
    const const_dnnl_memory_desc_t src = o.inputs[0].md(), dst = o.outputs[0].md();
    if (p.primitive == "binary")
        return dnnl_binary_primitive_desc_create(&pd.value, engine, algorithm_of(p), src, o.inputs[1].md(), dst, attr);
    const auto alpha = float(p.alpha), beta = float(p.beta);
    if (is_backward(p))
        return dnnl_eltwise_backward_primitive_desc_create(&pd.value, engine, algorithm_of(p), dst, src, src, alpha,
                                                           beta, nullptr, attr);
    return dnnl_eltwise_forward_primitive_desc_create(&pd.value, engine, forward_of(p), algorithm_of(p), src, dst,
                                                      alpha, beta, attr);
}

} // namespace differential
