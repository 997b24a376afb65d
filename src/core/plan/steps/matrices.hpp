// SPDX-License-Identifier: Apache-2.0
// A product seen as matrices: C[b][m][n] = outer(sum over k of A[b][m][k] * B[b][k][n]).
//
// A dimension of the space belongs to m or n where only one factor varies along it, to k where it is summed over, to
// the batch otherwise; flat() sees a group of dimensions as one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/plan/plan.hpp"

namespace tessera {

// A factor: what `program` computes and stores to operand Matrices::sum.
struct MatrixFactor {
    Factor factor;
    Program program;
    int operand = -1; // the matrix, if the factor is its element, perhaps less a zero point; -1: anything else
    int zero = -1;    // the operand that is subtracted from it and does not vary along k; -1: none
};

struct Matrices {
    ValueType type;                        // of products and their sum: f32 or s32
    std::vector<size_t> b, m, n, k;        // dims of the space, in its order, without those of extent 1
    int64_t batches, rows, columns, depth; // their extents
    MatrixFactor left, right;              // left varies along m, right along n; n is the dimension in which C is dense
    Program outer;                         // what becomes of the sum, which is operand `sum` there
    int sum;                               // number of the operand of the sum: one beyond the plan's operands
};

// The matrices of a product step. No result above 2^52 products (months of work), so that costs fit in 64 bits.
std::optional<Matrices> matrices_of(const Plan& plan, const Step& step);

// The dims of a group flattened to one dimension in row-major order, modes fused: a single mode (or none) means that
// one stride describes it. No result if there is padding between them.
std::optional<Modes> flat(const Layout& layout, std::span<const int64_t> dims, std::span<const size_t> group);

// Of flat dims: whether one stride describes them, and it.
inline bool is_strided(const Modes& modes) { return modes.size() <= 1; }
inline int64_t stride_of(const Modes& modes) { return modes.empty() ? 0 : modes[0].stride; }

} // namespace tessera
