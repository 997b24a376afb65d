// SPDX-License-Identifier: Apache-2.0
// What random problems of the three normalizations have in common.
#pragma once

#include "ops/normalization/normalization.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

// Flags among `possible`, an epsilon, and whether it is the backward computation.
struct RandomNormalization {
    RandomNormalization(Random& r, unsigned possible);
    PropKind prop;
    bool backward;
    unsigned flags;
    float epsilon;
};

// Two dims or more, up to `most`.
std::vector<int64_t> dims_of_normalization(Random& r, size_t most);
DataType float_of_normalization(Random& r);                                              // f32, bf16, f16
DataType type_of_normalization(Random& r);                                               // s8 and u8 as well
void add_attributes(Random& r, Attr& attr, const std::vector<int64_t>& dims, bool int8); // post-ops and scales

} // namespace tessera::fuzz
