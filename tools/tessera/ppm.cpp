// Header: magic, width, height, largest sample, separated by white space and # comments, then one white space.
#include "ppm.hpp"

#include <cctype>
#include <cstdio>
#include <fstream>
#include <optional>

namespace tessera {
namespace {

std::optional<int64_t> header_number(std::istream& in) {
    int c = in.get();
    while (std::isspace(c) || c == '#') {
        if (c == '#')
            while (c != '\n' && c != EOF) c = in.get();
        c = in.get();
    }
    int64_t value = 0;
    int digits = 0;
    for (; std::isdigit(c) && digits < 9; ++digits, c = in.get()) value = value * 10 + (c - '0');
    if (digits == 0 || !std::isspace(c)) return std::nullopt; // the white space behind a number belongs to it
    return value;
}

} // namespace

Result<Image> read_ppm(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return invalid("{}: cannot be opened", path);
    char magic[2] = {};
    in.read(magic, 2);
    if (magic[0] != 'P' || (magic[1] != '5' && magic[1] != '6'))
        return invalid("{}: not a binary PPM or PGM file (they begin with P6 or P5); djpeg -pnm makes one of a JPEG",
                       path);
    const auto width = header_number(in), height = header_number(in), largest = header_number(in);
    if (!width || !height || !largest)
        return invalid("{}: the header breaks off or holds something not a number", path);
    if (*width == 0 || *height == 0) return invalid("{}: an image of {} x {} pixels", path, *width, *height);
    if (*largest != 255) return invalid("{}: samples up to {}; only 8-bit files (255) are read", path, *largest);
    Image image;
    image.width = *width;
    image.height = *height;
    image.channels = magic[1] == '6' ? 3 : 1;
    // The file has to hold what its header promises before anything is allocated for it.
    const int64_t wanted = image.width * image.height * image.channels; // below 3e18
    const auto start = in.tellg();
    in.seekg(0, std::ios::end);
    const int64_t present = int64_t(in.tellg() - start);
    if (present < wanted)
        return invalid("{}: {} x {} pixels need {} bytes, the file has {}", path, image.width, image.height, wanted,
                       present);
    in.seekg(start);
    image.samples.resize(size_t(wanted));
    in.read(reinterpret_cast<char*>(image.samples.data()), wanted);
    if (!in) return invalid("{}: cannot be read to its end", path);
    return image;
}

Result<void> write_ppm(const std::string& path, const Image& image) {
    const std::string temporary = path + ".tmp";
    std::ofstream out(temporary, std::ios::binary);
    out << fmt::format("P{}\n{} {}\n255\n", image.channels == 3 ? 6 : 5, image.width, image.height);
    out.write(reinterpret_cast<const char*>(image.samples.data()), std::streamsize(image.samples.size()));
    out.close();
    if (!out || std::rename(temporary.c_str(), path.c_str()) != 0) {
        std::remove(temporary.c_str());
        return runtime_error("{}: cannot be written", path);
    }
    return {};
}

} // namespace tessera
