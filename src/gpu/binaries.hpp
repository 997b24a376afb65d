// SPDX-License-Identifier: Apache-2.0
// Compiled programs as bytes, with the sources they were compiled from: blobs for the caller (CCH-03), and files in a
// cache folder. The bytes carry a version, the device and driver, and a checksum. Files that do not fit are compiled
// anew, so that nobody has to look after the folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/status.hpp"

namespace tessera::gpu {

using Bytes = std::vector<uint8_t>;
using Binaries = std::map<std::string, Bytes>; // by source

Bytes to_blob(const std::string& device, const Binaries& programs);
// Refuses bytes of another device, driver or version, and damaged ones.
Result<Binaries> from_blob(const std::string& device, std::span<const uint8_t> blob);

// TESSERA_OPENCL_CACHE, or tessera/opencl below XDG_CACHE_HOME or ~/.cache; "" where it says "off" or there is none.
std::string cache_folder();
std::optional<Bytes> find_on_disk(const std::string& folder, const std::string& device, const std::string& source);
// Failures are silent: the next process compiles again. A full folder loses its oldest files.
void keep_on_disk(const std::string& folder, const std::string& device, const std::string& source, const Bytes& binary);

} // namespace tessera::gpu
