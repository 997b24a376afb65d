// SPDX-License-Identifier: Apache-2.0
// Random bits in programs: dropout (DRP-02..04) and stochastic rounding (RND-01), which need the number of an element
// (OpCode::index) and a seed.
//
//   Expression bits = dropout_bits(index, {seed, seed_high, offset, offset_high});
//   Expression kept = is_kept(bits, probability);                               // a comparison
//   Expression y = rounded_stochastically(x, rounding_bits(index, seed), DataType::bf16);
//
// Both take words of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, 2011): 10
// rounds of two 64-bit products. Nothing is carried from element to element, so the bits depend neither on threads nor
// on vectors. The functions named *_of are the same for one element, written from the specification, for oracles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/program/lib/expression.hpp"
#include "core/types/types.hpp"

namespace tessera {

using Words = std::array<Expression, 4>;
Words philox(Words counter, Expression key_0, Expression key_1);

// Without an offset the generator is that of offset 0, in which the four elements of a quad get the same word (DRP-04).
struct DropoutStream {
    struct Offset {
        Expression low, high;
    };
    Expression seed_low, seed_high;
    std::optional<Offset> offset;
};
Expression dropout_bits(Expression index, const DropoutStream& stream);
// bits > probability * (2^32 - 1), exactly, for every probability; NaN keeps nothing.
Expression is_kept(Expression bits, Expression probability);

// Word index mod 4 of the generator with key (seed, 0) and counter (0, 0, index rounded down to a multiple of 4, 0).
Expression rounding_bits(Expression index, Expression seed);
// x on the grid of `type`, a floating-point type of 8 or 16 bits: of the two neighbours that which is farther from zero
// if the low bits of `bits`, added to those of x that the type has no room for, carry. Below the least normal of the
// type the grid is that of its subnormals, and x is first rounded to 2^-(23 - m) of its step, m its mantissa bits.
// Beyond the largest finite value, and NaN: x itself.
Expression rounded_stochastically(Expression x, Expression bits, DataType type);

uint32_t dropout_bits_of(uint64_t index, int64_t seed, int64_t offset);
bool is_kept_of(uint32_t bits, float probability);
uint32_t rounding_bits_of(uint64_t index, int32_t seed);
float rounded_stochastically_of(float x, uint32_t bits, DataType type);

} // namespace tessera
