// SPDX-License-Identifier: Apache-2.0
// Product: a sum of products over an iteration space, C = epilogue(sum over k of a * b), as `lower` writes it.
//
//   product  4x8 sum 16, (src - zero points of src) * weights in s32, of src:(4:16 8:0 16:1) weights:(...) dst:(...) p0
//
// The step's program is the epilogue: it starts from the sum, which the operation `total` gives, and runs once for each
// element of C. Which dims are rows, columns or batches follows from the operands that vary along them
// (core/plan/steps/matrices.hpp).
#pragma once

#include "core/plan/space.hpp"
#include "core/program/program.hpp"

namespace tessera {

// (element - zero) * scale, each an operand of the plan or -1 for none, converted to the type of the sum when loaded.
// Zero points and scales have layouts over the same space: one for all, per row, per column, or per group along k.
struct Factor {
    int operand = -1, zero = -1, scale = -1;
    bool operator==(const Factor&) const = default;
};

struct Product {
    ValueType type = ValueType::f32; // of products and their sum: f32 or s32 (which wraps)
    Factor a, b;
    Space space; // k are the dims that it reduces
    bool operator==(const Product&) const = default;
};

// Appends the operations of a factor to `p`; returns its value.
int append(Program& p, const Factor& factor, ValueType type);
// Appends the operations of `from` to `to`, with `value` in place of loads of operand `known` or, if that is negative,
// of `total`. Returns the new numbers of the values.
std::vector<int> append(Program& to, const Program& from, int known = -1, int value = -1);
// The product as one program that reduces: a, b, their product, reduce_add, epilogue.
Program with_sum(const Product& product, const Program& epilogue);

} // namespace tessera
