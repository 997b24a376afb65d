// Pictures written to files, by the commands that draw.
#pragma once

#include <cstdio>
#include <fstream>

#include "core/status.hpp"

namespace tessera::commands {

// Through a temporary file: a picture is there whole or not at all.
inline Result<void> save_picture(const std::string& path, const std::string& text) {
    const std::string temporary = path + ".tmp";
    std::ofstream out(temporary, std::ios::binary);
    out << text;
    out.close();
    if (out && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
    std::remove(temporary.c_str());
    return runtime_error("{}: cannot be written", path);
}

} // namespace tessera::commands
