// SPDX-License-Identifier: Apache-2.0
// Plan: what an engine does for a problem, in steps: immutable, printable, engine-neutral.
//
//   plan reorder f32 abcd -> s8 aBcd16b, 2x17x5x5
//     fill dst+401  loops(2:800 . 25:16 . 15:1)
//     map           loops(2:425,800 . 25:1,16 . 16:25,1)  p0
//     p0: v0=load src:f32  store dst v0
//
// Steps run one after the other, each finished before the next starts. Every point of a step may run in any order
// and on any thread; excepted are reduce loops, which belong to one thread, and the loops of a repeat.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/nest.hpp"
#include "core/plan/steps/interpolation.hpp"
#include "core/plan/steps/product.hpp"
#include "core/plan/steps/sparse.hpp"
#include "core/program/program.hpp"
#include "core/status.hpp"

namespace tessera {

struct Operand {
    std::string name; // "src", "dst", "scale of src"
    DataType type;
    int arg = 0;          // execution argument whose buffer it is
    int64_t bytes = 0;    // offset into that buffer (compensation follows the weights)
    int constant = -1;    // index into Plan::constants when the values are known at creation (v2 output scales)
    bool counted = false; // iota: not in memory, element i has the value i (OpCode::index)
    int buffer = 0;       // which of the argument's buffers: sparse tensors have several
    int scratch = -1;     // index into Plan::scratch: temporary memory instead of an argument
    bool operator==(const Operand&) const = default;
};

// Kinds of steps. The list is closed, and each primitive's `lower` names the kind: engines never infer it from the
// arithmetic of a program.
//
//   fill          zeros into every element of `fill_operand` that the nest visits
//   map           the program at every point of the nest
//   reduce        the program's part before reduce_* at every point; its rest once for each point of the outer loops
//   product       a sum of products over a space; the program is the epilogue (core/plan/steps/product.hpp)
//   interpolate   a map whose values lie between neighbours of src (core/plan/steps/interpolation.hpp)
//   sparse        a product with one sparse factor (core/plan/steps/sparse.hpp)
//   group         steps that share outer loops, one after the other at every point of those
//   repeat        steps one after the other at every point of outer loops that run in order
enum class StepKind : uint8_t { fill, map, reduce, product, interpolate, sparse, group, repeat };

std::string_view name(StepKind kind); // "product"

// When a step runs, seen from the steps before it (core/plan/rewrite/together.hpp). Printed before the step.
//
//         no        after all of them
//   +     beside    at the same time: free threads go on with it where the steps before it end
//   &     in_step   at the same time, and part by part with the step before it: what they write lies interleaved
enum class Together : uint8_t { no, beside, in_step };

struct Group;

struct Step {
    StepKind kind = StepKind::map;
    Nest nest;
    int program = -1;
    int fill_operand = -1;
    bool in_order = false; // reduce: points are combined one after the other (core/program/reduction.hpp)
    Together together = Together::no;
    std::shared_ptr<const Product> product = {};
    std::shared_ptr<const Interpolation> interpolation = {};
    std::shared_ptr<const SparseProduct> sparse = {};
    std::shared_ptr<const Group> group = {};

    bool operator==(const Step& other) const;
};

// What one step of a group writes and the next one reads is still in a cache, if the points are small enough. Fills,
// maps and reductions; their nests are the inner loops, and every operand starts where the group's nest is. A point is
// a matter of other pointers: along the group's nest operands move by whole bytes, constants and counted ones not at
// all.
//
//   group         loops(4096:..)
//     map         loops(128:..)      a scale for each 32 sums of a row
//     map         loops(4096:..)     the row divided by its scales
//
// A repeat has its steps in a Group, too: turn after turn, each step finished before the next one starts, on all
// threads. They are of any kind but sparse, and a turn may read what turns before it have written. Along the loops,
// which have no tables, operands move by whole bytes; backwards if a stride is negative.
//
//   repeat        loops(50:..)         a step of time
//     product     8x256 sum 64 ..      of the state that the turn before left
//     map         loops(512:..)        the next state
struct Group {
    std::vector<Step> steps;
    bool operator==(const Group&) const = default;
};

struct Plan {
    std::string title;
    std::vector<Operand> operands;
    std::vector<Program> programs;
    std::vector<Step> steps;
    std::vector<std::vector<float>> constants;
    std::vector<int64_t> scratch; // bytes
    bool operator==(const Plan&) const = default;
};

// Loops within limits, programs valid, tables of the right length.
Result<void> verify(const Plan& plan);
std::string to_string(const Plan& plan);

// Executes the plan point by point with eval(): slow and simple, the reference for everything faster.
// `pointers`: one per operand, Operand::bytes already added.
void interpret(const Plan& plan, std::span<void* const> pointers);

} // namespace tessera
