// SPDX-License-Identifier: Apache-2.0
// Few: a vector whose first N elements need no heap, for lists that nearly always have one or two elements, and of
// which a creation makes hundreds. Elements are plain data.
//
//   Few<Mode, 2> modes{{400, 2}};   modes.push_back({16, 1});
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tessera {

template <typename T, uint32_t N> class Few {
    static_assert(std::is_trivially_copyable_v<T> && N > 0);

public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    Few() {}
    Few(std::initializer_list<T> list) : Few(list.begin(), list.end()) {}
    template <typename Iterator> Few(Iterator first, Iterator last) {
        for (; first != last; ++first) push_back(*first);
    }
    Few(const Few& other) : Few() { append(other); }
    Few(Few&& other) noexcept : Few() { take(other); }
    Few& operator=(const Few& other) {
        if (this != &other) clear(), append(other);
        return *this;
    }
    Few& operator=(Few&& other) noexcept {
        if (this != &other) release(), take(other);
        return *this;
    }
    ~Few() { release(); }

    bool empty() const { return size_ == 0; }
    size_t size() const { return size_; }
    T* data() { return is_here() ? here_ : heap_; }
    const T* data() const { return is_here() ? here_ : heap_; }
    T* begin() { return data(); }
    const T* begin() const { return data(); }
    T* end() { return data() + size_; }
    const T* end() const { return data() + size_; }
    T& operator[](size_t i) { return data()[i]; }
    const T& operator[](size_t i) const { return data()[i]; }
    T& front() { return data()[0]; }
    const T& front() const { return data()[0]; }
    T& back() { return data()[size_ - 1]; }
    const T& back() const { return data()[size_ - 1]; }

    void clear() { size_ = 0; }
    void pop_back() { --size_; }
    void push_back(T value) { // by value: it may lie in what is given back
        if (size_ == capacity_) grow(size_ + 1);
        data()[size_++] = value;
    }
    T* insert(const T* at, T value) {
        const auto place = size_t(at - begin());
        push_back(value);
        std::rotate(begin() + place, end() - 1, end());
        return begin() + place;
    }
    bool operator==(const Few& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

private:
    bool is_here() const { return capacity_ == N; }
    void grow(uint32_t least) {
        const uint32_t capacity = std::max(least, 2 * capacity_);
        T* const more = new T[capacity];
        std::copy(begin(), end(), more);
        release();
        heap_ = more, capacity_ = capacity;
    }
    void append(const Few& other) { // to nothing
        if (other.size_ > capacity_) grow(other.size_);
        std::copy(other.begin(), other.end(), data());
        size_ = other.size_;
    }
    void take(Few& other) {
        size_ = other.size_, capacity_ = other.capacity_;
        if (is_here())
            std::copy(other.here_, other.here_ + size_, here_);
        else
            heap_ = other.heap_;
        other.size_ = 0, other.capacity_ = N;
    }
    void release() {
        if (!is_here()) delete[] heap_;
    }

    uint32_t size_ = 0, capacity_ = N;
    union {
        T here_[N];
        T* heap_;
    };
};

} // namespace tessera
