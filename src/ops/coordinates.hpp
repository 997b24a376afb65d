// SPDX-License-Identifier: Apache-2.0
// Visits all coordinates of a range in logical order; for references, which need not be fast.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/desc/memory_desc.hpp"

namespace tessera::ops {

template <typename Body> void for_each_coordinate(std::span<const int64_t> dims, Body&& body) {
    for (int64_t d : dims)
        if (d == 0) return;
    std::vector<int64_t> at(dims.size(), 0);
    for (;;) {
        body(std::span<const int64_t>(at));
        size_t d = dims.size();
        while (d > 0 && ++at[d - 1] == dims[d - 1]) at[--d] = 0;
        if (d == 0) return;
    }
}

// One value for each element, in logical order: what a reference would otherwise compute once for every reader.
template <typename T> class Dense {
public:
    Dense() = default;
    // of(coordinates) for each element.
    template <typename F> Dense(std::span<const int64_t> dims, F&& of) : dims_(dims.begin(), dims.end()) {
        for_each_coordinate(dims, [&](auto at) { values_.push_back(of(at)); });
    }
    const T& at(std::span<const int64_t> coordinates) const {
        int64_t index = 0;
        for (size_t d = 0; d < dims_.size(); ++d) index = index * dims_[d] + coordinates[d];
        return values_[size_t(index)];
    }
    const std::vector<T>& values() const { return values_; }
    // Of the n-th value.
    std::vector<int64_t> coordinates(size_t n) const {
        std::vector<int64_t> at(dims_.size());
        for (size_t d = at.size(); d-- > 0; n /= size_t(dims_[d])) at[d] = int64_t(n % size_t(dims_[d]));
        return at;
    }

private:
    std::vector<int64_t> dims_;
    std::vector<T> values_;
};

// Whether a coordinate of the padded domain lies outside of the logical dims.
inline bool is_padding(std::span<const int64_t> at, std::span<const int64_t> dims) {
    for (size_t d = 0; d < at.size(); ++d)
        if (at[d] >= dims[d]) return true;
    return false;
}

// Zeros in the padding of an output.
void zero_padding(const MemoryDesc& md, void* buffer);

} // namespace tessera::ops
