// SPDX-License-Identifier: Apache-2.0
// The address function: Layout::at of random blocked descriptors equals the rule written down directly, addresses of
// different elements differ, all of them lie within get_size, and reach_of ends with the last of them.
// covers: MEM-10 MEM-11 MEM-12 MEM-13
#include <random>
#include <set>

#include "core/layout/layout.hpp"
#include "describe.hpp"

namespace tessera::testing {
namespace {

// Each index is split by the inner blocks of its dimension from innermost to outermost: the remainder is the position
// in the block, the quotient goes on, and what is left steps over outer blocks.
int64_t address(const MemoryDesc& md, List at) {
    int64_t result = md.offset0, step = 1;
    for (int j = md.inner_nblks; j-- > 0;) {
        int64_t& index = at[size_t(md.inner_idxs[size_t(j)])];
        result += index % md.inner_blks[size_t(j)] * step;
        index /= md.inner_blks[size_t(j)];
        step *= md.inner_blks[size_t(j)];
    }
    for (int d = 0; d < md.ndims; ++d) result += at[size_t(d)] * md.strides[size_t(d)];
    return result;
}

MemoryDesc random_desc(std::mt19937& random) {
    const int ndims = 1 + int(random() % 4);
    std::string letters = std::string("abcd").substr(0, size_t(ndims)), blocks;
    List dims;
    for (int d = 0; d < ndims; ++d) dims.push_back(1 + int64_t(random() % 6));
    for (size_t j = random() % 4; j-- > 0;) {
        const size_t d = random() % size_t(ndims);
        letters[d] = char('A' + d);
        blocks += fmt::format("{}{}", 2 + random() % 3, char('a' + d));
    }
    std::shuffle(letters.begin(), letters.end(), random);
    const MemoryDesc md = tagged(dims, letters + blocks);
    if (random() % 2) return md;
    List part, from;
    for (int d = 0; d < ndims; ++d) {
        const int64_t blocks_before = md.dims[size_t(d)] / md.block_of(d);
        from.push_back(md.block_of(d) * int64_t(random() % uint64_t(blocks_before + 1)));
        part.push_back(md.dims[size_t(d)] - from.back());
    }
    return must(submemory(md, part, from));
}

TEST(AddressLaw, LayoutFollowsTheRule) {
    std::mt19937 random(4);
    for (int round = 0; round < 3000; ++round) {
        const MemoryDesc md = random_desc(random);
        const Layout layout = layout_of(md);
        std::set<int64_t> seen;
        List at(size_t(md.ndims), 0);
        const int64_t count = md.nelems(true);
        int64_t end = 0;
        for (int64_t k = 0; k < count; ++k) {
            int64_t rest = k;
            for (int d = 0; d < md.ndims; ++d) {
                at[size_t(d)] = rest % md.padded_dims[size_t(d)];
                rest /= md.padded_dims[size_t(d)];
            }
            const int64_t expected = address(md, at);
            ASSERT_EQ(layout.at(at), expected) << to_token(md);
            EXPECT_TRUE(seen.insert(expected).second) << to_token(md);
            EXPECT_LT((expected - md.offset0) * 4, int64_t(size_of(md))) << to_token(md);
            EXPECT_GE(expected, md.offset0);
            end = std::max(end, expected + 1);
        }
        EXPECT_EQ(reach_of(md), size_t(end) * 4) << to_token(md);
        if (!tag_of(md).empty()) { EXPECT_EQ(size_t(count) * 4, size_of(md)) << to_token(md); }
    }
}

} // namespace
} // namespace tessera::testing
