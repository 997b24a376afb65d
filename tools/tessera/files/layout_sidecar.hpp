// The sidecar of a .npy file, `<file>.layout.json`: the layout that the .npy header cannot say.
#pragma once

#include <optional>
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
};
Result<Sidecar> parse_sidecar(std::string_view json);
std::string make_sidecar(const NpyLayout& layout);

// Elements from the first to the last of a plain layout, 0 without elements.
Result<int64_t> span_of(const NpyLayout& layout);

} // namespace tessera
