// SPDX-License-Identifier: Apache-2.0
#include "post_ops.hpp"

#include <dlfcn.h>

#include "../formula/pointwise.hpp"
#include "../problems/element.hpp"

namespace differential {
namespace {

using SelectAppender = dnnl_status_t (*)(dnnl_post_ops_t, dnnl_alg_kind_t, const_dnnl_memory_desc_t,
                                         const_dnnl_memory_desc_t);

Side operand_side(const Problem& p, const PostOp& op) {
    const Dims& dst = output(p).dims;
    Side side{op.type, op.tag, dst, {}, {}, {}};
    for (size_t d = 0; d < dst.size(); ++d)
        if (!(int(op.first) >> d & 1)) side.dims[d] = 1;
    if (op.tag.empty())
        for (size_t d = 0; d < dst.size(); ++d) side.tag += char('a' + d);
    return side;
}

bool is_depthwise(const PostOp& op) { return op.kind == "dw"; }

// Weights like those of the problem, and a bias where it has one; layouts are the primitive's choice.
std::vector<Operand> depthwise_operands(const Problem& p, const PostOp& op) {
    const int64_t channels = p.dst.dims[1], kernel = int64_t(op.first);
    const auto argument = [](int of) { return DNNL_ARG_ATTR_POST_OP_DW | of; };
    std::vector<Operand> operands;
    operands.push_back(
        {argument(DNNL_ARG_WEIGHTS), {p.other.type, "any", {channels, 1, 1, kernel, kernel}, {}, {}, {}}, {}});
    if (!p.sources.empty())
        operands.push_back({argument(DNNL_ARG_BIAS), {p.sources[0].side.type, "any", {channels}, {}, {}, {}}, {}});
    return operands;
}

dnnl_status_t append_depthwise(const Problem& p, const PostOp& op, dnnl_post_ops_t list) {
    const auto id = [](const std::string& name) { return dnnl_data_type_t(type(name)->id); };
    const auto kernel = int64_t(op.first);
    return dnnl_post_ops_append_dw(list, id(p.other.type),
                                   p.sources.empty() ? dnnl_data_type_undef : id(p.sources[0].side.type), id(op.type),
                                   kernel, int64_t(op.second), (kernel - 1) / 2);
}

dnnl_status_t append_operand(const PostOp& op, const std::vector<Operand>& operands, dnnl_post_ops_t list,
                             std::string& skip) {
    for (const Operand& operand : operands) {
        if (!operand.described.skip.empty()) skip = operand.described.skip;
        if (operand.described.status != dnnl_success) return operand.described.status;
    }
    if (op.kind != "select") {
        const Algorithm* alg = find_algorithm(binary_algorithms(), op.kind);
        return dnnl_post_ops_append_binary(list, dnnl_alg_kind_t(alg->id), operands[0].md());
    }
    // Older libraries of the same ABI lack the call: find it at run time.
    const auto append = reinterpret_cast<SelectAppender>(dlsym(RTLD_DEFAULT, "dnnl_post_ops_append_binary_v2"));
    if (!append) skip = "select";
    return append ? append(list, dnnl_binary_select, operands[0].md(), operands[1].md()) : dnnl_success;
}

} // namespace

std::vector<Operand> post_op_operands(const Problem& p, size_t index) {
    const PostOp& op = p.post_ops[index];
    if (is_depthwise(op)) return depthwise_operands(p, op);
    const bool prelu = op.kind == "prelu", select = op.kind == "select";
    if (!prelu && !select && !find_algorithm(binary_algorithms(), op.kind)) return {};
    const int argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(index));
    Side side = operand_side(p, op);
    if (prelu) side.type = "f32";
    std::vector<Operand> operands;
    operands.push_back({argument | (prelu ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC_1), side, {}});
    if (select) {
        PostOp full{op.kind, double((1 << output(p).dims.size()) - 1), 0, "s8", ""};
        operands.push_back({argument | DNNL_ARG_SRC_2, operand_side(p, full), {}});
    }
    for (Operand& operand : operands) operand.described = describe(operand.side, 0);
    return operands;
}

dnnl_status_t append_post_op(const Problem& p, size_t index, dnnl_post_ops_t list, std::string& skip) {
    const PostOp& op = p.post_ops[index];
    if (is_depthwise(op)) return append_depthwise(p, op, list);
    if (op.kind == "prelu") return dnnl_post_ops_append_prelu(list, int(op.first));
    if (op.kind == "sum") {
        const Type* t = type(op.type);
        return dnnl_post_ops_append_sum(list, float(op.first), int32_t(op.second),
                                        t ? dnnl_data_type_t(t->id) : dnnl_data_type_undef);
    }
    const auto operands = post_op_operands(p, index);
    if (!operands.empty()) return append_operand(op, operands, list, skip);
    const Algorithm* alg = find_algorithm(eltwise_algorithms(), op.kind);
    return dnnl_post_ops_append_eltwise(list, alg ? dnnl_alg_kind_t(alg->id) : dnnl_alg_kind_undef, float(op.first),
                                        float(op.second));
}

} // namespace differential
