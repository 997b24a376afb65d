// SPDX-License-Identifier: Apache-2.0
// Files as memory, read-only: a regular file is mapped; what has no length (a pipe, a device, "-" for the standard
// input) is read to its end.
//
//   auto file = map_file("in.npy");   // Result: file->data(), file->size(); file->text() as characters
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/status.hpp"

namespace tessera {

std::string reason_of(int error); // what the system says of an errno
bool file_exists(const std::string& path);

// Whether a path is a stream: "-", or no regular file. Its bytes pass once, and it has no sidecar. Names under /dev and
// /proc count as streams (except /dev/shm), because /dev/stdout may be a file that others write to as well.
bool is_stream(const std::string& path);

// Owns an mmap() region. Move only.
class Mapping {
public:
    Mapping() = default;
    Mapping(void* address, int64_t size) : address_(address), size_(size) {}
    Mapping(Mapping&& other) noexcept { swap(other); }
    Mapping& operator=(Mapping&& other) noexcept {
        Mapping(std::move(other)).swap(*this);
        return *this;
    }
    ~Mapping();

    // `size` > 0 bytes of zeros.
    static Result<Mapping> of_memory(int64_t size);
    Result<void> grow_to(int64_t size); // of memory; data() may move

    char* data() const { return static_cast<char*>(address_); }
    int64_t size() const { return size_; }
    std::string_view text() const { return {data(), static_cast<size_t>(size_)}; }

private:
    void swap(Mapping& other) noexcept {
        std::swap(address_, other.address_);
        std::swap(size_, other.size_);
    }
    void* address_ = nullptr;
    int64_t size_ = 0;
};

// Maps a whole file. An empty file is an error.
Result<Mapping> map_file(const std::string& path);

} // namespace tessera
