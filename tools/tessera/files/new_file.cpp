// SPDX-License-Identifier: Apache-2.0
#include "files/new_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/unfinished_files.hpp"

namespace tessera {
namespace {

int reserved_output = -1;

// Where links from `name` lead, which may be a file that is not there yet.
std::string behind_links(const std::string& name) {
    std::filesystem::path path = name;
    for (int links = 0; links < 40; ++links) { // as many as the system follows
        std::error_code none;
        const std::filesystem::path next = std::filesystem::read_symlink(path, none);
        if (none) break;
        path = path.parent_path() / next; // `next` alone where it begins at the root
    }
    return path.string();
}

// Owner first: changing it clears bits of the mode. Who is not root cannot give files away, and keeps this one.
void copy_owner_and_mode(int file, const struct stat& from) {
    (void)!::fchown(file, from.st_uid, gid_t(-1));
    (void)!::fchown(file, uid_t(-1), from.st_gid);
    ::fchmod(file, from.st_mode & 07777);
}

} // namespace

Result<void> reserve_standard_output() {
    if (reserved_output >= 0) return {};
    if (::isatty(STDOUT_FILENO)) return invalid("-: the standard output is a terminal; redirect it or name a file");
    std::fflush(stdout);
    const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return runtime_error("-: the standard output cannot be used: {}", reason_of(errno));
    reserved_output = output;
    return {};
}

Result<NewFile> NewFile::create(const std::string& target, int64_t size) {
    NewFile result;
    result.target_ = target;
    const auto made = is_stream(target) ? result.open_stream(size) : result.open_file(size);
    if (!made) return Refusal(made.error());
    return result;
}

Result<void> NewFile::open_stream(int64_t size) {
    if (target_ == "-") {
        if (auto ok = reserve_standard_output(); !ok) return ok;
        file_ = ::fcntl(reserved_output, F_DUPFD_CLOEXEC, 3);
    } else {
        file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    }
    if (file_ < 0) return invalid("{}: cannot be written: {}", target_, reason_of(errno));
    auto memory = Mapping::of_memory(size);
    if (!memory) return Refusal(memory.error());
    mapping_ = std::move(*memory);
    return {};
}

Result<void> NewFile::open_file(int64_t size) {
    struct stat facts;
    const bool replaces = ::stat(target_.c_str(), &facts) == 0;
    if (replaces && !S_ISREG(facts.st_mode))
        return invalid("{}: is a folder and not a regular file; name a file", target_);
    place_ = behind_links(target_);
    overwrites_ = replaces && facts.st_nlink > 1;
    static std::atomic<int> counter{0};
    do { // Created anew (O_EXCL) with the permissions of the user's umask, which mkstemp() would not give.
        forget_unfinished(slot_);
        name_ = fmt::format("{}.tmp-{}-{}", place_, ::getpid(), counter++);
        slot_ = remember_unfinished(name_.c_str());
        file_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? 0600 : 0666);
    } while (file_ < 0 && errno == EEXIST);
    if (file_ < 0) {
        const int error = errno;
        name_.clear();
        return invalid("{}: cannot be created: {}", target_, reason_of(error));
    }
    if (replaces) copy_owner_and_mode(file_, facts);
    int error = ::posix_fallocate(file_, 0, size);
    if (error == EOPNOTSUPP || error == EINVAL) error = ::ftruncate(file_, size) == 0 ? 0 : errno;
    if (error != 0) return runtime_error("{}: no room for {} bytes: {}", target_, size, reason_of(error));
    void* address = ::mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (address == MAP_FAILED) return runtime_error("{}: mapping {} bytes failed: {}", target_, size, reason_of(errno));
    mapping_ = Mapping(address, size);
    return {};
}

NewFile::~NewFile() {
    if (file_ >= 0) ::close(file_);
    if (!name_.empty()) ::unlink(name_.c_str());
    forget_unfinished(slot_);
}

Result<void> NewFile::close() {
    if (name_.empty() && file_ >= 0)
        for (int64_t written = 0; written < mapping_.size();) {
            const ssize_t n = ::write(file_, data() + written, static_cast<size_t>(mapping_.size() - written));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0)
                return runtime_error("{}: {} of {} bytes were written: {}", target_, written, mapping_.size(),
                                     reason_of(errno));
            written += n;
        }
    mapping_ = Mapping();
    // Network file systems report a full quota only here.
    if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0) return runtime_error("{}: {}", target_, reason_of(errno));
    return {};
}

Result<void> NewFile::overwrite() {
    struct Descriptor {
        int fd;
        ~Descriptor() { ::close(fd); }
    };
    const Descriptor from{::open(name_.c_str(), O_RDONLY | O_CLOEXEC)},
        to{::open(place_.c_str(), O_WRONLY | O_CLOEXEC)};
    struct stat facts;
    if (from.fd < 0 || to.fd < 0 || ::fstat(from.fd, &facts) != 0)
        return runtime_error("{}: cannot be replaced: {}", target_, reason_of(errno));
    int error = ::posix_fallocate(to.fd, 0, facts.st_size); // no room: before a byte has changed
    if (error != 0 && error != EOPNOTSUPP && error != EINVAL)
        return runtime_error("{}: no room for {} bytes: {}", target_, int64_t(facts.st_size), reason_of(error));
    error = 0;
    for (off_t at = 0; at < facts.st_size && error == 0;)
        if (const ssize_t n = ::sendfile(to.fd, from.fd, &at, size_t(facts.st_size - at)); n <= 0)
            error = n == 0 ? EIO : errno == EINTR ? 0 : errno;
    if (error == 0 && ::ftruncate(to.fd, facts.st_size) != 0) error = errno;
    if (error == 0) {
        ::unlink(name_.c_str());
        return {};
    }
    const std::string complete = std::exchange(name_, {});
    return runtime_error("{}: was written in part: {}; all of it is in {}", target_, reason_of(error), complete);
}

Result<void> NewFile::put_in_place() {
    if (!name_.empty() && overwrites_) {
        if (auto ok = overwrite(); !ok) return ok;
    } else if (!name_.empty() && ::rename(name_.c_str(), place_.c_str()) != 0) {
        return runtime_error("{}: cannot be replaced: {}", target_, reason_of(errno));
    }
    name_.clear();
    forget_unfinished(std::exchange(slot_, -1));
    return {};
}

} // namespace tessera
