// SPDX-License-Identifier: Apache-2.0
// Pictures written to files, by the commands that draw.
#pragma once

#include <cstring>

#include "files/new_file.hpp"

namespace tessera::commands {

// Whole or not at all; "-" is the standard output.
inline Result<void> save_picture(const std::string& path, const std::string& text) {
    auto file = NewFile::create(path, int64_t(text.size()));
    if (!file) return Refusal(file.error());
    std::memcpy(file->data(), text.data(), text.size());
    if (auto ok = file->close(); !ok) return ok;
    return file->put_in_place();
}

} // namespace tessera::commands
