// SPDX-License-Identifier: Apache-2.0
// What comes next is prefetched, a share of it for each register block: the rows of A behind the block's own, and all
// of the next product's B.
#pragma once

#include <cstdint>

#include "core/division.hpp"
#include "cpu/products/run/units.hpp"

namespace tessera::cpu {

class NextLines {
public:
    // Rows of A of so many bytes, which blocks of `height` rows read `across` times.
    void set_rows(int64_t bytes, int64_t apart, int64_t height, int64_t across) {
        row_bytes_ = bytes, apart_ = apart;
        lines_of_row_ = ceil_div(height * ceil_div(bytes, cache_line), across);
    }
    void set_b(const char* b, int64_t bytes, int64_t blocks) {
        b_ = b, lines_of_b_ = ceil_div(bytes, blocks * cache_line);
    }
    bool any() const { return lines_of_row_ || lines_of_b_; }

    void begin_rows(const char* next) { row_ = next, at_ = 0; }
    void prefetch() {
        // Rows without gaps are one run: prefetched row by row 0.97 of the speed.
        if (row_bytes_ == apart_) {
            prefetch(row_, lines_of_row_);
        } else {
            for (int64_t n = 0; n < lines_of_row_; ++n) {
                __builtin_prefetch(row_ + at_);
                at_ += cache_line;
                if (at_ >= row_bytes_) at_ = 0, row_ += apart_;
            }
        }
        prefetch(b_, lines_of_b_);
    }

private:
    static void prefetch(const char*& from, int64_t lines) {
        for (; lines > 0; --lines, from += cache_line) __builtin_prefetch(from);
    }

    const char *row_ = nullptr, *b_ = nullptr;
    int64_t row_bytes_ = 0, apart_ = 0, at_ = 0, lines_of_row_ = 0, lines_of_b_ = 0;
};

} // namespace tessera::cpu
