// SPDX-License-Identifier: Apache-2.0
// A layout as a picture: panels of coloured cells, drawn alike in a terminal and as SVG.
//
// Panel "memory": a row is contiguous memory; a cell shows the coordinates that vary along the row, the note the
// others. Panel "tensor": one slice of the tensor by coordinates; a cell shows the offset in memory. Equal colours mean
// equal coordinates of the coloured dimension; if two dimensions are blocked, the second one changes the lightness.
#pragma once

#include <string>
#include <vector>

#include "core/desc/memory_desc.hpp"

namespace tessera {

struct Color {
    uint8_t red = 255, green = 255, blue = 255;
};
// OKLCH to sRGB: equal steps of hue look equally different, and black text stays readable on all hues.
Color oklch(double lightness, double chroma, double hue_degrees);

struct PictureCell {
    enum Kind { element, padding, gap } kind = gap;
    std::string text;
    Color color;
};

struct PictureRow {
    std::string label;
    std::vector<PictureCell> cells;
    std::string note;
    bool separated = false; // drawn with a gap above, because the address jumps there
};

struct PicturePanel {
    std::string title, caption;
    std::vector<std::string> columns; // heads; none where there is only one column
    std::vector<PictureRow> rows;
    std::string footnote; // what was left out
};

struct LegendEntry {
    std::string text;
    Color color;
};

struct Picture {
    std::string title;
    std::vector<std::string> facts;
    std::vector<PicturePanel> panels;
    std::string legend_title;
    std::vector<LegendEntry> legend;
    bool has_padding = false, has_gaps = false;
};

struct PictureLimits {
    int row_cells = 16;   // longest row
    int rows = 32;        // most rows of a panel
    std::string color_by; // letters of one or two dims; empty: the blocked ones, else b
};

Result<Picture> make_picture(const MemoryDesc& md, const std::string& given_tag, const PictureLimits& limits);

std::string draw_terminal(const Picture& picture, bool color);
std::string draw_svg(const Picture& picture);

} // namespace tessera
