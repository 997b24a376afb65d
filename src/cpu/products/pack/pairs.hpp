// SPDX-License-Identifier: Apache-2.0
// Weights that are computed as bf16: converted, decompressed, or both, by a kernel of its own (pairs_kernel.hpp).
#pragma once

#include <memory>
#include <optional>

#include "cpu/jit/kernel.hpp"
#include "cpu/products/pack/pack.hpp"

namespace tessera::cpu {

struct DotPairs {
    int64_t group = 0; // of k with the same zeros and scales
    DotView b;
    std::optional<DotPlace> zero, scale;
    std::shared_ptr<const jit::Kernel> kernel;
    // Where k is dense in B they are rows of bf16, which tiles of B's columns read as they are; panels are made of
    // `columns` at once.
    static constexpr int64_t columns = 64;
    int64_t row_bytes = 0;
    DotPacks panels;

    bool k_dense() const { return row_bytes > 0; }
    // Columns of B for whole steps of k, group by group: to panels, or to rows, `apart` bytes from one to the next.
    // `unpacked`: scratch memory for the zeros of these columns.
    void to_bf16(const ProductUnit& unit, int64_t column, int64_t count, KPart k, char* to, int64_t apart,
                 char* unpacked) const;
    // All columns of the unit as panels. `rows`: scratch memory of `columns` rows, where k is dense.
    void pack(const ProductUnit& unit, KPart k, char* to, int64_t panel, char* rows, char* unpacked) const;
};

} // namespace tessera::cpu
