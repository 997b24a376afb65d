// SPDX-License-Identifier: Apache-2.0
// Fractions as bars: a column of a table in the terminal, or a picture of the whole table as SVG.
//
//   draw_bar(0.75, 12)  "██████  │   "    12 cells for 0 .. bar_range, the rule at 1
//   draw_svg(BarChart)  one bar a row, its label on the left, the number on the right, a line at 1
#pragma once

#include <string>
#include <vector>

namespace tessera {

inline constexpr double bar_range = 1.5; // value of a bar of full width; a longer one ends in an arrow

std::string draw_bar(double fraction, int cells);

struct Bar {
    std::string label;
    double fraction;
};

struct BarChart {
    std::string title;
    std::vector<std::string> facts;
    std::string rule; // what the line at 1 means
    std::vector<Bar> bars;
};
std::string draw_svg(const BarChart& chart);

} // namespace tessera
