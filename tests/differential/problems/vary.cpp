// SPDX-License-Identifier: Apache-2.0
#include "vary.hpp"

#include <algorithm>
#include <cctype>

#include "random.hpp"

namespace differential {

// The product of the inner blocks of dim `d`.
int64_t block_of(const std::string& tag, size_t d) {
    int64_t block = 1, size = 0;
    for (const char c : tag) {
        if (std::isdigit(c))
            size = size * 10 + (c - '0');
        else if (size)
            block *= c == char('a' + d) ? size : 1, size = 0;
    }
    return block;
}

namespace {

bool is_plain(const std::string& tag) {
    return std::none_of(tag.begin(), tag.end(), [](char c) { return std::isdigit(c); });
}

// Strides in the order of a permutation, with gaps.
Dims strides_with_gaps(Random& random, const Dims& dims, const std::string& order) {
    Dims strides(dims.size());
    int64_t next = random.one_in(4) ? 2 : 1;
    for (size_t i = order.size(); i-- > 0;) {
        const auto d = size_t(order[i] - 'a');
        strides[d] = next;
        next = next * std::max<int64_t>(1, dims[d]) + (random.percent(40) ? random.between(0, 3) : 0);
    }
    return strides;
}

// A parent larger than the view; offsets at block borders mostly.
void make_view(Random& random, Side& side) {
    side.parent = side.offsets = side.dims;
    for (size_t d = 0; d < side.dims.size(); ++d) {
        const int64_t block = block_of(side.tag, d);
        side.offsets[d] = random.percent(50) ? 0 : block * random.between(0, 2) + (random.one_in(20) ? 1 : 0);
        side.parent[d] = side.dims[d] + side.offsets[d] + (random.percent(50) ? 0 : random.between(0, 3));
    }
}

// Stride 0 along one dim; another must move, else the descriptor has size 0.
void broadcast(Side& side, size_t dim) {
    for (size_t d = 0; d < side.dims.size(); ++d)
        if (d != dim && side.dims[d] > 1) side.strides[dim] = 0;
}

} // namespace

void vary_layout(Random& random, Side& side, bool source) {
    if (random.percent(10)) {
        make_view(random, side);
    } else if (random.percent(8) && is_plain(side.tag)) {
        side.strides = strides_with_gaps(random, side.dims, side.tag);
        if (source && random.one_in(6)) broadcast(side, random.below(side.strides.size()));
        side.tag.clear();
    }
}

} // namespace differential
