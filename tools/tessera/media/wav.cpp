// SPDX-License-Identifier: Apache-2.0
// Walks the chunks of a RIFF file: "fmt " says how samples are stored, "data" holds them; others are skipped.
#include "media/wav.hpp"

namespace tessera {
namespace {

struct Bytes {
    std::string_view data;
    uint32_t at(size_t offset, size_t width) const {
        uint32_t value = 0;
        for (size_t i = 0; i < width; ++i) value |= uint32_t(uint8_t(data[offset + i])) << (8 * i);
        return value;
    }
};

} // namespace

Result<Recording> read_wav(const std::string& path, std::string_view text) {
    const Bytes file{text};
    if (text.size() < 12 || file.data.substr(0, 4) != "RIFF" || file.data.substr(8, 4) != "WAVE")
        return invalid("{}: not a WAVE file", path);
    Recording recording;
    uint32_t format = 0, width = 0;
    bool described = false;
    for (size_t at = 12; at + 8 <= text.size();) {
        const std::string_view name = file.data.substr(at, 4);
        const size_t size = file.at(at + 4, 4), body = at + 8;
        if (size > text.size() - body)
            return invalid("{}: chunk '{}' of {} bytes ends behind the file", path, name, size);
        if (name == "fmt " && size >= 16) {
            described = true;
            format = file.at(body, 2);
            recording.channels = file.at(body + 2, 2);
            recording.rate = file.at(body + 4, 4);
            width = file.at(body + 14, 2);
        }
        if (name == "data") {
            if (!described) return invalid("{}: no 'fmt ' chunk of 16 bytes or more before the samples", path);
            if (format != 1 || width != 16)
                return invalid("{}: samples of format {} with {} bits; only PCM (1) with 16 bits is read", path, format,
                               width);
            if (recording.channels == 0)
                return invalid("{}: its 'fmt ' chunk says 0 channels; a recording has at least 1", path);
            recording.frames = int64_t(size) / 2 / recording.channels;
            recording.samples.reserve(size_t(recording.frames * recording.channels));
            for (int64_t i = 0; i < recording.frames * recording.channels; ++i)
                recording.samples.push_back(int16_t(uint16_t(file.at(body + size_t(2 * i), 2))));
            return recording;
        }
        at = body + size + size % 2;
    }
    return invalid("{}: no samples in the file", path);
}

} // namespace tessera
