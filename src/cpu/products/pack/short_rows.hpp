// SPDX-License-Identifier: Apache-2.0
// Rows of A that have less than the 4 bytes of a kernel's step, each padded with zeros to 4 bytes: of bytes 1 to 3 of
// k, of bf16 one. 280 rows of two bytes are 1 KiB then, not 280 lines of a cache.
#pragma once

#include <cstdint>

namespace tessera::cpu {

struct ShortRows {
    const char* first;
    int64_t row, column; // bytes between rows, between elements
    int elements, size;  // of a row; bytes of an element; 1 to 3 bytes a row
    uint32_t flip;       // bits of each element that change
};

void pad_rows(const ShortRows& from, int64_t count, char* to);

} // namespace tessera::cpu
