// SPDX-License-Identifier: Apache-2.0
#include "gpu/binaries.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tessera::gpu {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t mark = 0x314b4c4341534554; // "TESACLK1" from its first byte; another format gets another digit
constexpr size_t most_files = 1024;           // of a cache folder: about 128 MB

// FNV-1a: detects accidents.
uint64_t checksum(std::span<const uint8_t> bytes, uint64_t hash = 0xcbf29ce484222325u) {
    for (const uint8_t b : bytes) hash = (hash ^ b) * 0x100000001b3u;
    return hash;
}
std::span<const uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void put(Bytes& to, uint64_t number) {
    for (int i = 0; i < 64; i += 8) to.push_back(uint8_t(number >> i));
}
void put(Bytes& to, std::span<const uint8_t> bytes) {
    put(to, bytes.size());
    to.insert(to.end(), bytes.begin(), bytes.end());
}

// Reads what put() wrote; nothing is read behind the end.
class Reader {
public:
    explicit Reader(std::span<const uint8_t> from) : from_(from) {}
    std::optional<uint64_t> number() {
        if (from_.size() < 8) return std::nullopt;
        uint64_t n = 0;
        for (size_t i = 0; i < 8; ++i) n |= uint64_t(from_[i]) << (8 * i);
        from_ = from_.subspan(8);
        return n;
    }
    std::optional<std::span<const uint8_t>> bytes() {
        const auto count = number();
        if (!count || *count > from_.size()) return std::nullopt;
        const auto taken = from_.first(size_t(*count));
        from_ = from_.subspan(size_t(*count));
        return taken;
    }

private:
    std::span<const uint8_t> from_;
};

// Whether all is there that the numbers in front of it announce, behind the mark.
bool holds_all(Reader reader) {
    if (!reader.bytes()) return false;
    const auto count = reader.number();
    for (uint64_t i = 0; i < count.value_or(0); ++i)
        if (!reader.bytes() || !reader.bytes()) return false;
    return count.has_value();
}

fs::path file_of(const std::string& folder, const std::string& device, const std::string& source) {
    return fs::path(folder) / fmt::format("{:016x}.bin", checksum(bytes_of(source), checksum(bytes_of(device))));
}

void make_room(const std::string& folder) {
    std::error_code ignored;
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
        if (at->path().extension() == ".bin") files.emplace_back(at->last_write_time(ignored), at->path());
    }
    if (files.size() < most_files) return;
    std::ranges::sort(files);
    for (size_t i = 0; i < files.size() / 2; ++i) fs::remove(files[i].second, ignored);
}

} // namespace

Bytes to_blob(const std::string& device, const Binaries& programs) {
    Bytes blob;
    put(blob, mark);
    put(blob, bytes_of(device));
    put(blob, programs.size());
    for (const auto& [source, binary] : programs) put(blob, bytes_of(source)), put(blob, binary);
    put(blob, checksum(blob));
    return blob;
}

Result<Binaries> from_blob(const std::string& device, std::span<const uint8_t> blob) {
    const auto cut_off = [&] {
        return invalid("the cache blob is cut off after {:byte}; store as many as its first call said",
                       counted(blob.size()));
    };
    if (blob.size() < 16) return cut_off();
    const auto content = blob.first(blob.size() - 8);
    Reader reader(content);
    if (const auto start = reader.number(); *start != mark)
        return invalid("the cache blob has the format {:#x}, this library's {:#x}; compile anew and store that", *start,
                       mark);
    if (const uint64_t stored = *Reader(blob.last(8)).number(), computed = checksum(content); stored != computed) {
        if (!holds_all(reader)) return cut_off();
        return invalid("the cache blob of {:byte} is damaged: its checksum is {:#x}, that of its contents {:#x}; "
                       "compile anew",
                       counted(blob.size()), stored, computed);
    }
    const auto of = reader.bytes();
    if (!of) return cut_off();
    if (!std::ranges::equal(*of, bytes_of(device)))
        return invalid("the cache blob is of another device or driver ({}) than this one ({})",
                       std::string(of->begin(), of->end()), device);
    Binaries programs;
    const auto count = reader.number();
    for (uint64_t i = 0; i < count.value_or(0); ++i) {
        const auto source = reader.bytes(), binary = reader.bytes();
        if (!source || !binary) return cut_off();
        programs[std::string(source->begin(), source->end())] = Bytes(binary->begin(), binary->end());
    }
    return programs;
}

std::string cache_folder() {
    if (const char* asked = std::getenv("TESSERA_OPENCL_CACHE")) return std::strcmp(asked, "off") == 0 ? "" : asked;
    if (const char* caches = std::getenv("XDG_CACHE_HOME"); caches && *caches)
        return (fs::path(caches) / "tessera/opencl").string();
    if (const char* home = std::getenv("HOME"); home && *home)
        return (fs::path(home) / ".cache/tessera/opencl").string();
    return "";
}

std::optional<Bytes> find_on_disk(const std::string& folder, const std::string& device, const std::string& source) {
    if (folder.empty()) return std::nullopt;
    std::ifstream file(file_of(folder, device, source), std::ios::binary);
    if (!file) return std::nullopt;
    const Bytes blob{std::istreambuf_iterator<char>(file), {}};
    auto programs = from_blob(device, blob);
    if (!programs) return std::nullopt;
    const auto at = programs->find(source); // another source may have the same checksum
    if (at == programs->end()) return std::nullopt;
    return std::move(at->second);
}

void keep_on_disk(const std::string& folder, const std::string& device, const std::string& source,
                  const Bytes& binary) {
    if (folder.empty()) return;
    std::error_code error;
    if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
    make_room(folder);
    const fs::path to = file_of(folder, device, source);
    const fs::path unfinished = to.string() + fmt::format(".{}", getpid()); // renamed, so that nobody reads half of it
    const Bytes blob = to_blob(device, {{source, binary}});
    std::ofstream file(unfinished, std::ios::binary);
    file.write(reinterpret_cast<const char*>(blob.data()), std::streamsize(blob.size()));
    file.close();
    if (file) fs::rename(unfinished, to, error);
    if (!file || error) fs::remove(unfinished, error);
}

} // namespace tessera::gpu
