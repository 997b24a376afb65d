// SPDX-License-Identifier: Apache-2.0
// Rows of B as they lie, dense in n, made into the vectors that instructions multiply: for 16 columns the 2 or 4
// elements of k of each side by side. Of bf16 a permutation of both rows a vector; of bytes one of each row, by fours
// of columns, after which interleaving within lanes leaves the columns in order: 12 instructions for four vectors.
//
//   Interleaver b(code, DataType::s8);
//   b.prepare();
//   for (Vec v : b.vectors({row0, row1, row2, row3}, 3))   // 48 columns
#pragma once

#include <span>
#include <vector>

#include "core/types/types.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

class Interleaver {
public:
    static constexpr int columns = 16; // of a vector
    Interleaver(jit::Code& code, DataType type) : c_(code), bytes_(bits(type) == 8) {}

    static bool supports(const jit::Target& target, DataType type) {
        return target.vector_bytes == 64 && target.masks && (bits(type) == 8 || type == DataType::bf16);
    }
    // Besides so many results and one more: constants, and what is in between.
    static constexpr int registers(DataType type, int vectors) {
        return bits(type) != 8 || vectors == 4 ? 3 : vectors == 1 ? 5 : 4;
    }
    int rows() const { return bytes_ ? 4 : 2; }
    int columns_at_once() const { return bytes_ ? 64 : 32; } // that share loads

    void prepare();
    // Of up to columns_at_once(), in vectors of 16, the last of which may have fewer where `mask` has the bits of those
    // that are read. Fewer rows than a step has: zeros.
    std::vector<jit::Vec> vectors(std::span<const jit::Mem> rows, int vectors, const jit::Mask* mask = nullptr);

private:
    std::vector<jit::Vec> of_pairs(std::span<const jit::Vec> rows, int vectors);
    std::vector<jit::Vec> of_fours(std::span<const jit::Vec> rows, int vectors);

    jit::Code& c_;
    bool bytes_;
    std::vector<jit::Vec> order_;
};

} // namespace tessera::cpu
