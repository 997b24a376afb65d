// SPDX-License-Identifier: Apache-2.0
#include "failing_allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <set>

#include <dirent.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unwind.h>

extern "C" {
void* __real_malloc(size_t);
void* __real_calloc(size_t, size_t);
void* __real_realloc(void*, size_t);
void* __real_aligned_alloc(size_t, size_t);
int __real_posix_memalign(void**, size_t, size_t);
void __real_free(void*);
void* __real_mmap(void*, size_t, int, int, int, off_t);
int __real_munmap(void*, size_t);
int __real_memfd_create(const char*, unsigned);
int __real_ftruncate(int, off_t);
}

namespace {

constinit std::atomic<bool> counting{false};
constinit std::atomic<int64_t> count{0}, bytes{0}, live_blocks{0}, live_mapped{0};
constinit tessera::test::Failures failing;
constinit thread_local bool runs_here = false;

// Of each allocation a number for the stack of calls behind it, while a body is looked at; the others have none.
constexpr int64_t most_places = int64_t(1) << 16;
constinit std::atomic<uint64_t*> places{nullptr};

uint64_t stack_of_calls() {
    uint64_t hash = 0;
    const auto add = [](_Unwind_Context* frame, void* to) {
        uint64_t& sum = *static_cast<uint64_t*>(to);
        sum = (sum ^ uint64_t(_Unwind_GetIP(frame))) * 0x100000001b3;
        return _URC_NO_REASON;
    };
    _Unwind_Backtrace(add, &hash);
    return hash;
}

bool is_of_others() { return failing.for_others && (!runs_here || failing.for_others()); }

bool fails() {
    if (!counting || is_of_others()) return false;
    const int64_t number = count++;
    if (uint64_t* const to = places; to && number < most_places) to[number] = stack_of_calls();
    if (failing.first < 0) return false;
    return failing.from_then_on ? number >= failing.first : number == failing.first;
}

void* none() {
    errno = ENOMEM;
    return nullptr;
}

void* living(void* p) {
    live_blocks += p != nullptr;
    return p;
}
void release(void* p) {
    live_blocks -= p != nullptr;
    __real_free(p);
}

void* allocate(size_t size, size_t alignment) {
    if (counting && !is_of_others()) bytes += int64_t(size);
    if (fails()) return nullptr;
    if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return living(__real_malloc(size ? size : 1));
    return living(__real_aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment));
}

void* or_throw(void* p) {
    if (!p) throw std::bad_alloc();
    return p;
}

} // namespace

extern "C" {
void __wrap_free(void* p) { release(p); }
void* __wrap_malloc(size_t bytes) { return fails() ? none() : living(__real_malloc(bytes)); }
void* __wrap_calloc(size_t n, size_t bytes) { return fails() ? none() : living(__real_calloc(n, bytes)); }
void* __wrap_realloc(void* p, size_t bytes) {
    if (fails()) return none();
    void* const made = __real_realloc(p, bytes);
    return p ? made : living(made);
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return fails() ? none() : living(__real_aligned_alloc(alignment, bytes));
}
int __wrap_posix_memalign(void** p, size_t alignment, size_t bytes) {
    const int error = fails() ? ENOMEM : __real_posix_memalign(p, alignment, bytes);
    if (error == 0) living(*p);
    return error;
}
int __wrap_munmap(void* at, size_t bytes) {
    const int error = __real_munmap(at, bytes);
    if (error == 0) live_mapped -= int64_t(bytes);
    return error;
}
void* __wrap_mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (!fails()) {
        void* const made = __real_mmap(at, bytes, protection, flags, file, offset);
        if (made != MAP_FAILED) live_mapped += int64_t(bytes);
        return made;
    }
    errno = ENOMEM;
    return MAP_FAILED;
}
int __wrap_memfd_create(const char* name, unsigned flags) {
    if (!fails()) return __real_memfd_create(name, flags);
    errno = ENOMEM;
    return -1;
}
int __wrap_ftruncate(int file, off_t bytes) {
    if (!fails()) return __real_ftruncate(file, bytes);
    errno = ENOSPC;
    return -1;
}
}

void* operator new(size_t n) { return or_throw(allocate(n, 1)); }
void* operator new[](size_t n) { return or_throw(allocate(n, 1)); }
void* operator new(size_t n, const std::nothrow_t&) noexcept { return allocate(n, 1); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept { return allocate(n, 1); }
void* operator new(size_t n, std::align_val_t a) { return or_throw(allocate(n, size_t(a))); }
void* operator new[](size_t n, std::align_val_t a) { return or_throw(allocate(n, size_t(a))); }
void* operator new(size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, size_t(a)); }
void* operator new[](size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, size_t(a)); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, size_t) noexcept { release(p); }
void operator delete[](void* p, size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { release(p); }

namespace tessera::test {

int64_t run(const Failures& failures, const std::function<void()>& body) {
    failing = failures;
    count = 0, bytes = 0;
    runs_here = counting = true;
    try {
        body();
    } catch (...) {
        runs_here = counting = false;
        throw;
    }
    runs_here = counting = false;
    return count;
}
int64_t bytes_asked_for() { return bytes; }

Held held() {
    Held all{live_blocks, live_mapped, 0};
    DIR* const folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) ++all.files;
    if (folder) closedir(folder);
    return all;
}
std::string to_string(const Held& held) {
    return std::to_string(held.blocks) + " blocks, " + std::to_string(held.mapped) + " mapped bytes, " +
           std::to_string(held.files) + " files";
}

std::vector<int64_t> places_of(const std::function<void()>& body) {
    std::vector<uint64_t> stacks(most_places);
    places = stacks.data();
    const int64_t all = run({}, body);
    places = nullptr;
    std::set<uint64_t> seen;
    std::vector<int64_t> firsts;
    for (int64_t k = 0; k < all; ++k)
        if (k >= most_places || seen.insert(stacks[size_t(k)]).second) firsts.push_back(k);
    return firsts;
}

} // namespace tessera::test
