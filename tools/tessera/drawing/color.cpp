// SPDX-License-Identifier: Apache-2.0
// Bjoern Ottosson's OKLab, from its published matrices.
#include "drawing/picture.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

uint8_t encoded(double linear) {
    const double clamped = std::clamp(linear, 0.0, 1.0);
    const double gamma = clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055;
    return uint8_t(std::lround(gamma * 255));
}

} // namespace

Color oklch(double lightness, double chroma, double hue_degrees) {
    const double hue = hue_degrees * 3.14159265358979323846 / 180;
    const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return {encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

} // namespace tessera
