// What attributes add to a program, the same for every primitive that has them: scales and zero points of what is read,
// dropout, post-ops, scale and zero point of dst (NUM-01, NUM-03, PO-01..10, SCL, ZPT, DRP rows), stochastic rounding
// of what is written (RND-01).
//
//   Operands operands{plan, layouts};                       // src is operand 0, dst operand 1
//   int v = load_scaled(program, 0, arg::src, problem, operands);
//   v = ...                                                 // the operation itself, in f32
//   finish(program, v, 1, problem, operands);               // dropout, post-ops, scale, zero point, rounding, store
//   add_output_padding(1, problem, operands);               // fills of dst's padding and the mask's
//
// Everything is point-wise over the dims of dst; a tensor with extent 1 where dst has more is broadcast by stride 0.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"
#include "core/problem/problem.hpp"

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
    bool own_quants = false;    // the primitive checks scales and zero points itself; others have no zero points
    bool output_scales = false; // those of v2
    bool dropout = false;
    std::vector<int> stochastic; // arguments that may be rounded so
    bool precomputed_reductions = false;
};
// `primitive` begins every reason: "eltwise: ...". Checks shapes and types of post-op tensors against dst, too.
Result<void> check_attributes(const char* primitive, const Attr& attr, const MemoryDesc& dst,
                              const AllowedAttributes& allowed);

// The type of an argument that the attributes round stochastically: floating-point, and not too many elements.
Result<void> check_rounding(const char* primitive, const Attr& attr, int id, const MemoryDesc& md);

// Layouts that binary post-ops and dropout's mask leave open become dst's (PO-05); their tensors and those of prelu
// post-ops become arguments of the problem (Tensor::attribute). To be called when dst is known; the last thing a make_*
// does.
Result<void> add_attribute_tensors(Problem& problem, const MemoryDesc& dst);
// The attributes with the descriptors that those arguments have now: of a problem whose run-time dims were filled in.
Attr attr_of_tensors(const Problem& problem);

// operand in f32, with the zero point and scale of its argument where there are any.
int load_scaled(Program& program, int operand, int arg, const Problem& problem, Operands& operands);
// Output scales, dropout, the post-ops in order, dst's scale and zero point, the stores of the mask and to
// `dst_operand`.
void finish(Program& program, int value, int dst_operand, const Problem& problem, Operands& operands);
// A sum of integers that nothing but f32 lies between and its store as an integer is stored as it is: f32 would lose
// what exceeds 24 bits. To be called behind finish().
void store_sum_exactly(Program& program, DataType dst);
void add_output_padding(int dst_operand, const Problem& problem, Operands& operands);

bool rounds_stochastically(const Attr& attr, int id);
// The value on the grid of argument `id`'s type, where the attributes say so; `dims`: those of the plan.
int round_stochastically(Program& program, int value, int id, std::span<const int64_t> dims, const Problem& problem,
                         Operands& operands);
// finish's parts: x / (1 - P) or 0, and the comparison by which; its store as 1 or 0 where there is a mask.
int drop_out(Program& program, int value, int& kept, const MemoryDesc& dst, const Problem& problem, Operands& operands);
void store_mask(Program& program, int kept, const Problem& problem, Operands& operands);

// The oracle's view of the same: x with scales, post-ops, ... applied at logical coordinates `at`, written to dst.
// `buffers` as in Row::ref.
using Buffers = std::map<int, void*>;
double ref_unscaled(const Problem& problem, const Buffers& buffers, int arg, std::span<const int64_t> at); // x - z
float ref_scale(const Problem& problem, const Buffers& buffers, int arg, std::span<const int64_t> at);     // 1 without
float ref_load(const Problem& problem, const Buffers& buffers, int arg, std::span<const int64_t> at);
// ref_finish up to dst's scale, the mask of dropout written.
float ref_finished(const Problem& problem, const Buffers& buffers, float value, int dst_arg,
                   std::span<const int64_t> at);
// ref_finish's first and last factor: x by the output scale; x / s_dst + z_dst.
float ref_output_scaled(const Problem& problem, const Buffers& buffers, float value, std::span<const int64_t> at);
float ref_quantized(const Problem& problem, const Buffers& buffers, float value, int dst_arg,
                    std::span<const int64_t> at);
// The same for a sum of integers between which and dst nothing stands, so that f32 has no part in it; else false.
bool ref_store_sum(const Problem& problem, const Buffers& buffers, double sum, std::span<const int64_t> at);
void ref_finish(const Problem& problem, const Buffers& buffers, float value, int dst_arg, std::span<const int64_t> at);
bool ref_is_kept(const Problem& problem, const Buffers& buffers, int dst_arg, std::span<const int64_t> at);
float ref_drop_out(const Problem& problem, const Buffers& buffers, float value, int dst_arg,
                   std::span<const int64_t> at);
float ref_round(const Problem& problem, const Buffers& buffers, float value, int id, std::span<const int64_t> at);

} // namespace tessera::ops
