// SPDX-License-Identifier: Apache-2.0
// Handwritten digits of 8x8 pixels, 0 (paper) to 16 (ink), and what they are.
//
//   Digits digits = read_digits("digits.csv");     // 65 numbers a line: 64 pixels and the digit
//   Digits digits = draw_digits(1500);             // a font, moved, smeared and noisy: needs no file
//
// Every fifth sample is for the test, the others for training, in the order in which they come.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace digits {

inline constexpr int64_t pixels = 64, classes = 10;
inline constexpr float darkest = 16;

struct Samples {
    std::vector<uint8_t> images; // `pixels` of each sample
    std::vector<int> labels;
    int64_t count() const { return int64_t(labels.size()); }
};

struct Digits {
    Samples train, test;
};

Digits read_digits(const std::string& path); // throws std::runtime_error
Digits draw_digits(int64_t count);

// What networks read: -1 to 1, exact in bf16.
inline float input_of(uint8_t pixel) { return (float(pixel) - darkest / 2) / (darkest / 2); }
std::vector<float> inputs_of(std::span<const uint8_t> images);

} // namespace digits
