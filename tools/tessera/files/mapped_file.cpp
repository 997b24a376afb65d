// SPDX-License-Identifier: Apache-2.0
#include "files/mapped_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {
namespace {

Result<Mapping> read_to_end(const std::string& path, int file) {
    auto read = Mapping::of_memory(1 << 20);
    int64_t size = 0;
    while (read) {
        if (size == read->size())
            if (auto grown = read->grow_to(2 * size); !grown) return Refusal(grown.error());
        const ssize_t n = ::read(file, read->data() + size, static_cast<size_t>(read->size() - size));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return runtime_error("{}: cannot be read: {}", path, reason_of(errno));
        if (n == 0) break;
        size += n;
    }
    if (!read) return read;
    if (size == 0) return invalid("{}: nothing came; a tensor was expected", path);
    if (auto cut = read->grow_to(size); !cut) return Refusal(cut.error());
    return read;
}

} // namespace

std::string reason_of(int error) { return std::strerror(error); }

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool is_stream(const std::string& path) {
    if (path == "-" || path.starts_with("/proc/")) return true;
    if (path.starts_with("/dev/")) return !path.starts_with("/dev/shm/");
    struct stat facts;
    return ::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

Mapping::~Mapping() {
    if (address_) ::munmap(address_, static_cast<size_t>(size_));
}

Result<Mapping> Mapping::of_memory(int64_t size) {
    void* address =
        ::mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) return out_of_memory("not enough memory for {} bytes", size);
    return Mapping(address, size);
}

Result<void> Mapping::grow_to(int64_t size) {
    void* address = ::mremap(address_, static_cast<size_t>(size_), static_cast<size_t>(size), MREMAP_MAYMOVE);
    if (address == MAP_FAILED) return out_of_memory("not enough memory for {} bytes", size);
    address_ = address;
    size_ = size;
    return {};
}

Result<Mapping> map_file(const std::string& path) {
    const bool standard = path == "-";
    const int file = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return invalid("{}: cannot be opened: {}", path, reason_of(errno));
    struct Closer {
        int file;
        ~Closer() {
            if (file != STDIN_FILENO) ::close(file);
        }
    } closer{file};
    struct stat facts;
    if (::fstat(file, &facts) != 0) return runtime_error("{}: {}", path, reason_of(errno));
    if (S_ISDIR(facts.st_mode)) return invalid("{}: is a folder and not a regular file; name a file", path);
    // If others have read from the standard input before, only the rest is ours.
    if (!S_ISREG(facts.st_mode) || (standard && ::lseek(file, 0, SEEK_CUR) != 0)) return read_to_end(path, file);
    if (facts.st_size == 0) return invalid("{}: the file is empty", path);
    void* address = ::mmap(nullptr, static_cast<size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED)
        return runtime_error("{}: mapping {} bytes failed: {}", path, facts.st_size, reason_of(errno));
    return Mapping(address, facts.st_size);
}

} // namespace tessera
