// SPDX-License-Identifier: Apache-2.0
// The tag language: how a dense layout is spelled (TAG rows).
//
//   tag    = letters blocks                 aBcd16b    ABcd4b16a4b    nhwc    any    undef
//   letters: every dimension once, from slowest to fastest; a capital letter has inner blocks
//   blocks : (size letter)*, outermost first, small letters
//
// Dimensions are named a, b, c, ... in logical order. Domain names are the same with other letters, in this logical
// order: n c (d h) w; o i (d h) w, led by g for groups; t n c; l d n c; l d i g o; x. The layout is read from the
// spelling, so tags that no enumerator names work too (dcbaefgh, AB3a5b). Six enumerated names break the rules
// (TAG-21); they stand in a table in tags.cpp.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/desc/memory_desc.hpp"

namespace tessera {

struct Tag {
    int ndims = 0;
    std::array<int, max_ndims> order{}; // dimensions from slowest to fastest
    int inner_nblks = 0;
    Dims inner_blks{}, inner_idxs{}; // as in MemoryDesc
    bool operator==(const Tag&) const = default;
};

// Refusals name the offending letter. "any" and "undef" are no layouts and are refused here.
Result<Tag> parse_tag(std::string_view text);
// The canonical spelling: letters a..l. Law: parse_tag(to_string(t)) == t.
std::string to_string(const Tag& tag);

// The blocks and the order of strides of a blocked descriptor, dense or not, as verbose lines show them. Extents of 1
// follow their strides, inside of a dimension with the same stride.
Tag closest_tag(const MemoryDesc& md);

// Enumerators of dnnl_format_tag_t: the canonical spelling of a number, "" if it is no tag; and back, -1 if the
// spelling, canonical or alias, is not enumerated.
std::string_view spelling_of_tag(int number);
int number_of_tag(std::string_view spelling);

} // namespace tessera
