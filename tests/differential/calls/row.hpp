// SPDX-License-Identifier: Apache-2.0
// How a primitive is made with the linked library: its tensors, and the call that creates its descriptor.
#pragma once
#include <functional>

#include "../answer.hpp"
#include "work/attributes.hpp"
#include "work/operands.hpp"

namespace differential {

struct WorkRow {
    void (*operands)(const Problem&, std::vector<Operand>& inputs, std::vector<Operand>& outputs);
    // `skip`: what this library's C API does not have.
    dnnl_status_t (*create)(const Problem&, const Operands&, const_dnnl_primitive_attr_t, PrimitiveDescriptor&,
                            std::string& skip);
    // What has to be computed first: adds further arguments. Null: nothing.
    dnnl_status_t (*prepare)(const Problem&, const Operands&, const_dnnl_primitive_desc_t, Arguments&) = nullptr;
};
#define PRIMITIVE(name, number) extern const WorkRow name##_work;
#include "core/problem/primitives.def"
#undef PRIMITIVE

// ---- for several of them: operands.cpp
// The workspace, if the descriptor has one: written by the primitive itself, or, for a gradient, by the forward
// computation of the hint, whose src is among the arguments and whose dst is laid out as the problem's.
dnnl_status_t add_workspace(const Problem& p, const_dnnl_primitive_desc_t pd,
                            const std::function<dnnl_status_t(PrimitiveDescriptor&)>& make_hint, Arguments& arguments);
void sources_and_dst(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs);
dnnl_prop_kind_t forward_of(const Problem& p);
dnnl_alg_kind_t algorithm_of(const std::vector<Algorithm>& all, const Problem& p);
Side of_type(Side side, const std::string& type);

} // namespace differential
