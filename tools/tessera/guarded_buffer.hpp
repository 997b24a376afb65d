// Memory of an experiment: ends at a page that cannot be touched, and remembers what stood around it.
//
//   end_at_guard   the last byte is the last byte before the guard page: reading or writing one byte more faults at
//                  once; the start is aligned as the size happens to make it (a multiple of the element at best)
//   aligned        the start is 64-byte aligned and bytes after the end are canaries: for timing and for aligned code
//
// Canaries fill the pages before and the rest after; intact() says whether they still stand.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

class GuardedBuffer {
public:
    enum class Placement { end_at_guard, aligned };

    GuardedBuffer() = default;
    GuardedBuffer(size_t bytes, Placement placement); // throws std::bad_alloc
    GuardedBuffer(GuardedBuffer&&) noexcept;
    GuardedBuffer& operator=(GuardedBuffer&&) noexcept;
    ~GuardedBuffer();

    uint8_t* data() const { return data_; } // of an empty buffer: a pointer that faults
    size_t size() const { return bytes_; }
    bool intact() const;

private:
    uint8_t* map_ = nullptr;
    size_t mapped_ = 0, guard_ = 0; // guard_: offset of the guard page in the map
    uint8_t* data_ = nullptr;
    size_t bytes_ = 0;
};

} // namespace tessera
