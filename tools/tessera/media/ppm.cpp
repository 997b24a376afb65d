// SPDX-License-Identifier: Apache-2.0
// Header: magic, width, height, largest sample, separated by white space and # comments, then one white space.
#include "media/ppm.hpp"

#include <cctype>
#include <optional>

namespace tessera {
namespace {

// Removes a number and the white space after it from the front.
std::optional<int64_t> header_number(std::string_view& text) {
    const auto is = [&](auto test) { return !text.empty() && test(static_cast<unsigned char>(text[0])); };
    const auto space = [](int c) { return std::isspace(c) != 0; };
    const auto digit = [](int c) { return std::isdigit(c) != 0; };
    while (is(space) || is([](int c) { return c == '#'; }))
        text.remove_prefix(text[0] == '#' ? std::min(text.find('\n'), text.size() - 1) + 1 : 1);
    int64_t value = 0;
    int digits = 0;
    for (; is(digit) && digits < 9; ++digits, text.remove_prefix(1)) value = value * 10 + (text[0] - '0');
    if (digits == 0 || !is(space)) return std::nullopt;
    text.remove_prefix(1);
    return value;
}

} // namespace

Result<Image> read_ppm(const std::string& name, std::string_view file) {
    const bool color = file.starts_with("P6");
    if (!color && !file.starts_with("P5"))
        return invalid("{}: not a binary PPM or PGM file (they begin with P6 or P5); djpeg -pnm makes one of a JPEG",
                       name);
    file.remove_prefix(2);
    const auto width = header_number(file), height = header_number(file), largest = header_number(file);
    if (!width || !height || !largest)
        return invalid("{}: the header breaks off or holds something not a number", name);
    if (*width == 0 || *height == 0) return invalid("{}: an image of {} x {} pixels", name, *width, *height);
    if (*largest != 255) return invalid("{}: samples up to {}; only 8-bit files (255) are read", name, *largest);
    const Image image{*height, *width, color ? 3 : 1, reinterpret_cast<const uint8_t*>(file.data())};
    const int64_t wanted = image.width * image.height * image.channels; // below 3e18
    if (int64_t(file.size()) < wanted)
        return invalid("{}: {} x {} pixels need {:byte}, the file has {}", name, image.width, image.height,
                       counted(wanted), file.size());
    return image;
}

std::string ppm_header(const Image& image) {
    return fmt::format("P{}\n{} {}\n255\n", image.channels == 3 ? 6 : 5, image.width, image.height);
}

} // namespace tessera
