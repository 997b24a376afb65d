// SPDX-License-Identifier: Apache-2.0
// The tensors of a problem, and its primitive descriptor.
// Example: operands_of(parse("binary --alg=select ...")) has the inputs SRC_0, SRC_1 and SRC_2 and the output DST.
#pragma once
#include <string>
#include <vector>

#include "../formula/pointwise.hpp"
#include "../problems/problem.hpp"
#include "attributes.hpp"
#include "layout.hpp"

namespace differential {

struct Operand {
    int argument; // DNNL_ARG_*
    Side side;
    Described described; // empty for the tag `none`: a descriptor that is left out

    const_dnnl_memory_desc_t md() const { return described.md(); }
    bool is_condition() const;                                               // of select, in the primitive or a post-op
    bool is_open() const { return side.tag == "any" || side.tag == "none"; } // the primitive chooses the layout
    // What the primitive made of `any` and of what was left out.
    const_dnnl_memory_desc_t resolved(const_dnnl_primitive_desc_t pd) const;
};

struct Operands {
    std::vector<Operand> inputs, outputs; // the first output is the one that is judged
    std::string answer;                   // not empty: a descriptor could not be made, so this is the answer

    std::vector<const_dnnl_memory_desc_t> sources() const; // of all inputs
};

Operands operands_of(const Problem& problem, int runtime_mask = 0);

dnnl_status_t create(const Problem& problem, const Operands& operands, const_dnnl_primitive_attr_t attr,
                     PrimitiveDescriptor& pd, std::string& skip);
dnnl_status_t prepare(const Problem& problem, const Operands& operands, const_dnnl_primitive_desc_t pd,
                      Arguments& arguments);

} // namespace differential
