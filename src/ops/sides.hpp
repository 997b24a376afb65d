// SPDX-License-Identifier: Apache-2.0
// The primitives with weights and two gradients (inner product, convolution, deconvolution): which arguments each
// direction has, their types, and the frame of validation.
//
// A gradient has the role of its tensor: diff_weights is the weights of backward_weights.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// The argument ids in their roles; bias is 0 if there is none.
struct SideArgs {
    int src, weights, bias, dst;
};
SideArgs side_args(PropKind prop);

// The descriptors in their roles; bias is empty if there is none.
struct Sides {
    PrimitiveKind kind;
    PropKind prop;
    MemoryDesc src, weights, bias, dst;
    SideArgs args = side_args(prop);

    std::string_view primitive() const { return tessera::name(kind); }
    std::string name(int id) const { return arg_name(id); }
    bool writes(int id) const {
        return prop == PropKind::backward_data      ? id == args.src
               : prop == PropKind::backward_weights ? id == args.weights || id == args.bias
                                                    : id == args.dst;
    }
    bool forward() const { return writes(args.dst); }
    // With their arguments, in the order of verbose lines.
    std::vector<std::pair<int, MemoryDesc*>> tensors();
};

Result<void> check_layouts(Sides& sides);       // each of them alone: blocked or open
Result<void> check_types(Sides& sides);         // INP-04, CNV-40..50
Result<void> check_written_sides(Sides& sides); // no two elements of an output share an address

// The problem of sides that were checked, whose open layouts `choose` fills in; a bias is always plain.
Result<Problem> problem_of(Sides sides, const Attr& attr, Result<void> (*choose)(Sides&));

// Gradients have the words of what they belong to.
std::vector<VerboseToken> tokens_of_sides(const Problem& problem);

} // namespace tessera::ops
