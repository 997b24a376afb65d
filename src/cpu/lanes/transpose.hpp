// SPDX-License-Identifier: Apache-2.0
// transpose: dst[j * dst_stride + i] = src[i * src_stride + j] for i < rows, j < columns; strides in elements.
//
// src rows and dst columns are dense. Element sizes 1, 2, 4, 8 bytes; the caller cuts the matrix into blocks of at
// most 64 x 64, so that both sides of a block lie in L1.
#pragma once

#include <cstdint>

namespace tessera::cpu {

void transpose_block(int element_bytes, const void* src, int64_t src_stride, void* dst, int64_t dst_stride,
                     int64_t rows, int64_t columns);

} // namespace tessera::cpu
