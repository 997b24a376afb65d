// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"

#include <cstring>

#include "../answer.hpp"
#include "calls/row.hpp"

namespace differential {
namespace {

const WorkRow& row_of(const Problem& p) {
    struct Named {
        const char* name;
        const WorkRow* row;
    };
    static constexpr Named all[] = {
#define PRIMITIVE(name, number) {#name, &name##_work},
#include "core/problem/primitives.def"
#undef PRIMITIVE
    };
    for (const Named& each : all)
        if (p.primitive == each.name) return *each.row;
    std::abort(); // parse() knows the same names
}

} // namespace

void sources_and_dst(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    for (size_t i = 0; i < p.sources.size(); ++i)
        inputs.push_back({DNNL_ARG_MULTIPLE_SRC + int(i), p.sources[i].side, {}});
    outputs.push_back({DNNL_ARG_DST, p.dst, {}});
}

dnnl_status_t add_workspace(const Problem& p, const_dnnl_primitive_desc_t pd,
                            const std::function<dnnl_status_t(PrimitiveDescriptor&)>& make_hint, Arguments& arguments) {
    const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0);
    int ndims = 0; // of a workspace without elements there is a memory, too
    if (md) dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims);
    if (ndims == 0) return dnnl_success;
    Buffer& workspace = arguments.buffers.emplace_back(dnnl_memory_desc_get_size(md));
    const auto status = arguments.add(DNNL_ARG_WORKSPACE, md, cpu().engine, workspace.data());
    if (status != dnnl_success || !is_backward(p)) return status;
    PrimitiveDescriptor hint;
    if (const auto made = make_hint(hint); made != dnnl_success) return made;
    Primitive forward;
    if (const auto made = dnnl_primitive_create(&forward.value, hint.value); made != dnnl_success) return made;
    Arguments all;
    const auto dst = dnnl_primitive_desc_query_md(hint.value, dnnl_query_dst_md, 0);
    const Described own = p.dst.tag == "any" ? Described() : describe(p.dst, 0);
    Buffer& to = all.buffers.emplace_back(dnnl_memory_desc_get_size(own.view.value ? own.whole.value : dst));
    if (const auto made = all.add(DNNL_ARG_DST, dst, cpu().engine, to.data()); made != dnnl_success) return made;
    for (const dnnl_exec_arg_t& argument : arguments.list)
        if (argument.arg == DNNL_ARG_SRC || argument.arg == DNNL_ARG_WORKSPACE) all.list.push_back(argument);
    const auto done = dnnl_primitive_execute(forward.value, cpu().stream, int(all.list.size()), all.list.data());
    return done == dnnl_success ? dnnl_stream_wait(cpu().stream) : done;
}

dnnl_prop_kind_t forward_of(const Problem& p) {
    return p.direction == "FWD_I" ? dnnl_forward_inference : dnnl_forward_training;
}

dnnl_alg_kind_t algorithm_of(const std::vector<Algorithm>& all, const Problem& p) {
    const Algorithm* found = find_algorithm(all, p.algorithm);
    return found ? dnnl_alg_kind_t(found->id) : dnnl_alg_kind_undef;
}

Side of_type(Side side, const std::string& type) {
    side.type = type;
    return side;
}

bool Operand::is_condition() const {
    constexpr int place = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) - 1; // the bits below the index of a post-op
    return (argument & place) == DNNL_ARG_SRC_2;
}

const_dnnl_memory_desc_t Operand::resolved(const_dnnl_primitive_desc_t pd) const {
    return is_open() ? dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, argument) : md();
}

std::vector<const_dnnl_memory_desc_t> Operands::sources() const {
    std::vector<const_dnnl_memory_desc_t> all;
    for (const Operand& input : inputs) all.push_back(input.md());
    return all;
}

Operands operands_of(const Problem& p, int runtime_mask) {
    Operands o;
    auto& [inputs, outputs, answer] = o;
    row_of(p).operands(p, inputs, outputs);
    for (auto* list : {&inputs, &outputs})
        for (Operand& operand : *list) {
            if (operand.side.tag == "none") continue;
            operand.described = describe(operand.side, runtime_mask);
            if (!operand.described.skip.empty()) answer = "skip:" + operand.described.skip;
            if (answer.empty() && operand.described.status != dnnl_success)
                answer = refused("md", operand.described.status);
        }
    return o;
}

dnnl_status_t create(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                     std::string& skip) {
    return row_of(p).create(p, o, attr, pd, skip);
}

dnnl_status_t prepare(const Problem& p, const Operands& o, const_dnnl_primitive_desc_t pd, Arguments& arguments) {
    const WorkRow& row = row_of(p);
    return row.prepare ? row.prepare(p, o, pd, arguments) : dnnl_success;
}

} // namespace differential
