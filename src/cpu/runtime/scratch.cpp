// SPDX-License-Identifier: Apache-2.0
#include "cpu/runtime/scratch.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>

#include "core/at_fork.hpp"
#include "core/division.hpp"

namespace tessera::cpu {

namespace {

// The free list. Its links lie in the first bytes of the idle buffers, so that giving one back allocates nothing.
struct Idle {
    Idle* next;
    size_t bytes;
    pthread_t user; // the last one, in whose caches it is
};

constinit std::mutex lock;
constinit Idle* idle = nullptr; // the most recently used first
const bool known = at_fork(lock);

constexpr size_t huge_page = 2 << 20;

// Size classes, four from one power of two to the next: jobs of similar needs share buffers.
size_t rounded(size_t bytes) {
    size_t step = 4096;
    while (step * 8 < bytes) step *= 2;
    return round_up(bytes, step);
}

// Best fit, buffers of other threads as if of twice their size: two threads that swapped theirs, as one or the other
// finished first, took every line from the other core (f16 256^3 1.14, u8 x s8 192x1000x333 1.22).
// Where no idle buffer is large enough, one that is to be freed in exchange for a larger one.
struct Taken {
    Idle* enough = nullptr;
    Idle* too_small = nullptr;
};
Taken take(size_t bytes) {
    const pthread_t self = pthread_self();
    const auto cost = [&](const Idle& i) { return pthread_equal(i.user, self) ? i.bytes : 2 * i.bytes; };
    const std::lock_guard guard(lock);
    Idle** best = nullptr;
    for (Idle** at = &idle; *at; at = &(*at)->next)
        if ((*at)->bytes >= bytes && (!best || cost(**at) < cost(**best))) best = at;
    const bool enough = best != nullptr;
    if (!enough) best = &idle;
    Idle* const buffer = *best;
    if (buffer) *best = buffer->next;
    return enough ? Taken{buffer, nullptr} : Taken{nullptr, buffer};
}

} // namespace

const bool stack_is_scratch = true;

Scratch::Scratch(size_t bytes) {
    const Taken taken = take(bytes);
    if (taken.enough) {
        bytes_ = taken.enough->bytes;
        data_ = reinterpret_cast<char*>(taken.enough);
        return;
    }
    std::free(taken.too_small);
    bytes_ = rounded(std::max<size_t>(bytes, 1));
    const size_t alignment = bytes_ >= huge_page ? huge_page : 64;
    bytes_ = round_up(bytes_, alignment);
    data_ = static_cast<char*>(std::aligned_alloc(alignment, bytes_));
    if (!data_) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (alignment == huge_page) madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
}

Scratch::~Scratch() {
    auto* buffer = reinterpret_cast<Idle*>(data_);
    buffer->bytes = bytes_, buffer->user = pthread_self();
    const std::lock_guard guard(lock);
    buffer->next = idle;
    idle = buffer;
}

} // namespace tessera::cpu
