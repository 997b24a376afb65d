// SPDX-License-Identifier: Apache-2.0
// The picture as SVG: panels side by side, no scripts, no external fonts.
#include "drawing/picture.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "drawing/svg_text.hpp"

namespace tessera {
namespace {

using svg::glyph;
using svg::hex;
using svg::text;

// Pixels.
constexpr double margin = 28, cell_height = 24, gap = 2, separation = 8, panel_gap = 48;

struct PanelSize {
    double cell, label, note, width, height;
};

PanelSize measure(const PicturePanel& panel) {
    size_t cell = 2, label = 3, note = 0;
    for (const std::string& c : panel.columns) cell = std::max(cell, c.size());
    int separations = 0;
    for (const PictureRow& row : panel.rows) {
        label = std::max(label, row.label.size());
        note = std::max(note, row.note.size());
        separations += row.separated;
        for (const PictureCell& c : row.cells) cell = std::max(cell, c.text.size());
    }
    PanelSize size;
    size.cell = glyph * double(cell) + 12;
    size.label = glyph * double(label) + 12;
    size.note = note > 0 ? glyph * double(note) + 12 : 0;
    const double grid = size.label + double(panel.columns.size()) * (size.cell + gap) + size.note;
    size.width = std::max({grid, 6.4 * double(panel.caption.size()), 6.4 * double(panel.footnote.size())});
    size.height = 70 + double(panel.rows.size()) * (cell_height + gap) + separations * separation +
                  (panel.footnote.empty() ? 0 : 24);
    return size;
}

void draw_cell(std::string& out, const PictureCell& cell, double x, double y, double width) {
    if (cell.kind == PictureCell::gap) {
        out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"3\" class=\"gap\"/>\n",
                           x, y, width, cell_height);
        return;
    }
    if (cell.kind == PictureCell::padding) {
        out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"3\" class=\"pad\"/>"
                           "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"1.8\" fill=\"#b3b8c2\"/>\n",
                           x + .5, y + .5, width - 1, cell_height - 1, x + width / 2, y + cell_height / 2);
        return;
    }
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"3\" fill=\"{}\"/>", x, y,
                       width, cell_height, hex(cell.color));
    text(out, x + width / 2, y + 16, "cell", cell.text);
}

void draw_panel(std::string& out, const PicturePanel& panel, const PanelSize& size, double x, double y) {
    text(out, x, y + 14, "panel", panel.title);
    text(out, x, y + 34, "note", panel.caption);
    y += 60;
    for (size_t c = 0; c < panel.columns.size(); ++c)
        text(out, x + size.label + double(c) * (size.cell + gap) + size.cell / 2, y - 6, "head", panel.columns[c]);
    for (const PictureRow& row : panel.rows) {
        if (row.separated) y += separation;
        text(out, x + size.label - 8, y + 16, "label", row.label);
        double at = x + size.label;
        for (const PictureCell& cell : row.cells) {
            draw_cell(out, cell, at, y, size.cell);
            at += size.cell + gap;
        }
        if (!row.note.empty()) text(out, at + 8, y + 16, "rownote", row.note);
        y += cell_height + gap;
    }
    if (!panel.footnote.empty()) text(out, x + size.label, y + 18, "note", panel.footnote);
}

// Answers the width it took.
double draw_legend(std::string& out, const Picture& picture, double x, double y) {
    text(out, x, y + 16, "note", picture.legend_title);
    double at = x + 6.4 * double(picture.legend_title.size()) + 14;
    for (const LegendEntry& entry : picture.legend) {
        const double width = glyph * double(entry.text.size()) + 12;
        draw_cell(out, {PictureCell::element, entry.text, entry.color}, at, y, width);
        at += width + gap;
    }
    const auto sample = [&](PictureCell::Kind kind, const std::string& meaning) {
        at += 18;
        draw_cell(out, {kind, "", {}}, at, y, 26);
        text(out, at + 34, y + 16, "note", meaning);
        at += 34 + 6.4 * double(meaning.size());
    };
    if (picture.has_padding) sample(PictureCell::padding, "padding, always zero");
    if (picture.has_gaps) sample(PictureCell::gap, "memory of nobody");
    return at - x;
}

} // namespace

std::string draw_svg(const Picture& picture) {
    std::string body;
    double y = margin + 20;
    text(body, margin, y, "title", picture.title);
    double width = 12.5 * double(picture.title.size());
    for (const std::string& fact : picture.facts) {
        y += 21;
        text(body, margin, y, "fact", fact);
        width = std::max(width, glyph * double(fact.size()));
    }
    y += 30;
    double x = margin, height = 0;
    for (const PicturePanel& panel : picture.panels) {
        const PanelSize size = measure(panel);
        draw_panel(body, panel, size, x, y);
        x += size.width + panel_gap;
        height = std::max(height, size.height);
    }
    width = std::max(width, x - panel_gap - margin);
    y += height + 12;
    width = std::max(width, draw_legend(body, picture, margin, y));
    y += cell_height + margin;
    width += 2 * margin;

    return svg::document(width, y, body,
                         R"(
.panel { font-family: "DejaVu Sans", "Helvetica", sans-serif; font-size: 15px; font-weight: bold }
.cell { text-anchor: middle }
.head { text-anchor: middle; font-size: 11px; fill: #8a93a2 }
.label { text-anchor: end; fill: #8a93a2 }
.rownote { fill: #5b6472 }
.pad { fill: #ffffff; stroke: #d5d9e0 }
.gap { fill: #eceef2 }
)");
}

} // namespace tessera
