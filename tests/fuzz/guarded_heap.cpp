// SPDX-License-Identifier: Apache-2.0
// The heap of a test program whose blocks of 256 bytes and more end or begin at a page that cannot be touched, those of
// the library first of all: replaces operator new, and malloc and its kin where the program is linked so
// (tessera_guards_heap in tests/CMakeLists.txt). Which side has the guard changes from block to block, one of four is
// guarded in front; TESSERA_HEAP_GUARD=front or behind makes it the same for all. A block ends at a multiple of the
// alignment that it asks for, 16 if it asks for none: the bytes up to there, and some in front, have a pattern that is
// looked at when the block is freed. What it holds before it is written are NaNs of all types, and again when it is
// free.
//
// A class of slots for each power of two from 4 KiB to 64 MiB, in address space of its own, each slot followed by
// 64 KiB that cannot be touched. Slots are never unmapped. Beyond 24000 of them, for a process may have 65530 mappings,
// and for larger blocks the heap is the usual one.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

#include <sys/mman.h>

extern "C" {
void* __real_malloc(size_t);
void* __real_aligned_alloc(size_t, size_t);
void* __real_realloc(void*, size_t);
void __real_free(void*);
}

namespace {

constexpr size_t least = 256, page = 4096, guard = 64 << 10, usual_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
constexpr int classes = 15;
constexpr size_t span = size_t(1) << 35; // address space of a class
constexpr size_t most_canaries = 64, most_slots = 24000;
constexpr unsigned char canary = 0xa5, nan_of_all_types = 0xff;

struct Slot {
    Slot* next;
    size_t bytes, offset; // of the block in it
};

class SpinLock {
public:
    void lock() {
        while (flag_.test_and_set(std::memory_order_acquire)) {}
    }
    void unlock() { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag flag_;
};

struct Class {
    SpinLock lock;
    size_t made = 0;
    Slot* idle = nullptr;
};

constinit std::array<Class, classes> all;
constinit std::atomic<size_t> slots{0}, blocks{0};

// The addresses of all classes, and behind them what is known of the slots. Null: none can be had.
unsigned char* space() {
    static unsigned char* const reserved = [] {
        void* const at =
            mmap(nullptr, 2 * classes * span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) return static_cast<unsigned char*>(nullptr);
        constexpr size_t known = most_slots * sizeof(Slot);
        for (size_t c = 0; c < classes; ++c) {
            void* const slots_of_class = static_cast<unsigned char*>(at) + (classes + c) * span;
            if (mprotect(slots_of_class, known, PROT_READ | PROT_WRITE) != 0)
                return static_cast<unsigned char*>(nullptr);
        }
        return static_cast<unsigned char*>(at);
    }();
    return reserved;
}

constexpr size_t bytes_of(size_t c) { return page << c; }
unsigned char* begin_of(size_t c, size_t slot) { return space() + c * span + guard + slot * (bytes_of(c) + guard); }
Slot* slots_of(size_t c) { return reinterpret_cast<Slot*>(space() + (classes + c) * span); }
bool is_ours(const void* p) {
    const auto* const at = static_cast<const unsigned char*>(p);
    return space() && at >= space() && at < space() + classes * span;
}

// Whether the block is guarded in front, not behind.
bool guards_front() {
    static const std::string_view wish = [] {
        const char* const text = std::getenv("TESSERA_HEAP_GUARD");
        return text ? text : "";
    }();
    if (!wish.empty()) return wish == "front";
    return blocks++ % 4 == 3;
}

// The bytes on both sides of a block within its slot.
struct Sides {
    unsigned char* begin;
    size_t front, behind;
};
Sides sides_of(unsigned char* slot, size_t bytes_of_slot, const Slot& block) {
    const size_t after = bytes_of_slot - block.offset - block.bytes;
    return {slot + block.offset, std::min(block.offset, most_canaries), std::min(after, most_canaries)};
}

void* guarded(size_t bytes, size_t alignment) {
    const size_t c = size_t(std::countr_zero(std::bit_ceil(std::max(bytes, page)) / page));
    if (bytes < least || alignment > page || c >= classes || !space()) return nullptr;
    Class& of = all[c];
    Slot* slot;
    {
        const std::lock_guard lock(of.lock);
        slot = of.idle;
        if (slot) {
            of.idle = slot->next;
        } else {
            if (slots++ >= most_slots || begin_of(c, of.made + 1) > space() + (c + 1) * span) return nullptr;
            slot = slots_of(c) + of.made;
            if (mprotect(begin_of(c, of.made), bytes_of(c), PROT_READ | PROT_WRITE) != 0) return nullptr;
            ++of.made;
        }
    }
    unsigned char* const begin = begin_of(c, size_t(slot - slots_of(c)));
    slot->bytes = bytes;
    slot->offset = guards_front() ? 0 : bytes_of(c) - (bytes + alignment - 1) / alignment * alignment;
    const Sides sides = sides_of(begin, bytes_of(c), *slot);
    std::memset(sides.begin - sides.front, canary, sides.front);
    std::memset(sides.begin, nan_of_all_types, bytes);
    std::memset(sides.begin + bytes, canary, sides.behind);
    return sides.begin;
}

Slot& slot_of(const void* p, size_t& c, unsigned char*& begin) {
    const auto* const at = static_cast<const unsigned char*>(p);
    c = size_t(at - space()) / span;
    const size_t number = (size_t(at - space()) - c * span - guard) / (bytes_of(c) + guard);
    begin = begin_of(c, number);
    return slots_of(c)[number];
}

[[noreturn]] void die(const char* why) {
    std::fputs(why, stderr);
    std::abort();
}

void give_back(void* p) {
    size_t c;
    unsigned char* begin;
    Slot& slot = slot_of(p, c, begin);
    if (begin + slot.offset != p || slot.bytes == 0) die("the heap: what is freed is no block\n");
    const Sides sides = sides_of(begin, bytes_of(c), slot);
    const auto stands = [](const unsigned char* from, size_t count) {
        return std::all_of(from, from + count, [](unsigned char byte) { return byte == canary; });
    };
    if (!stands(sides.begin - sides.front, sides.front) || !stands(sides.begin + slot.bytes, sides.behind))
        die("the heap: bytes beside a block were overwritten\n");
    std::memset(sides.begin, nan_of_all_types, slot.bytes);
    slot.bytes = 0;
    const std::lock_guard lock(all[c].lock);
    slot.next = all[c].idle;
    all[c].idle = &slot;
}

void* allocate(size_t bytes, size_t alignment = usual_alignment) {
    if (void* const p = guarded(bytes, std::max(alignment, usual_alignment))) return p;
    if (alignment <= usual_alignment) return __real_malloc(bytes ? bytes : 1);
    return __real_aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* or_throw(void* p) {
    if (!p) throw std::bad_alloc();
    return p;
}

} // namespace

extern "C" {
void __wrap_free(void* p) { is_ours(p) ? give_back(p) : __real_free(p); }
void* __wrap_malloc(size_t bytes) { return allocate(bytes); }
void* __wrap_calloc(size_t n, size_t bytes) {
    if (bytes && n > SIZE_MAX / bytes) return nullptr;
    void* const p = allocate(n * bytes);
    return p ? std::memset(p, 0, n * bytes) : nullptr;
}
void* __wrap_realloc(void* p, size_t bytes) {
    if (!is_ours(p)) return p ? __real_realloc(p, bytes) : allocate(bytes);
    size_t c;
    unsigned char* begin;
    const size_t before = slot_of(p, c, begin).bytes;
    void* const q = allocate(bytes);
    if (!q) return nullptr;
    std::memcpy(q, p, std::min(before, bytes));
    give_back(p);
    return q;
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) { return allocate(bytes, alignment); }
int __wrap_posix_memalign(void** p, size_t alignment, size_t bytes) {
    void* const made = allocate(bytes, alignment);
    if (!made) return ENOMEM;
    *p = made;
    return 0;
}
}

void* operator new(size_t n) { return or_throw(allocate(n)); }
void* operator new[](size_t n) { return or_throw(allocate(n)); }
void* operator new(size_t n, const std::nothrow_t&) noexcept { return allocate(n); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept { return allocate(n); }
void* operator new(size_t n, std::align_val_t a) { return or_throw(allocate(n, size_t(a))); }
void* operator new[](size_t n, std::align_val_t a) { return or_throw(allocate(n, size_t(a))); }
void* operator new(size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, size_t(a)); }
void* operator new[](size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, size_t(a)); }
void operator delete(void* p) noexcept { __wrap_free(p); }
void operator delete[](void* p) noexcept { __wrap_free(p); }
void operator delete(void* p, size_t) noexcept { __wrap_free(p); }
void operator delete[](void* p, size_t) noexcept { __wrap_free(p); }
void operator delete(void* p, std::align_val_t) noexcept { __wrap_free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { __wrap_free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { __wrap_free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { __wrap_free(p); }
