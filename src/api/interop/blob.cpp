// SPDX-License-Identifier: Apache-2.0
#include "api/interop/blob.hpp"

#include <algorithm>
#include <string>

#include "oneapi/dnnl/dnnl.h"

namespace tessera {

namespace {

std::string version() {
    const dnnl_version_t* v = dnnl_version();
    return fmt::format("{}.{}.{} {}", v->major, v->minor, v->patch, v->hash);
}

std::string subject(const Problem* problem) { return problem ? problem->text() : "an engine"; }

void put_line(std::vector<uint8_t>& to, const std::string& line) {
    to.insert(to.end(), line.begin(), line.end());
    to.push_back('\n');
}

// Takes a line of printable characters off the blob; "" if there is none.
std::string take_line(std::span<const uint8_t>& blob) {
    const auto end = std::ranges::find_if(blob, [](uint8_t c) { return c < ' ' || c > '~'; });
    if (end == blob.end() || *end != '\n') return "";
    std::string line(blob.begin(), end);
    blob = blob.subspan(line.size() + 1);
    return line;
}

} // namespace

std::vector<uint8_t> blob_id(std::span<const uint8_t> kernels_id) {
    std::vector<uint8_t> id;
    put_line(id, version());
    id.insert(id.end(), kernels_id.begin(), kernels_id.end());
    return id;
}

Result<std::vector<uint8_t>> blob_of(const Engine& engine, const Executable* executable, const Problem* problem) {
    auto kernels = engine.kernels(executable);
    if (!kernels) return kernels;
    std::vector<uint8_t> blob;
    put_line(blob, version());
    put_line(blob, subject(problem));
    blob.insert(blob.end(), kernels->begin(), kernels->end());
    return blob;
}

Result<void> add_blob(const Engine& engine, std::span<const uint8_t> blob, const Problem* problem) {
    if (engine.kernels_id().empty()) return engine.add_kernels(blob); // which says so
    std::span<const uint8_t> rest = blob;
    const std::string from = take_line(rest), of = take_line(rest);
    if (from.empty())
        return invalid("the {:byte} begin with no version of the library, as a cache blob does", counted(blob.size()));
    if (from != version())
        return invalid("the cache blob is of version {}, this library of {}; compile anew and store that", from,
                       version());
    if (of != subject(problem))
        return invalid("the cache blob is of {}, not of {}; its key finds the one that fits",
                       of.empty() ? "nothing, for it is cut off" : of, subject(problem));
    return engine.add_kernels(rest);
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
