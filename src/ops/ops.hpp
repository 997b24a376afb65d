// The primitives: for each its rules, its oracle and its lowering (folders reorder, shuffle, ...), and the table by
// which everything else finds them.
#pragma once

#include <map>
#include <span>

#include "core/desc/problem.hpp"
#include "core/machine.hpp"
#include "core/plan/plan.hpp"

namespace tessera::ops {

// Buffers of an execution: argument id -> pointer to the buffer's first byte (the descriptor's offset0 not added).
using Buffers = std::map<int, void*>;

struct Row {
    PrimitiveKind kind;
    // Pure: problem and machine give a plan or a reason. Problems with run-time dims are lowered at execution.
    Result<Plan> (*lower)(const Problem&, const Machine&);
    // The oracle, written from the specification; sees layouts and scalar conversions, never plans.
    void (*ref)(const Problem&, const Buffers&);
    // A problem whose run-time dims were filled in at execution, checked again; null: there are no run-time dims.
    Result<Problem> (*resolved)(const Problem&);
    bool two_engines; // src and dst may be on different ones; the arguments are also called FROM and TO
    bool has_prop;    // a propagation kind can be queried
    bool elementwise; // with equal layouts, element i of dst comes from element i of src: works in place
};
const Row& row(PrimitiveKind kind); // of a kind that exists

// ---- reorder/desc.cpp, shuffle/desc.cpp: check everything, answer a complete problem
Result<Problem> make_reorder(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr);
// forward: src -> dst (dst may be `any`); backward: prop backward_data with src = diff_src, dst = diff_dst, where
// diff_src may be `any`.
Result<Problem> make_shuffle(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst, int axis, int64_t group,
                             const Attr& attr);

} // namespace tessera::ops
