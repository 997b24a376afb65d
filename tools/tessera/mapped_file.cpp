#include "mapped_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {
namespace {

std::string reason(int error) { return std::strerror(error); }

} // namespace

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Mapping::~Mapping() {
    if (address_) ::munmap(address_, static_cast<size_t>(size_));
}

Result<Mapping> map_file(const std::string& path) {
    // O_NONBLOCK: opening a pipe must not wait for its writer before it is refused; regular files ignore it.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return invalid("{}: cannot be opened: {}", path, reason(errno));
    struct Closer {
        int file;
        ~Closer() { ::close(file); }
    } closer{file};
    struct stat facts;
    if (::fstat(file, &facts) != 0) return runtime_error("{}: {}", path, reason(errno));
    if (!S_ISREG(facts.st_mode))
        return invalid("{}: is not a regular file; write a pipe or device into a file first", path);
    if (facts.st_size == 0) return invalid("{}: the file is empty", path);
    void* address = ::mmap(nullptr, static_cast<size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED)
        return runtime_error("{}: mapping {} bytes failed: {}", path, facts.st_size, reason(errno));
    return Mapping(address, facts.st_size);
}

Result<TemporaryFile> TemporaryFile::create(const std::string& target, int64_t size) {
    struct stat facts;
    if (::stat(target.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
        return invalid("{}: exists and is not a regular file; name a file", target);

    static std::atomic<int> counter{0};
    TemporaryFile result;
    do { // Created anew (O_EXCL) with the permissions of the user's umask, which mkstemp() would not give.
        result.name_ = fmt::format("{}.tmp-{}-{}", target, ::getpid(), counter++);
        result.file_ = ::open(result.name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (result.file_ < 0 && errno == EEXIST);
    if (result.file_ < 0) {
        const int error = errno;
        result.name_.clear();
        return invalid("{}: cannot be created: {}", target, reason(error));
    }
    int error = ::posix_fallocate(result.file_, 0, size);
    if (error == EOPNOTSUPP || error == EINVAL) error = ::ftruncate(result.file_, size) == 0 ? 0 : errno;
    if (error != 0) return runtime_error("{}: no room for {} bytes: {}", target, size, reason(error));
    void* address = ::mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, result.file_, 0);
    if (address == MAP_FAILED) return runtime_error("{}: mapping {} bytes failed: {}", target, size, reason(errno));
    result.mapping_ = Mapping(address, size);
    return result;
}

TemporaryFile::~TemporaryFile() {
    if (file_ >= 0) ::close(file_);
    if (!name_.empty()) ::unlink(name_.c_str());
}

Result<void> TemporaryFile::close() {
    mapping_ = Mapping();
    // Network file systems report a full quota only here.
    if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0) return runtime_error("{}: {}", name_, reason(errno));
    return {};
}

Result<void> TemporaryFile::rename_to(const std::string& target) {
    if (name_.empty()) return invalid("{}: nothing to put in place; it was already done", target);
    if (::rename(name_.c_str(), target.c_str()) != 0)
        return runtime_error("{}: cannot be replaced: {}", target, reason(errno));
    name_.clear();
    return {};
}

} // namespace tessera
