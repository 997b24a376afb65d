// Losses by epoch on a logarithmic axis, in a terminal and as SVG.
#pragma once

#include <string>
#include <vector>

namespace digits {

struct Curve {
    std::string name;
    std::string mark;  // of one cell in the terminal
    std::string color; // in the picture
    std::vector<double> losses;
};

std::string draw_terminal(const std::vector<Curve>& curves);
std::string draw_svg(const std::vector<Curve>& curves, const std::string& title);

} // namespace digits
