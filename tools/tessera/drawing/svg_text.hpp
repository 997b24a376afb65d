// SPDX-License-Identifier: Apache-2.0
// What all SVG pictures share: escaped text, colours, and the document with its style. No scripts, no external fonts.
#pragma once

#include <string>

#include <fmt/format.h>

#include "drawing/picture.hpp"

namespace tessera::svg {

inline constexpr double glyph = 7.3; // pixels; a monospace glyph of 12 px is 7.2 wide

inline std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text)
        if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '&')
            out += "&amp;";
        else
            out += c;
    return out;
}

inline std::string hex(const Color& c) { return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue); }

inline void text(std::string& out, double x, double y, const char* style, const std::string& content) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style, escaped(content));
}

// `style` adds to the classes title, note and fact.
inline std::string document(double width, double height, const std::string& body, const std::string& style) {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}">
<style>
text {{ font-family: "DejaVu Sans Mono", "Menlo", "Consolas", monospace; font-size: 12px; fill: #1c2230 }}
.title {{ font-family: "DejaVu Sans", "Helvetica", sans-serif; font-size: 21px; font-weight: bold }}
.note {{ font-family: "DejaVu Sans", "Helvetica", sans-serif; font-size: 12px; fill: #5b6472 }}
.fact {{ fill: #3b4352 }}
{2}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
{3}</svg>
)",
        width, height, style, body);
}

} // namespace tessera::svg
