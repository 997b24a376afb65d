// SPDX-License-Identifier: Apache-2.0
// Memory next to inaccessible guard pages, for experiments and tests.
//
//   GuardedPages    whole pages with a guard on each side
//   GuardedBuffer   some bytes of them against one of the guards: an access beyond that end faults at once; canaries on
//                   the other side, which intact() checks
//
//   end_at_guard     the last byte is the last before a guard; the start is aligned as the size makes it
//   start_at_guard   the first byte is the first behind a guard, so it is aligned to a page
//   aligned          the start is 64-byte aligned and canaries are on both sides: for timing
//
// Pages are reused: a fuzz makes millions of buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tessera {

// 1 MiB on each side, so that an access that is off by a row still hits it.
class GuardedPages {
public:
    explicit GuardedPages(size_t bytes = 64 << 10); // rounded up to pages; throws std::bad_alloc
    GuardedPages(GuardedPages&&) noexcept;
    GuardedPages& operator=(GuardedPages&&) noexcept;
    ~GuardedPages();

    uint8_t* begin() const { return begin_; }
    uint8_t* end() const { return begin_ + bytes_; }
    size_t size() const { return bytes_; }
    // So many bytes against one of the two guards.
    uint8_t* place(size_t bytes, bool at_end) const { return at_end ? end() - bytes : begin_; }

private:
    uint8_t* begin_ = nullptr;
    size_t bytes_ = 0;
};

class GuardedBuffer {
public:
    enum class Placement { end_at_guard, start_at_guard, aligned };

    GuardedBuffer() = default;
    GuardedBuffer(size_t bytes, Placement placement); // throws std::bad_alloc; what the bytes are is not specified
    GuardedBuffer(const GuardedBuffer& other);        // the same bytes, placed in the same way
    GuardedBuffer(GuardedBuffer&&) noexcept;
    GuardedBuffer& operator=(GuardedBuffer) noexcept;
    ~GuardedBuffer();

    uint8_t* data() const { return data_; } // of an empty buffer against a guard: a pointer that faults on that side
    uint8_t* begin() const { return data_; }
    uint8_t* end() const { return data_ + bytes_; }
    size_t size() const { return bytes_; }
    Placement placement() const { return placement_; }
    GuardedBuffer placed(Placement placement) const; // a copy
    bool intact() const;

private:
    std::optional<GuardedPages> pages_;
    uint8_t* data_ = nullptr;
    size_t bytes_ = 0;
    Placement placement_ = Placement::aligned;
};

bool operator==(const GuardedBuffer& a, const GuardedBuffer& b); // the bytes

} // namespace tessera
