// Photographs: binary PPM (P6) and PGM (P5) files with 8 bits a sample, as tensors of 1 x height x width x channels.
//
//   auto image = read_ppm("photo.ppm");      // Result; image->height 606, width 512, channels 3, samples rgbrgb...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/status.hpp"

namespace tessera {

struct Image {
    int64_t height = 0, width = 0, channels = 0;
    std::vector<uint8_t> samples; // row by row, the channels of a pixel together
};

Result<Image> read_ppm(const std::string& path);
Result<void> write_ppm(const std::string& path, const Image& image); // whole or not at all

} // namespace tessera
