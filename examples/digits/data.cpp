// SPDX-License-Identifier: Apache-2.0
#include "data.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace digits {
namespace {

constexpr int64_t side = 8, each = 5; // one of five samples is for the test

void add(Digits& digits, int64_t index, std::span<const uint8_t> image, int label) {
    Samples& to = index % each == each - 1 ? digits.test : digits.train;
    to.images.insert(to.images.end(), image.begin(), image.end());
    to.labels.push_back(label);
}

// Rows of 5 pixels, most significant bit on the left.
constexpr std::array<std::array<uint8_t, 7>, classes> font = {{{14, 17, 17, 17, 17, 17, 14},
                                                               {4, 12, 4, 4, 4, 4, 14},
                                                               {14, 17, 1, 2, 4, 8, 31},
                                                               {31, 2, 4, 2, 1, 17, 14},
                                                               {2, 6, 10, 18, 31, 2, 2},
                                                               {31, 16, 30, 1, 1, 17, 14},
                                                               {6, 8, 16, 30, 17, 17, 14},
                                                               {31, 1, 2, 4, 8, 8, 8},
                                                               {14, 17, 17, 14, 17, 17, 14},
                                                               {14, 17, 17, 15, 1, 2, 12}}};

int ink(int label, int64_t row, int64_t column) {
    if (row < 0 || row >= 7 || column < 0 || column >= 5) return 0;
    return font[size_t(label)][size_t(row)] >> (4 - column) & 1;
}

} // namespace

Digits read_digits(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(fmt::format("cannot read '{}'; `make run` fetches the digits", path));
    Digits digits;
    int64_t number = 0;
    for (std::string line; std::getline(file, line); ++number) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream words(line);
        std::vector<double> values;
        for (double value = 0; words >> value;) values.push_back(value);
        const bool complete = values.size() == size_t(pixels) + 1 && words.eof();
        const auto outside = [](double v, double most) { return v < 0 || v > most; };
        if (!complete || outside(values.back(), classes - 1) ||
            std::any_of(values.begin(), values.end() - 1, [&](double v) { return outside(v, darkest); }))
            throw std::runtime_error(
                fmt::format("{}:{}: expected {} pixels of 0 to {} and a digit", path, number + 1, pixels, darkest));
        add(digits, number, std::vector<uint8_t>(values.begin(), values.end() - 1), int(values.back()));
    }
    if (digits.test.count() == 0)
        throw std::runtime_error(fmt::format("'{}' holds {} samples; at least {} are needed", path, number, each));
    return digits;
}

Digits draw_digits(int64_t count) {
    std::mt19937 random(1);
    const auto below = [&](uint32_t n) { return int64_t(random() % n); };
    Digits digits;
    for (int64_t i = 0; i < count; ++i) {
        const int label = int(below(classes));
        const int64_t down = below(2), right = below(4), smear = below(3);
        std::array<uint8_t, pixels> image{};
        for (int64_t p = 0; p < pixels; ++p) {
            const int64_t row = p / side - down, column = p % side - right;
            const int64_t strokes = 10 * ink(label, row, column) + 3 * smear * ink(label, row, column - 1);
            image[size_t(p)] = uint8_t(std::clamp<int64_t>(strokes + below(9) - 4, 0, int64_t(darkest)));
        }
        add(digits, i, image, label);
    }
    return digits;
}

std::vector<float> inputs_of(std::span<const uint8_t> images) {
    std::vector<float> inputs(images.size());
    std::transform(images.begin(), images.end(), inputs.begin(), input_of);
    return inputs;
}

} // namespace digits
