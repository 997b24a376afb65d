// How a primitive is made with the linked library: its tensors, and the call that creates its descriptor.
#pragma once
#include "../answer.hpp"
#include "work/operands.hpp"

namespace differential {

struct WorkRow {
    void (*operands)(const Problem&, std::vector<Operand>& inputs, std::vector<Operand>& outputs);
    // `skip`: what this library's C API does not have.
    dnnl_status_t (*create)(const Problem&, const Operands&, const_dnnl_primitive_attr_t, PrimitiveDescriptor&,
                            std::string& skip);
};
#define PRIMITIVE(name, number) extern const WorkRow name##_work;
#include "core/problem/primitives.def"
#undef PRIMITIVE

// ---- for several of them: operands.cpp
void sources_and_dst(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs);
dnnl_prop_kind_t forward_of(const Problem& p);
dnnl_alg_kind_t algorithm_of(const std::vector<Algorithm>& all, const Problem& p);
Side of_type(Side side, const std::string& type);

} // namespace differential
