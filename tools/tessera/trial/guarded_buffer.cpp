// SPDX-License-Identifier: Apache-2.0
// Private mappings, readable in their middle only.
#include "trial/guarded_buffer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace tessera {
namespace {

constexpr size_t guard = 1 << 20;
constexpr uint8_t canary = 0xa5;

size_t page_bytes() {
    static const size_t bytes = size_t(sysconf(_SC_PAGESIZE));
    return bytes;
}

// A pool of free mappings by the logarithm of their size; beyond 4 MiB mapping is cheap compared with filling.
class Spare {
public:
    GuardedPages take(size_t bytes) {
        const size_t size = std::bit_ceil(bytes);
        {
            const std::lock_guard lock(mutex_);
            auto& list = lists_[size_t(std::countr_zero(size))];
            if (!list.empty()) {
                GuardedPages pages = std::move(list.back());
                list.pop_back();
                return pages;
            }
        }
        return GuardedPages(size);
    }
    void give(GuardedPages pages) {
        constexpr size_t largest = 4 << 20, most = 64; // of a size
        if (pages.size() > largest || pages.size() == 0) return;
        const std::lock_guard lock(mutex_);
        auto& list = lists_[size_t(std::countr_zero(pages.size()))];
        if (list.size() < most) list.push_back(std::move(pages));
    }

private:
    std::mutex mutex_;
    std::array<std::vector<GuardedPages>, 64> lists_;
};

Spare& spare() {
    static Spare* const all = new Spare; // outlives buffers that are static
    return *all;
}

// The bytes from `from` to `to`, at most a page of them, nearest to the buffer.
template <typename Visit> bool near(uint8_t* from, uint8_t* to, bool before, Visit visit) {
    const size_t count = std::min(size_t(to - from), page_bytes());
    return visit(before ? to - count : from, count);
}

bool fill(uint8_t* from, size_t count) {
    std::memset(from, canary, count);
    return true;
}

bool stand(uint8_t* from, size_t count) {
    return std::all_of(from, from + count, [](uint8_t byte) { return byte == canary; });
}

} // namespace

GuardedPages::GuardedPages(size_t bytes) {
    const size_t page = page_bytes(), rounded = (bytes + page - 1) / page * page;
    if (rounded < bytes || rounded + 2 * guard < rounded) throw std::bad_alloc();
    void* map = mmap(nullptr, rounded + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<uint8_t*>(map) + guard, bytes_ = rounded;
    if (rounded == 0 || mprotect(begin_, rounded, PROT_READ | PROT_WRITE) == 0) return;
    munmap(map, rounded + 2 * guard);
    throw std::bad_alloc();
}

GuardedPages::GuardedPages(GuardedPages&& other) noexcept { *this = std::move(other); }

GuardedPages& GuardedPages::operator=(GuardedPages&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

GuardedPages::~GuardedPages() {
    if (begin_) munmap(begin_ - guard, bytes_ + 2 * guard);
}

GuardedBuffer::GuardedBuffer(size_t bytes, Placement placement) : bytes_(bytes), placement_(placement) {
    const size_t page = page_bytes();
    if (bytes > (size_t(1) << 62)) throw std::bad_alloc();
    pages_ = spare().take(bytes + 2 * page); // a page of canaries on a side at least, less for alignment
    data_ = pages_->place(bytes, placement != Placement::start_at_guard);
    if (placement == Placement::aligned) data_ -= page + (uintptr_t(data_) - page) % 64;
    near(pages_->begin(), data_, true, fill), near(end(), pages_->end(), false, fill);
}

GuardedBuffer GuardedBuffer::placed(Placement placement) const {
    GuardedBuffer copy(bytes_, placement);
    std::copy(begin(), end(), copy.begin());
    return copy;
}

GuardedBuffer::GuardedBuffer(const GuardedBuffer& other) {
    if (other.data_) *this = other.placed(other.placement_);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : pages_(std::move(other.pages_)), data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)), placement_(other.placement_) {}

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer other) noexcept {
    std::swap(pages_, other.pages_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(placement_, other.placement_);
    return *this;
}

GuardedBuffer::~GuardedBuffer() {
    if (data_) spare().give(std::move(*pages_));
}

bool GuardedBuffer::intact() const {
    return data_ == nullptr || (near(pages_->begin(), data_, true, stand) && near(end(), pages_->end(), false, stand));
}

bool operator==(const GuardedBuffer& a, const GuardedBuffer& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

} // namespace tessera
