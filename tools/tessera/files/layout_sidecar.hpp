// SPDX-License-Identifier: Apache-2.0
// The sidecar of a .npy file, `<file>.layout.json`: the layout that the .npy header cannot say. What the program writes
// carries a checksum of the data, so that a sidecar that an older file left behind is not believed; one that is written
// by hand needs none.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "files/npy.hpp"

namespace tessera {

std::string sidecar_path(const std::string& path);

// Members missing from the text are absent here. Checked: types are known, at most 12 dims, as many strides as dims,
// nothing negative. Not checked: whether they fit the payload.
struct Sidecar {
    std::optional<std::vector<int64_t>> dims, strides;
    std::optional<DataType> type;
    std::string tag;
    std::optional<uint64_t> checksum; // of the data that it was written with
};
Result<Sidecar> parse_sidecar(std::string_view json);
std::string make_sidecar(const NpyLayout& layout, uint64_t checksum);
uint64_t checksum_of(std::span<const char> data); // 4 words at a time: as fast as memory is read

// Elements from the first to the last of a plain layout, 0 without elements.
Result<int64_t> span_of(const NpyLayout& layout);

} // namespace tessera
