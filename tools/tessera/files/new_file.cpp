#include "files/new_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/unfinished_files.hpp"

namespace tessera {
namespace {

int reserved_output = -1;

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
    if (::stat(target_.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
        return invalid("{}: is a folder and not a regular file; name a file", target_);
    static std::atomic<int> counter{0};
    do { // Created anew (O_EXCL) with the permissions of the user's umask, which mkstemp() would not give.
        forget_unfinished(slot_);
        name_ = fmt::format("{}.tmp-{}-{}", target_, ::getpid(), counter++);
        slot_ = remember_unfinished(name_.c_str());
        file_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (file_ < 0 && errno == EEXIST);
    if (file_ < 0) {
        const int error = errno;
        name_.clear();
        return invalid("{}: cannot be created: {}", target_, reason_of(error));
    }
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

Result<void> NewFile::put_in_place() {
    if (!name_.empty() && ::rename(name_.c_str(), target_.c_str()) != 0)
        return runtime_error("{}: cannot be replaced: {}", target_, reason_of(errno));
    name_.clear();
    forget_unfinished(std::exchange(slot_, -1));
    return {};
}

} // namespace tessera
