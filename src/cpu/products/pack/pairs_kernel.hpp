// SPDX-License-Identifier: Apache-2.0
// B to bf16, with the scale and the zero point of one group along k, as panels of pairs, or as rows of tiles:
//
//   to[j / 16][k / 2][j % 16][k % 2] = (B[k][j] - zero[j]) * scale[j]     k < 2 * steps, j < columns
//   to[j][k] = (B[j][k] - zero[j]) * scale[j]                             k < 32 * steps, where k is dense
//
// B is dense along j, or k, of any type that jit::Codec loads. Zero and scale may be missing, or be one element for all
// columns. The last panel is written whole, with any values behind the last column; nothing else is read or written
// behind it. Where B has 4 bits its lines begin at whole bytes, and columns of panels are a multiple of 16. Denormals
// of the results are zeros, as the products take them.
#pragma once

#include <cstdint>
#include <string>

#include "core/types/types.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

struct PairsSpec {
    struct Quantum {
        DataType type = DataType::undef; // missing
        bool same = false;               // one element for all columns
    };
    DataType b = DataType::s8;
    Quantum zero, scale;
    bool k_dense = false;
};

struct PairsArgs {
    const void* b;
    int64_t b_row; // bytes between rows of k, or between columns where k is dense
    const void *zero, *scale;
    void* to;
    int64_t panel;          // bytes between panels, or columns
    int64_t columns, steps; // positive
};

std::string key(const PairsSpec& spec);
bool can_build_pairs(const jit::Target& target, const PairsSpec& spec); // AVX-512 BF16
jit::Code build_pairs(const jit::Target& target, const PairsSpec& spec);

} // namespace tessera::cpu
