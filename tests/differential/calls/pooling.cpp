// SPDX-License-Identifier: Apache-2.0
#include "../primitives/pooling.hpp"
#include "row.hpp"

namespace differential {
namespace {

// The layout of `side`, where it is open the plain one.
Side concrete(Side side) {
    if (side.tag != "any") return side;
    side.tag.clear();
    for (size_t d = 0; d < side.dims.size(); ++d) side.tag += char('a' + d);
    return side;
}

bool reads_workspace(const Problem& p) { return is_backward(p) && p.algorithm == "max"; }

// Backward by a maximum src is an input as well: that of the forward computation, which makes the workspace.
void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    const bool backward = is_backward(p);
    inputs.push_back({backward ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC, backward ? p.dst : p.src, {}});
    if (reads_workspace(p)) inputs.push_back({DNNL_ARG_SRC, concrete(p.src), {}});
    outputs.push_back({backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, backward ? p.src : p.dst, {}});
}

struct Lists { // strides, kernel, dilation, padding before and behind
    dnnl_dims_t strides{}, kernel{}, dilation{}, before{}, behind{};
    explicit Lists(const Problem& p) {
        for (size_t k = 0; k < p.windows.size() && k < DNNL_MAX_NDIMS; ++k) {
            const Dims& w = p.windows[k];
            kernel[k] = w[0], strides[k] = w[1], dilation[k] = w[2], before[k] = w[3], behind[k] = w[4];
        }
    }
};

dnnl_status_t make_forward(const Problem& p, const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                           const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd) {
    const Lists l(p);
    const auto prop = is_backward(p) ? dnnl_forward_training : forward_of(p);
    return dnnl_pooling_forward_primitive_desc_create(&pd.value, cpu().engine, prop,
                                                      algorithm_of(pooling_algorithms(), p), src, dst, l.strides,
                                                      l.kernel, l.dilation, l.before, l.behind, attr);
}

dnnl_status_t make_hint(const Problem& p, const Operands& o, PrimitiveDescriptor& hint) {
    const Described src = describe(concrete(p.src), 0);
    return make_forward(p, src.md(), o.inputs[0].md(), nullptr, hint);
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    if (!is_backward(p)) return make_forward(p, o.inputs[0].md(), o.outputs[0].md(), attr, pd);
    PrimitiveDescriptor hint;
    if (const auto status = make_hint(p, o, hint); status != dnnl_success) return status;
    const Lists l(p);
    return dnnl_pooling_backward_primitive_desc_create(&pd.value, cpu().engine, algorithm_of(pooling_algorithms(), p),
                                                       o.outputs[0].md(), o.inputs[0].md(), l.strides, l.kernel,
                                                       l.dilation, l.before, l.behind, hint.value, attr);
}

dnnl_status_t prepare_pooling(const Problem& p, const Operands& o, const_dnnl_primitive_desc_t pd,
                              Arguments& arguments) {
    return add_workspace(
        p, pd, [&](PrimitiveDescriptor& hint) { return make_hint(p, o, hint); }, arguments);
}

} // namespace

constinit const WorkRow pooling_work = {.operands = operands, .create = make, .prepare = prepare_pooling};

} // namespace differential
