// SPDX-License-Identifier: Apache-2.0
// Deterministic test data: the value of a logical element depends on the seed and its index alone, never on layout.
//   src: by seed, small integers, quarters around +-300, edges of the type, or whole bit patterns; padding is zero,
//        gaps and the surroundings of views are filled with noise.
//   dst: small integers everywhere (a sum adds to them; bytes outside a view or in a gap must keep them).
//   factors: powers of two for an even seed (so that the order of the float operations cannot show), k/8 for an odd.
#pragma once
#include <cstdint>
#include <vector>

#include "../problems/element.hpp"
#include "../problems/problem.hpp"
#include "layout.hpp"

namespace differential {

// A buffer with canaries on both sides, aligned to 64 bytes.
class Buffer {
public:
    explicit Buffer(size_t bytes);
    uint8_t* data() { return storage_.data() + start_; }
    size_t size() const { return size_; }
    bool canaries_intact() const;

private:
    std::vector<uint8_t> storage_;
    size_t start_, size_;
};

void fill_source(Buffer& buffer, const Problem& problem, const_dnnl_memory_desc_t md, const Type& type);
void fill_fractions(Buffer& buffer, uint64_t seed, const_dnnl_memory_desc_t md, const Type& type); // k/256
void fill_condition(Buffer& buffer, uint64_t seed);                                                // s8: -1, 0 or 1
void fill_variance(Buffer& buffer, uint64_t seed);                                                 // f32: 1/16 .. 4
void fill_destination(Buffer& buffer, const Type& type);
// The same by logical index, for a layout that the library chose.
void fill_destination(Buffer& buffer, const Type& type, const_dnnl_memory_desc_t md);
// `salt` tells apart the factors of src and dst.
void fill_scales(Buffer& buffer, const Type& type, int64_t count, uint64_t seed, uint64_t salt);
void fill_zero_points(Buffer& buffer, const Type& type, int64_t count, uint64_t seed, uint64_t salt);

} // namespace differential
