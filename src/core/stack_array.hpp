// SPDX-License-Identifier: Apache-2.0
// StackArray: n uninitialised elements, on the stack for n <= N and on the heap above. For arguments and operands, of
// which most calls have two or three and a concat has hundreds.
//
//   StackArray<void*> buffers(impl.slots.size());
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace tessera {

template <typename T, size_t N = 16> class StackArray {
public:
    explicit StackArray(size_t n) : size_(n), heap_(n > N ? std::make_unique_for_overwrite<T[]>(n) : nullptr) {
        data_ = heap_ ? heap_.get() : here_;
    }
    StackArray(const StackArray&) = delete;
    StackArray& operator=(const StackArray&) = delete;

    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    size_t size() const { return size_; }
    operator std::span<T>() { return {data_, size_}; }
    operator std::span<const T>() const { return {data_, size_}; }

private:
    size_t size_;
    T* data_;
    std::unique_ptr<T[]> heap_;
    T here_[N];
};

} // namespace tessera
