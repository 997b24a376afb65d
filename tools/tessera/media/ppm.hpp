// SPDX-License-Identifier: Apache-2.0
// Photographs: binary PPM (P6) and PGM (P5) files with 8 bits a sample, as tensors of 1 x height x width x channels.
//
//   auto image = read_ppm("photo.ppm", file.text());   // Result; image->height 606, width 512, channels 3
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.hpp"

namespace tessera {

struct Image {
    int64_t height = 0, width = 0, channels = 0;
    const uint8_t* samples = nullptr; // within the file: rgbrgb..., row by row
};

// `file`: the whole file; the samples point into it. `name` is quoted in refusals.
Result<Image> read_ppm(const std::string& name, std::string_view file);

std::string ppm_header(const Image& image); // the bytes before its samples

} // namespace tessera
