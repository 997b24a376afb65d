// SPDX-License-Identifier: Apache-2.0
#include "api/interop/blob.hpp"

#include <algorithm>

#include "oneapi/dnnl/dnnl.h"

namespace tessera {

namespace {

std::vector<uint8_t> version() {
    const dnnl_version_t* v = dnnl_version();
    const std::string text = fmt::format("{}.{}.{} {}\n", v->major, v->minor, v->patch, v->hash);
    return {text.begin(), text.end()};
}

} // namespace

std::vector<uint8_t> blob_id(std::span<const uint8_t> kernels_id) {
    std::vector<uint8_t> id = version();
    id.insert(id.end(), kernels_id.begin(), kernels_id.end());
    return id;
}

Result<std::vector<uint8_t>> blob_of(const Engine& engine, const Executable* executable) {
    auto kernels = engine.kernels(executable);
    if (!kernels) return kernels;
    std::vector<uint8_t> blob = version();
    blob.insert(blob.end(), kernels->begin(), kernels->end());
    return blob;
}

Result<void> add_blob(const Engine& engine, std::span<const uint8_t> blob) {
    if (engine.kernels_id().empty()) return engine.add_kernels(blob); // which says so
    const std::vector<uint8_t> start = version();
    if (blob.size() < start.size() || !std::ranges::equal(start, blob.first(start.size())))
        return invalid("the cache blob is of another version of the library, or none; compile anew and store that");
    return engine.add_kernels(blob.subspan(start.size()));
}

Result<void> hand_out(std::span<const uint8_t> bytes, size_t* size, uint8_t* to) {
    if (!to) {
        *size = bytes.size();
        return {};
    }
    if (*size < bytes.size())
        return invalid("room for {:byte}, and there are {}; a call with the bytes NULL says how many", counted(*size),
                       bytes.size());
    std::ranges::copy(bytes, to);
    *size = bytes.size();
    return {};
}

} // namespace tessera
