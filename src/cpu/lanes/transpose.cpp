// SPDX-License-Identifier: Apache-2.0
#include "cpu/lanes/transpose.hpp"

#include <cstddef>

#include "cpu/lanes/levels.hpp"

namespace tessera::cpu {

namespace {

// An E x E square in a fixed-size array: whole rows are loaded and stored, and the compiler unrolls the exchange.
template <typename T, size_t E>
void square(const T* __restrict src, int64_t src_stride, T* __restrict dst, int64_t dst_stride) {
    T cell[E][E];
    for (size_t i = 0; i < E; ++i)
        for (size_t j = 0; j < E; ++j) cell[j][i] = src[int64_t(i) * src_stride + int64_t(j)];
    for (size_t j = 0; j < E; ++j)
        for (size_t i = 0; i < E; ++i) dst[int64_t(j) * dst_stride + int64_t(i)] = cell[j][i];
}

template <typename T, int64_t E>
void block(const void* from, int64_t src_stride, void* to, int64_t dst_stride, int64_t rows, int64_t columns) {
    const T* src = static_cast<const T*>(from);
    T* dst = static_cast<T*>(to);
    const int64_t full_rows = rows / E * E, full_columns = columns / E * E;
    for (int64_t j = 0; j < full_columns; j += E)
        for (int64_t i = 0; i < full_rows; i += E)
            square<T, size_t(E)>(src + i * src_stride + j, src_stride, dst + j * dst_stride + i, dst_stride);
    for (int64_t j = 0; j < columns; ++j) // remainder: the last columns, and the last rows of the others
        for (int64_t i = j < full_columns ? full_rows : 0; i < rows; ++i)
            dst[j * dst_stride + i] = src[i * src_stride + j];
}

} // namespace

TESSERA_LEVELS void transpose_block(int element_bytes, const void* src, int64_t src_stride, void* dst,
                                    int64_t dst_stride, int64_t rows, int64_t columns) {
    switch (element_bytes) {
    case 1:
        return block<uint8_t, 8>(src, src_stride, dst, dst_stride, rows, columns);
    case 2:
        return block<uint16_t, 8>(src, src_stride, dst, dst_stride, rows, columns);
    case 4:
        return block<uint32_t, 4>(src, src_stride, dst, dst_stride, rows, columns);
    default:
        return block<uint64_t, 4>(src, src_stride, dst, dst_stride, rows, columns);
    }
}

} // namespace tessera::cpu
