// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/code/code_memory.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif
#include <cstring>

#include "core/at_fork.hpp"
#include "core/division.hpp"
#include "core/made_once.hpp"

namespace tessera::cpu::jit {

namespace {

constexpr size_t segment_bytes = 1 << 20; // some 500 kernels; pages that nothing was written to cost nothing
constexpr size_t alignment = 64;

struct Views {
    uint8_t* write = nullptr;
    uint8_t* run = nullptr; // null: the system gave none
};

void unmap([[maybe_unused]] const Views& views, [[maybe_unused]] size_t size) {
#if defined(__linux__)
    munmap(views.write, size);
    munmap(views.run, size);
#endif
}

Views map_twice([[maybe_unused]] size_t size) {
#if defined(__linux__)
    const int file = memfd_create("tessera code", MFD_CLOEXEC);
    if (file < 0) return {};
    const bool sized = ftruncate(file, off_t(size)) == 0;
    void* write = sized ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    void* run = sized ? mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0) : MAP_FAILED;
    close(file);
    if (write != MAP_FAILED && run != MAP_FAILED) {
        madvise(write, size, MADV_DONTFORK);
        return {static_cast<uint8_t*>(write), static_cast<uint8_t*>(run)};
    }
    if (write != MAP_FAILED) munmap(write, size);
    if (run != MAP_FAILED) munmap(run, size);
#endif
    return {};
}

// A child of fork() runs the code that it finds in pages that it shares with the parent, so neither side may write
// where the other one has code:
// - The child starts with no segments. What it releases of the parent's is not known to it.
// - The parent gives no place away again that was in use at a fork. What was free then stays free: no child runs it.
//   A segment whose last piece is released goes back to the system then, which keeps the child's view of it.
class Pool {
public:
    const void* place(std::span<const uint8_t> code) {
        const size_t size = round_up(code.size(), alignment);
        auto hole = std::find_if(free_.begin(), free_.end(), [&](const auto& f) { return f.second.size >= size; });
        if (hole == free_.end() && (hole = add_segment(std::max(size, segment_bytes))) == free_.end()) return nullptr;
        uint8_t* const run = hole->first;
        const Piece from = hole->second;
        used_.emplace(run, Piece{from.segment, from.write, size, forks_}); // may throw; nothing has changed then
        auto rest = free_.extract(hole);
        if (from.size > size) {
            rest.key() = run + size;
            rest.mapped().write += size, rest.mapped().size -= size;
            free_.insert(std::move(rest));
        }
        ++segments_.find(from.segment)->second.used;
        std::memcpy(from.write, code.data(), code.size());
        bytes_ += size;
        return run;
    }

    // Destructors call it, so it allocates nothing: a piece changes maps with its node.
    void release(const void* address) noexcept {
        auto piece = used_.extract(static_cast<uint8_t*>(const_cast<void*>(address)));
        if (!piece) return; // of the parent
        bytes_ -= piece.mapped().size;
        const auto segment = segments_.find(piece.mapped().segment);
        --segment->second.used;
        if (piece.mapped().forks == forks_)
            add_free(std::move(piece));
        else
            segment->second.shared = true;
        if (segment->second.used == 0 && segment->second.shared) drop(segment);
    }

    void before_fork() { ++forks_; }
    void start_child() {
        free_.clear(), used_.clear(), segments_.clear();
        bytes_ = 0;
    }
    size_t bytes() const { return bytes_; }

private:
    struct Piece {
        uint8_t* segment;
        uint8_t* write;
        size_t size;
        uint64_t forks; // that there had been when it was placed
    };
    struct Segment {
        uint8_t* write;
        size_t size;
        size_t used;         // pieces
        bool shared = false; // a child may run what was here
    };
    using Pieces = std::map<uint8_t*, Piece>; // by executable address
    using Segments = std::map<uint8_t*, Segment>;

    Pieces::iterator add_segment(size_t size) {
        const Views views = map_twice(size);
        if (!views.run) return free_.end();
        try {
            segments_.emplace(views.run, Segment{views.write, size, 0});
            return free_.emplace(views.run, Piece{views.run, views.write, size, forks_}).first;
        } catch (...) {
            segments_.erase(views.run);
            unmap(views, size);
            throw;
        }
    }

    void add_free(Pieces::node_type piece) noexcept {
        auto at = free_.insert(std::move(piece)).position;
        const auto joins = [](Pieces::iterator a, Pieces::iterator b) {
            return a->second.segment == b->second.segment && a->first + a->second.size == b->first;
        };
        if (const auto next = std::next(at); next != free_.end() && joins(at, next)) {
            at->second.size += next->second.size;
            free_.erase(next);
        }
        if (at == free_.begin()) return;
        if (const auto before = std::prev(at); joins(before, at)) {
            before->second.size += at->second.size;
            free_.erase(at);
        }
    }

    void drop(Segments::iterator segment) noexcept {
        std::erase_if(free_, [&](const auto& f) { return f.second.segment == segment->first; });
        unmap({segment->second.write, segment->first}, segment->second.size);
        segments_.erase(segment);
    }

    Pieces free_, used_;
    Segments segments_;
    uint64_t forks_ = 0;
    size_t bytes_ = 0;
};

constinit std::mutex memory_lock;
constinit MadeOnce<Pool> the_pool;
const bool known = at_fork(
    memory_lock,
    [] {
        if (Pool* made = the_pool.if_made()) made->start_child();
    },
    [] {
        if (Pool* made = the_pool.if_made()) made->before_fork();
    });

} // namespace

const void* place(std::span<const uint8_t> code) {
    Pool& pool = the_pool.get();
    const std::lock_guard guard(memory_lock);
    return pool.place(code);
}

void release(const void* address) noexcept {
    Pool& pool = the_pool.get();
    const std::lock_guard guard(memory_lock);
    pool.release(address);
}

size_t code_bytes() {
    Pool& pool = the_pool.get();
    const std::lock_guard guard(memory_lock);
    return pool.bytes();
}

} // namespace tessera::cpu::jit
