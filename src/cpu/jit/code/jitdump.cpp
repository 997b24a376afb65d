// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/code/jitdump.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include <fmt/format.h>

#include "core/at_fork.hpp"
#include "core/made_once.hpp"

#if defined(__linux__)
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif
#include <x86intrin.h>

namespace tessera::cpu::jit {

#if defined(__linux__)

namespace {

struct Header {
    uint32_t magic = 0x4a695444; // "JiTD", in the byte order of the machine
    uint32_t version = 1, bytes = sizeof(Header);
    uint32_t processor = EM_X86_64;
    uint32_t padding = 0, pid = 0;
    uint64_t time = 0, flags = 0;
};
static_assert(sizeof(Header) == 40);

struct Record {
    uint32_t id = 0, bytes = sizeof(Record); // 0: a function is loaded; with name and code
    uint64_t time = 0;
    uint32_t pid = 0, tid = 0;
    uint64_t vma = 0, address = 0, code_bytes = 0, index = 0;
};
static_assert(sizeof(Record) == 56);

uint64_t time_now(bool counts) {
    if (counts) return __rdtsc();
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return uint64_t(t.tv_sec) * 1000000000 + uint64_t(t.tv_nsec);
}

struct File {
    int descriptor = -1;
    pid_t owner = 0;
    void* noticed = nullptr;
    bool counts = false;
    uint64_t index = 0;

    Result<void> write(const std::string& bytes) {
        if (::write(descriptor, bytes.data(), bytes.size()) != ssize_t(bytes.size()))
            return runtime_error("the jitdump file cannot be written: {}", std::strerror(errno));
        return {};
    }

    void close() {
        if (noticed) munmap(noticed, size_t(sysconf(_SC_PAGESIZE)));
        if (descriptor >= 0) ::close(descriptor);
        noticed = nullptr, descriptor = -1, index = 0;
    }

    Result<void> open(const std::string& directory, bool with_counts) {
        const std::string parent = directory + "/.debug/jit";
        std::error_code ignored;
        std::filesystem::create_directories(parent, ignored);
        std::string folder = parent + "/dnnl.XXXXXX";
        if (!mkdtemp(folder.data())) return runtime_error("{} cannot be made: {}", folder, std::strerror(errno));
        owner = getpid();
        const std::string path = fmt::format("{}/jit-{}.dump", folder, owner); // the name that perf looks for
        descriptor = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
        if (descriptor < 0) return runtime_error("{} cannot be made: {}", path, std::strerror(errno));
        // perf records executable mappings, and this one shows it where the file is.
        noticed = mmap(nullptr, size_t(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC, MAP_PRIVATE, descriptor, 0);
        if (noticed == MAP_FAILED) {
            noticed = nullptr;
            return runtime_error("{} cannot be mapped executable, so perf would not see it: {}", path,
                                 std::strerror(errno));
        }
        counts = with_counts;
        Header header;
        header.pid = uint32_t(owner);
        header.time = time_now(counts);
        header.flags = counts;
        return write({reinterpret_cast<const char*>(&header), sizeof header});
    }
};

constinit std::mutex file_lock;
const bool file_lock_known = at_fork(file_lock);
constinit MadeOnce<File> the_file; // never closed: kernels are made until the very end

} // namespace

Result<void> append_to_jitdump(const std::string& directory, bool counts, const std::string& name, const void* address,
                               std::span<const uint8_t> code) {
    File& file = the_file.get();
    const std::lock_guard guard(file_lock);
    if (file.descriptor >= 0 && file.owner != getpid()) file.close(); // a child's own code starts a file of its own
    if (file.descriptor < 0)
        if (auto made = file.open(directory, counts); !made) {
            file.close();
            return made;
        }
    Record record;
    record.bytes += uint32_t(name.size() + 1 + code.size());
    record.time = time_now(file.counts);
    record.pid = uint32_t(file.owner);
    record.tid = uint32_t(syscall(SYS_gettid));
    record.vma = record.address = reinterpret_cast<uintptr_t>(address);
    record.code_bytes = code.size();
    record.index = file.index++;
    std::string bytes(reinterpret_cast<const char*>(&record), sizeof record);
    bytes.append(name.c_str(), name.size() + 1);
    bytes.append(reinterpret_cast<const char*>(code.data()), code.size());
    return file.write(bytes);
}

#else

Result<void> append_to_jitdump(const std::string&, bool, const std::string&, const void*, std::span<const uint8_t>) {
    return unimplemented("jitdump files are read by Linux's perf alone");
}

#endif

} // namespace tessera::cpu::jit
