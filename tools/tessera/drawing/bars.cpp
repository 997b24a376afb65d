// SPDX-License-Identifier: Apache-2.0
// Bars of eighths of a cell, and of pixels.
#include "drawing/bars.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "drawing/picture.hpp"
#include "drawing/svg_text.hpp"

namespace tessera {

std::string draw_bar(double fraction, int cells) {
    constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int units = int(std::lround(std::clamp(fraction / bar_range, 0.0, 1.0) * cells * 8));
    const int rule = int(std::lround(cells / bar_range)); // the cell that begins at 1
    std::string out;
    for (int cell = 0; cell < cells; ++cell) {
        const int filled = std::clamp(units - cell * 8, 0, 8);
        if (filled == 8)
            out += cell + 1 == cells && fraction > bar_range ? "▶" : "█";
        else if (filled > 0)
            out += eighths[filled];
        else
            out += cell == rule ? "│" : " ";
    }
    return out;
}

std::string draw_svg(const BarChart& chart) {
    constexpr double margin = 28, row_height = 24, scale = 300; // pixels; scale: of a fraction of 1
    double longest = 1, label = 0;
    for (const Bar& b : chart.bars) {
        longest = std::max(longest, b.fraction);
        label = std::max(label, svg::glyph * double(b.label.size()));
    }
    longest = std::min(longest, 4.0); // longer bars are cut; the number beside them is exact
    std::string body;
    double y = margin + 20, width = 12.5 * double(chart.title.size());
    svg::text(body, margin, y, "title", chart.title);
    for (const std::string& fact : chart.facts) {
        y += 21;
        svg::text(body, margin, y, "fact", fact);
        width = std::max(width, svg::glyph * double(fact.size()));
    }
    y += 40;
    const double left = margin + label + 12, one = left + scale, top = y;
    svg::text(body, one, top - 8, "rule", chart.rule);
    for (const Bar& b : chart.bars) {
        const double length = scale * std::clamp(b.fraction, 0.0, longest);
        // Green from 1 on, by way of yellow from red at 0.
        const Color color = oklch(0.78, 0.13, 25 + 125 * std::clamp(b.fraction, 0.0, 1.0));
        svg::text(body, left - 8, y + 16, "label", b.label);
        body += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" "
                            "fill=\"{}\"/>\n",
                            left, y + 3, length, row_height - 6, svg::hex(color));
        svg::text(body, left + length + 6, y + 16, "number", fmt::format("{:.2f}", b.fraction));
        y += row_height;
    }
    body += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#1c2230\" "
                        "stroke-dasharray=\"3 3\"/>\n",
                        one, top - 2, y + 2);
    width = std::max(width + 2 * margin, left + scale * longest + 60 + margin);
    return svg::document(width, y + margin, body,
                         ".label { text-anchor: end }\n.rule { text-anchor: middle; fill: #5b6472 }\n"
                         ".number { fill: #3b4352 }\n");
}

} // namespace tessera
