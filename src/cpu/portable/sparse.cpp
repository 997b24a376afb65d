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

template <typename T> struct Buffers {
    const T *values, *dense;
    const int32_t *row_numbers, *column_numbers;
};

// The nonzeros of row `r`.
template <typename T> std::pair<int64_t, int64_t> elements_of(const SparseProduct& p, const Buffers<T>& b, int64_t r) {
    if (p.has_pointers) return {b.row_numbers[r], b.row_numbers[r + 1]};
    const auto range = std::equal_range(b.row_numbers, b.row_numbers + p.elements, int32_t(r));
    return {range.first - b.row_numbers, range.second - b.row_numbers};
}

template <typename T> void add_rows(const SparseProduct& p, const Buffers<T>& b, int64_t m, float* sums) {
    const auto [from, to] = elements_of(p, b, m);
    const int64_t step = p.dense_strides[1];
    for (int64_t i = from; i < to; ++i) {
        const float value = as_f32(b.values[i]);
        const T* row = b.dense + b.column_numbers[i] * p.dense_strides[0];
        if (step == 1)
            for (int64_t n = 0; n < p.columns; ++n) sums[n] += value * as_f32(row[n]);
        else
            for (int64_t n = 0; n < p.columns; ++n) sums[n] += value * as_f32(row[n * step]);
    }
}

template <typename T> void add_elements(const SparseProduct& p, const Buffers<T>& b, int64_t m, float* sums) {
    const T* row = b.dense + m * p.dense_strides[0];
    const int64_t step = p.dense_strides[1];
    if (!p.has_pointers) {
        for (int64_t i = 0; i < p.elements; ++i)
            sums[b.column_numbers[i]] += as_f32(b.values[i]) * as_f32(row[b.row_numbers[i] * step]);
        return;
    }
    for (int64_t k = 0; k < p.depth; ++k) {
        const float value = as_f32(row[k * step]);
        for (int64_t i = b.row_numbers[k]; i < b.row_numbers[k + 1]; ++i)
            sums[b.column_numbers[i]] += as_f32(b.values[i]) * value;
    }
}

template <typename T>
void multiply(const SparseProduct& p, DataType type, std::span<void* const> pointers, int64_t first, int64_t last) {
    const auto at = [&](int operand) { return pointers[size_t(operand)]; };
    const Buffers<T> b{static_cast<const T*>(at(p.values)), static_cast<const T*>(at(p.dense)),
                       static_cast<const int32_t*>(at(p.row_numbers)),
                       static_cast<const int32_t*>(at(p.column_numbers))};
    std::vector<float> sums(size_t(p.columns));
    for (int64_t m = first; m < last; ++m) {
        std::fill(sums.begin(), sums.end(), 0.f);
        p.is_src ? add_rows(p, b, m, sums.data()) : add_elements(p, b, m, sums.data());
        const int64_t start = m * p.dst_strides[0];
        for (int64_t n = 0; n < p.columns; ++n)
            write<float>(type, at(p.dst), start + n * p.dst_strides[1], sums[size_t(n)]);
    }
}

} // namespace

bool lists_fit(const SparseProduct& p, std::span<void* const> pointers) {
    const int64_t rows = p.is_src ? p.rows : p.depth, columns = p.is_src ? p.depth : p.columns;
    const auto* row_numbers = static_cast<const int32_t*>(pointers[size_t(p.row_numbers)]);
    const auto* column_numbers = static_cast<const int32_t*>(pointers[size_t(p.column_numbers)]);
    bool fit = true;
    for (int64_t i = 0; i < p.elements; ++i) fit &= column_numbers[i] >= 0 && column_numbers[i] < columns;
    if (!p.has_pointers) {
        for (int64_t i = 0; i < p.elements; ++i) fit &= row_numbers[i] >= 0 && row_numbers[i] < rows;
        return fit;
    }
    fit &= row_numbers[0] >= 0 && row_numbers[rows] <= p.elements;
    for (int64_t r = 0; r < rows; ++r) fit &= row_numbers[r] <= row_numbers[r + 1];
    return fit;
}

void multiply_rows(const SparseProduct& p, std::span<const DataType> types, std::span<void* const> pointers,
                   int64_t first, int64_t last) {
    const DataType type = types[size_t(p.dst)];
    if (types[size_t(p.values)] == DataType::f32)
        multiply<float>(p, type, pointers, first, last);
    else
        multiply<uint16_t>(p, type, pointers, first, last);
}

} // namespace tessera::cpu
