// SPDX-License-Identifier: Apache-2.0
// The picture as text, with 24-bit colours behind the cells where the terminal has colours.
#include "drawing/picture.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terminal.hpp"

namespace tessera {
namespace {

size_t widest(const PicturePanel& panel) {
    size_t width = 1;
    for (const std::string& c : panel.columns) width = std::max(width, c.size());
    for (const PictureRow& row : panel.rows)
        for (const PictureCell& cell : row.cells) width = std::max(width, cell.text.size());
    return width;
}

std::string painted(const std::string& text, const Color& c, bool color) {
    if (!color) return text;
    return fmt::format("\033[48;2;{};{};{}m\033[38;2;20;20;30m{}\033[0m", c.red, c.green, c.blue, text);
}

std::string draw_cell(const PictureCell& cell, size_t width, bool color) {
    if (cell.kind == PictureCell::element) return painted(fmt::format(" {:>{}} ", cell.text, width), cell.color, color);
    const std::string dot = cell.kind == PictureCell::padding ? "·" : " ";
    return styled(fmt::format(" {}{} ", std::string(width - 1, ' '), dot), Style::dim, color);
}

void draw_panel(std::string& out, const PicturePanel& panel, bool color) {
    const size_t width = widest(panel);
    size_t label = 6;
    for (const PictureRow& row : panel.rows) label = std::max(label, row.label.size());
    out += fmt::format("\n{}  {}\n", styled(panel.title, Style::strong, color), panel.caption);
    if (!panel.columns.empty()) {
        std::string head(label, ' ');
        for (const std::string& c : panel.columns) head += fmt::format(" {:>{}} ", c, width);
        out += styled(head, Style::dim, color) + "\n";
    }
    for (const PictureRow& row : panel.rows) {
        if (row.separated) out += "\n";
        out += styled(fmt::format("{:>{}}", row.label, label), Style::dim, color);
        for (const PictureCell& cell : row.cells) out += draw_cell(cell, width, color);
        if (!row.note.empty()) out += styled("  " + row.note, Style::dim, color);
        out += "\n";
    }
    if (!panel.footnote.empty()) out += styled("... " + panel.footnote, Style::dim, color) + "\n";
}

} // namespace

std::string draw_terminal(const Picture& picture, bool color) {
    std::string out = styled(picture.title, Style::strong, color) + "\n";
    for (const std::string& fact : picture.facts) out += fact + "\n";
    for (const PicturePanel& panel : picture.panels) draw_panel(out, panel, color);
    out += "\n";
    if (color) {
        out += picture.legend_title + " ";
        for (const LegendEntry& entry : picture.legend)
            out += painted(fmt::format(" {} ", entry.text), entry.color, true);
        out += "  ";
    }
    if (picture.has_padding) out += "·: padding, always zero  ";
    if (picture.has_gaps) out += "blank: memory that belongs to nobody";
    while (!out.empty() && out.back() == ' ') out.pop_back();
    if (out.back() != '\n') out += "\n";
    return out;
}

} // namespace tessera
