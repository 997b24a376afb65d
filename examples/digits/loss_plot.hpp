// SPDX-License-Identifier: Apache-2.0
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

// Prints the losses, and writes the picture to `svg`, if that names a file. Throws where it cannot be written.
void show(const std::vector<Curve>& curves, const std::string& svg, const std::string& title);

} // namespace digits
