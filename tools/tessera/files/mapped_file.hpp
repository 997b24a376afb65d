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

bool file_exists(const std::string& path);

// "-", and names of what is no regular file: bytes pass once, and nothing can lie beside them. So does what /dev and
// /proc name (but for /dev/shm, whose files are files): behind /dev/stdout may be a file that others write, too.
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

// The whole of a file. An empty one is an error, as there is nothing to map.
Result<Mapping> map_file(const std::string& path);

} // namespace tessera
