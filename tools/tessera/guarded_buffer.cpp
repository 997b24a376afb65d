// Two guard pages around a private mapping.
#include "guarded_buffer.hpp"

#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace tessera {
namespace {

constexpr uint8_t canary = 0xa5;

size_t page_bytes() {
    static const size_t bytes = size_t(sysconf(_SC_PAGESIZE));
    return bytes;
}

bool all_canaries(const uint8_t* from, const uint8_t* to) {
    for (; from < to; ++from)
        if (*from != canary) return false;
    return true;
}

} // namespace

// | guard page | canaries (a page at least, less for alignment) | data | canaries | guard page |
GuardedBuffer::GuardedBuffer(size_t bytes, Placement placement) : bytes_(bytes) {
    const size_t page = page_bytes(), body = (bytes + 2 * page - 1) / page * page;
    mapped_ = body + 2 * page;
    guard_ = body + page;
    void* map = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    map_ = static_cast<uint8_t*>(map);
    size_t start = guard_ - bytes;
    if (placement == Placement::aligned) start = start / 64 * 64;
    data_ = map_ + start;
    std::memset(map_ + page, canary, start - page);
    std::memset(data_ + bytes, canary, guard_ - start - bytes);
    mprotect(map_, page, PROT_NONE);
    mprotect(map_ + guard_, page, PROT_NONE);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept { *this = std::move(other); }

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
    std::swap(map_, other.map_);
    std::swap(mapped_, other.mapped_);
    std::swap(guard_, other.guard_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

GuardedBuffer::~GuardedBuffer() {
    if (map_ != nullptr) munmap(map_, mapped_);
}

bool GuardedBuffer::intact() const {
    return map_ == nullptr || (all_canaries(map_ + page_bytes(), data_) && all_canaries(data_ + bytes_, map_ + guard_));
}

} // namespace tessera
