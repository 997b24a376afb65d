// SPDX-License-Identifier: Apache-2.0
// Digits as sequences of unequal length: one row of pixels a step, without the rows above and below that have little
// ink.
//
//   const std::vector<Sequence> sequences = by_length(sequences_of(digits.train));
//   fill_padded(sequences, floats(src));         // src: {longest, sequences, row_pixels}
//   take_last(dst, sequences, last);             // what a recurrent layer made of them, at the last step of each
//
// A batch is padded to its longest sequence. Steps after the end of a sequence cannot change what came before, and
// gradients of 0 enter there, so padding needs no mask inside the layer: reading and writing at the right step is all.
#pragma once

#include "../digits/data.hpp"
#include "../digits/tensors.hpp"

namespace sequences {

using namespace digits; // its data, tensors, layers

inline constexpr int64_t row_pixels = 8, most_rows = pixels / row_pixels;

struct Sequence {
    std::span<const uint8_t> pixels; // length rows of row_pixels
    int label;
    int64_t length() const { return int64_t(pixels.size()) / row_pixels; }
};

std::vector<Sequence> sequences_of(const Samples& samples);      // views of the samples
std::vector<Sequence> by_length(std::vector<Sequence> unsorted); // the shortest first

// Row-major tensors by steps, sequences and row_pixels; what lies after the end of a sequence becomes 0.
void fill_padded(std::span<const Sequence> of_batch, std::span<float> inputs);

// Between all states {steps, sequences, channels} and those at the last step of each sequence {sequences, channels}.
// Row-major, both of one type; put_last() makes all other states 0.
void take_last(const memory& states, std::span<const Sequence> of_batch, const memory& last);
void put_last(const memory& last, std::span<const Sequence> of_batch, const memory& states);

} // namespace sequences
