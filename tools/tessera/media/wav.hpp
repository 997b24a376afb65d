// SPDX-License-Identifier: Apache-2.0
// Recordings: RIFF WAVE files with 16-bit PCM samples, as s32 tensors of 1 x frames x channels (nwc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"

namespace tessera {

struct Recording {
    int64_t frames = 0, channels = 0;
    int64_t rate = 0;             // frames a second
    std::vector<int32_t> samples; // frame by frame, -32768..32767
};

// `text`: the whole file. `path` is quoted in refusals.
Result<Recording> read_wav(const std::string& path, std::string_view text);

} // namespace tessera
