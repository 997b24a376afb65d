// The primitives: validation, reference and lowering of each (folders reorder, shuffle, ...), and the table by which
// the rest of the library finds them.
#pragma once

#include <map>
#include <span>

#include "core/machine.hpp"
#include "core/plan/plan.hpp"
#include "core/problem/problem.hpp"

namespace tessera::ops {

// Buffers of an execution: argument id -> pointer to the buffer's first byte (the descriptor's offset0 not added).
using Buffers = std::map<int, void*>;

struct Row {
    PrimitiveKind kind;
    // Pure: problem and machine give a plan or a reason. Problems with run-time dims are lowered at execution.
    Result<Plan> (*lower)(const Problem&, const Machine&);
    // The reference, written from the specification; it uses layouts and scalar conversions, never plans.
    void (*ref)(const Problem&, const Buffers&);
    // Validates a problem again after execution has filled in its run-time dims; null: the primitive takes none.
    Result<Problem> (*resolved)(const Problem&);
    bool two_engines; // src and dst may be on different engines; the arguments are also called FROM and TO
    bool has_prop;    // a propagation kind can be queried
    // Element i of the output depends only on elements i of the inputs: works in place with an input of the same
    // layout.
    bool elementwise;
    // Whether an input is exactly the region of the output that it is copied to, so that they may share a buffer.
    bool (*lies_in_place)(const Problem&, const Tensor& input) = nullptr;
};
std::span<const Row> rows();        // of all primitives that are built
const Row& row(PrimitiveKind kind); // of one of them

// ---- reorder/desc.cpp, shuffle/desc.cpp: validate and return a complete problem
Result<Problem> make_reorder(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr);
// forward: src -> dst (dst may be `any`); backward: prop backward_data with src = diff_src, dst = diff_dst, where
// diff_src may be `any`.
Result<Problem> make_shuffle(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst, int axis, int64_t group,
                             const Attr& attr);

// ---- binary/desc.cpp: an empty src2 means none (only select reads one); src1, src2 and dst may be `any`
Result<Problem> make_binary(int alg, const MemoryDesc& src0, const MemoryDesc& src1, const MemoryDesc& src2,
                            const MemoryDesc& dst, const Attr& attr);

// ---- prelu/desc.cpp: everything but src may be `any`
Result<Problem> make_prelu_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& weights,
                                   const MemoryDesc& dst, const Attr& attr);
Result<Problem> make_prelu_backward(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& diff_src,
                                    const MemoryDesc& diff_weights, const MemoryDesc& diff_dst, const Attr& attr);

// ---- sum/desc.cpp, concat/desc.cpp: a null or `any` dst takes type and layout from the sources
Result<Problem> make_sum(const MemoryDesc* dst, std::span<const float> scales, std::span<const MemoryDesc> srcs,
                         const Attr& attr);
Result<Problem> make_concat(const MemoryDesc* dst, int axis, std::span<const MemoryDesc> srcs, const Attr& attr);
// ---- eltwise/desc.cpp: a dst of `any` takes the layout of src; a gradient of `any` that of the other gradient, or of
// data, which is src, or dst for the *_use_dst_for_bwd algorithms
Result<Problem> make_eltwise_forward(PropKind prop, int alg, const MemoryDesc& src, const MemoryDesc& dst, float alpha,
                                     float beta, const Attr& attr);
Result<Problem> make_eltwise_backward(int alg, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                      const MemoryDesc& data, float alpha, float beta, const Attr& attr);

// ---- inner_product/desc.cpp: an empty bias means none; every layout may be `any`
Result<Problem> make_inner_product_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& weights,
                                           const MemoryDesc& bias, const MemoryDesc& dst, const Attr& attr);
Result<Problem> make_inner_product_backward_data(const MemoryDesc& diff_src, const MemoryDesc& weights,
                                                 const MemoryDesc& diff_dst, const Attr& attr);
Result<Problem> make_inner_product_backward_weights(const MemoryDesc& src, const MemoryDesc& diff_weights,
                                                    const MemoryDesc& diff_bias, const MemoryDesc& diff_dst,
                                                    const Attr& attr);

// ---- matmul/desc.cpp: an empty bias means none; every layout may be `any`
Result<Problem> make_matmul(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& bias,
                            const MemoryDesc& dst, const Attr& attr);

// ---- resampling/desc.cpp: forward src -> dst, where dst may be `any`, or empty if there are factors (one per spatial
// dimension; otherwise they are ignored); backward_data: src = diff_src, dst = diff_dst, either may be `any`
Result<Problem> make_resampling(PropKind prop, int alg, std::span<const float> factors, const MemoryDesc& src,
                                const MemoryDesc& dst, const Attr& attr);

} // namespace tessera::ops
