// SPDX-License-Identifier: Apache-2.0
// What jobs in blocks of vectors and of tiles are made of alike: the choice, loops over k, packs, sums, groups.
#pragma once

#include "cpu/products/run/blocked.hpp"
#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

// The choice and the views of a job; what was seen is moved to it.
void choose_for(Seen& seen, BlockedJob& job);
// Packs of A and B, kernels of sums and of groups. False where one of them could not be made.
bool make_packs(Seen& seen, BlockedJob& job);
bool make_sums(const Seen& seen, BlockedJob& job);
bool finish_groups(Seen& seen, BlockedJob& job);

// A register block that the product has: `variant` as BlockedJob has it. 0 rows: there is none.
struct BlockVariant {
    int64_t rows, columns;
    bool narrow, low;
};
BlockVariant block_variant(const BlockedJob& job, size_t variant);

} // namespace tessera::cpu
