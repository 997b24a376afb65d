// SPDX-License-Identifier: Apache-2.0
#include "loss_plot.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace digits {
namespace {

// Steps of a quarter of a tenfold around all losses; at() is 0 at the lower end and 1 at the upper.
struct Axis {
    static constexpr int steps_per_tenfold = 4;
    int lowest = 0, highest = 1; // steps; 0 is a loss of 1
    size_t epochs = 1;
    explicit Axis(const std::vector<Curve>& curves) {
        double least = std::numeric_limits<double>::infinity(), most = 0;
        for (const Curve& c : curves) {
            epochs = std::max(epochs, c.losses.size());
            for (double loss : c.losses) {
                least = std::min(least, bounded(loss));
                most = std::max(most, bounded(loss));
            }
        }
        lowest = int(std::floor(steps_per_tenfold * std::log10(least)));
        highest = std::max(lowest + 1, int(std::ceil(steps_per_tenfold * std::log10(most))));
    }
    int steps() const { return highest - lowest; }
    double at(double loss) const {
        return std::clamp((steps_per_tenfold * std::log10(bounded(loss)) - lowest) / steps(), 0.0, 1.0);
    }
    // The loss a number of steps below the upper end, if it is a power of ten.
    std::optional<double> tick(int steps_below) const {
        const int step = highest - steps_below;
        if (step % steps_per_tenfold != 0) return {};
        return std::pow(10, step / steps_per_tenfold);
    }

private:
    static double bounded(double loss) { return loss > 1e-6 ? std::min(loss, 1e6) : 1e-6; } // NaN lies at the lower end
};

std::string draw_terminal(const std::vector<Curve>& curves) {
    constexpr int columns = 60;
    const std::string several = "◉";
    const Axis axis(curves);
    const int rows = axis.steps() + 1;
    std::vector<std::vector<std::string>> cells(size_t(rows), std::vector<std::string>(columns, " "));
    for (const Curve& c : curves)
        for (size_t e = 0; e < c.losses.size(); ++e) {
            const auto row = size_t(std::lround((1 - axis.at(c.losses[e])) * (rows - 1)));
            std::string& cell = cells[row][axis.epochs < 2 ? 0 : e * (columns - 1) / (axis.epochs - 1)];
            cell = cell == " " || cell == c.mark ? c.mark : several;
        }
    std::string out = "  loss";
    for (const Curve& c : curves) out += fmt::format("   {} {}", c.mark, c.name);
    out += fmt::format("   {} several\n", several);
    for (int row = 0; row < rows; ++row) {
        const auto tick = axis.tick(row);
        out += fmt::format("{:>8} {}", tick ? fmt::format("{:g}", *tick) : "", tick ? "┤" : "│");
        for (const std::string& cell : cells[size_t(row)]) out += cell;
        out += '\n';
    }
    out += fmt::format("{:>8} └", "");
    for (int column = 0; column < columns; ++column) out += "─";
    return out + fmt::format("\n{:>10}1{:>{}} epochs\n", "", axis.epochs, columns - 1);
}

std::string draw_svg(const std::vector<Curve>& curves, const std::string& title) {
    constexpr double width = 720, height = 420, left = 64, right = 20, bottom = 48;
    const Axis axis(curves);
    const double top = 56 + 18 * double(curves.size());
    const auto x_of = [&](size_t epoch) {
        return left + (width - left - right) * (axis.epochs < 2 ? 0 : double(epoch) / double(axis.epochs - 1));
    };
    const auto y_of = [&](double loss) { return top + (height - top - bottom) * (1 - axis.at(loss)); };
    std::string body = fmt::format("<text x=\"24\" y=\"30\" class=\"title\">{}</text>\n", title);
    for (int step = 0; step <= axis.steps(); ++step) {
        const auto tick = axis.tick(step);
        if (!tick) continue;
        const double y = y_of(*tick);
        body += fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#e3e6eb\"/>\n"
                            "<text x=\"{}\" y=\"{:.1f}\" class=\"end\">{:g}</text>\n",
                            left, y, width - right, y, left - 8, y + 4, *tick);
    }
    double legend = 54;
    for (const Curve& c : curves) {
        body +=
            fmt::format("<rect x=\"24\" y=\"{}\" width=\"14\" height=\"10\" fill=\"{}\"/>\n"
                        "<text x=\"44\" y=\"{}\">{}</text>\n<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
                        "points=\"",
                        legend - 10, c.color, legend, c.name, c.color);
        for (size_t e = 0; e < c.losses.size(); ++e) body += fmt::format("{:.1f},{:.1f} ", x_of(e), y_of(c.losses[e]));
        body += "\"/>\n";
        legend += 18;
    }
    body += fmt::format("<text x=\"{}\" y=\"{}\">1</text>\n<text x=\"{}\" y=\"{}\" class=\"end\">{} epochs</text>\n",
                        left, height - 20, width - right, height - 20, axis.epochs);
    return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">
<style>text {{ font-family: "DejaVu Sans", "Helvetica", sans-serif; font-size: 12px; fill: #1c2230 }}
.title {{ font-size: 17px; font-weight: bold }} .end {{ text-anchor: end }}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
{2}</svg>
)",
                       width, height, body);
}

} // namespace

void show(const std::vector<Curve>& curves, const std::string& svg, const std::string& title) {
    fmt::print("{}", draw_terminal(curves));
    if (svg.empty()) return;
    std::ofstream picture(svg);
    picture << draw_svg(curves, title);
    if (!picture.flush()) throw std::runtime_error(fmt::format("cannot write '{}'; does its folder exist?", svg));
}

} // namespace digits
