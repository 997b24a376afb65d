// SPDX-License-Identifier: Apache-2.0
#include "cpu/portable/sparse.hpp"

#include <algorithm>
#include <vector>

#include "core/types/codecs.hpp"
#include "core/types/convert.hpp"

namespace tessera::cpu {

namespace {

// The stored types of sparse products: f32, and f16 as its bits.
float as_f32(float x) { return x; }
float as_f32(uint16_t x) { return f16_to_f32(x); }

template <typename T>
void add_rows(const SparseProduct& p, const GroupedList& list, const T* b, int64_t m, float* sums) {
    const int64_t step = p.dense_strides[1];
    for (int64_t i = list.starts[m]; i < list.starts[m + 1]; ++i) {
        const float value = as_f32(static_cast<const T*>(list.values)[i]);
        const T* row = b + list.numbers[i] * p.dense_strides[0];
        if (step == 1)
            for (int64_t n = 0; n < p.columns; ++n) sums[n] += value * as_f32(row[n]);
        else
            for (int64_t n = 0; n < p.columns; ++n) sums[n] += value * as_f32(row[n * step]);
    }
}

template <typename T>
void add_elements(const SparseProduct& p, const GroupedList& list, const T* a, int64_t m, float* sums) {
    const T* row = a + m * p.dense_strides[0];
    for (int64_t k = 0; k < p.depth; ++k) {
        const float value = as_f32(row[k * p.dense_strides[1]]);
        for (int64_t i = list.starts[k]; i < list.starts[k + 1]; ++i)
            sums[list.numbers[i]] += as_f32(static_cast<const T*>(list.values)[i]) * value;
    }
}

template <typename T> void multiply(const SparseProduct& p, const GroupedList& list, DataType type,
                                    std::span<void* const> pointers, int64_t first, int64_t last) {
    const auto* dense = static_cast<const T*>(pointers[size_t(p.dense)]);
    std::vector<float> sums(size_t(p.columns));
    for (int64_t m = first; m < last; ++m) {
        std::fill(sums.begin(), sums.end(), 0.f);
        p.is_src ? add_rows(p, list, dense, m, sums.data()) : add_elements(p, list, dense, m, sums.data());
        const int64_t start = m * p.dst_strides[0];
        for (int64_t n = 0; n < p.columns; ++n)
            write<float>(type, pointers[size_t(p.dst)], start + n * p.dst_strides[1], sums[size_t(n)]);
    }
}

} // namespace

void multiply_rows(const SparseProduct& p, const GroupedList& list, std::span<const DataType> types,
                   std::span<void* const> pointers, int64_t first, int64_t last) {
    const DataType type = types[size_t(p.dst)];
    if (types[size_t(p.values)] == DataType::f32)
        multiply<float>(p, list, type, pointers, first, last);
    else
        multiply<uint16_t>(p, list, type, pointers, first, last);
}

} // namespace tessera::cpu
