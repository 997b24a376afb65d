#include "cpu/jit/code_memory.hpp"

#include <map>
#include <mutex>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif
#include <cstring>

namespace tessera::cpu::jit {

namespace {

constexpr size_t segment_bytes = 1 << 20; // some 500 kernels; pages that nothing was written to cost nothing
constexpr size_t alignment = 64;

struct Segment {
    uint8_t* write = nullptr;
    uint8_t* run = nullptr;
    size_t size = 0;
};

bool map_twice(size_t size, Segment& out) {
#if defined(__linux__)
    const int file = memfd_create("tessera code", MFD_CLOEXEC);
    if (file < 0) return false;
    bool ok = ftruncate(file, off_t(size)) == 0;
    void* write = ok ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    void* run = ok ? mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0) : MAP_FAILED;
    close(file);
    ok = write != MAP_FAILED && run != MAP_FAILED;
    if (!ok) {
        if (write != MAP_FAILED) munmap(write, size);
        if (run != MAP_FAILED) munmap(run, size);
        return false;
    }
    // A child of fork() shares the pages: it must not write over code that the parent runs.
    madvise(write, size, MADV_DONTFORK);
    out = {static_cast<uint8_t*>(write), static_cast<uint8_t*>(run), size};
    return true;
#else
    (void)size, (void)out;
    return false;
#endif
}

class Pool {
public:
    const void* place(std::span<const uint8_t> code) {
        const size_t size = (code.size() + alignment - 1) / alignment * alignment;
        const std::lock_guard guard(lock_);
        if (owner_ != getpid()) { // after fork: the segments can be run, not written
            free_.clear();
            owner_ = getpid();
        }
        auto it = free_.begin();
        while (it != free_.end() && it->second.size < size) ++it;
        if (it == free_.end()) {
            Segment s;
            if (!map_twice(size > segment_bytes ? size : segment_bytes, s)) return nullptr;
            it = free_.emplace(s.run, s).first;
        }
        const Segment hole = it->second;
        free_.erase(it);
        if (hole.size > size)
            free_.emplace(hole.run + size, Segment{hole.write + size, hole.run + size, hole.size - size});
        std::memcpy(hole.write, code.data(), code.size());
        used_.emplace(hole.run, Segment{hole.write, hole.run, size});
        bytes_ += size;
        return hole.run;
    }
    void release(const void* address) {
        const std::lock_guard guard(lock_);
        auto it = used_.find(static_cast<uint8_t*>(const_cast<void*>(address)));
        if (it == used_.end()) return;
        Segment s = it->second;
        bytes_ -= s.size;
        used_.erase(it);
        if (owner_ != getpid()) return; // of the parent
        auto next = free_.lower_bound(s.run);
        if (next != free_.end() && next->first == s.run + s.size && next->second.write == s.write + s.size) {
            s.size += next->second.size;
            next = free_.erase(next);
        }
        if (next != free_.begin()) {
            auto before = std::prev(next);
            Segment& b = before->second;
            if (b.run + b.size == s.run && b.write + b.size == s.write) {
                b.size += s.size;
                return;
            }
        }
        free_.emplace(s.run, s);
    }
    size_t bytes() {
        const std::lock_guard guard(lock_);
        return bytes_;
    }

private:
    std::mutex lock_;
    std::map<uint8_t*, Segment> free_, used_; // by executable address
    size_t bytes_ = 0;
    pid_t owner_ = getpid();
};

Pool& pool() {
    static Pool* const one = new Pool; // never destroyed: kernels of static objects may outlive every other static
    return *one;
}

} // namespace

const void* place(std::span<const uint8_t> code) { return pool().place(code); }
void release(const void* address) { pool().release(address); }
size_t code_bytes() { return pool().bytes(); }

} // namespace tessera::cpu::jit
