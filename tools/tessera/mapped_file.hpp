// Files as memory: MappedFile reads one, TemporaryFile becomes one.
//
// A TemporaryFile lies next to its target (a rename is atomic only within a file system) and is removed unless
// rename_to() moved it into place.
//
//   auto file = TemporaryFile::create("out.npy", 4096);   // out.npy.tmp-<pid>-<n>, 4096 bytes of zeros
//   std::memcpy(file->data(), ...);
//   file->close();                                        // the last point where a write error can show up
//   file->rename_to("out.npy");
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/status.hpp"

namespace tessera {

bool file_exists(const std::string& path);

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

    char* data() const { return static_cast<char*>(address_); }
    int64_t size() const { return size_; }

private:
    void swap(Mapping& other) noexcept {
        std::swap(address_, other.address_);
        std::swap(size_, other.size_);
    }
    void* address_ = nullptr;
    int64_t size_ = 0;
};

// The whole of a regular file, read-only. An empty file is an error, as there is nothing to map.
Result<Mapping> map_file(const std::string& path);

class TemporaryFile {
public:
    // `size` > 0 bytes, mapped for writing and reserved on the disk: a full disk is an error here and not a signal
    // while the bytes are written. `target` may exist only as a regular file.
    static Result<TemporaryFile> create(const std::string& target, int64_t size);

    TemporaryFile() = default;
    TemporaryFile(TemporaryFile&& other) noexcept { swap(other); }
    TemporaryFile& operator=(TemporaryFile&& other) noexcept {
        TemporaryFile(std::move(other)).swap(*this);
        return *this;
    }
    ~TemporaryFile();

    char* data() const { return mapping_.data(); }
    Result<void> close(); // unmaps; data() is null afterwards
    Result<void> rename_to(const std::string& target);

private:
    void swap(TemporaryFile& other) noexcept {
        std::swap(name_, other.name_);
        std::swap(file_, other.file_);
        std::swap(mapping_, other.mapping_);
    }
    std::string name_; // empty: nothing to remove
    int file_ = -1;
    Mapping mapping_;
};

} // namespace tessera
