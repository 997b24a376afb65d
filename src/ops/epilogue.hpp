// What attributes add to a program, the same for every primitive that has them: scales and zero points of what is read,
// post-ops, scale and zero point of dst (NUM-01, NUM-03, PO-01..10, SCL, ZPT rows). Dropout is refused.
//
//   Operands operands{plan, layouts};                       // src is operand 0, dst operand 1
//   int v = load_scaled(program, 0, arg::src, problem, operands);
//   v = ...                                                 // the operation itself, in f32
//   finish(program, v, 1, problem, operands);               // post-ops, scale and zero point of dst, store
//
// Everything is point-wise over the dims of dst; a tensor with extent 1 where dst has more is broadcast by stride 0.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/desc/problem.hpp"
#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"

namespace tessera::ops {

// The operands of a plan while its programs are written, each with its layout over the dims of dst.
struct Operands {
    Plan& plan;
    std::vector<Layout>& layouts;
    // The number of a new operand, or of an equal one that is there: several programs of a plan share attributes.
    int add(std::string name, DataType type, int arg, Layout layout);
};

// The layout of `md` seen with the extents of `dims`: extent 1 against more becomes stride 0.
Layout broadcast_layout(const MemoryDesc& md, std::span<const int64_t> dims);

// What a primitive takes. Everything else that is not default is refused, with what it is and what would work.
struct AllowedAttributes {
    bool sum = false, eltwise = false, binary = false, prelu = false; // post-ops; binary includes select
    std::vector<int> scales;                                          // arguments that may have one
    bool scale_masks = false;                                         // other masks than 0
    std::vector<int> zero_points;
    bool output_scales = false; // those of v2
};
// `primitive` begins every reason: "eltwise: ...". Checks shapes and types of post-op tensors against dst, too.
Result<void> check_attributes(const char* primitive, const Attr& attr, const MemoryDesc& dst,
                              const AllowedAttributes& allowed);

// Layouts that binary post-ops leave open become dst's (PO-05); their tensors, those of prelu post-ops become
// inputs of the problem (Tensor::attribute). To be called when dst is known; the last thing a make_* does.
Result<void> add_attribute_tensors(Problem& problem, const MemoryDesc& dst);

// operand in f32, with the zero point and scale of its argument where there are any.
int load_scaled(Program& program, int operand, int arg, const Problem& problem, Operands& operands);
// Output scales, the post-ops in order, dst's scale and zero point, the store to `dst_operand`.
void finish(Program& program, int value, int dst_operand, const Problem& problem, Operands& operands);

// The oracle's view of the same: x with scales, post-ops, ... applied at logical coordinates `at`, written to dst.
// `buffers` as in Row::ref.
using Buffers = std::map<int, void*>;
float ref_load(const Problem& problem, const Buffers& buffers, int arg, std::span<const int64_t> at);
void ref_finish(const Problem& problem, const Buffers& buffers, float value, int dst_arg, std::span<const int64_t> at);

} // namespace tessera::ops
