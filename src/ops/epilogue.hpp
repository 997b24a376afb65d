// SPDX-License-Identifier: Apache-2.0
// Prologue and epilogue of a program as the attributes demand, shared by all primitives: scales and zero points of the
// inputs, dropout, post-ops, scale and zero point of dst (NUM-01, NUM-03, PO-01..10, SCL, ZPT, DRP rows), stochastic
// rounding of the output (RND-01).
//
//   Operands operands{plan, layouts};                       // src is operand 0, dst operand 1
//   int v = load_scaled(program, 0, arg::src, problem, operands);
//   v = ...                                                 // the operation itself, in f32
//   finish(program, v, 1, problem, operands);               // dropout, post-ops, scale, zero point, rounding, store
//   add_output_padding(1, problem, operands);               // fills of dst's padding and the mask's
//
// Everything is element-wise over the dims of dst; a tensor with extent 1 where dst has more is broadcast by stride 0.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"
#include "core/problem/problem.hpp"

namespace tessera::ops {

enum class QuantKind { scales, zero_points };
const Quant* find_quant(const Attr& attr, QuantKind kind, int id); // null without

// The operands of a plan while its programs are written, each with its layout over the dims of dst.
struct Operands {
    Plan& plan;
    std::vector<Layout>& layouts;
    // Adds an operand, or finds an equal one (programs of a plan share the operands of attributes); returns its number.
    int add(std::string name, DataType type, int arg, Layout layout);
    // Temporary memory of so many elements.
    int add_scratch(std::string name, DataType type, int64_t elements, Layout layout);
    // The scales or zero points of argument `id`, as "scales of src".
    int add(QuantKind kind, int id, const Quant& quant, Layout layout);
};

// Strides from 1 on in the order in which they are, without gaps: temporary memory laid out like a tensor. The number
// of elements, of those modes alone. Equal strides keep the order of the list.
int64_t close_strides(std::vector<Mode*> modes);

// The layout of `md` broadcast to `dims`: stride 0 where md has extent 1 and dims have more.
Layout broadcast_layout(const MemoryDesc& md, std::span<const int64_t> dims);

// The attributes that a primitive supports. Others that are not default are refused, with a text that says what would
// work.
struct AllowedAttributes {
    bool sum = false, eltwise = false, binary = false, prelu = false; // post-ops; binary includes select
    std::vector<int> scales;                                          // arguments that may have a scale
    bool scale_masks = false;                                         // scales with other masks than 0
    bool own_quants = false; // the primitive checks scales and zero points itself; without it zero points are refused
    bool output_scales = false; // output scales of v2
    bool dropout = false;
    std::vector<int> stochastic; // arguments that may be rounded stochastically
    bool precomputed_reductions = false;
    bool rnn_qparams = false; // the primitive checks them itself
};
// `primitive` begins every reason: "eltwise: ...". Checks shapes and types of post-op tensors against dst, too.
Result<void> check_attributes(const char* primitive, const Attr& attr, const MemoryDesc& dst,
                              const AllowedAttributes& allowed);

// Checks an argument that is rounded stochastically: a floating-point type and at most 2^32 elements.
Result<void> check_rounding(const char* primitive, const Attr& attr, int id, const MemoryDesc& md);

// ACC-01: of integers by integers sums are in s32, all others in f32 or wider types. Modes that these meet are
// accepted: f16 with f32, and those that only allow less (relaxed, any). oneDNN refuses s32, f32 and f16 of every
// primitive.
Result<void> check_accumulation(const Problem& problem);

// Replaces `any` in binary post-ops and in the mask of dropout by the layout of dst (PO-05), and makes their tensors
// and those of prelu post-ops arguments of the problem (Tensor::attribute). The last step of every make_*, when dst is
// known.
Result<void> add_attribute_tensors(Problem& problem, const MemoryDesc& dst);
// The attributes with the descriptors that those arguments have after run-time dims were filled in.
Attr attr_of_tensors(const Problem& problem);

// Scales or zero points of argument `id` as a value of f32; -1 without. Their layout is that over the argument's dims.
int load_quant(Program& program, QuantKind kind, int id, const Problem& problem, Operands& operands);
// The value times the operand; unchanged for operand -1.
int times(Program& program, int value, int operand);
// Loads `operand` as f32 and applies the zero point and scale of its argument, if it has any.
int load_scaled(Program& program, int operand, int arg, const Problem& problem, Operands& operands);
// Parts of finish(): the value times the output scale of v2, if there is one; value / s_dst + z_dst.
int output_scaled(Program& program, int value, const Problem& problem, Operands& operands);
int quantized(Program& program, int value, int dst_arg, const Problem& problem, Operands& operands);
// Appends output scales, dropout, the post-ops in order, scale and zero point of dst, and the stores of the mask and to
// `dst_operand`.
void finish(Program& program, int value, int dst_operand, const Problem& problem, Operands& operands);
// Stores an integer sum directly if only conversions to f32 and back stand between it and an integer dst: f32 would
// lose all but 24 bits. To be called after finish().
void store_sum_exactly(Program& program, DataType dst);
void add_output_padding(int dst_operand, const Problem& problem, Operands& operands);

bool rounds_stochastically(const Attr& attr, int id);
// Rounds the value stochastically to the type of argument `id`, if the attributes say so; `dims`: those of the plan.
int round_stochastically(Program& program, int value, int id, std::span<const int64_t> dims, const Problem& problem,
                         Operands& operands);
// Parts of finish(): x / (1 - P) or 0, with the comparison that decides in `kept`; and its store as 1 or 0 in the mask.
int drop_out(Program& program, int value, int& kept, const MemoryDesc& dst, const Problem& problem, Operands& operands);
void store_mask(Program& program, int kept, const Problem& problem, Operands& operands);

// The reference of the same: x with scales, post-ops, ... applied at logical coordinates `at`, written to dst.
// `buffers` as in Row::ref.
using Buffers = std::map<int, void*>;
double ref_unscaled(const Problem& problem, const Buffers& buffers, int arg, std::span<const int64_t> at); // x - z
float ref_scale(const Problem& problem, const Buffers& buffers, int arg, std::span<const int64_t> at);     // 1 without
float ref_load(const Problem& problem, const Buffers& buffers, int arg, std::span<const int64_t> at);
// ref_finish() before the scale of dst; writes the mask of dropout.
float ref_finished(const Problem& problem, const Buffers& buffers, float value, int dst_arg,
                   std::span<const int64_t> at);
// The first and the last step of ref_finish(): x times the output scale; x / s_dst + z_dst.
float ref_output_scaled(const Problem& problem, const Buffers& buffers, float value, std::span<const int64_t> at);
float ref_quantized(const Problem& problem, const Buffers& buffers, float value, int dst_arg,
                    std::span<const int64_t> at);
// Stores an integer sum directly if no attribute stands between it and dst, as store_sum_exactly(); else returns false.
bool ref_store_sum(const Problem& problem, const Buffers& buffers, double sum, std::span<const int64_t> at);
void ref_finish(const Problem& problem, const Buffers& buffers, float value, int dst_arg, std::span<const int64_t> at);
bool ref_is_kept(const Problem& problem, const Buffers& buffers, int dst_arg, std::span<const int64_t> at);
float ref_drop_out(const Problem& problem, const Buffers& buffers, float value, int dst_arg,
                   std::span<const int64_t> at);
float ref_round(const Problem& problem, const Buffers& buffers, float value, int id, std::span<const int64_t> at);

} // namespace tessera::ops
