// SPDX-License-Identifier: Apache-2.0
#include "../primitives/rnn.hpp"

#include <map>

#include "row.hpp"

namespace differential {
namespace {

bool is_weights(const std::string& name) {
    return name == "weights_layer" || name == "weights_iter" || name == "weights_projection";
}

// Weights in the layout that the primitive chooses, their gradients and all others plain.
Operand operand(const Problem& p, const CellTensor& t) {
    const bool wide = t.name == "bias" || t.name == "src_iter_c" || t.name == "dst_iter_c" ||
                      t.name == "weights_peephole" || t.name.rfind("diff_", 0) == 0;
    Side side;
    side.type = wide ? "f32" : p.src.type;
    side.dims = t.dims;
    side.tag = is_weights(t.name) ? "any" : std::string("abcde").substr(0, t.dims.size());
    return {t.argument, side, {}};
}

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    for (const CellTensor& t : cell_inputs(p)) inputs.push_back(operand(p, t));
    for (const CellTensor& t : cell_outputs(p)) outputs.push_back(operand(p, t));
}

using Descriptors = std::map<int, const_dnnl_memory_desc_t>; // by argument; absent ones are null

Descriptors all_of(const Operands& o) {
    Descriptors all;
    for (const auto* list : {&o.inputs, &o.outputs})
        for (const Operand& each : *list) all[each.argument] = each.md();
    return all;
}

dnnl_status_t make(const Problem& p, dnnl_prop_kind_t prop, Descriptors md, const_dnnl_primitive_desc_t hint,
                   const_dnnl_primitive_attr_t attr, dnnl_primitive_desc_t* pd) {
    const Cell c(p);
    const auto e = cpu().engine;
    const auto d = c.has("right2left") ? dnnl_unidirectional_right2left
                   : c.has("concat")   ? dnnl_bidirectional_concat
                   : c.has("sum")      ? dnnl_bidirectional_sum
                                       : dnnl_unidirectional_left2right;
    const auto activation = c.has("relu")       ? dnnl_eltwise_relu
                            : c.has("logistic") ? dnnl_eltwise_logistic
                                                : dnnl_eltwise_tanh;
    const unsigned flags = c.has("overwrite") ? dnnl_rnn_flags_diff_weights_overwrite : 0;
    const auto alpha = float(p.alpha);
    if (c.is("rnn"))
        return prop == dnnl_backward
                   ? dnnl_vanilla_rnn_backward_primitive_desc_create(
                         pd, e, prop, activation, d, md[1], md[2], md[33], md[34], md[41], md[17], md[18], md[129],
                         md[130], md[161], md[162], md[169], md[145], md[146], flags, alpha, 0, hint, attr)
                   : dnnl_vanilla_rnn_forward_primitive_desc_create(pd, e, prop, activation, d, md[1], md[2], md[33],
                                                                    md[34], md[41], md[17], md[18], flags, alpha, 0,
                                                                    attr);
    if (c.is("lstm"))
        return prop == dnnl_backward
                   ? dnnl_lstm_backward_primitive_desc_create(pd, e, prop, d, md[1], md[2], md[3], md[33], md[34],
                                                              md[35], md[36], md[41], md[17], md[18], md[19], md[129],
                                                              md[130], md[131], md[161], md[162], md[163], md[164],
                                                              md[169], md[145], md[146], md[147], flags, hint, attr)
                   : dnnl_lstm_forward_primitive_desc_create(pd, e, prop, d, md[1], md[2], md[3], md[33], md[34],
                                                             md[35], md[36], md[41], md[17], md[18], md[19], flags,
                                                             attr);
    if (c.has_attention())
        return (c.is_lbr() ? dnnl_lbr_augru_forward_primitive_desc_create : dnnl_augru_forward_primitive_desc_create)(
            pd, e, prop, d, md[1], md[2], md[4], md[33], md[34], md[41], md[17], md[18], flags, attr);
    if (prop == dnnl_backward)
        return (c.is_lbr() ? dnnl_lbr_gru_backward_primitive_desc_create : dnnl_gru_backward_primitive_desc_create)(
            pd, e, prop, d, md[1], md[2], md[33], md[34], md[41], md[17], md[18], md[129], md[130], md[161], md[162],
            md[169], md[145], md[146], flags, hint, attr);
    return (c.is_lbr() ? dnnl_lbr_gru_forward_primitive_desc_create : dnnl_gru_forward_primitive_desc_create)(
        pd, e, prop, d, md[1], md[2], md[33], md[34], md[41], md[17], md[18], flags, attr);
}

dnnl_status_t create_cell(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr,
                          PrimitiveDescriptor& pd, std::string& skip) {
    if (is_backward(p) && Cell(p).has_attention()) {
        skip = "gradients of cells with attention";
        return dnnl_success;
    }
    if (!is_backward(p)) return make(p, forward_of(p), all_of(o), nullptr, attr, &pd.value);
    PrimitiveDescriptor hint;
    if (const auto s = make(p, dnnl_forward_training, all_of(o), nullptr, nullptr, &hint.value); s != dnnl_success)
        return s;
    return make(p, dnnl_backward, all_of(o), hint.value, attr, &pd.value);
}

dnnl_status_t reorder(const_dnnl_memory_desc_t from_md, void* from, const_dnnl_memory_desc_t to_md, void* to) {
    PrimitiveDescriptor pd;
    const auto e = cpu().engine;
    if (const auto s = dnnl_reorder_primitive_desc_create(&pd.value, from_md, e, to_md, e, nullptr); s != dnnl_success)
        return s;
    Primitive primitive;
    if (const auto s = dnnl_primitive_create(&primitive.value, pd.value); s != dnnl_success) return s;
    Arguments arguments;
    if (const auto s = arguments.add(DNNL_ARG_FROM, from_md, e, from); s != dnnl_success) return s;
    if (const auto s = arguments.add(DNNL_ARG_TO, to_md, e, to); s != dnnl_success) return s;
    const auto s = dnnl_primitive_execute(primitive.value, cpu().stream, 2, arguments.list.data());
    return s == dnnl_success ? dnnl_stream_wait(cpu().stream) : s;
}

// The workspace, written by the forward computation, which also writes the results that backward reads.
dnnl_status_t prepare_cell(const Problem& p, const Operands& o, const_dnnl_primitive_desc_t pd, Arguments& arguments) {
    const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0);
    if (dnnl_memory_desc_get_size(md) == 0) return dnnl_success;
    Buffer& workspace = arguments.buffers.emplace_back(dnnl_memory_desc_get_size(md));
    if (const auto s = arguments.add(DNNL_ARG_WORKSPACE, md, cpu().engine, workspace.data()); s != dnnl_success)
        return s;
    if (!is_backward(p)) return dnnl_success;
    PrimitiveDescriptor hint;
    if (const auto s = make(p, dnnl_forward_training, all_of(o), nullptr, nullptr, &hint.value); s != dnnl_success)
        return s;
    Arguments all;
    for (const dnnl_exec_arg_t& argument : arguments.list) {
        if (argument.arg >= DNNL_ARG_DIFF_SRC_0 || argument.arg == DNNL_ARG_SCRATCHPAD) continue;
        const auto theirs = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, argument.arg);
        const auto ours = dnnl_primitive_desc_query_md(hint.value, dnnl_query_exec_arg_md, argument.arg);
        void* handle = nullptr;
        dnnl_memory_get_data_handle(argument.memory, &handle);
        if (!dnnl_memory_desc_equal(theirs, ours)) { // weights
            Buffer& other = all.buffers.emplace_back(dnnl_memory_desc_get_size(ours));
            if (const auto s = reorder(theirs, handle, ours, other.data()); s != dnnl_success) return s;
            handle = other.data();
        }
        if (const auto s = all.add(argument.arg, ours, cpu().engine, handle); s != dnnl_success) return s;
    }
    Primitive forward;
    if (const auto s = dnnl_primitive_create(&forward.value, hint.value); s != dnnl_success) return s;
    const auto done = dnnl_primitive_execute(forward.value, cpu().stream, int(all.list.size()), all.list.data());
    return done == dnnl_success ? dnnl_stream_wait(cpu().stream) : done;
}

} // namespace

constinit const WorkRow rnn_work = {.operands = operands, .create = create_cell, .prepare = prepare_cell};

} // namespace differential
