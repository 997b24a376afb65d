// SPDX-License-Identifier: Apache-2.0
// The table by which the rest of the library finds the primitives. Validation, reference, lowering and the words of
// verbose lines of each are in its row, <primitive>/<primitive>.cpp.
#pragma once

#include <map>
#include <span>

#include "core/plan/plan.hpp"
#include "core/problem/problem.hpp"

namespace tessera::ops {

// Buffers of an execution: argument id -> pointer to the buffer's first byte (the descriptor's offset0 not added).
using Buffers = std::map<int, void*>;

// A descriptor in a verbose line, under the word that people know it by.
struct VerboseToken {
    std::string_view word;
    int arg;
    bool as_asked = false; // also that its layout was left open
};

struct Row {
    PrimitiveKind kind;
    // Pure: a problem gives a plan, the same for every engine and machine, or a reason. Problems with run-time dims are
    // lowered at execution.
    Result<Plan> (*lower)(const Problem&);
    // The reference, written from the specification; it uses layouts and scalar conversions, never plans.
    void (*ref)(const Problem&, const Buffers&);
    // Validates a problem again after execution has filled in its run-time dims; null: the primitive takes none.
    Result<Problem> (*resolved)(const Problem&) = nullptr;
    bool two_engines = false; // src and dst may be on different engines; the arguments are also called FROM and TO
    bool has_prop = false;    // a propagation kind can be queried
    // Element i of the output depends only on elements i of the inputs: works in place with an input of the same
    // layout.
    bool elementwise = false;
    // Tensors of post-ops are read by the step that alone writes the output, each element before its own is written.
    bool reads_post_ops_last = false;
    // Whether an input may have the buffer of the (first) output: it is exactly the region that it is copied to, or no
    // element of it is read after its own is written.
    bool (*lies_in_place)(const Problem&, const Tensor& input) = nullptr;
    // Not null: only plans know what a workspace holds, and references write none. The forward problem of a backward
    // one that reads it, which also writes what else of forward it reads.
    Problem (*forward_of)(const Problem& backward) = nullptr;
    // Of several outputs, the argument of the one that may have the buffer of an input; -1: none, or the first one.
    // Where they have one layout and type, every element is read before it is written.
    int (*written_over)(int input) = nullptr;
    // Argument 513 is the precomputed reductions of src; of the others it is the output scales of the older interface.
    bool reads_reductions = false;
    // In verbose lines: the dims, null for those of the first tensor; and the tensors, where the words are not simply
    // those of the arguments (null or no tokens: they are).
    std::string (*shape)(const Problem&) = nullptr;
    std::vector<VerboseToken> (*tokens)(const Problem&) = nullptr;
};
#define PRIMITIVE(name, number) extern const Row name##_row;
#include "core/problem/primitives.def"
#undef PRIMITIVE

std::span<const Row* const> rows(); // of all primitives that are built
const Row& row(PrimitiveKind kind); // of one of them

} // namespace tessera::ops
