// SPDX-License-Identifier: Apache-2.0
// The way of results out of local memory on a GPU: neighbours store neighbours, four columns as one vector where these
// are one in memory. A place, and what a program loads along a row, is found once for the four: of a 3x3 convolution of
// 64 channels to bf16 the results took as many instructions as the products, 36 each.
#pragma once

#include <string>
#include <string_view>

#include "gpu/products/view.hpp"

namespace tessera::gpu {

// Results in local memory, rows of `pitch` numbers, a multiple of 4.
struct Results {
    int64_t rows, columns, pitch;
    int64_t lanes;
    std::string_view tile;
    std::string row; // of the product, less first_row, that row r of the tile is
};
std::string source_of_results(const ProductView& view, const Results& results);
// In front of kernels that have them.
std::string functions_of_results(const ProductView& view);

} // namespace tessera::gpu
